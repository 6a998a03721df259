import KeyvDynamo from "@keyv/dynamo";
import Keyv from "keyv";
import { assert, config, step } from "./flow.mjs";

const make = (Class, ...parameters) => new (Class.Keyv ?? Class.default ?? Class)(...parameters);
const store = make(KeyvDynamo, { ...config, tableName: "KeyvTable" });
const keyv = make(Keyv, { store, namespace: "flow" });

await step("create table and put", () => keyv.set("a", { n: 1 }));
await step("get", async () => {
  assert.deepEqual(await keyv.get("a"), { n: 1 });
  assert.equal(await keyv.get("nobody"), undefined);
});
await step("many", async () => {
  for (let n = 0; n < 20; n += 1) await keyv.set(`k${n}`, n);
  assert.deepEqual(await keyv.get(["k0", "k19", "nobody"]), [0, 19, undefined]);
});
await step("expired value", async () => {
  await keyv.set("brief", 1, 50);
  await new Promise((done) => setTimeout(done, 120));
  assert.equal(await keyv.get("brief"), undefined);
});
await step("delete", async () => {
  assert.equal(await keyv.delete("a"), true);
  assert.equal(await keyv.has("a"), false);
});
await step("clear", async () => {
  await keyv.clear();
  assert.equal(await keyv.get("k5"), undefined);
});
