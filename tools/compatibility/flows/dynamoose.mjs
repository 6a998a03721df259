import dynamoose from "dynamoose";
import { assert, config, refused, step } from "./flow.mjs";

dynamoose.aws.ddb.set(new dynamoose.aws.ddb.DynamoDB(config));

const schema = new dynamoose.Schema({
  id: { type: String, hashKey: true },
  at: { type: Number, rangeKey: true },
  city: { type: String, index: { name: "byCity", type: "global", rangeKey: "at" } },
  visits: Number,
  tags: { type: Set, schema: [String] },
});
const Visitor = dynamoose.model("DynamooseVisitor", schema);
const table = new dynamoose.Table("DynamooseTable", [Visitor], { initialize: false, waitForActive: { enabled: true, check: { timeout: 30000, frequency: 100 } } });

await step("create table", () => table.initialize());
await step("put", async () => {
  for (let at = 1; at <= 5; at += 1) await Visitor.create({ id: "a", at, city: at % 2 ? "Oslo" : "Rome", visits: 0, tags: new Set(["x", `t${at}`]) });
});
await step("get", async () => {
  const found = await Visitor.get({ id: "a", at: 3 });
  assert.equal(found.city, "Oslo");
  assert.deepEqual([...found.tags].sort(), ["t3", "x"]);
});
await step("conditional failure", () => refused(() => Visitor.create({ id: "a", at: 3 }), "ConditionalCheckFailed"));
await step("update", async () => {
  const changed = await Visitor.update({ id: "a", at: 3 }, { $ADD: { visits: 2 }, $SET: { city: "Bonn" } });
  assert.equal(changed.visits, 2);
});
await step("query by index", async () => {
  const found = await Visitor.query("city").eq("Oslo").using("byCity").sort("descending").exec();
  assert.deepEqual(found.map((each) => each.at), [5, 1]);
});
await step("paginate", async () => {
  const seen = [];
  let last;
  do {
    let query = Visitor.query("id").eq("a").limit(2);
    if (last) query = query.startAt(last);
    const page = await query.exec();
    seen.push(...page.map((each) => each.at));
    last = page.lastKey;
  } while (last);
  assert.deepEqual(seen, [1, 2, 3, 4, 5]);
});
await step("transaction", async () => {
  await dynamoose.transaction([Visitor.transaction.create({ id: "b", at: 1, visits: 1 }), Visitor.transaction.update({ id: "a", at: 1 }, { visits: 9 })]);
  assert.equal((await Visitor.get({ id: "a", at: 1 })).visits, 9);
  await refused(() => dynamoose.transaction([Visitor.transaction.create({ id: "b", at: 1 }), Visitor.transaction.delete({ id: "a", at: 1 })]), "TransactionCanceled");
});
await step("batch", async () => {
  await Visitor.batchPut([{ id: "c", at: 1 }, { id: "c", at: 2 }]);
  assert.equal((await Visitor.batchGet([{ id: "c", at: 1 }, { id: "c", at: 2 }])).length, 2);
});
await step("delete", async () => {
  await Visitor.delete({ id: "a", at: 3 });
  assert.equal(await Visitor.get({ id: "a", at: 3 }), undefined);
  assert.equal((await Visitor.scan().count().exec()).count, 7);
});
