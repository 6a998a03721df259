// Items with the low-level client: every type, conditions, errors as the SDK's classes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  ConditionalCheckFailedException, DeleteItemCommand, DescribeTableCommand, GetItemCommand, ListTablesCommand,
  PutItemCommand, ResourceNotFoundException, UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { client, createTable, deleteTable } from "./client.mjs";

let TableName;
before(async () => { TableName = await createTable({ pk: "S", sk: "N" }); });
after(async () => { await deleteTable(TableName); client.destroy(); });

const key = (sk) => ({ pk: { S: "p" }, sk: { N: String(sk) } });

test("every type comes back as sent", async () => {
  const Item = {
    ...key(1), s: { S: "ěšč🐎" }, n: { N: "12345678901234567890.123456789" }, b: { B: new Uint8Array([0, 255, 7]) },
    t: { BOOL: false }, z: { NULL: true }, l: { L: [{ S: "a" }, { M: {} }] }, m: { M: { x: { L: [] } } }, ss: { SS: ["only"] },
  };
  await client.send(new PutItemCommand({ TableName, Item }));
  const reply = await client.send(new GetItemCommand({ TableName, Key: key(1), ConsistentRead: true }));
  assert.deepEqual(reply.Item, Item);
});

test("a missing item is undefined", async () => {
  const reply = await client.send(new GetItemCommand({ TableName, Key: key(404) }));
  assert.equal(reply.Item, undefined);
});

test("a counter", async () => {
  for (const expected of ["1", "2", "3"]) {
    const reply = await client.send(new UpdateItemCommand({
      TableName, Key: key(2), UpdateExpression: "ADD hits :one", ExpressionAttributeValues: { ":one": { N: "1" } },
      ReturnValues: "UPDATED_NEW", ReturnConsumedCapacity: "TOTAL",
    }));
    assert.deepEqual(reply.Attributes, { hits: { N: expected } });
    assert.deepEqual(reply.ConsumedCapacity, { TableName, CapacityUnits: 1 });
  }
});

test("a failed condition is the SDK's exception and carries the item", async () => {
  await client.send(new PutItemCommand({ TableName, Item: { ...key(3), a: { S: "old" } } }));
  const put = new PutItemCommand({
    TableName, Item: key(3), ConditionExpression: "attribute_not_exists(pk)", ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  await assert.rejects(client.send(put), (error) => {
    assert.ok(error instanceof ConditionalCheckFailedException);
    assert.equal(error.message, "The conditional request failed");
    assert.deepEqual(error.Item, { ...key(3), a: { S: "old" } });
    assert.equal(error.$metadata.httpStatusCode, 400);
    assert.equal(error.$metadata.requestId.length, 52);
    return true;
  });
});

test("delete returns the old item", async () => {
  await client.send(new PutItemCommand({ TableName, Item: { ...key(4), a: { N: "1" } } }));
  const reply = await client.send(new DeleteItemCommand({ TableName, Key: key(4), ReturnValues: "ALL_OLD" }));
  assert.deepEqual(reply.Attributes, { ...key(4), a: { N: "1" } });
});

test("unknown tables", async () => {
  await assert.rejects(client.send(new DescribeTableCommand({ TableName: "no-such-table" })), ResourceNotFoundException);
});

test("the table is listed", async () => {
  const names = [];
  let ExclusiveStartTableName;
  do {
    const page = await client.send(new ListTablesCommand({ ExclusiveStartTableName }));
    names.push(...page.TableNames);
    ExclusiveStartTableName = page.LastEvaluatedTableName;
  } while (ExclusiveStartTableName);
  assert.ok(names.includes(TableName));
});

test("a hundred writes at once", async () => {
  const writes = Array.from({ length: 100 }, (_, i) => client.send(new PutItemCommand({ TableName, Item: { ...key(1000 + i), i: { N: String(i) } } })));
  await Promise.all(writes);
  const reads = await Promise.all(writes.map((_, i) => client.send(new GetItemCommand({ TableName, Key: key(1000 + i), ConsistentRead: true }))));
  assert.deepEqual(reads.map((reply) => reply.Item.i.N), writes.map((_, i) => String(i)));
});
