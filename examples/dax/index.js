// Songs and how often they were played: an application of the document client, with DAX or without.
//
// The two lines that DAX changes are marked. Everything else is the same: the operations, what they return, the errors.

import { DynamoDB } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocument } from "@aws-sdk/lib-dynamodb";
import dax from "@amazon-dax-sdk/lib-dax"; // the first line

const region = process.env.AWS_REGION ?? "us-east-1";
const database = new DynamoDB({ region });
const documents = process.env.DAX_ENDPOINT
  ? new dax.DaxDocument({ endpoint: process.env.DAX_ENDPOINT, region }) // the second, in place of the one below
  : DynamoDBDocument.from(database);

const TableName = `Songs-${process.pid}`;
const Key = { artist: "Nina Simone", song: "Sinnerman" };

// DAX has no tables of its own: they are made, changed and described through DynamoDB.
await database.createTable({
  TableName,
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: Object.keys(Key).map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
  KeySchema: Object.keys(Key).map((AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? "HASH" : "RANGE" })),
});
while ((await database.describeTable({ TableName })).Table.TableStatus !== "ACTIVE") await new Promise((done) => setTimeout(done, 50));

// A write goes to the table, then into the item cache: who reads through DAX sees it at once.
await documents.put({ TableName, Item: { ...Key, plays: 0 }, ConditionExpression: "attribute_not_exists(artist)" });
await documents.update({ TableName, Key, UpdateExpression: "ADD plays :one", ExpressionAttributeValues: { ":one": 1 } });

const READS = 1000;
const started = performance.now();
let song;
for (let read = 0; read < READS; read++) song = (await documents.get({ TableName, Key })).Item;
const micros = Math.round((performance.now() - started) * 1000 / READS);
console.log(`${process.env.DAX_ENDPOINT ? "DAX" : "DynamoDB"}: ${READS} reads, ${micros} µs each`);
console.log(`${song.song}: ${song.plays} play`);

// A query's result stays in the query cache for its time to live, whatever is written meanwhile.
const { Items } = await documents.query({
  TableName, KeyConditionExpression: "artist = :artist", ExpressionAttributeValues: { ":artist": Key.artist },
});
console.log(`${Key.artist}: ${Items.length} song`);

await database.deleteTable({ TableName });
if (process.env.DAX_ENDPOINT) documents.shutdown();
database.destroy();
