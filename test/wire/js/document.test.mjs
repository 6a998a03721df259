// Plain JavaScript values through the document client of lib-dynamodb.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { client, createTable, deleteTable } from "./client.mjs";

const documents = DynamoDBDocumentClient.from(client);
let TableName;
before(async () => { TableName = await createTable(); });
after(async () => { await deleteTable(TableName); client.destroy(); });

test("values round-trip", async () => {
  const Item = {
    pk: "values", text: "hello", number: 42.5, yes: true, nothing: null, list: [1, "two", { three: 3 }], map: { a: { b: [] } },
    tags: new Set(["a", "b"]), bytes: new Uint8Array([1, 2, 3]),
  };
  await documents.send(new PutCommand({ TableName, Item }));
  const reply = await documents.send(new GetCommand({ TableName, Key: { pk: "values" }, ConsistentRead: true }));
  assert.deepEqual(reply.Item, Item);
});

test("update and project", async () => {
  const reply = await documents.send(new UpdateCommand({
    TableName, Key: { pk: "u" }, UpdateExpression: "SET #m = :m, n = :n", ExpressionAttributeNames: { "#m": "map" },
    ExpressionAttributeValues: { ":m": { x: 1, y: 2 }, ":n": 1 }, ReturnValues: "ALL_NEW",
  }));
  assert.deepEqual(reply.Attributes, { pk: "u", map: { x: 1, y: 2 }, n: 1 });
  const read = await documents.send(new GetCommand({
    TableName, Key: { pk: "u" }, ProjectionExpression: "#m.y", ExpressionAttributeNames: { "#m": "map" },
  }));
  assert.deepEqual(read.Item, { map: { y: 2 } });
});

test("a condition on a delete", async () => {
  await documents.send(new PutCommand({ TableName, Item: { pk: "d", version: 2 } }));
  const remove = (version) => documents.send(new DeleteCommand({
    TableName, Key: { pk: "d" }, ConditionExpression: "version = :v", ExpressionAttributeValues: { ":v": version },
  }));
  await assert.rejects(remove(1), { name: "ConditionalCheckFailedException" });
  await remove(2);
  assert.equal((await documents.send(new GetCommand({ TableName, Key: { pk: "d" } }))).Item, undefined);
});
