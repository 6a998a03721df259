// A client for the server under test, and tables that clean up after themselves.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  CreateTableCommand, DeleteTableCommand, DynamoDBClient, waitUntilTableExists, waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";

export const client = new DynamoDBClient({ endpoint: process.env.ARMATURE_ENDPOINT, maxAttempts: 1 });

const patience = { client, maxWaitTime: 60, minDelay: 1, maxDelay: 1 };

const schema = (keys) => Object.keys(keys).map((AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? "HASH" : "RANGE" }));

// Keys are { name: type }, the partition key first; indexes are { IndexName, keys } and project everything.
export async function createTable(keys = { pk: "S" }, indexes = []) {
  const types = Object.assign({}, keys, ...indexes.map((index) => index.keys));
  const TableName = `js-${randomUUID()}`;
  await client.send(new CreateTableCommand({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: Object.entries(types).map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    KeySchema: schema(keys),
    GlobalSecondaryIndexes: indexes.length === 0 ? undefined : indexes.map((index) => (
      { IndexName: index.IndexName, KeySchema: schema(index.keys), Projection: { ProjectionType: "ALL" } })),
  }));
  await waitUntilTableExists(patience, { TableName });
  return TableName;
}

// Asserts what an index read gives; at AWS indexes follow a little later, so it may take a few tries.
export async function settle(read, expected) {
  let found = await read();
  for (let left = 30; left > 0 && !isDeepStrictEqual(found, expected); left--) {
    await new Promise((done) => setTimeout(done, 100));
    found = await read();
  }
  assert.deepEqual(found, expected);
}

export async function deleteTable(TableName) {
  await client.send(new DeleteTableCommand({ TableName }));
  await waitUntilTableNotExists(patience, { TableName });
}
