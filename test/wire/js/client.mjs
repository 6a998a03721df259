// A client for the server under test, and tables that clean up after themselves.
import { randomUUID } from "node:crypto";
import {
  CreateTableCommand, DeleteTableCommand, DynamoDBClient, waitUntilTableExists, waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";

export const client = new DynamoDBClient({ endpoint: process.env.ARMATURE_ENDPOINT, maxAttempts: 1 });

const patience = { client, maxWaitTime: 60, minDelay: 1, maxDelay: 1 };

export async function createTable(keys = { pk: "S" }) {
  const names = Object.keys(keys);
  const TableName = `js-${randomUUID()}`;
  await client.send(new CreateTableCommand({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: keys[AttributeName] })),
    KeySchema: names.map((AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? "HASH" : "RANGE" })),
  }));
  await waitUntilTableExists(patience, { TableName });
  return TableName;
}

export async function deleteTable(TableName) {
  await client.send(new DeleteTableCommand({ TableName }));
  await waitUntilTableNotExists(patience, { TableName });
}
