// What a web form gives is text. With --compat=dynamodb-local it is taken for numbers, without it refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CreateTableCommand, DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import { client } from "../client.mjs";

const TableName = "Form";
const create = () => client.send(new CreateTableCommand({
  TableName,
  AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }, { AttributeName: "other", AttributeType: "N" }],
  KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  ProvisionedThroughput: { ReadCapacityUnits: "3", WriteCapacityUnits: "4" },
}));

test("a form's fields", async () => {
  if (process.env.ARMATURE_COMPAT !== "dynamodb-local") {
    await assert.rejects(create, { name: "SerializationException" });
    return;
  }
  await create();
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  assert.deepEqual([Table.ProvisionedThroughput.ReadCapacityUnits, Table.ProvisionedThroughput.WriteCapacityUnits], [3, 4]);
  assert.deepEqual(Table.AttributeDefinitions, [{ AttributeName: "id", AttributeType: "S" }]);
});
