import { Entity, Service } from "electrodb";
import { assert, client, createTable, refused, step } from "./flow.mjs";

const table = "ElectroTable";
const Visitor = new Entity({
  model: { entity: "visitor", version: "1", service: "flows" },
  attributes: {
    id: { type: "string" }, at: { type: "number", padding: { length: 4, char: "0" } }, city: { type: "string" }, visits: { type: "number", default: 0 },
    tags: { type: "set", items: "string" },
  },
  indexes: {
    primary: { pk: { field: "pk", composite: ["id"] }, sk: { field: "sk", composite: ["at"] } },
    byCity: { index: "gsi1", pk: { field: "gsi1pk", composite: ["city"] }, sk: { field: "gsi1sk", composite: ["at"] } },
  },
}, { client, table });
const flows = new Service({ visitor: Visitor });

await step("create table", () => createTable(table, { pk: "S", sk: "S" }, { gsi1: { gsi1pk: "S", gsi1sk: "S" } }));
await step("put", () => Visitor.put([1, 2, 3, 4, 5].map((at) => ({ id: "a", at, city: at % 2 ? "Oslo" : "Rome", tags: ["x"] }))).go());
await step("get", async () => assert.equal((await Visitor.get({ id: "a", at: 3 }).go({ consistent: true })).data.city, "Oslo"));
await step("conditional failure", () => refused(() => Visitor.create({ id: "a", at: 3, city: "Oslo" }).go(), "conditional request failed"));
await step("update", async () => {
  const { data } = await Visitor.patch({ id: "a", at: 3 }).add({ visits: 2, tags: ["y"] }).go({ response: "all_new" });
  assert.equal(data.visits, 2);
  assert.deepEqual(data.tags.sort(), ["x", "y"]);
});
await step("query by index", async () => {
  const { data } = await Visitor.query.byCity({ city: "Oslo" }).gt({ at: 1 }).where(({ visits }, { lt }) => lt(visits, 1)).go();
  assert.deepEqual(data.map((each) => each.at), [5]);
});
await step("paginate", async () => {
  const seen = [];
  let cursor = null;
  do {
    const page = await Visitor.query.primary({ id: "a" }).go({ cursor, limit: 2 });
    seen.push(...page.data.map((each) => each.at));
    cursor = page.cursor;
  } while (cursor);
  assert.deepEqual(seen, [1, 2, 3, 4, 5]);
});
await step("transaction", async () => {
  await flows.transaction.write(({ visitor }) => [
    visitor.create({ id: "b", at: 1, city: "Bonn" }).commit(), visitor.patch({ id: "a", at: 1 }).set({ visits: 9 }).commit()]).go();
  const { canceled } = await flows.transaction.write(({ visitor }) => [
    visitor.create({ id: "b", at: 1, city: "Bonn" }).commit(), visitor.patch({ id: "a", at: 1 }).set({ visits: 10 }).commit()]).go();
  assert.equal(canceled, true);
  assert.equal((await Visitor.get({ id: "a", at: 1 }).go()).data.visits, 9);
});
await step("delete", async () => {
  await Visitor.delete([{ id: "a", at: 3 }, { id: "a", at: 4 }]).go();
  assert.equal((await Visitor.get({ id: "a", at: 3 }).go()).data, null);
});
