import { IdempotencyConfig, makeIdempotent } from "@aws-lambda-powertools/idempotency";
import { DynamoDBPersistenceLayer } from "@aws-lambda-powertools/idempotency/dynamodb";
import { ScanCommand } from "@aws-sdk/client-dynamodb";
import { assert, client, createTable, refused, step } from "./flow.mjs";

process.env.AWS_LAMBDA_FUNCTION_NAME = "flow";
let runs = 0;
// A store takes the settings of its first function only.
const make = (action, options = {}) => makeIdempotent(action, {
  persistenceStore: new DynamoDBPersistenceLayer({ tableName: "Idempotency", awsSdkV3Client: client }),
  dataIndexArgument: 0,
  config: new IdempotencyConfig(options),
});
const pay = make(async (order) => ({ order, run: ++runs }));

await step("create table", () => createTable("Idempotency", { id: "S" }));
await step("put", async () => assert.deepEqual(await pay({ order: 1 }), { order: { order: 1 }, run: 1 }));
await step("get", async () => assert.equal((await pay({ order: 1 })).run, 1));
await step("another key", async () => assert.equal((await pay({ order: 2 })).run, 2));
await step("expired record", async () => {
  const brief = make(async (order) => ({ order, run: ++runs }), { expiresAfterSeconds: 1 });
  const first = await brief({ order: 3 });
  await new Promise((done) => setTimeout(done, 2100));
  assert.equal((await brief({ order: 3 })).run, first.run + 1);
});
await step("conditional failure", async () => {
  let inner;
  const outer = make(async () => { inner = await refused(() => outer({ order: 4 }), "IdempotencyAlreadyInProgress"); });
  await outer({ order: 4 });
  assert.ok(inner);
});
await step("delete", async () => {
  const failing = make(async () => { throw new Error("no"); });
  const count = async () => (await client.send(new ScanCommand({ TableName: "Idempotency", Select: "COUNT" }))).Count;
  const before = await count();
  await refused(() => failing({ order: 5 }), "no");
  assert.equal(await count(), before);
});
