"""Tenants in one table, kept apart by policies: whoever is bound to his own partition key, or to some attributes, asks for everything else
in every way the API has, under every kind of policy that binds, and not one byte of it shows: not in answers, errors, headers,
pagination keys or capacity, and not by what differs between a right guess and a wrong one. What is allowed goes on working.

Every marked text is somebody's: `of-bob` is nothing for alice, `secret-` nothing for who may not see Whisper. How single denials are worded
is in test_access.py."""

import json

import boto3
import botocore.config
import pytest

from harness import tables
from harness.principals import REGION, User, administrator, allow, deny, policy, table_arn, write_file
from harness.raw import RawClient
from harness.server import Server

TABLE = "Rooms"
ARN = table_arn(TABLE)
ALL = [ARN, table_arn(TABLE, "/*")]
STREAMS = "DynamoDBStreams_20120810"
MINE, ANOTHERS = "alice", "bob"
FOREIGN = b"of-bob"
OTHER_ACCOUNT = "210987654321"
ITEM_ACTIONS = [f"dynamodb:{name}" for name in (
    "GetItem", "BatchGetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "ConditionCheckItem",
    "PartiQLSelect", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete")]
STREAM_ACTIONS = ["dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:DescribeStream"]


def s(text):
    return {"S": text}


def n(number):
    return {"N": str(number)}


def bound_to(value, operator="ForAllValues_StringEquals"):
    return {operator: {"dynamodb:LeadingKeys": [value]}, "Null": {"dynamodb:LeadingKeys": "false"}}


ADMIN = administrator()
BY_NAME = User(MINE, [allow(ITEM_ACTIONS + STREAM_ACTIONS, ALL, **bound_to("${aws:username}"))])
BY_TAG = User("tagged", [allow(ITEM_ACTIONS + STREAM_ACTIONS, ALL, **bound_to("${aws:PrincipalTag/tenant}"))], tags={"tenant": MINE})
BY_PATTERN = User("pattern", [allow(ITEM_ACTIONS + STREAM_ACTIONS, ALL, **bound_to("al?c*", "ForAllValues_StringLike"))])
BY_DENIAL = User("denied", [allow("dynamodb:*", "*"), deny(ITEM_ACTIONS, ALL, ForAnyValue_StringNotEquals={"dynamodb:LeadingKeys": [MINE]}),
                            deny(ITEM_ACTIONS + STREAM_ACTIONS, ALL + [table_arn(TABLE, "/stream/*")], Null={"dynamodb:LeadingKeys": "true"})])
FROM_ELSEWHERE = User("guest", [allow("dynamodb:*", "*")], account=OTHER_ACCOUNT)
LANDLORD = User("landlord", [allow("sts:*", "*")])

VISIBLE = ["Tenant", "Doc", "Bright", "Grade"]
BY_LIST = User("by-list", [allow(ITEM_ACTIONS, ALL, ForAllValues_StringEquals={"dynamodb:Attributes": VISIBLE}, StringEqualsIfExists={
    "dynamodb:Select": "SPECIFIC_ATTRIBUTES", "dynamodb:ReturnValues": ["NONE", "UPDATED_OLD", "UPDATED_NEW"]}, Null={"dynamodb:Attributes": "false"})])
BY_EXCLUSION = User("by-exclusion", [
    allow(ITEM_ACTIONS, ALL), deny("*", "*", ForAnyValue_StringEquals={"dynamodb:Attributes": ["Whisper", "Pieces"]}),
    deny("*", "*", StringEquals={"dynamodb:Select": ["ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"]}),
    deny("*", "*", StringEquals={"dynamodb:ReturnValues": ["ALL_OLD", "ALL_NEW"]})])
BOUND_TO_KEYS = ["name", "tag", "pattern", "denial", "session policy", "resource policy"]
BOUND_TO_ATTRIBUTES = {"list": BY_LIST, "exclusion": BY_EXCLUSION}


def key(owner, number=1):
    return {"Tenant": s(owner), "Doc": s(f"doc-{number}-of-{owner}")}


def item(owner, number=1):
    return {**key(owner, number), "Bright": s(f"open-{number}-of-{owner}"), "Whisper": s(f"secret-{number}-of-{owner}"), "Grade": n(number),
            "Crowd": s("all"), "Pieces": {"L": [s(f"secret-part-of-{owner}")]}}


EVERYTHING = [item(owner, number) for owner in (MINE, ANOTHERS) for number in (1, 2, 3)]


# Of statements of a batch failed conditions show nothing.
SHOWS_NOTHING = {"PartiQL batch that fails and shows"}


class Asker:
    """One principal, and how he names the table."""

    def __init__(self, client, table=TABLE):
        self.client, self.table = client, table

    def ask(self, way):
        operation, members, *prefix = way
        if isinstance(members, dict):
            members = json.dumps(members)
        if self.table == ARN:  # statements say it in quotes
            members = members.replace("Rooms", f'\\"{ARN}\\"'.replace("Rooms", "@NAME@"))
        body = members.replace("@TABLE@", self.table).replace("@NAME@", "Rooms").encode()
        return self.client.post(operation, body, **({"prefix": prefix[0]} if prefix else {}))


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tenants")
    users = [ADMIN, BY_NAME, BY_TAG, BY_PATTERN, BY_DENIAL, FROM_ELSEWHERE, LANDLORD, BY_LIST, BY_EXCLUSION]
    with Server(folder / "data", "--iam-file", write_file(folder / "iam.toml", *users)) as server:
        db = ADMIN.raw(server)
        projected = {"Projection": {"ProjectionType": "ALL"}}
        db.ok("CreateTable", {
            "TableName": TABLE, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind} for name, kind in
                                     (("Tenant", "S"), ("Doc", "S"), ("Grade", "N"), ("Crowd", "S"))],
            "KeySchema": [{"AttributeName": "Tenant", "KeyType": "HASH"}, {"AttributeName": "Doc", "KeyType": "RANGE"}],
            "LocalSecondaryIndexes": [{"IndexName": "ByGrade", **projected, "KeySchema": [
                {"AttributeName": "Tenant", "KeyType": "HASH"}, {"AttributeName": "Grade", "KeyType": "RANGE"}]}],
            "GlobalSecondaryIndexes": [{"IndexName": "ByCrowd", **projected, "KeySchema": [{"AttributeName": "Crowd", "KeyType": "HASH"}]},
                                       {"IndexName": "ByPair", **projected, "KeySchema": [
                                           {"AttributeName": "Crowd", "KeyType": "HASH"}, {"AttributeName": "Tenant", "KeyType": "HASH"},
                                           {"AttributeName": "Grade", "KeyType": "RANGE"}, {"AttributeName": "Doc", "KeyType": "RANGE"}]}],
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}})
        tables.wait_active(db, TABLE)
        db.ok("PutResourcePolicy", {"ResourceArn": ARN, "Policy": json.dumps({"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Principal": {"AWS": FROM_ELSEWHERE.arn}, "Action": ITEM_ACTIONS, "Resource": ALL,
             "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": [MINE]}, "Null": {"dynamodb:LeadingKeys": "false"}}}]})})
        server.stream = db.ok("DescribeTable", {"TableName": TABLE})["Table"]["LatestStreamArn"]
        server.shard = db.ok("DescribeStream", {"StreamArn": server.stream}, prefix=STREAMS)["StreamDescription"]["Shards"][0]["ShardId"]
        db.close()
        yield server


@pytest.fixture(scope="module")
def session_keys(guarded):
    """Of a role that may do everything to the table, within a session policy that binds."""
    options = {"endpoint_url": guarded.endpoint, "region_name": REGION, "config": botocore.config.Config(retries={"max_attempts": 0})}
    iam = boto3.client("iam", aws_access_key_id=ADMIN.key_id, aws_secret_access_key=ADMIN.secret, **options)
    trust = {"Effect": "Allow", "Principal": {"AWS": LANDLORD.arn}, "Action": "sts:AssumeRole"}
    role = iam.create_role(RoleName="tenant", AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [trust]}))["Role"]
    iam.put_role_policy(RoleName="tenant", PolicyName="own", PolicyDocument=policy(allow("dynamodb:*", "*")))
    sts = boto3.client("sts", aws_access_key_id=LANDLORD.key_id, aws_secret_access_key=LANDLORD.secret, **options)
    return sts.assume_role(RoleArn=role["Arn"], RoleSessionName="visit", Policy=policy(
        allow(ITEM_ACTIONS + STREAM_ACTIONS, ALL, **bound_to(MINE))))["Credentials"]


@pytest.fixture
def db(guarded):
    """The administrator, with the table as it should be."""
    client = ADMIN.raw(guarded)
    restore(client)
    yield client
    client.close()


def restore(db):
    for one in everything(db):
        if one not in EVERYTHING:
            db.ok("DeleteItem", {"TableName": TABLE, "Key": {name: one[name] for name in ("Tenant", "Doc")}})
    tables.fill(db, TABLE, EVERYTHING)


@pytest.fixture
def asker(guarded, session_keys):
    clients = []

    def make(kind):
        if kind == "session policy":
            clients.append(RawClient(guarded.endpoint, access_key=session_keys["AccessKeyId"], secret_key=session_keys["SecretAccessKey"],
                                     token=session_keys["SessionToken"]))
            return Asker(clients[-1])
        user = {"name": BY_NAME, "tag": BY_TAG, "pattern": BY_PATTERN, "denial": BY_DENIAL, "resource policy": FROM_ELSEWHERE,
                **BOUND_TO_ATTRIBUTES}[kind]
        clients.append(user.raw(guarded))
        return Asker(clients[-1], ARN) if kind == "resource policy" else Asker(clients[-1])

    yield make
    for client in clients:
        client.close()


def everything(db):
    found, start = [], {}
    while True:
        page = db.ok("Scan", {"TableName": TABLE, "ConsistentRead": True, **start})
        found += page["Items"]
        if "LastEvaluatedKey" not in page:
            return sorted(found, key=lambda one: (one["Tenant"]["S"], one["Doc"]["S"]))
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


# --- ways


def t(**members):
    return {"TableName": "@TABLE@", **members}


def statement(text, **more):
    return "ExecuteStatement", {"Statement": text, **more}


EXPECT_NOTHING = {"ConditionExpression": "Grade = :no", "ExpressionAttributeValues": {":no": n(99)}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
UPDATE = {"UpdateExpression": "SET Grade = :r", "ExpressionAttributeValues": {":r": n(1)}}


def reads_of(owner):
    """What shows the items of `owner`, if it may."""
    of = {"ExpressionAttributeValues": {":t": s(owner)}}
    where = f"Tenant = '{owner}' AND Doc = 'doc-1-of-{owner}'"
    shown = {
        "GetItem": ("GetItem", t(Key=key(owner))),
        "GetItem with everything asked for": ("GetItem", t(Key=key(owner), ConsistentRead=True, ReturnConsumedCapacity="INDEXES", ProjectionExpression="Whisper, Doc")),
        "GetItem, legacy": ("GetItem", t(Key=key(owner), AttributesToGet=["Whisper", "Bright"])),
        "Query": ("Query", t(KeyConditionExpression="Tenant = :t", **of)),
        "Query backwards, a page": ("Query", t(KeyConditionExpression="Tenant = :t", Limit=1, ScanIndexForward=False, **of)),
        "Query, legacy": ("Query", t(KeyConditions={"Tenant": {"ComparisonOperator": "EQ", "AttributeValueList": [s(owner)]}})),
        "Query, legacy with a filter": ("Query", t(KeyConditions={"Tenant": {"ComparisonOperator": "EQ", "AttributeValueList": [s(owner)]}}, QueryFilter={
            "Grade": {"ComparisonOperator": "GE", "AttributeValueList": [n(0)]}, "Bright": {"ComparisonOperator": "NOT_NULL"}}, ConditionalOperator="OR")),
        "Query of a local index": ("Query", t(IndexName="ByGrade", KeyConditionExpression="Tenant = :t", **of)),
        "Query, from the middle": ("Query", t(KeyConditionExpression="Tenant = :t", ExclusiveStartKey=key(owner), **of)),
        "BatchGetItem": ("BatchGetItem", {"RequestItems": {"@TABLE@": {"Keys": [key(owner), key(owner, 2)]}}}),
        "BatchGetItem, legacy": ("BatchGetItem", {"RequestItems": {"@TABLE@": {"Keys": [key(owner)], "AttributesToGet": ["Whisper", "Doc"]}}}),
        "TransactGetItems": ("TransactGetItems", {"TransactItems": [{"Get": t(Key=key(owner))}]}),
        "PutItem, old": ("PutItem", t(Item=item(owner), ReturnValues="ALL_OLD")),
        "PutItem, metrics": ("PutItem", t(Item=item(owner), ReturnItemCollectionMetrics="SIZE", ReturnValues="ALL_OLD", ReturnConsumedCapacity="INDEXES")),
        "PutItem that fails and shows": ("PutItem", t(Item=item(owner), **EXPECT_NOTHING)),
        "UpdateItem, all old": ("UpdateItem", t(Key=key(owner), ReturnValues="ALL_OLD", **UPDATE)),
        "UpdateItem, all new": ("UpdateItem", t(Key=key(owner), ReturnValues="ALL_NEW", **UPDATE)),
        "UpdateItem that copies": ("UpdateItem", t(Key=key(owner), UpdateExpression="SET Bright = Bright, Whisper = Whisper", ReturnValues="UPDATED_NEW")),
        "UpdateItem, legacy": ("UpdateItem", t(Key=key(owner), AttributeUpdates={"Grade": {"Action": "PUT", "Value": n(1)}}, ReturnValues="ALL_OLD")),
        "UpdateItem that fails and shows": ("UpdateItem", t(Key=key(owner), UpdateExpression="SET Grade = :no", **EXPECT_NOTHING)),
        "UpdateItem that gives some or shows all": ("UpdateItem", t(Key=key(owner), UpdateExpression="SET Grade = :no", ReturnValues="UPDATED_OLD", **EXPECT_NOTHING)),
        "DeleteItem that fails and shows": ("DeleteItem", t(Key=key(owner), **EXPECT_NOTHING)),
        "TransactWriteItems that fails and shows": ("TransactWriteItems", {"TransactItems": [{"ConditionCheck": t(Key=key(owner), **EXPECT_NOTHING)}]}),
        "TransactWriteItems, an update that shows": ("TransactWriteItems", {"TransactItems": [
            {"Update": t(Key=key(owner), UpdateExpression="SET Grade = :no", **EXPECT_NOTHING)}]}),
        "TransactWriteItems, a put that shows": ("TransactWriteItems", {"TransactItems": [{"Put": t(Item=item(owner), **EXPECT_NOTHING)}]}),
        "TransactWriteItems, a deletion that shows": ("TransactWriteItems", {"TransactItems": [{"Delete": t(Key=key(owner), **EXPECT_NOTHING)}]}),
        "a key said twice": ("GetItem", json.dumps(t(Key=key(MINE)))[:-1] + ', "Key": ' + json.dumps(key(owner)) + "}"),
    }
    spoken = {
        "PartiQL": statement(f"SELECT * FROM Rooms WHERE {where}"),
        "PartiQL of a partition": statement(f"SELECT Whisper, Bright FROM Rooms WHERE Tenant = '{owner}'"),
        "PartiQL of a partition, in order": statement(f"SELECT * FROM Rooms WHERE Tenant = '{owner}' ORDER BY Doc DESC", Limit=1),
        "PartiQL with a list": statement(f"SELECT * FROM Rooms WHERE Tenant IN ['{owner}']"),
        "PartiQL with parameters": statement(f"SELECT * FROM Rooms WHERE Tenant = ? AND Doc = ?", Parameters=list(key(owner).values())),
        "PartiQL the other way round": statement(f"SELECT * FROM Rooms WHERE '{owner}' = Tenant"),
        "PartiQL in brackets": statement(f"SELECT * FROM Rooms WHERE (((Tenant = '{owner}')))"),
        "PartiQL of a local index": statement(f'SELECT * FROM Rooms."ByGrade" WHERE Tenant = \'{owner}\''),
        "PartiQL, with functions": statement(f"SELECT * FROM Rooms WHERE Tenant = '{owner}' AND begins_with(Whisper, 'secret')"),
        "PartiQL update": statement(f"UPDATE Rooms SET Grade = 1 WHERE {where} RETURNING ALL OLD *"),
        "PartiQL update, some": statement(f"UPDATE Rooms SET Whisper = Whisper WHERE {where} RETURNING MODIFIED NEW *"),
        "PartiQL update that fails and shows": statement(f"UPDATE Rooms SET Grade = 1 WHERE {where} AND Grade = 99", ReturnValuesOnConditionCheckFailure="ALL_OLD"),
        "PartiQL delete that fails and shows": statement(f"DELETE FROM Rooms WHERE {where} AND Grade = 99", ReturnValuesOnConditionCheckFailure="ALL_OLD"),
        "PartiQL batch": ("BatchExecuteStatement", {"Statements": [{"Statement": f"SELECT * FROM Rooms WHERE {where}"}]}),
        "PartiQL batch that fails and shows": ("BatchExecuteStatement", {"Statements": [
            {"Statement": f"UPDATE Rooms SET Grade = 1 WHERE {where} AND Grade = 99", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}]}),
        "PartiQL transaction": ("ExecuteTransaction", {"TransactStatements": [{"Statement": f"SELECT * FROM Rooms WHERE {where}"}]}),
        "PartiQL transaction that fails and shows": ("ExecuteTransaction", {"TransactStatements": [
            {"Statement": f"UPDATE Rooms SET Grade = 1 WHERE {where} AND Grade = 99", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}]}),
    }
    return shown, spoken


def writes_of(owner):
    """What changes the items of `owner` or tells by success whether a guess is right; nothing is shown."""
    guess = {"ExpressionAttributeValues": {":g": s(f"secret-1-of-{owner}")}}
    where = f"Tenant = '{owner}' AND Doc = 'doc-1-of-{owner}'"
    new = {**key(owner, 9), "Bright": s("intruder")}
    return {
        "PutItem": ("PutItem", t(Item=new)),
        "PutItem, legacy condition": ("PutItem", t(Item=new, Expected={"Whisper": {"Exists": False}})),
        "UpdateItem": ("UpdateItem", t(Key=key(owner), UpdateExpression="SET Bright = :x", ExpressionAttributeValues={":x": s("intruder")})),
        "UpdateItem that guesses": ("UpdateItem", t(Key=key(owner), ConditionExpression="Whisper = :g", **guess)),
        "UpdateItem, legacy guess": ("UpdateItem", t(Key=key(owner), Expected={"Whisper": {"Value": s(f"secret-1-of-{owner}")}})),
        "UpdateItem that removes": ("UpdateItem", t(Key=key(owner), UpdateExpression="REMOVE Whisper")),
        "DeleteItem": ("DeleteItem", t(Key=key(owner))),
        "DeleteItem that guesses": ("DeleteItem", t(Key=key(owner), ConditionExpression="NOT Whisper = :g", **guess)),
        "BatchWriteItem, put": ("BatchWriteItem", {"RequestItems": {"@TABLE@": [{"PutRequest": {"Item": new}}]}, "ReturnItemCollectionMetrics": "SIZE"}),
        "BatchWriteItem, delete": ("BatchWriteItem", {"RequestItems": {"@TABLE@": [{"DeleteRequest": {"Key": key(owner)}}]}}),
        "TransactWriteItems, all kinds": ("TransactWriteItems", {"ReturnItemCollectionMetrics": "SIZE", "ClientRequestToken": f"for-{owner}", "TransactItems": [
            {"Put": t(Item=new)}, {"Update": t(Key=key(owner), UpdateExpression="REMOVE Whisper")}, {"Delete": t(Key=key(owner, 2))},
            {"ConditionCheck": t(Key=key(owner, 3), ConditionExpression="attribute_exists(Whisper)")}]}),
        "TransactWriteItems that guesses": ("TransactWriteItems", {"TransactItems": [
            {"ConditionCheck": t(Key=key(owner), ConditionExpression="Whisper = :g", **guess)}, {"Put": t(Item=item(MINE))}]}),
    }, {
        "PartiQL insert": statement(f"INSERT INTO Rooms VALUE {{'Tenant': '{owner}', 'Doc': 'intruder'}}"),
        "PartiQL update": statement(f"UPDATE Rooms SET Bright = 'intruder' WHERE {where}"),
        "PartiQL update that guesses": statement(f"UPDATE Rooms SET Grade = 1 WHERE {where} AND Whisper = 'secret-1-of-{owner}'"),
        "PartiQL delete": statement(f"DELETE FROM Rooms WHERE {where}"),
        "PartiQL batch": ("BatchExecuteStatement", {"Statements": [{"Statement": f"DELETE FROM Rooms WHERE {where}"}]}),
        "PartiQL transaction": ("ExecuteTransaction", {"TransactStatements": [{"Statement": f"DELETE FROM Rooms WHERE {where}"}]}),
        "PartiQL transaction that guesses": ("ExecuteTransaction", {"TransactStatements": [
            {"Statement": f"EXISTS(SELECT * FROM Rooms WHERE {where} AND Whisper = 'secret-1-of-{owner}')"},
            {"Statement": f"UPDATE Rooms SET Grade = 1 WHERE Tenant = '{MINE}' AND Doc = 'doc-1-of-{MINE}'"}]}),
    }


def across():
    """What reaches for everybody's items, or from the own ones to another's."""
    of = {"ExpressionAttributeValues": {":t": s(MINE)}}
    pair = [key(MINE), key(ANOTHERS)]
    return {
        "Scan": ("Scan", t()),
        "Scan for the own": ("Scan", t(FilterExpression="Tenant = :t", **of)),
        "Scan, legacy": ("Scan", t(ScanFilter={"Tenant": {"ComparisonOperator": "EQ", "AttributeValueList": [s(MINE)]}})),
        "Scan that counts": ("Scan", t(Select="COUNT")),
        "Scan in segments": ("Scan", t(Segment=0, TotalSegments=1)),
        "Scan from another's": ("Scan", t(ExclusiveStartKey=key(ANOTHERS))),
        "Scan from the own": ("Scan", t(ExclusiveStartKey=key(MINE, 3))),
        "Scan of indexes": ("Scan", t(IndexName="ByGrade")),
        "Scan of a global index": ("Scan", t(IndexName="ByCrowd")),
        "Query of a global index": ("Query", t(IndexName="ByCrowd", KeyConditionExpression="Crowd = :c", ExpressionAttributeValues={":c": s("all")})),
        "Query of a global index for the own": ("Query", t(IndexName="ByCrowd", KeyConditionExpression="Crowd = :c", FilterExpression="Tenant = :t",
                                                           ExpressionAttributeValues={":c": s("all"), ":t": s(MINE)})),
        "Query from another's key": ("Query", t(KeyConditionExpression="Tenant = :t", ExclusiveStartKey=key(ANOTHERS), **of)),
        "Query of an index from another's key": ("Query", t(IndexName="ByGrade", KeyConditionExpression="Tenant = :t",
                                                            ExclusiveStartKey={**key(ANOTHERS), "Grade": n(1)}, **of)),
        "BatchGetItem": ("BatchGetItem", {"RequestItems": {"@TABLE@": {"Keys": pair}}}),
        "BatchWriteItem": ("BatchWriteItem", {"RequestItems": {"@TABLE@": [{"PutRequest": {"Item": item(MINE)}}, {"DeleteRequest": {"Key": key(ANOTHERS)}}]}}),
        "TransactGetItems": ("TransactGetItems", {"TransactItems": [{"Get": t(Key=one)} for one in pair]}),
        "TransactWriteItems": ("TransactWriteItems", {"TransactItems": [{"Put": t(Item=item(MINE))}, {"ConditionCheck": t(Key=key(ANOTHERS), **EXPECT_NOTHING)}]}),
    }, {
        "PartiQL": statement("SELECT * FROM Rooms"),
        "PartiQL by another attribute": statement("SELECT * FROM Rooms WHERE Crowd = 'all'"),
        "PartiQL with OR": statement(f"SELECT * FROM Rooms WHERE Tenant = '{MINE}' OR Grade > 0"),
        "PartiQL with two": statement(f"SELECT * FROM Rooms WHERE Tenant = '{MINE}' OR Tenant = '{ANOTHERS}'"),
        "PartiQL with a list": statement(f"SELECT * FROM Rooms WHERE Tenant IN ['{MINE}', '{ANOTHERS}']"),
        "PartiQL with NOT": statement(f"SELECT * FROM Rooms WHERE NOT Tenant = '{MINE}'"),
        "PartiQL with unequal": statement(f"SELECT * FROM Rooms WHERE Tenant <> '{MINE}'"),
        "PartiQL with a range": statement(f"SELECT * FROM Rooms WHERE Tenant >= '{MINE}'"),
        "PartiQL with between": statement("SELECT * FROM Rooms WHERE Tenant BETWEEN 'a' AND 'z'"),
        "PartiQL with a beginning": statement("SELECT * FROM Rooms WHERE begins_with(Tenant, 'b')"),
        "PartiQL of a global index": statement("SELECT * FROM Rooms.ByCrowd WHERE Crowd = 'all'"),
        "PartiQL of an index, all": statement("SELECT * FROM Rooms.ByGrade"),
        "PartiQL transaction": ("ExecuteTransaction", {"TransactStatements": [
            {"Statement": f"SELECT * FROM Rooms WHERE Tenant = '{owner}' AND Doc = 'doc-1-of-{owner}'"} for owner in (MINE, ANOTHERS)]}),
        "PartiQL batch": ("BatchExecuteStatement", {"Statements": [
            {"Statement": f"SELECT * FROM Rooms WHERE Tenant = '{owner}' AND Doc = 'doc-1-of-{owner}'"} for owner in (MINE, ANOTHERS)]}),
    }


def both(pair):
    classic, spoken = pair
    return {**classic, **spoken}


def check_hidden(asker, ways):
    """Every way is refused, and whatever is said has nothing of another's in it: nothing but what the request itself said."""
    seen = []
    for name, way in ways.items():
        reply = asker.ask(way)
        plain = reply.plain()
        refused = reply.status == 400 or b'"Error"' in plain
        if not refused or FOREIGN in plain or FOREIGN in str(reply.headers).encode():
            seen.append((name, reply))
    assert not seen, "\n".join(map(str, seen))


@pytest.mark.parametrize("kind", BOUND_TO_KEYS)
class TestBoundToAKey:
    def test_another_tenants_items_cannot_be_read(self, db, asker, kind):
        who = asker(kind)
        check_hidden(who, both(reads_of(ANOTHERS)))
        assert everything(db) == EVERYTHING

    def test_nor_written_nor_guessed(self, db, asker, kind):
        who = asker(kind)
        check_hidden(who, both(writes_of(ANOTHERS)))
        assert everything(db) == EVERYTHING

    def test_nor_reached_from_the_own_or_with_everybodys(self, db, asker, kind):
        who = asker(kind)
        check_hidden(who, both(across()))
        assert everything(db) == EVERYTHING

    def test_items_that_are_not_there_are_refused_in_the_same_words(self, db, asker, kind):
        who = asker(kind)
        for name, way in both(reads_of(ANOTHERS)).items():
            absent = json.loads(json.dumps(way).replace("of-bob", "of-nob"))
            there, missing = who.ask(way).plain(), who.ask(absent).plain()
            assert there == missing.replace(b"of-nob", b"of-bob"), name

    def test_the_own_items_in_every_way(self, db, asker, kind):
        who = asker(kind)
        # Statements are nothing that a resource policy can grant to another account.
        allowed = (lambda ways: ways[0]) if kind == "resource policy" else both
        failed = []
        for name, way in allowed(reads_of(MINE)).items():
            reply = who.ask(way)
            if b"AccessDenied" in reply.plain() or (b"-of-alice" not in reply.plain() and name not in SHOWS_NOTHING):
                failed.append((name, reply))
        for name, way in allowed(writes_of(MINE)).items():
            reply = who.ask(way)
            if b"AccessDenied" in reply.plain():
                failed.append((name, reply))
            restore(db)
        assert not failed, "\n".join(map(str, failed))

    def test_pages_never_leave_the_own_partition(self, db, asker, kind):
        who = asker(kind)
        start, seen = {}, []
        for _ in range(10):
            reply = who.ask(("Query", t(KeyConditionExpression="Tenant = :t", ExpressionAttributeValues={":t": s(MINE)}, Limit=1, **start)))
            assert reply.status == 200 and FOREIGN not in reply.plain()
            seen += reply.json["Items"]
            if "LastEvaluatedKey" not in reply.json:
                break
            start = {"ExclusiveStartKey": reply.json["LastEvaluatedKey"]}
        assert seen == [item(MINE, number) for number in (1, 2, 3)]

    def test_a_token_of_somebody_else_leads_nowhere(self, db, asker, kind):
        who = asker(kind)
        page = db.ok("ExecuteStatement", {"Statement": "SELECT * FROM Rooms", "Limit": 1})
        check_hidden(who, {"his statement": statement("SELECT * FROM Rooms", Limit=1, NextToken=page["NextToken"])})
        foreign = db.ok("ExecuteStatement", {"Statement": f"SELECT * FROM Rooms WHERE Tenant = '{ANOTHERS}'", "Limit": 1})["NextToken"]
        reply = who.ask(statement(f"SELECT * FROM Rooms WHERE Tenant = '{MINE}'", Limit=1, NextToken=foreign))
        assert FOREIGN not in reply.plain()

    def test_a_transaction_of_somebody_else_is_not_repeated(self, db, asker, kind):
        who = asker(kind)
        way = {"TransactItems": [{"Put": {"TableName": TABLE, "Item": item(ANOTHERS)}}], "ClientRequestToken": f"landlords-{kind}"}
        db.ok("TransactWriteItems", way)
        check_hidden(who, {"again": ("TransactWriteItems", json.loads(json.dumps(way).replace('"Rooms"', '"@TABLE@"'))),
                           "with another's token": ("TransactWriteItems", {**way, "TransactItems": [{"Delete": t(Key=key(ANOTHERS))}]})})

    def test_no_stream(self, db, guarded, asker, kind):
        who = asker(kind)
        where = {"StreamArn": guarded.stream, "ShardId": guarded.shard, "ShardIteratorType": "TRIM_HORIZON"}
        iterator = db.ok("GetShardIterator", where, prefix=STREAMS)["ShardIterator"]
        check_hidden(who, {"GetShardIterator": ("GetShardIterator", where, STREAMS), "GetRecords": ("GetRecords", {"ShardIterator": iterator}, STREAMS),
                           "DescribeStream": ("DescribeStream", {"StreamArn": guarded.stream}, STREAMS)})


def test_every_way_leads_somewhere(db, asker):
    """To the administrator: a way that is refused for how it is written would be refused to everybody, and show nothing."""
    admin = Asker(db)
    ways = {}
    for what in (reads_of(ANOTHERS), writes_of(ANOTHERS), across(), ({}, reaching_for_the_hidden(MINE, "secret-1-of-alice"))):
        ways |= {f"{name} {len(ways)}": way for part in what for name, way in part.items()}
    wrong = []
    for name, way in ways.items():
        reply = admin.ask(way)
        if not (reply.status == 200 and b'"Error"' not in reply.plain()) and not any(
                told in reply.plain() for told in (b"ConditionalCheckFailed", b"DuplicateItem", b"starting key", b"incorrect data type")):
            wrong.append((name, way, reply))
        restore(db)
    assert not wrong, "\n".join(map(str, wrong))


def test_how_a_table_is_made_is_told_to_nobody_without_a_right_to_it(db, guarded):
    """What does not fit a table's keys and indexes is refused as what fits, and as what asks for a table that is not there."""
    k = {"ExpressionAttributeValues": {":v": s("x")}}
    ways = {
        "a right key": ("GetItem", t(Key=key(MINE))),
        "a wrong name": ("GetItem", t(Key={"Nope": s("x")})),
        "a wrong type": ("GetItem", t(Key={"Tenant": n(1), "Doc": s("x")})),
        "half a key": ("UpdateItem", t(Key={"Tenant": s("x")})),
        "more than a key": ("DeleteItem", t(Key={**key(MINE), "Grade": n(1)})),
        "a key that is updated": ("UpdateItem", t(Key=key(MINE), UpdateExpression="SET Doc = :v", **k)),
        "an item without a key": ("PutItem", t(Item={"Bright": s("x")})),
        "an item with a wrong index key": ("PutItem", t(Item={**item(MINE), "Grade": s("x")})),
        "no key condition": ("Query", t(KeyConditionExpression="Bright = :v", **k)),
        "a key condition": ("Query", t(KeyConditionExpression="Tenant = :v", **k)),
        "a filter on a key": ("Query", t(KeyConditionExpression="Tenant = :v", FilterExpression="Doc = :v", **k)),
        "a start that does not fit": ("Scan", t(ExclusiveStartKey={"Nope": s("x")})),
        "a batch that does not fit": ("BatchGetItem", {"RequestItems": {"@TABLE@": {"Keys": [{"Nope": s("x")}]}}}),
        "a batch of the same twice": ("BatchGetItem", {"RequestItems": {"@TABLE@": {"Keys": [key(MINE), key(MINE)]}}}),
        "a batch of writes that does not fit": ("BatchWriteItem", {"RequestItems": {"@TABLE@": [{"PutRequest": {"Item": {"Nope": s("x")}}}]}}),
        "a transaction that does not fit": ("TransactWriteItems", {"TransactItems": [{"Delete": t(Key={"Nope": s("x")})}]}),
        "a reading one that does not fit": ("TransactGetItems", {"TransactItems": [{"Get": t(Key={"Nope": s("x")})}]}),
        "a statement without a key": statement("INSERT INTO @TABLE@ VALUE {'Bright': 'x'}"),
        "an update without a key": statement("UPDATE @TABLE@ SET Bright = 'x' WHERE Bright = 'y'"),
        "a change of the key": statement("UPDATE @TABLE@ SET Doc = 'x' WHERE Tenant = 'x' AND Doc = 'y'"),
        "a statement of a wrong type": statement("SELECT * FROM @TABLE@ WHERE Tenant = 1"),
    }
    stranger = LANDLORD.raw(guarded)
    told = []
    for name, way in ways.items():
        here, nowhere = Asker(stranger).ask(way), Asker(stranger, "Nowhere").ask(way)
        # What is wrong with the request by itself comes first, and says nothing of a table.
        if not any(word in here.plain() for word in (b"AccessDenied", b"contains duplicates")) or here.plain() != nowhere.plain().replace(b"Nowhere", TABLE.encode()):
            told.append((name, here, nowhere))
    for index in ("ByGrade", "ByPair", "ByNothing"):
        told += [(index, reply) for reply in (Asker(stranger).ask(("Scan", t(IndexName=index))),
                                              Asker(stranger).ask(statement(f"SELECT * FROM Rooms.{index} WHERE Tenant = 'x'")))
                 if b"AccessDenied" not in reply.plain() or f"/index/{index}".encode() not in reply.plain()]
    stranger.close()
    assert not told, "\n".join(map(str, told))


# --- attributes

SECRET = b"secret-"


def shown_attributes(owner):
    """What may be seen of an item without what is hidden: must be answered."""
    where = f"Tenant = '{owner}' AND Doc = 'doc-1-of-{owner}'"
    of = {"ExpressionAttributeValues": {":t": s(owner)}}
    return {
        "GetItem": ("GetItem", t(Key=key(owner), ProjectionExpression="Bright, Doc")),
        "GetItem, legacy": ("GetItem", t(Key=key(owner), AttributesToGet=["Bright"])),
        "Query": ("Query", t(KeyConditionExpression="Tenant = :t", ProjectionExpression="Bright", **of)),
        "Query of an index": ("Query", t(IndexName="ByGrade", KeyConditionExpression="Tenant = :t", ProjectionExpression="Bright", Limit=1, **of)),
        "Scan": ("Scan", t(ProjectionExpression="Bright", FilterExpression="Tenant = :t", **of)),
        "BatchGetItem": ("BatchGetItem", {"RequestItems": {"@TABLE@": {"Keys": [key(owner)], "ProjectionExpression": "Bright"}}}),
        "TransactGetItems": ("TransactGetItems", {"TransactItems": [{"Get": t(Key=key(owner), ProjectionExpression="Bright")}]}),
        "UpdateItem": ("UpdateItem", t(Key=key(owner), UpdateExpression="SET Bright = Bright", ReturnValues="UPDATED_NEW")),
        "PartiQL": statement(f"SELECT Bright FROM Rooms WHERE {where}"),
        "PartiQL update": statement(f"UPDATE Rooms SET Bright = 'open-1-of-{owner}' WHERE {where} RETURNING MODIFIED NEW *"),
    }


def reaching_for_the_hidden(owner, guess):
    """Whatever shows Whisper or Pieces, or goes otherwise if `guess` is what Whisper is."""
    where = f"Tenant = '{owner}' AND Doc = 'doc-1-of-{owner}'"
    of = {"ExpressionAttributeValues": {":t": s(owner)}}
    guessed = {"ExpressionAttributeValues": {":g": s(guess)}}
    probes = {  # conditions and filters
        "equals": "Whisper = :g", "unequal": "Whisper <> :g", "less": "Whisper < :g", "between": "Whisper BETWEEN :g AND :g", "in": "Whisper IN (:g)",
        "begins": "begins_with(Whisper, :g)", "contains": "contains(Whisper, :g)", "not": "NOT Whisper = :g", "or": "Bright = :g OR Whisper = :g",
        "part": "Pieces[0] = :g", "contained": "contains(:g, Whisper)", "deep": "Whisper.deep = :g OR Bright = :g",
    }
    sized = {"size": "size(Whisper) > :n", "size of parts": "size(Pieces) > :n"}
    bare = {"exists": "attribute_exists(Whisper)", "not there": "attribute_not_exists(Whisper)", "compared": "Whisper = Bright", "backwards": "Bright = Whisper",
            "size against size": "size(Bright) = size(Whisper)"}
    ways = {
        "GetItem": ("GetItem", t(Key=key(owner))),
        "GetItem, named": ("GetItem", t(Key=key(owner), ProjectionExpression="Bright, Whisper")),
        "GetItem, by another name": ("GetItem", t(Key=key(owner), ProjectionExpression="#h", ExpressionAttributeNames={"#h": "Whisper"})),
        "GetItem, a part": ("GetItem", t(Key=key(owner), ProjectionExpression="Whisper.a, Bright")),
        "GetItem, legacy": ("GetItem", t(Key=key(owner), AttributesToGet=["Whisper"])),
        "Query": ("Query", t(KeyConditionExpression="Tenant = :t", **of)),
        "Query, legacy": ("Query", t(KeyConditions={"Tenant": {"ComparisonOperator": "EQ", "AttributeValueList": [s(owner)]}}, AttributesToGet=["Bright"],
                                     QueryFilter={"Whisper": {"ComparisonOperator": "EQ", "AttributeValueList": [s(guess)]}})),
        "Query, projected": ("Query", t(IndexName="ByGrade", Select="ALL_PROJECTED_ATTRIBUTES", KeyConditionExpression="Tenant = :t", **of)),
        "Query of a global index": ("Query", t(IndexName="ByCrowd", KeyConditionExpression="Crowd = :c", ExpressionAttributeValues={":c": s("all")})),
        "Scan": ("Scan", t()),
        "Scan, legacy": ("Scan", t(AttributesToGet=["Bright"], ScanFilter={"Whisper": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [s(guess)]}})),
        "Scan of an index": ("Scan", t(IndexName="ByCrowd")),
        "BatchGetItem": ("BatchGetItem", {"RequestItems": {"@TABLE@": {"Keys": [key(owner)]}}}),
        "BatchGetItem, named": ("BatchGetItem", {"RequestItems": {"@TABLE@": {"Keys": [key(owner)], "AttributesToGet": ["Whisper"]}}}),
        "TransactGetItems": ("TransactGetItems", {"TransactItems": [{"Get": t(Key=key(owner))}]}),
        "TransactGetItems, named": ("TransactGetItems", {"TransactItems": [{"Get": t(Key=key(owner), ProjectionExpression="Whisper")}]}),
        "PutItem, old": ("PutItem", t(Item={**key(owner), "Bright": s("x")}, ReturnValues="ALL_OLD")),
        "DeleteItem, old": ("DeleteItem", t(Key=key(owner), ReturnValues="ALL_OLD")),
        "DeleteItem, legacy guess": ("DeleteItem", t(Key=key(owner), Expected={"Whisper": {"ComparisonOperator": "NE", "AttributeValueList": [s(guess)]}})),
        "UpdateItem, all old": ("UpdateItem", t(Key=key(owner), ReturnValues="ALL_OLD", **UPDATE)),
        "UpdateItem, all new": ("UpdateItem", t(Key=key(owner), ReturnValues="ALL_NEW", **UPDATE)),
        "UpdateItem that fails and shows": ("UpdateItem", t(Key=key(owner), UpdateExpression="SET Grade = :no", **EXPECT_NOTHING)),
        "UpdateItem that gives some or shows all": ("UpdateItem", t(Key=key(owner), UpdateExpression="SET Grade = :no", ReturnValues="UPDATED_OLD", **EXPECT_NOTHING)),
        "UpdateItem that gives new or shows all": ("UpdateItem", t(Key=key(owner), UpdateExpression="SET Grade = :no", ReturnValues="UPDATED_NEW", **EXPECT_NOTHING)),
        "PutItem that fails and shows": ("PutItem", t(Item={**key(owner), "Bright": s("x")}, **EXPECT_NOTHING)),
        "DeleteItem that fails and shows": ("DeleteItem", t(Key=key(owner), **EXPECT_NOTHING)),
        "UpdateItem, legacy": ("UpdateItem", t(Key=key(owner), AttributeUpdates={"Whisper": {"Action": "PUT", "Value": s("x")}}, ReturnValues="UPDATED_OLD")),
        "UpdateItem, legacy guess": ("UpdateItem", t(Key=key(owner), AttributeUpdates={"Grade": {"Action": "PUT", "Value": n(1)}}, Expected={"Whisper": {"Value": s(guess)}})),
        "TransactWriteItems that fails and shows": ("TransactWriteItems", {"TransactItems": [{"ConditionCheck": t(Key=key(owner), **EXPECT_NOTHING)}]}),
        "PartiQL": statement(f"SELECT * FROM Rooms WHERE {where}"),
        "PartiQL, named": statement(f'SELECT Bright, "Whisper" FROM Rooms WHERE {where}'),
        "PartiQL, a part": statement(f"SELECT Pieces[0] FROM Rooms WHERE {where}"),
        "PartiQL of an index": statement("SELECT * FROM Rooms.ByCrowd WHERE Crowd = 'all'"),
        "PartiQL update, all old": statement(f"UPDATE Rooms SET Grade = 1 WHERE {where} RETURNING ALL OLD *"),
        "PartiQL update, all new": statement(f"UPDATE Rooms SET Grade = 1 WHERE {where} RETURNING ALL NEW *"),
        "PartiQL update that copies": statement(f"UPDATE Rooms SET Bright = Whisper WHERE {where} RETURNING MODIFIED NEW *"),
        "PartiQL update that fails and shows": statement(f"UPDATE Rooms SET Grade = 1 WHERE {where} AND Grade = 99", ReturnValuesOnConditionCheckFailure="ALL_OLD"),
        "PartiQL update that gives some or shows all": statement(f"UPDATE Rooms SET Grade = 1 WHERE {where} AND Grade = 99 RETURNING MODIFIED OLD *",
                                                                 ReturnValuesOnConditionCheckFailure="ALL_OLD"),
        "PartiQL delete": statement(f"DELETE FROM Rooms WHERE {where} RETURNING ALL OLD *"),
        "PartiQL batch": ("BatchExecuteStatement", {"Statements": [{"Statement": f"SELECT * FROM Rooms WHERE {where}"}]}),
        "PartiQL batch that fails and shows": ("BatchExecuteStatement", {"Statements": [
            {"Statement": f"UPDATE Rooms SET Grade = 1 WHERE {where} AND Grade = 99", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}]}),
        "PartiQL transaction that asks": ("ExecuteTransaction", {"TransactStatements": [
            {"Statement": f"EXISTS(SELECT * FROM Rooms WHERE {where} AND Whisper = '{guess}')"}]}),
    }
    for name, text in ("equals", f"Whisper = '{guess}'"), ("begins", f"begins_with(Whisper, '{guess}')"), ("contains", f"contains(Whisper, '{guess}')"), (
            "in", f"Whisper IN ['{guess}']"), ("between", f"Whisper BETWEEN '{guess}' AND '{guess}'"), ("missing", "Whisper IS MISSING"), (
            "size", f"size(Whisper) = {len(guess)}"), ("type", "attribute_type(Whisper, 'S')"), ("or", f"(Grade = 99 OR Whisper = '{guess}')"), (
            "part", f"Pieces[0] = '{guess}'"):
        ways[f"PartiQL, {name}"] = statement(f"SELECT Bright FROM Rooms WHERE {where} AND {text}")
        ways[f"PartiQL update, {name}"] = statement(f"UPDATE Rooms SET Grade = 1 WHERE {where} AND {text}")
    for name, text in {**probes, **sized, **bare}.items():
        values = {":n": n(len(guess) - 1)} if name in sized else {":g": s(guess)} if name in probes else {}
        condition = {"ConditionExpression": text, **({"ExpressionAttributeValues": values} if values else {})}
        ways[f"UpdateItem, {name}"] = ("UpdateItem", t(Key=key(owner), **condition))
        ways[f"TransactWriteItems, {name}"] = ("TransactWriteItems", {"TransactItems": [{"ConditionCheck": t(Key=key(owner), **condition)}]})
        ways[f"Query, {name}"] = ("Query", t(KeyConditionExpression="Tenant = :t", FilterExpression=text, ProjectionExpression="Bright",
                                             ExpressionAttributeValues={":t": s(owner), **values}))
        ways[f"Scan, {name}"] = ("Scan", t(FilterExpression=text, ProjectionExpression="Bright", **({"ExpressionAttributeValues": values} if values else {})))
        ways[f"Query that counts, {name}"] = ("Query", t(KeyConditionExpression="Tenant = :t", FilterExpression=text, Select="COUNT",
                                                         ExpressionAttributeValues={":t": s(owner), **values}))
    for name, text in ("copies", "SET Bright = Whisper"), ("falls back", "SET Bright = if_not_exists(Whisper, :g)"), ("falls back to", "SET Bright = if_not_exists(Nothing, Whisper)"), (
            "appends", "SET Bright = list_append(Pieces, Pieces)"), ("adds", "SET Bright = Whisper + Whisper"), ("copies a part", "SET Bright = Pieces[0]"), (
            "moves", "SET Bright = Whisper REMOVE Whisper"), ("nests", "SET Bright = if_not_exists(Nothing, if_not_exists(Nowhere, Whisper))"):
        values = {"ExpressionAttributeValues": guessed["ExpressionAttributeValues"]} if ":g" in text else {}
        ways[f"UpdateItem that {name}"] = ("UpdateItem", t(Key=key(owner), UpdateExpression=text, ReturnValues="UPDATED_NEW", **values))
    return ways


@pytest.mark.parametrize("kind", BOUND_TO_ATTRIBUTES)
class TestBoundToAttributes:
    def test_what_may_be_seen_is(self, db, asker, kind):
        who = asker(kind)
        for name, way in shown_attributes(MINE).items():
            reply = who.ask(way)
            assert reply.status == 200 and b"open-1-of-alice" in reply.plain() and SECRET not in reply.plain(), (name, reply)

    def test_what_may_not_be_seen_is_not_and_cannot_be_guessed(self, db, asker, kind):
        who = asker(kind)
        right, wrong = reaching_for_the_hidden(MINE, "secret-1-of-alice"), reaching_for_the_hidden(MINE, "secret-2-of-alicf")
        seen = []
        for name in right:
            answers = [who.ask(ways[name]) for ways in (right, wrong)]
            if any(SECRET in answer.plain() for answer in answers) or answers[0].plain() != answers[1].plain() or answers[0].status != answers[1].status:
                seen.append((name, answers))
        assert not seen, "\n".join(map(str, seen))
        assert everything(db) == EVERYTHING
