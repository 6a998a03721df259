// A stream read with the SDK's own client: shards, iterators, records, errors as the SDK's classes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  DeleteItemCommand, DescribeTableCommand, PutItemCommand, UpdateItemCommand, UpdateTableCommand,
} from "@aws-sdk/client-dynamodb";
import {
  DescribeStreamCommand, DynamoDBStreamsClient, GetRecordsCommand, GetShardIteratorCommand, ListStreamsCommand,
  ResourceNotFoundException,
} from "@aws-sdk/client-dynamodb-streams";
import { client, createTable, deleteTable } from "./client.mjs";

const streams = new DynamoDBStreamsClient({ endpoint: process.env.ARMATURE_ENDPOINT, maxAttempts: 1 });
let TableName, StreamArn;
before(async () => {
  TableName = await createTable();
  await client.send(new UpdateTableCommand({
    TableName, StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
  }));
  StreamArn = (await client.send(new DescribeTableCommand({ TableName }))).Table.LatestStreamArn;
});
after(async () => { await deleteTable(TableName); client.destroy(); streams.destroy(); });

const shards = async () => (await streams.send(new DescribeStreamCommand({ StreamArn }))).StreamDescription.Shards;
const iteratorAt = async (ShardIteratorType, SequenceNumber) => {
  const [{ ShardId }] = await shards();
  return (await streams.send(new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType, SequenceNumber }))).ShardIterator;
};

test("an item's life is told in order", async () => {
  const Key = { pk: { S: "k" } };
  await client.send(new PutItemCommand({ TableName, Item: { ...Key, b: { B: new Uint8Array([0, 255]) }, s: { SS: ["x", "y"] } } }));
  await client.send(new UpdateItemCommand({
    TableName, Key, UpdateExpression: "SET n = :n", ExpressionAttributeValues: { ":n": { N: "1.50" } },
  }));
  await client.send(new UpdateItemCommand({ TableName, Key, UpdateExpression: "REMOVE nothing_here" }));
  await client.send(new DeleteItemCommand({ TableName, Key }));
  const { Records, NextShardIterator } = await streams.send(new GetRecordsCommand({ ShardIterator: await iteratorAt("TRIM_HORIZON") }));
  assert.deepEqual(Records.map((record) => record.eventName), ["INSERT", "MODIFY", "REMOVE"]);
  const images = { ...Key, b: { B: new Uint8Array([0, 255]) }, s: { SS: ["x", "y"] } };
  assert.deepEqual(Records[0].dynamodb.NewImage, images);
  assert.deepEqual(Records[1].dynamodb.OldImage, images);
  assert.deepEqual(Records[1].dynamodb.NewImage, { ...images, n: { N: "1.5" } });
  assert.equal(Records[2].dynamodb.NewImage, undefined);
  for (const { dynamodb, awsRegion, eventSource } of Records) {
    assert.deepEqual(dynamodb.Keys, Key);
    assert.ok(dynamodb.ApproximateCreationDateTime instanceof Date);
    assert.equal(typeof dynamodb.SizeBytes, "number");
    assert.equal(awsRegion, "us-east-1");
    assert.equal(eventSource, "aws:dynamodb");
  }
  assert.deepEqual((await streams.send(new GetRecordsCommand({ ShardIterator: NextShardIterator }))).Records, []);
  const after = await iteratorAt("AFTER_SEQUENCE_NUMBER", Records[1].dynamodb.SequenceNumber);
  assert.deepEqual((await streams.send(new GetRecordsCommand({ ShardIterator: after }))).Records, Records.slice(2));
});

test("the stream is listed and described", async () => {
  const listed = await streams.send(new ListStreamsCommand({ TableName }));
  assert.deepEqual(listed.Streams, [{ StreamArn, TableName, StreamLabel: StreamArn.split("/").at(-1) }]);
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  assert.equal(StreamDescription.StreamStatus, "ENABLED");
  assert.ok(StreamDescription.CreationRequestDateTime instanceof Date);
  assert.deepEqual(StreamDescription.KeySchema, [{ AttributeName: "pk", KeyType: "HASH" }]);
});

test("errors are the SDK's exceptions", async () => {
  const describe = new DescribeStreamCommand({ StreamArn: `${StreamArn}0` });
  await assert.rejects(streams.send(describe), (error) => error instanceof ResourceNotFoundException);
  await assert.rejects(streams.send(new GetRecordsCommand({ ShardIterator: "nonsense" })), { name: "ValidationException" });
});
