import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import {
  $add, DeleteItemCommand, Entity, GetItemCommand, PutItemCommand, PutTransaction, QueryCommand, Table, UpdateItemCommand, UpdateTransaction,
  executeTransactWrite, item, number, string,
} from "dynamodb-toolbox";
import { assert, client, createTable, refused, step } from "./flow.mjs";

const table = new Table({
  name: "ToolboxTable",
  documentClient: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
  partitionKey: { name: "pk", type: "string" },
  sortKey: { name: "sk", type: "number" },
  indexes: { byCity: { type: "global", partitionKey: { name: "city", type: "string" }, sortKey: { name: "sk", type: "number" } } },
});
const Visitor = new Entity({
  name: "Visitor",
  table,
  schema: item({
    id: string().key().savedAs("pk"), at: number().key().savedAs("sk"), city: string().optional(), visits: number().optional(),
  }),
});

await step("create table", () => createTable("ToolboxTable", { pk: "S", sk: "N" }, { byCity: { city: "S", sk: "N" } }));
await step("put", async () => {
  for (let at = 1; at <= 5; at += 1) await Visitor.build(PutItemCommand).item({ id: "a", at, city: at % 2 ? "Oslo" : "Rome", visits: 0 }).send();
});
await step("get", async () => {
  const { Item } = await Visitor.build(GetItemCommand).key({ id: "a", at: 3 }).options({ consistent: true }).send();
  assert.equal(Item.city, "Oslo");
});
await step("conditional failure", () => refused(
  () => Visitor.build(PutItemCommand).item({ id: "a", at: 3 }).options({ condition: { attr: "id", exists: false } }).send(), "ConditionalCheckFailed"));
await step("update", async () => {
  const { Attributes } = await Visitor.build(UpdateItemCommand).item({ id: "a", at: 3, visits: $add(2) }).options({ returnValues: "ALL_NEW" }).send();
  assert.equal(Attributes.visits, 2);
});
await step("query by index", async () => {
  const { Items } = await table.build(QueryCommand).query({ index: "byCity", partition: "Oslo", range: { gt: 1 } }).entities(Visitor).send();
  assert.deepEqual(Items.map((each) => each.at), [3, 5]);
});
await step("paginate", async () => {
  const seen = [];
  let exclusiveStartKey;
  do {
    const page = await table.build(QueryCommand).query({ partition: "a" }).entities(Visitor).options({ limit: 2, exclusiveStartKey }).send();
    seen.push(...page.Items.map((each) => each.at));
    exclusiveStartKey = page.LastEvaluatedKey;
  } while (exclusiveStartKey);
  assert.deepEqual(seen, [1, 2, 3, 4, 5]);
});
await step("transaction", async () => {
  await executeTransactWrite(
    Visitor.build(PutTransaction).item({ id: "b", at: 1, visits: 1 }), Visitor.build(UpdateTransaction).item({ id: "a", at: 1, visits: 9 }));
  const once = Visitor.build(PutTransaction).item({ id: "b", at: 1 }).options({ condition: { attr: "id", exists: false } });
  await refused(() => executeTransactWrite(once, Visitor.build(UpdateTransaction).item({ id: "a", at: 1, visits: 10 })), "TransactionCanceled");
  assert.equal((await Visitor.build(GetItemCommand).key({ id: "a", at: 1 }).send()).Item.visits, 9);
});
await step("delete", async () => {
  await Visitor.build(DeleteItemCommand).key({ id: "a", at: 3 }).send();
  assert.equal((await Visitor.build(GetItemCommand).key({ id: "a", at: 3 }).send()).Item, undefined);
});
