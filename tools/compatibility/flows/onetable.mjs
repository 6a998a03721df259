import { Table } from "dynamodb-onetable";
import { assert, client, refused, step } from "./flow.mjs";

const table = new Table({
  client,
  name: "OneTable",
  partial: true,
  schema: {
    format: "onetable:1.1.0",
    version: "0.0.1",
    indexes: { primary: { hash: "pk", sort: "sk" }, gs1: { hash: "gs1pk", sort: "gs1sk", project: "all" } },
    models: {
      Visitor: {
        pk: { type: String, value: "visitor:${id}" }, sk: { type: String, value: "at:${at}" },
        gs1pk: { type: String, value: "city:${city}" }, gs1sk: { type: String, value: "at:${at}" },
        id: { type: String, required: true }, at: { type: Number, required: true }, city: { type: String }, visits: { type: Number, default: 0 },
        when: { type: Date },
      },
    },
    params: { isoDates: true, timestamps: true },
  },
});
const Visitor = table.getModel("Visitor");

await step("create table", async () => {
  await table.createTable();
  assert.ok(await table.exists());
});
await step("put", async () => {
  for (let at = 1; at <= 5; at += 1) await Visitor.create({ id: "a", at, city: at % 2 ? "Oslo" : "Rome", when: new Date(0) });
});
await step("get", async () => {
  const found = await Visitor.get({ id: "a", at: 3 });
  assert.equal(found.city, "Oslo");
  assert.equal(found.when.getTime(), 0);
});
await step("conditional failure", () => refused(() => Visitor.create({ id: "a", at: 3 }), "Cannot create|ConditionalCheckFailed|exists"));
await step("update", async () => assert.equal((await Visitor.update({ id: "a", at: 3 }, { add: { visits: 2 } })).visits, 2));
await step("query by index", async () => {
  const found = await Visitor.find({ city: "Oslo" }, { index: "gs1", reverse: true });
  assert.deepEqual(found.map((each) => each.at), [5, 3, 1]);
});
await step("paginate", async () => {
  const seen = [];
  let next;
  do {
    const page = await Visitor.find({ id: "a" }, { limit: 2, next });
    seen.push(...page.map((each) => each.at));
    next = page.next;
  } while (next);
  assert.deepEqual(seen, [1, 2, 3, 4, 5]);
});
await step("transaction", async () => {
  const transaction = {};
  await Visitor.create({ id: "b", at: 1 }, { transaction });
  await Visitor.update({ id: "a", at: 1, visits: 9 }, { transaction });
  await table.transact("write", transaction);
  assert.equal((await Visitor.get({ id: "a", at: 1 })).visits, 9);
  const second = {};
  await Visitor.create({ id: "b", at: 1 }, { transaction: second });
  await refused(() => table.transact("write", second), "TransactionCanceled");
});
await step("batch", async () => {
  const batch = {};
  await Visitor.create({ id: "c", at: 1 }, { batch });
  await Visitor.create({ id: "c", at: 2 }, { batch });
  await table.batchWrite(batch);
  assert.equal((await Visitor.find({ id: "c" })).length, 2);
});
await step("delete", async () => {
  await Visitor.remove({ id: "a", at: 3 });
  assert.equal(await Visitor.get({ id: "a", at: 3 }), undefined);
  await table.deleteTable("DeleteTableForever");
});
