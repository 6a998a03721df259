// PartiQL with the low-level client and the document client: every kind of statement, batches, transactions, errors.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  BatchExecuteStatementCommand, ConditionalCheckFailedException, DuplicateItemException, ExecuteStatementCommand,
  ExecuteTransactionCommand, IdempotentParameterMismatchException, ResourceNotFoundException, TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import {
  BatchExecuteStatementCommand as BatchExecuteDocuments, DynamoDBDocumentClient, ExecuteStatementCommand as ExecuteDocuments,
  ExecuteTransactionCommand as TransactDocuments,
} from "@aws-sdk/lib-dynamodb";
import { client, createTable, deleteTable, settle } from "./client.mjs";

const documents = DynamoDBDocumentClient.from(client);
let table;
before(async () => { table = await createTable({ pk: "S", sk: "N" }, [{ IndexName: "by-group", keys: { grp: "S", sk: "N" } }]); });
after(async () => { await deleteTable(table); client.destroy(); });

const run = (Statement, Parameters, more = {}) => client.send(new ExecuteStatementCommand({ Statement, Parameters, ...more }));
const runPlain = async (Statement, Parameters, more = {}) =>
  (await documents.send(new ExecuteDocuments({ Statement, Parameters, ...more }))).Items;

test("insert, select, update, delete with typed values", async () => {
  const Item = { pk: { S: "types" }, sk: { N: "1" }, b: { B: new Uint8Array([0, 255]) }, ss: { SS: ["a", "b"] }, l: { L: [{ N: "1" }, { NULL: true }] },
    m: { M: { deep: { BOOL: true } } } };
  await run(`INSERT INTO "${table}" VALUE {'pk': 'types', 'sk': 1, 'b': ?, 'ss': <<'a', 'b'>>, 'l': [1, null], 'm': {'deep': true}}`, [Item.b]);
  const key = [Item.pk, Item.sk];
  const read = await run(`SELECT * FROM "${table}" WHERE pk = ? AND sk = ?`, key, { ReturnConsumedCapacity: "TOTAL", ConsistentRead: true });
  assert.deepEqual(read.Items, [Item]);
  assert.deepEqual(read.ConsumedCapacity, { TableName: table, CapacityUnits: 1 });
  const update = await run(`UPDATE "${table}" SET m."deep" = false SET ss = set_add(ss, <<'c'>>) REMOVE b WHERE pk = ? AND sk = ? RETURNING MODIFIED NEW *`, key);
  assert.deepEqual(update.Items, [{ m: { M: { deep: { BOOL: false } } }, ss: { SS: ["a", "b", "c"] } }]);
  const gone = await run(`DELETE FROM "${table}" WHERE pk = ? AND sk = ? RETURNING ALL OLD *`, key);
  assert.deepEqual(gone.Items[0].l, Item.l);
  assert.deepEqual((await run(`SELECT * FROM "${table}" WHERE pk = ? AND sk = ?`, key)).Items, []);
});

test("plain JavaScript values", async () => {
  await runPlain(`INSERT INTO "${table}" VALUE {'pk': ?, 'sk': ?, 'doc': ?}`, ["plain", 1, { list: [1, "two"], tags: new Set(["x"]) }]);
  assert.deepEqual(await runPlain(`SELECT doc."list"[1], sk FROM "${table}" WHERE pk = 'plain'`), [{ "list[1]": "two", sk: 1 }]);
  assert.deepEqual(await runPlain(`SELECT * FROM "${table}" WHERE pk = 'plain' AND contains(doc.tags, 'x') AND doc."list" IS NOT MISSING`),
    [{ pk: "plain", sk: 1, doc: { list: [1, "two"], tags: new Set(["x"]) } }]);
});

test("pages, order and an index", async () => {
  for (let sk = 0; sk < 7; sk++) await runPlain(`INSERT INTO "${table}" VALUE {'pk': 'pages', 'sk': ${sk}, 'grp': 'g'}`);
  const found = [];
  let NextToken;
  do {
    const page = await documents.send(new ExecuteDocuments({
      Statement: `SELECT sk FROM "${table}" WHERE pk = ? ORDER BY sk DESC`, Parameters: ["pages"], Limit: 3, NextToken }));
    assert.ok(page.Items.length <= 3);
    found.push(...page.Items.map((item) => item.sk));
    NextToken = page.NextToken;
  } while (NextToken);
  assert.deepEqual(found, [6, 5, 4, 3, 2, 1, 0]);
  await settle(async () => (await runPlain(`SELECT sk FROM "${table}"."by-group" WHERE grp = 'g' AND sk BETWEEN 2 AND 4`)).map((item) => item.sk), [2, 3, 4]);
  const first = await run(`SELECT * FROM "${table}" WHERE pk = 'pages'`, undefined, { Limit: 2 });
  await assert.rejects(run(`SELECT sk FROM "${table}" WHERE pk = 'pages'`, undefined, { NextToken: first.NextToken }), { name: "ValidationException" });
});

test("errors are the SDK's classes", async () => {
  await runPlain(`INSERT INTO "${table}" VALUE {'pk': 'errors', 'sk': 1, 'v': 1}`);
  await assert.rejects(runPlain(`INSERT INTO "${table}" VALUE {'pk': 'errors', 'sk': 1}`), (error) => {
    assert.ok(error instanceof DuplicateItemException);
    assert.equal(error.message, "Duplicate primary key exists in table");
    return true;
  });
  await assert.rejects(
    run(`UPDATE "${table}" SET v = 2 WHERE pk = 'errors' AND sk = 1 AND v = 9`, undefined, { ReturnValuesOnConditionCheckFailure: "ALL_OLD" }),
    (error) => {
      assert.ok(error instanceof ConditionalCheckFailedException);
      assert.deepEqual(error.Item, { pk: { S: "errors" }, sk: { N: "1" }, v: { N: "1" } });
      return true;
    });
  await assert.rejects(run('SELECT * FROM "no-such-table"'), ResourceNotFoundException);
  await assert.rejects(run(`SELECT COUNT(*) FROM "${table}"`), { name: "ValidationException", message: "Unexpected path component at 1:8:5" });
});

test("a batch answers each member", async () => {
  const writes = await client.send(new BatchExecuteStatementCommand({ Statements: [
    { Statement: `INSERT INTO "${table}" VALUE {'pk': 'batch', 'sk': 1}` },
    { Statement: `UPDATE "${table}" SET a = 1 WHERE pk = 'batch' AND sk = 404` },
    { Statement: `INSERT INTO "${table}" VALUE {'pk': 'batch', 'sk': ?}`, Parameters: [{ N: "2" }] },
  ] }));
  assert.deepEqual(writes.Responses.map((member) => member.Error?.Code), [undefined, "ConditionalCheckFailed", undefined]);
  const reads = await documents.send(new BatchExecuteDocuments({ Statements: [1, 3, 2].map((sk) => (
    { Statement: `SELECT * FROM "${table}" WHERE pk = ? AND sk = ?`, Parameters: ["batch", sk] })) }));
  assert.deepEqual(reads.Responses.map((member) => member.Item?.sk), [1, undefined, 2]);
  assert.deepEqual(reads.Responses.map((member) => member.TableName), [table, table, table]);
  const mixed = client.send(new BatchExecuteStatementCommand({ Statements: [
    { Statement: `SELECT * FROM "${table}" WHERE pk = 'batch' AND sk = 1` }, { Statement: `DELETE FROM "${table}" WHERE pk = 'batch' AND sk = 1` },
  ] }));
  await assert.rejects(mixed, { name: "ValidationException" });
});

test("a transaction is all or nothing, once per token", async () => {
  const insert = (sk) => ({ Statement: `INSERT INTO "${table}" VALUE {'pk': 'tx', 'sk': ?}`, Parameters: [{ N: String(sk) }] });
  const ClientRequestToken = `js-${Date.now()}`;
  await client.send(new ExecuteTransactionCommand({ TransactStatements: [insert(1), insert(2)], ClientRequestToken }));
  await client.send(new ExecuteTransactionCommand({ TransactStatements: [insert(1), insert(2)], ClientRequestToken }));
  await assert.rejects(client.send(new ExecuteTransactionCommand({ TransactStatements: [insert(3)], ClientRequestToken })), IdempotentParameterMismatchException);
  const failing = client.send(new ExecuteTransactionCommand({ TransactStatements: [
    insert(3), { Statement: `EXISTS(SELECT * FROM "${table}" WHERE pk = 'tx' AND sk = 1 AND v = 1)` }, insert(2),
  ] }));
  await assert.rejects(failing, (error) => {
    assert.ok(error instanceof TransactionCanceledException);
    assert.deepEqual(error.CancellationReasons.map((reason) => reason.Code), ["None", "ConditionalCheckFailed", "DuplicateItem"]);
    return true;
  });
  const read = await documents.send(new TransactDocuments({ TransactStatements: [1, 2, 3].map((sk) => (
    { Statement: `SELECT * FROM "${table}" WHERE pk = 'tx' AND sk = ?`, Parameters: [sk] })) }));
  assert.deepEqual(read.Responses.map((member) => member.Item?.sk), [1, 2, undefined]);
});
