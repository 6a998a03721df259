// A provisioned table that is used up: what the SDK says of it, and that its retries and those of batches lose and double nothing.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  BatchWriteItemCommand, DescribeTableCommand, DynamoDBClient, GetItemCommand, ProvisionedThroughputExceededException, PutItemCommand, ScanCommand, UpdateItemCommand, UpdateTableCommand,
} from "@aws-sdk/client-dynamodb";
import { client, createTable, deleteTable } from "./client.mjs";

const WRITES = 25; // a second; five minutes of them are saved at first
const patient = new DynamoDBClient({ endpoint: process.env.ARMATURE_ENDPOINT, maxAttempts: 20 });
let TableName;
before(async () => {
  TableName = await createTable();
  await client.send(new UpdateTableCommand({
    TableName, BillingMode: "PROVISIONED", ProvisionedThroughput: { ReadCapacityUnits: 100, WriteCapacityUnits: WRITES },
  }));
  for (let status = "UPDATING"; status !== "ACTIVE";) status = await tableStatus();
});
after(async () => { await deleteTable(TableName); client.destroy(); patient.destroy(); });

async function tableStatus() {
  return (await client.send(new DescribeTableCommand({ TableName }))).Table.TableStatus;
}

// Writes until there is nothing left; what it is told then.
async function exhaust() {
  const Item = { pk: { S: "large" }, b: { S: "x".repeat(60_000) } };
  for (let puts = 0; puts < 1000; puts++) {
    try {
      await client.send(new PutItemCommand({ TableName, Item }));
    } catch (error) {
      return error;
    }
  }
  return undefined;
}

test("the exception has its reasons", async () => {
  const error = await exhaust();
  assert.ok(error instanceof ProvisionedThroughputExceededException);
  assert.equal(error.ThrottlingReasons.length, 1);
  assert.equal(error.ThrottlingReasons[0].reason, "TableWriteProvisionedThroughputExceeded");
  assert.ok(error.ThrottlingReasons[0].resource.endsWith(`:table/${TableName}`));
});

test("retries double nothing", async () => {
  await exhaust();
  for (let i = 0; i < 30; i++) {
    await patient.send(new UpdateItemCommand({
      TableName, Key: { pk: { S: "counter" } }, UpdateExpression: "ADD n :one", ExpressionAttributeValues: { ":one": { N: "1" } },
    }));
  }
  const { Item } = await patient.send(new GetItemCommand({ TableName, Key: { pk: { S: "counter" } }, ConsistentRead: true }));
  assert.equal(Item.n.N, "30");
});

test("what a batch leaves unprocessed is all there is to send again", async () => {
  await exhaust();
  let waiting = Array.from({ length: 60 }, (_, i) => ({ PutRequest: { Item: { pk: { S: `k${i}` } } } }));
  for (let sent = 0; waiting.length > 0; sent++) {
    assert.ok(sent < 500);
    const reply = await patient.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: waiting.slice(0, 25) } }));
    const left = reply.UnprocessedItems?.[TableName] ?? [];
    assert.ok(left.length < Math.min(waiting.length, 25));
    waiting = [...left, ...waiting.slice(25)];
  }
  const page = await patient.send(new ScanCommand({ TableName, ConsistentRead: true, ProjectionExpression: "pk" }));
  const found = page.Items.map((item) => item.pk.S).filter((key) => key.startsWith("k")).sort();
  assert.deepEqual(found, Array.from({ length: 60 }, (_, i) => `k${i}`).sort());
});
