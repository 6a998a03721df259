import connect from "connect-dynamodb";
import session from "express-session";
import { assert, client, step } from "./flow.mjs";

const Store = connect(session);
const store = new Store({ table: "Sessions", client, readCapacityUnits: 5, writeCapacityUnits: 5 });
const call = (method, ...parameters) => new Promise((done, failed) => {
  store[method](...parameters, (error, result) => (error ? failed(error) : done(result)));
});
const later = () => ({ cookie: { maxAge: 60000, expires: new Date(Date.now() + 60000) }, user: "a" });

await step("create table", () => store.initialize());
await step("put", () => call("set", "one", later()));
await step("get", async () => {
  assert.equal((await call("get", "one")).user, "a");
  assert.equal(await call("get", "nobody"), null);
});
await step("update", async () => {
  await call("touch", "one", later());
  await call("set", "one", { ...later(), user: "b" });
  assert.equal((await call("get", "one")).user, "b");
});
await step("expired session", async () => {
  await call("set", "old", { cookie: { maxAge: -60000, expires: new Date(Date.now() - 60000) } });
  assert.equal(await call("get", "old"), null);
});
await step("delete", async () => {
  await call("destroy", "one");
  assert.equal(await call("get", "one"), null);
});
