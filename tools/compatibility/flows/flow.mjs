// What every flow uses: the server's address, a client, tables, and steps with a name.
//
// A flow is a small program of its own. It prints a line for each step that went well and fails with the first that did not.
import assert from "node:assert/strict";
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from "@aws-sdk/client-dynamodb";

export { assert };
export const config = {
  endpoint: process.env.ARMATURE_ENDPOINT,
  region: "us-east-1",
  credentials: { accessKeyId: "fakeMyKeyId", secretAccessKey: "fakeSecretAccessKey" },
};
export const client = new DynamoDBClient(config);

export async function step(name, action) {
  const result = await action();
  console.log(`ok ${name}`);
  return result;
}

// The error's name, wherever a library puts it.
export async function refused(action, name) {
  try {
    await action();
  } catch (error) {
    const seen = [error, error.cause, error.originalError].filter(Boolean).map((each) => `${each.name} ${each.code} ${each.message}`);
    assert.match(seen.join("\n"), new RegExp(name));
    return error;
  }
  return assert.fail(`nothing was refused with ${name}`);
}

const schema = (keys) => Object.keys(keys).map((AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? "HASH" : "RANGE" }));

// Keys are { name: type }, the partition key first; indexes are { IndexName: keys }.
export async function createTable(TableName, keys, indexes = {}) {
  const types = Object.assign({}, keys, ...Object.values(indexes));
  const GlobalSecondaryIndexes = Object.entries(indexes).map(([IndexName, of]) => (
    { IndexName, KeySchema: schema(of), Projection: { ProjectionType: "ALL" } }));
  await client.send(new CreateTableCommand({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: Object.entries(types).map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    KeySchema: schema(keys),
    ...(GlobalSecondaryIndexes.length ? { GlobalSecondaryIndexes } : {}),
  }));
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1, maxDelay: 1 }, { TableName });
}
