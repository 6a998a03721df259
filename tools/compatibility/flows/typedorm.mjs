// Decorators are called by hand: this is plain JavaScript.
import "reflect-metadata";
import { createRequire } from "node:module";
import { assert, client, createTable, refused, step } from "./flow.mjs";

const require = createRequire(import.meta.url);
const { Attribute, Entity, INDEX_TYPE, Table } = require("@typedorm/common");
const { createConnection, WriteTransaction } = require("@typedorm/core");
const { DocumentClientV3 } = require("@typedorm/document-client");

class Visitor {}
for (const [name, type] of Object.entries({ id: String, at: String, city: String, visits: Number })) {
  Reflect.defineMetadata("design:type", type, Visitor.prototype, name);
  Attribute()(Visitor.prototype, name);
}
Entity({
  name: "visitor",
  primaryKey: { partitionKey: "VISITOR#{{id}}", sortKey: "AT#{{at}}" },
  indexes: { GSI1: { partitionKey: "CITY#{{city}}", sortKey: "AT#{{at}}", type: INDEX_TYPE.GSI } },
})(Visitor);

const visitor = (members) => Object.assign(new Visitor(), members);
const table = new Table({
  name: "TypeDormTable", partitionKey: "PK", sortKey: "SK",
  indexes: { GSI1: { type: INDEX_TYPE.GSI, partitionKey: "GSI1PK", sortKey: "GSI1SK" } },
});

await step("create table", () => createTable("TypeDormTable", { PK: "S", SK: "S" }, { GSI1: { GSI1PK: "S", GSI1SK: "S" } }));
const connection = createConnection({ table, entities: [Visitor], documentClient: new DocumentClientV3(client) });
const manager = connection.entityManager;
await step("put", async () => {
  for (let at = 1; at <= 5; at += 1) await manager.create(visitor({ id: "a", at: `${at}`, city: at % 2 ? "Oslo" : "Rome", visits: 0 }));
});
await step("get", async () => assert.equal((await manager.findOne(Visitor, { id: "a", at: "3" })).city, "Oslo"));
await step("conditional failure", () => refused(() => manager.create(visitor({ id: "a", at: "3", city: "Oslo", visits: 0 })), "ConditionalCheckFailed|conditional request failed"));
await step("update", async () => assert.equal((await manager.update(Visitor, { id: "a", at: "3" }, { visits: { INCREMENT_BY: 2 } })).visits, 2));
await step("query by index", async () => {
  const { items } = await manager.find(Visitor, { city: "Oslo" }, { queryIndex: "GSI1", orderBy: "DESC" });
  assert.deepEqual(items.map((each) => each.at), ["5", "3", "1"]);
});
await step("paginate", async () => {
  const seen = [];
  let cursor;
  do {
    const page = await manager.find(Visitor, { id: "a" }, { limit: 2, cursor });
    seen.push(...page.items.map((each) => each.at));
    cursor = page.cursor;
  } while (cursor);
  assert.deepEqual(seen, ["1", "2", "3", "4", "5"]);
});
await step("transaction", async () => {
  const write = () => new WriteTransaction().addCreateItem(visitor({ id: "b", at: "1", city: "Bonn", visits: 1 }));
  await connection.transactionManger.write(write());
  await refused(() => connection.transactionManger.write(write()), "Transaction");
});
await step("delete", async () => {
  await manager.delete(Visitor, { id: "a", at: "3" });
  assert.equal(await manager.findOne(Visitor, { id: "a", at: "3" }), undefined);
});
