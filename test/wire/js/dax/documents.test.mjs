// Plain JavaScript values, as applications use DAX: the DocumentClient of SDK v2 and DaxDocument of v3. Run by
// ../../dax/test_dax_documents.py with the server's address in ARMATURE_DAX; an http address runs it without DAX.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import { DynamoDBDocument, paginateQuery, paginateScan } from "@aws-sdk/lib-dynamodb";
import { client as plain, createTable, deleteTable } from "../client.mjs";

const require = createRequire(import.meta.url);
process.env.AWS_SDK_JS_SUPPRESS_MAINTENANCE_MODE_MESSAGE = "1";
const AWS = require("aws-sdk");
const AmazonDaxClient = require("amazon-dax-client");
const { DaxDocument, daxPaginateQuery, daxPaginateScan } = require("@amazon-dax-sdk/lib-dax");

const endpoint = process.env.ARMATURE_DAX;
const isPlain = endpoint.startsWith("http");
const region = "us-east-1";

// Both with methods that give promises, and sets in their own way.
function version2() {
  const service = isPlain ? new AWS.DynamoDB({ endpoint, region }) : new AmazonDaxClient({ endpoints: [endpoint], region });
  const documents = new AWS.DynamoDB.DocumentClient({ service });
  const call = (operation) => (params) => documents[operation](params).promise();
  const operations = ["get", "put", "update", "delete", "query", "scan", "batchGet", "batchWrite", "transactGet", "transactWrite"];
  return {
    ...Object.fromEntries(operations.map((operation) => [operation, call(operation)])),
    set: (...values) => documents.createSet(values), members: (set) => set.values, close: () => service.shutdown?.(),
  };
}

function version3() {
  const documents = isPlain ? DynamoDBDocument.from(plain) : new DaxDocument({ endpoint, region });
  documents.set = (...values) => new Set(values);
  documents.members = (set) => [...set];
  documents.close = () => { if (!isPlain) documents.shutdown(); };
  return documents;
}

let TableName;
before(async () => { TableName = await createTable({ pk: "S", sk: "N" }); });
after(async () => { await deleteTable(TableName); plain.destroy(); });

for (const [name, make] of Object.entries({ version2, version3 })) {
  describe(name, () => {
    let documents;
    const key = (sk) => ({ pk: name, sk });
    before(() => { documents = make(); });
    after(() => documents.close());

    test("values round-trip", async () => {
      const Item = {
        ...key(1), text: "hello", number: 42.5, large: 2 ** 53 - 1, yes: true, nothing: null, list: [1, "two", { three: 3 }],
        map: { a: { b: [] } }, tags: documents.set("a", "b"), bytes: Buffer.from([1, 2, 3]),
      };
      await documents.put({ TableName, Item });
      for (const ConsistentRead of [true, false, false]) {
        const found = (await documents.get({ TableName, Key: key(1), ConsistentRead })).Item;
        assert.deepEqual(documents.members(found.tags).sort(), ["a", "b"]);
        assert.deepEqual(Buffer.from(found.bytes), Item.bytes);
        assert.deepEqual({ ...found, tags: 0, bytes: 0 }, { ...Item, tags: 0, bytes: 0 });
      }
    });

    test("update, project, delete", async () => {
      const update = await documents.update({
        TableName, Key: key(2), UpdateExpression: "SET #m = :m, n = :n", ExpressionAttributeNames: { "#m": "map" },
        ExpressionAttributeValues: { ":m": { x: 1, y: 2 }, ":n": 1 }, ReturnValues: "ALL_NEW",
      });
      assert.deepEqual(update.Attributes, { ...key(2), map: { x: 1, y: 2 }, n: 1 });
      const read = await documents.get({
        TableName, Key: key(2), ProjectionExpression: "#m.y", ExpressionAttributeNames: { "#m": "map" },
      });
      assert.deepEqual(read.Item, { map: { y: 2 } });
      const remove = (n) => documents.delete({
        TableName, Key: key(2), ConditionExpression: "n = :n", ExpressionAttributeValues: { ":n": n },
      });
      await assert.rejects(remove(2), (error) => (error.code ?? error.name) === "ConditionalCheckFailedException");
      await remove(1);
      assert.equal((await documents.get({ TableName, Key: key(2) })).Item, undefined);
    });

    test("batches and transactions", async () => {
      const Items = [3, 4].map((sk) => ({ ...key(sk), v: `v${sk}` }));
      await documents.batchWrite({ RequestItems: { [TableName]: Items.map((Item) => ({ PutRequest: { Item } })) } });
      const batch = await documents.batchGet({ RequestItems: { [TableName]: { Keys: [3, 4, 5].map(key) } } });
      assert.deepEqual(batch.Responses[TableName].sort((a, b) => a.sk - b.sk), Items);
      await documents.transactWrite({
        TransactItems: [{ Put: { TableName, Item: { ...key(5), v: "v5" } } }, { Delete: { TableName, Key: key(3) } }],
      });
      const gets = await documents.transactGet({ TransactItems: [3, 4, 5].map((sk) => ({ Get: { TableName, Key: key(sk) } })) });
      assert.deepEqual(gets.Responses.map(({ Item }) => Item?.v), [undefined, "v4", "v5"]);
    });

    test("query and scan, page by page", async () => {
      const pk = `${name}-pages`;
      for (let sk = 0; sk < 10; sk++) await documents.put({ TableName, Item: { pk, sk, v: sk % 2 } });
      const request = {
        TableName, KeyConditionExpression: "pk = :pk AND sk > :zero", FilterExpression: "v = :one", Limit: 3,
        ExpressionAttributeValues: { ":pk": pk, ":zero": 0, ":one": 1 },
      };
      const found = [];
      for (let ExclusiveStartKey, isFirst = true; isFirst || ExclusiveStartKey; isFirst = false) {
        const page = await documents.query(ExclusiveStartKey ? { ...request, ExclusiveStartKey } : request);
        found.push(...page.Items.map(({ sk }) => sk));
        ExclusiveStartKey = page.LastEvaluatedKey;
      }
      assert.deepEqual(found, [1, 3, 5, 7, 9]);
      const scan = await documents.scan({ TableName, FilterExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": pk } });
      assert.equal(scan.Count, 10);
    });
  });
}

test("the paginators of version 3", async () => {
  const client = version3();
  const pk = "paginated";
  for (let sk = 0; sk < 7; sk++) await client.put({ TableName, Item: { pk, sk } });
  const query = { TableName, KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": pk } };
  const [queries, scans] = isPlain ? [paginateQuery, paginateScan] : [daxPaginateQuery, daxPaginateScan];
  const sizes = [];
  for await (const page of queries({ client, pageSize: 3 }, query)) sizes.push(page.Count);
  assert.deepEqual(sizes, [3, 3, 1]);
  let count = 0;
  const filter = { TableName, FilterExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": pk } };
  for await (const page of scans({ client, pageSize: 5 }, filter)) count += page.Count;
  assert.equal(count, 7);
  client.close();
});
