// Unique constraints and optimistic locking with the document client: transactions, cancellation reasons, races.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, ScanCommand, TransactGetCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { client, createTable, deleteTable } from "./client.mjs";

const documents = DynamoDBDocumentClient.from(client);
let users, emails, names;
before(async () => { [users, emails, names] = await Promise.all([createTable({ id: "S" }), createTable({ email: "S" }), createTable({ username: "S" })]); });
after(async () => { await Promise.all([users, emails, names].map(deleteTable)); client.destroy(); });

const put = (TableName, key, Item) => ({
  Put: { TableName, Item, ConditionExpression: "attribute_not_exists(#k)", ExpressionAttributeNames: { "#k": key }, ReturnValuesOnConditionCheckFailure: "ALL_OLD" },
});
const register = (id, email, username, more = {}) => documents.send(new TransactWriteCommand({
  TransactItems: [put(users, "id", { id, email, username }), put(emails, "email", { email, holder: id }), put(names, "username", { username, holder: id })], ...more,
}));
const scan = async (TableName) => (await documents.send(new ScanCommand({ TableName, ConsistentRead: true }))).Items;
const conflict = (error) => error instanceof TransactionCanceledException
  && error.CancellationReasons.every(({ Code }) => Code === "None" || Code === "TransactionConflict");

async function insist(call) {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!conflict(error)) throw error;
    }
  }
}

test("a taken e-mail cancels everything and is shown", async () => {
  await register("u1", "ann@example.com", "ann");
  await assert.rejects(register("u2", "ann@example.com", "bob"), (error) => {
    assert.ok(error instanceof TransactionCanceledException);
    assert.equal(error.message, "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed, None]");
    assert.deepEqual(error.CancellationReasons.map(({ Code }) => Code), ["None", "ConditionalCheckFailed", "None"]);
    assert.deepEqual(error.CancellationReasons[1].Item, { email: { S: "ann@example.com" }, holder: { S: "u1" } });
    return true;
  });
  assert.deepEqual(await scan(users), [{ id: "u1", email: "ann@example.com", username: "ann" }]);
  assert.deepEqual(await scan(names), [{ username: "ann", holder: "u1" }]);
});

test("in a race for one name exactly one wins", async () => {
  const attempts = Array.from({ length: 12 }, (_, n) => insist(() => register(`r${n}`, `r${n}@example.com`, "wanted")));
  const results = await Promise.allSettled(attempts);
  const winners = results.flatMap(({ status }, n) => (status === "fulfilled" ? [`r${n}`] : []));
  assert.equal(winners.length, 1);
  for (const { reason } of results.filter(({ status }) => status === "rejected")) {
    assert.deepEqual(reason.CancellationReasons.map(({ Code }) => Code), ["None", "None", "ConditionalCheckFailed"]);
  }
  assert.deepEqual((await scan(names)).filter(({ username }) => username === "wanted"), [{ username: "wanted", holder: winners[0] }]);
  assert.deepEqual((await scan(users)).filter(({ id }) => id.startsWith("r")).map(({ id }) => id), winners);
  assert.deepEqual((await scan(emails)).filter(({ holder }) => holder.startsWith("r")).map(({ holder }) => holder), winners);
});

test("a token makes a retry harmless", async () => {
  const ClientRequestToken = `t-${Date.now()}`;
  await register("t1", "t1@example.com", "t1", { ClientRequestToken });
  await register("t1", "t1@example.com", "t1", { ClientRequestToken });
  await assert.rejects(register("t2", "t2@example.com", "t2", { ClientRequestToken }), { name: "IdempotentParameterMismatchException" });
});

test("all three rows at one moment", async () => {
  await register("g1", "g1@example.com", "g1");
  const reply = await documents.send(new TransactGetCommand({ TransactItems: [
    { Get: { TableName: users, Key: { id: "g1" } } }, { Get: { TableName: emails, Key: { email: "g1@example.com" } } },
    { Get: { TableName: names, Key: { username: "nobody" } } },
  ] }));
  assert.deepEqual(reply.Responses.map(({ Item }) => Item), [
    { id: "g1", email: "g1@example.com", username: "g1" }, { email: "g1@example.com", holder: "g1" }, undefined,
  ]);
});

test("optimistic locking loses no update", async () => {
  const Key = { id: "counter" };
  const read = async () => (await documents.send(new GetCommand({ TableName: users, Key, ConsistentRead: true }))).Item ?? { version: 0, total: 0 };
  const add = async (amount) => {
    for (;;) {
      const seen = await read();
      try {
        await documents.send(new UpdateCommand({
          TableName: users, Key, UpdateExpression: "SET version = :next, #t = :sum",
          ConditionExpression: seen.version ? "version = :seen" : "attribute_not_exists(version)",
          ExpressionAttributeNames: { "#t": "total" },
          ExpressionAttributeValues: { ":next": seen.version + 1, ":sum": seen.total + amount, ...(seen.version ? { ":seen": seen.version } : {}) },
        }));
        return;
      } catch (error) {
        assert.equal(error.name, "ConditionalCheckFailedException");
      }
    }
  };
  await Promise.all(Array.from({ length: 20 }, (_, n) => add(n + 1)));
  assert.deepEqual(await read(), { id: "counter", version: 20, total: 210 });
});
