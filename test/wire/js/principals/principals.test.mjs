// The JavaScript SDK as several principals of a server that verifies: users, a role's session, a federated one. Run by ../../test_javascript.py
// with the administrator's key.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  BatchGetItemCommand, DeleteResourcePolicyCommand, DynamoDBClient, ExecuteStatementCommand, GetItemCommand, GetResourcePolicyCommand, ListTablesCommand,
  PutItemCommand, PutResourcePolicyCommand, QueryCommand, ScanCommand, TransactGetItemsCommand,
} from "@aws-sdk/client-dynamodb";
import {
  AttachUserPolicyCommand, CreateAccessKeyCommand, CreatePolicyCommand, CreateRoleCommand, CreateUserCommand, GetUserCommand, IAMClient, ListUsersCommand,
  PutRolePolicyCommand, PutUserPolicyCommand, UpdateAccessKeyCommand, paginateListUsers,
} from "@aws-sdk/client-iam";
import { AssumeRoleCommand, GetCallerIdentityCommand, GetFederationTokenCommand, GetSessionTokenCommand, STSClient } from "@aws-sdk/client-sts";
import { createTable, deleteTable } from "../client.mjs";

const endpoint = process.env.ARMATURE_ENDPOINT;
const as = (Client, credentials) => new Client({ endpoint, region: "us-east-1", maxAttempts: 1, credentials });
const keysOf = ({ AccessKeyId, SecretAccessKey, SessionToken }) => (
  { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken });
const document = (...Statement) => JSON.stringify({ Version: "2012-10-17", Statement });

const admin = keysOf({ AccessKeyId: process.env.AWS_ACCESS_KEY_ID, SecretAccessKey: process.env.AWS_SECRET_ACCESS_KEY });
const iam = as(IAMClient, admin);
const item = (owner) => ({ owner: { S: owner }, n: { N: "1" } });
const keyOf = (owner) => ({ owner: { S: owner } });

async function makeUser(UserName, PolicyDocument) {
  await iam.send(new CreateUserCommand({ UserName }));
  if (PolicyDocument) await iam.send(new PutUserPolicyCommand({ UserName, PolicyName: "own", PolicyDocument }));
  return keysOf((await iam.send(new CreateAccessKeyCommand({ UserName }))).AccessKey);
}

describe("principals", () => {
  const db = as(DynamoDBClient, admin);
  let table, arn, ownItems, alice;

  before(async () => {
    table = await createTable({ owner: "S" });
    arn = `arn:aws:dynamodb:us-east-1:123456789012:table/${table}`;
    ownItems = (variable) => document({
      Effect: "Allow", Action: "dynamodb:*", Resource: [arn, `${arn}/*`],
      Condition: { "ForAllValues:StringEquals": { "dynamodb:LeadingKeys": [variable] }, Null: { "dynamodb:LeadingKeys": "false" } },
    });
    for (const owner of ["alice", "bob"]) await db.send(new PutItemCommand({ TableName: table, Item: item(owner) }));
    alice = await makeUser("alice", ownItems("${aws:username}"));
  });
  after(() => deleteTable(table));

  it("a user gets his own items and nobody else's", async () => {
    const client = as(DynamoDBClient, alice);
    assert.deepEqual((await client.send(new GetItemCommand({ TableName: table, Key: keyOf("alice") }))).Item, item("alice"));
    const ways = [
      new GetItemCommand({ TableName: table, Key: keyOf("bob") }),
      new PutItemCommand({ TableName: table, Item: item("bob") }),
      new QueryCommand({ TableName: table, KeyConditionExpression: "#o = :b", ExpressionAttributeNames: { "#o": "owner" }, ExpressionAttributeValues: { ":b": { S: "bob" } } }),
      new ScanCommand({ TableName: table }),
      new BatchGetItemCommand({ RequestItems: { [table]: { Keys: [keyOf("alice"), keyOf("bob")] } } }),
      new TransactGetItemsCommand({ TransactItems: [{ Get: { TableName: table, Key: keyOf("bob") } }] }),
      new ExecuteStatementCommand({ Statement: `SELECT * FROM "${table}" WHERE "owner" = 'bob'` }),
    ];
    for (const way of ways)
      await assert.rejects(client.send(way), (error) => error.name === "AccessDeniedException" && error.message.startsWith("User: arn:aws:iam::123456789012:user/alice is not"));
  });

  it("a managed policy counts as soon as it is attached, an inactive key no more", async () => {
    const credentials = await makeUser("reader");
    const client = as(DynamoDBClient, credentials);
    await assert.rejects(client.send(new ListTablesCommand({})), { name: "AccessDeniedException" });
    const { Policy } = await iam.send(new CreatePolicyCommand({ PolicyName: "lists", PolicyDocument: document({ Effect: "Allow", Action: "dynamodb:ListTables", Resource: "*" }) }));
    await iam.send(new AttachUserPolicyCommand({ UserName: "reader", PolicyArn: Policy.Arn }));
    assert.ok((await client.send(new ListTablesCommand({}))).TableNames.includes(table));
    await iam.send(new UpdateAccessKeyCommand({ UserName: "reader", AccessKeyId: credentials.accessKeyId, Status: "Inactive" }));
    await assert.rejects(client.send(new ListTablesCommand({})), { name: "UnrecognizedClientException" });
  });

  it("a wrong secret is told as on AWS", async () => {
    await assert.rejects(as(DynamoDBClient, { ...alice, secretAccessKey: "wrong" }).send(new ListTablesCommand({})), { name: "InvalidSignatureException" });
    await assert.rejects(as(STSClient, { ...alice, secretAccessKey: "wrong" }).send(new GetCallerIdentityCommand({})), { name: "SignatureDoesNotMatch" });
  });

  it("users are listed page by page, and one that is not there is an error of its own", async () => {
    const names = [];
    for await (const page of paginateListUsers({ client: iam, pageSize: 1 }, {})) names.push(...page.Users.map((user) => user.UserName));
    assert.deepEqual(names, [...names].sort());
    assert.ok(names.includes("alice"));
    assert.equal((await iam.send(new ListUsersCommand({ MaxItems: 1 }))).IsTruncated, true);
    await assert.rejects(iam.send(new GetUserCommand({ UserName: "ghost" })), { name: "NoSuchEntityException", message: "The user with name ghost cannot be found." });
  });

  it("a role's session has the role's rights within its own policy", async () => {
    const { Role } = await iam.send(new CreateRoleCommand({
      RoleName: "worker", AssumeRolePolicyDocument: document({ Effect: "Allow", Principal: { AWS: "arn:aws:iam::123456789012:user/alice" }, Action: "sts:AssumeRole" }),
    }));
    await iam.send(new PutRolePolicyCommand({ RoleName: "worker", PolicyName: "all", PolicyDocument: document({ Effect: "Allow", Action: "dynamodb:*", Resource: "*" }) }));
    const sts = as(STSClient, alice);
    const assume = async (more) => keysOf((await sts.send(new AssumeRoleCommand({ RoleArn: Role.Arn, RoleSessionName: "session", ...more }))).Credentials);
    const whole = await assume({});
    assert.equal((await as(STSClient, whole).send(new GetCallerIdentityCommand({}))).Arn, "arn:aws:sts::123456789012:assumed-role/worker/session");
    assert.equal((await as(DynamoDBClient, whole).send(new ScanCommand({ TableName: table }))).Count, 2);
    const bound = as(DynamoDBClient, await assume({ Policy: ownItems("bob") }));
    assert.deepEqual((await bound.send(new GetItemCommand({ TableName: table, Key: keyOf("bob") }))).Item, item("bob"));
    await assert.rejects(bound.send(new GetItemCommand({ TableName: table, Key: keyOf("alice") })),
      (error) => error.name === "AccessDeniedException" && error.message.includes("because no session policy allows"));
    await assert.rejects(as(STSClient, await makeUser("stranger")).send(new AssumeRoleCommand({ RoleArn: Role.Arn, RoleSessionName: "stranger" })), { name: "AccessDenied" });
  });

  it("temporary credentials of a user", async () => {
    const sts = as(STSClient, alice);
    const session = keysOf((await sts.send(new GetSessionTokenCommand({}))).Credentials);
    assert.deepEqual((await as(DynamoDBClient, session).send(new GetItemCommand({ TableName: table, Key: keyOf("alice") }))).Item, item("alice"));
    await assert.rejects(as(DynamoDBClient, { ...session, sessionToken: undefined }).send(new ListTablesCommand({})), { name: "UnrecognizedClientException" });
    const federated = keysOf((await as(STSClient, admin).send(new GetFederationTokenCommand({ Name: "bob", Policy: ownItems("bob") }))).Credentials);
    const client = as(DynamoDBClient, federated);
    assert.deepEqual((await client.send(new GetItemCommand({ TableName: table, Key: keyOf("bob") }))).Item, item("bob"));
    await assert.rejects(client.send(new GetItemCommand({ TableName: table, Key: keyOf("alice") })), { name: "AccessDeniedException" });
  });

  it("the policy of a table lets in whom it names", async () => {
    const visitor = as(DynamoDBClient, await makeUser("visitor"));
    const look = () => visitor.send(new GetItemCommand({ TableName: table, Key: keyOf("bob") }));
    await assert.rejects(look(), { name: "AccessDeniedException" });
    const Policy = document({ Effect: "Allow", Principal: { AWS: "arn:aws:iam::123456789012:user/visitor" }, Action: "dynamodb:GetItem", Resource: arn });
    const { RevisionId } = await db.send(new PutResourcePolicyCommand({ ResourceArn: arn, Policy, ExpectedRevisionId: "NO_POLICY" }));
    assert.deepEqual((await look()).Item, item("bob"));
    assert.equal((await db.send(new PutResourcePolicyCommand({ ResourceArn: arn, Policy }))).RevisionId, RevisionId);
    const got = await db.send(new GetResourcePolicyCommand({ ResourceArn: arn }));
    assert.deepEqual([got.Policy, got.RevisionId], [Policy, RevisionId]);
    await assert.rejects(db.send(new PutResourcePolicyCommand({ ResourceArn: arn, Policy, ExpectedRevisionId: "NO_POLICY" })), {
      name: "PolicyNotFoundException",
      message: "Resource-based policy not found for the provided ResourceArn: Requested policy update expecting none to be present for table "
        + `${table}, but a policy exists with revision id ${RevisionId}.`,
    });
    assert.equal((await db.send(new DeleteResourcePolicyCommand({ ResourceArn: arn, ExpectedRevisionId: RevisionId }))).RevisionId, RevisionId);
    assert.equal((await db.send(new DeleteResourcePolicyCommand({ ResourceArn: arn }))).RevisionId, undefined);
    await assert.rejects(look(), { name: "AccessDeniedException" });
  });
});
