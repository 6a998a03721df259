// Single-table design with the document client: one table, entities told apart by their keys, GSI1 overloaded.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  BatchGetCommand, BatchWriteCommand, DynamoDBDocumentClient, paginateQuery, paginateScan, QueryCommand, ScanCommand, UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { client, createTable, deleteTable, settle } from "./client.mjs";

const documents = DynamoDBDocumentClient.from(client);
const gsi1 = { IndexName: "GSI1", keys: { GSI1PK: "S", GSI1SK: "S" } };

const user = (n) => ({ PK: `USER#${n}`, SK: "PROFILE", type: "user", name: `User ${n}`, GSI1PK: `EMAIL#${n}@example.com`, GSI1SK: "USER" });
const order = (id, n, day, status) => ({
  PK: `USER#${n}`, SK: `ORDER#${day}#${id}`, type: "order", status, GSI1PK: `ORDER#${id}`, GSI1SK: "#HEADER",
});
const line = (id, position, product) => ({
  PK: `ORDER#${id}`, SK: `ITEM#${position}`, type: "item", product, GSI1PK: `ORDER#${id}`, GSI1SK: `ITEM#${position}`,
});
const users = [user(1), user(2)];
const orders = [order("a", 1, "2026-01-05", "shipped"), order("b", 1, "2026-02-10", "open"), order("c", 2, "2026-01-20", "open")];
const lines = [line("a", 1, "apple"), line("a", 2, "pear"), line("b", 1, "apple")];

let TableName;
before(async () => {
  TableName = await createTable({ PK: "S", SK: "S" }, [gsi1]);
  const RequestItems = { [TableName]: [...users, ...orders, ...lines].map((Item) => ({ PutRequest: { Item } })) };
  const reply = await documents.send(new BatchWriteCommand({ RequestItems }));
  assert.deepEqual(reply.UnprocessedItems, {});
});
after(async () => { await deleteTable(TableName); client.destroy(); });

const query = (KeyConditionExpression, ExpressionAttributeValues, more = {}) =>
  documents.send(new QueryCommand({ TableName, KeyConditionExpression, ExpressionAttributeValues, ...more }));

test("a user with the orders in one query", async () => {
  const reply = await query("PK = :u", { ":u": "USER#1" });
  assert.deepEqual(reply.Items, [orders[0], orders[1], users[0]]);
  assert.equal(reply.Count, 3);
  assert.equal(reply.ScannedCount, 3);
});

test("the newest order", async () => {
  const reply = await query("PK = :u AND begins_with(SK, :o)", { ":u": "USER#1", ":o": "ORDER#" }, { ScanIndexForward: false, Limit: 1 });
  assert.deepEqual(reply.Items, [orders[1]]);
  assert.deepEqual(reply.LastEvaluatedKey, { PK: orders[1].PK, SK: orders[1].SK });
});

test("an order with its items through the index", async () => {
  const read = async () => (await query("GSI1PK = :o", { ":o": "ORDER#a" }, { IndexName: "GSI1" })).Items;
  await settle(read, [orders[0], lines[0], lines[1]]);
});

test("a user by email", async () => {
  const read = async () => (await query("GSI1PK = :e", { ":e": "EMAIL#2@example.com" }, { IndexName: "GSI1" })).Items;
  await settle(read, [users[1]]);
});

test("pages by the SDK's paginator", async () => {
  const found = [];
  for await (const page of paginateQuery({ client: documents, pageSize: 1 }, {
    TableName, KeyConditionExpression: "PK = :u", ExpressionAttributeValues: { ":u": "USER#1" },
  })) found.push(...page.Items);
  assert.deepEqual(found, [orders[0], orders[1], users[0]]);
  let count = 0;
  for await (const page of paginateScan({ client: documents, pageSize: 3 }, { TableName })) count += page.Count;
  assert.equal(count, 8);
});

test("a filter by entity", async () => {
  const reply = await documents.send(new ScanCommand({
    TableName, FilterExpression: "#t = :t", ExpressionAttributeNames: { "#t": "type" }, ExpressionAttributeValues: { ":t": "item" },
  }));
  assert.deepEqual(reply.Items.map((item) => item.PK + item.SK).sort(), lines.map((item) => item.PK + item.SK));
  assert.equal(reply.ScannedCount, 8);
});

test("several entities by their keys", async () => {
  const Keys = [{ PK: "USER#1", SK: "PROFILE" }, { PK: "USER#2", SK: "PROFILE" }, { PK: "USER#3", SK: "PROFILE" }];
  const reply = await documents.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }));
  assert.deepEqual(reply.Responses[TableName].sort((a, b) => a.PK.localeCompare(b.PK)), users);
  assert.deepEqual(reply.UnprocessedKeys, {});
});

test("a status in the index follows the order", async () => {
  await documents.send(new UpdateCommand({
    TableName, Key: { PK: orders[2].PK, SK: orders[2].SK }, UpdateExpression: "SET #s = :s, GSI1SK = :k",
    ExpressionAttributeNames: { "#s": "status" }, ExpressionAttributeValues: { ":s": "shipped", ":k": "#HEADER#SHIPPED" },
  }));
  const read = async () => (await query("GSI1PK = :o AND begins_with(GSI1SK, :h)", { ":o": "ORDER#c", ":h": "#HEADER" }, { IndexName: "GSI1" })).Items;
  await settle(read, [{ ...orders[2], status: "shipped", GSI1SK: "#HEADER#SHIPPED" }]);
});

test("misuse is refused", async () => {
  const values = { ":p": "USER#" };
  await assert.rejects(query("begins_with(PK, :p)", values), { name: "ValidationException", message: "Query key condition not supported" });
  await assert.rejects(query("PK = :p", values, { FilterExpression: "status = :p" }), {
    name: "ValidationException", message: "Invalid FilterExpression: Attribute name is a reserved keyword; reserved keyword: status",
  });
  await assert.rejects(query("GSI1PK = :p", values, { IndexName: "GSI1", ConsistentRead: true }), {
    name: "ValidationException", message: "Consistent reads are not supported on global secondary indexes",
  });
});
