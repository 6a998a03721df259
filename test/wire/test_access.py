"""Who may do what, down to the item: tenants that are bound to their own keys, or to some attributes, ask for everything else in
every way that the API offers, and get nothing; what they are told is AWS's text."""

import json

import botocore.exceptions
import pytest

from harness import tables
from harness.principals import User, administrator, allow, deny, table_arn, write_file
from harness.raw import RawClient
from harness.server import Server

TABLE = "Games"
ITEM_ACTIONS = ["GetItem", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem", "Query", "Scan", "BatchGetItem", "BatchWriteItem",
                "PartiQLSelect", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete", "GetRecords", "GetShardIterator", "DescribeStream"]
ALL_ACTIONS = [f"dynamodb:{action}" for action in ITEM_ACTIONS]
EVERYWHERE = [table_arn(TABLE), table_arn(TABLE, "/*")]
SECRET = "kept-from-others"

OWN_KEYS = {"ForAllValues_StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]}, "Null": {"dynamodb:LeadingKeys": "false"}}
OPEN_NAMES = ["UserId", "Title", "Score"]

ADMIN = administrator()
ALICE = User("alice", [allow(ALL_ACTIONS, EVERYWHERE, **OWN_KEYS)])
# As AWS's documentation writes it for attributes: what is read must be named, and writes give nothing back.
NARROW = User("narrow", [allow(ALL_ACTIONS, EVERYWHERE, **{
    "ForAllValues_StringEquals": {"dynamodb:Attributes": OPEN_NAMES},
    "StringEqualsIfExists": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES", "dynamodb:ReturnValues": ["NONE", "UPDATED_OLD", "UPDATED_NEW"]},
    "Null": {"dynamodb:Attributes": "false"}})])
READER = User("reader", [allow("dynamodb:*", "*"), deny(["dynamodb:*Item", "dynamodb:BatchWrite*", "dynamodb:PartiQL*"], EVERYWHERE),
                         deny("dynamodb:DeleteTable", "*")])
NOBODY = User("nobody", [])
RED = User("red", [allow("dynamodb:GetItem", "*", StringEquals={"aws:ResourceTag/team": "${aws:PrincipalTag/team}"})], tags={"team": "red"})
FROM_ELSEWHERE = User("elsewhere", [allow("dynamodb:ListTables", "*", IpAddress={"aws:SourceIp": "192.0.2.0/24"})])
FROM_HERE = User("here", [allow("dynamodb:ListTables", "*", IpAddress={"aws:SourceIp": ["127.0.0.0/8", "::1"]},
                                StringLike={"aws:UserAgent": "*Boto3*"}, StringEquals={"aws:RequestedRegion": "us-east-1"})])
ENCRYPTED_ONLY = User("encrypted", [allow("dynamodb:*"), deny("*", "*", Bool={"aws:SecureTransport": "false"})])
USERS = [ADMIN, ALICE, NARROW, READER, NOBODY, RED, FROM_ELSEWHERE, FROM_HERE, ENCRYPTED_ONLY]


def s(text):
    return {"S": text}


def key_of(owner, title="chess"):
    return {"UserId": s(owner), "Title": s(title)}


def item_of(owner):
    return {**key_of(owner), "Score": {"N": "7"}, "Secret": s(SECRET), "Wins": {"N": "1"}}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("access")
    with Server(folder / "data", "--iam-file", write_file(folder / "iam.toml", *USERS)) as server:
        db = ADMIN.raw(server)
        index = {"Projection": {"ProjectionType": "ALL"}}
        db.ok("CreateTable", {
            "TableName": TABLE, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind} for name, kind in
                                     (("UserId", "S"), ("Title", "S"), ("Score", "N"))],
            "KeySchema": [{"AttributeName": "UserId", "KeyType": "HASH"}, {"AttributeName": "Title", "KeyType": "RANGE"}],
            "LocalSecondaryIndexes": [{"IndexName": "ByScore", **index, "KeySchema": [
                {"AttributeName": "UserId", "KeyType": "HASH"}, {"AttributeName": "Score", "KeyType": "RANGE"}]}],
            "GlobalSecondaryIndexes": [{"IndexName": "ByTitle", **index, "KeySchema": [{"AttributeName": "Title", "KeyType": "HASH"}]}],
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
            "Tags": [{"Key": "team", "Value": "red"}]})
        tables.wait_active(db, TABLE)
        server.stream = db.ok("DescribeTable", {"TableName": TABLE})["Table"]["LatestStreamArn"]
        server.shard = db.ok("DescribeStream", {"StreamArn": server.stream}, prefix="DynamoDBStreams_20120810")[
            "StreamDescription"]["Shards"][0]["ShardId"]
        server.iterator = db.ok("GetShardIterator", {"StreamArn": server.stream, "ShardId": server.shard, "ShardIteratorType": "TRIM_HORIZON"},
                                prefix="DynamoDBStreams_20120810")["ShardIterator"]
        db.close()
        yield server


@pytest.fixture
def db(guarded):
    """The administrator, with both tenants' items as they were."""
    client = ADMIN.raw(guarded)
    tables.fill(client, TABLE, [item_of("alice"), item_of("bob"), item_of("narrow")])
    yield client
    client.close()


@pytest.fixture
def as_user(guarded):
    clients = []

    def make(user):
        clients.append(user.raw(guarded))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


def request(operation, action=None, part="", **members):
    """(operation, action it is, what is behind the table's name in the resource, members)"""
    return operation, f"dynamodb:{action or operation}", part, members


def of_table(**members):
    return {"TableName": TABLE, **members}


def partiql(statement, action, part="", **more):
    return request("ExecuteStatement", action, part, Statement=statement, **more)


def write(kind, **members):
    return {kind: of_table(**members)}


# Every way to read or write the item of `owner`, one line each. The values that are written are harmless: what counts is who may.
def ways(owner):
    key, where = key_of(owner), f"UserId = '{owner}' AND Title = 'chess'"
    owned = {"ExpressionAttributeValues": {":u": s(owner)}}
    failing = {"ConditionExpression": "Wins = :no", "ExpressionAttributeValues": {":no": {"N": "99"}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    update = {"UpdateExpression": "SET Wins = :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}
    failing_update = {"UpdateExpression": "SET Wins = :no", **failing}
    put = {"PutRequest": {"Item": item_of(owner)}}
    return {
        "GetItem": request("GetItem", **of_table(Key=key)),
        "GetItem consistent, with capacity": request("GetItem", **of_table(Key=key, ConsistentRead=True, ReturnConsumedCapacity="INDEXES")),
        "GetItem of some attributes": request("GetItem", **of_table(Key=key, ProjectionExpression="Secret")),
        "PutItem": request("PutItem", **of_table(Item=item_of(owner))),
        "PutItem, old values": request("PutItem", **of_table(Item=item_of(owner), ReturnValues="ALL_OLD")),
        "PutItem, metrics": request("PutItem", **of_table(Item=item_of(owner), ReturnItemCollectionMetrics="SIZE")),
        "UpdateItem": request("UpdateItem", **of_table(Key=key, **update)),
        "UpdateItem, new values": request("UpdateItem", **of_table(Key=key, **update, ReturnValues="ALL_NEW")),
        "UpdateItem without an expression": request("UpdateItem", **of_table(Key=key, ReturnValues="ALL_OLD")),
        "Query": request("Query", **of_table(KeyConditionExpression="UserId = :u", **owned)),
        "Query, legacy": request("Query", **of_table(KeyConditions={"UserId": {"ComparisonOperator": "EQ", "AttributeValueList": [s(owner)]}})),
        "Query, count": request("Query", **of_table(KeyConditionExpression="UserId = :u", Select="COUNT", **owned)),
        "Query, local index": request("Query", None, "/index/ByScore",
                                      **of_table(IndexName="ByScore", KeyConditionExpression="UserId = :u", **owned)),
        "BatchGetItem": request("BatchGetItem", RequestItems={TABLE: {"Keys": [key]}}),
        "BatchWriteItem": request("BatchWriteItem", RequestItems={TABLE: [put]}),
        "TransactGetItems": request("TransactGetItems", "GetItem", TransactItems=[write("Get", Key=key)]),
        "TransactWriteItems, put": request("TransactWriteItems", "PutItem", TransactItems=[write("Put", Item=item_of(owner))]),
        "TransactWriteItems, update": request("TransactWriteItems", "UpdateItem", TransactItems=[write("Update", Key=key, **update)]),
        "TransactWriteItems, check": request("TransactWriteItems", "ConditionCheckItem", TransactItems=[
            write("ConditionCheck", Key=key, ConditionExpression="attribute_exists(UserId)")]),
        "PartiQL select": partiql(f"SELECT * FROM {TABLE} WHERE {where}", "PartiQLSelect"),
        "PartiQL select of a partition": partiql(f"SELECT Secret FROM {TABLE} WHERE UserId = '{owner}'", "PartiQLSelect"),
        "PartiQL select with IN": partiql(f"SELECT * FROM {TABLE} WHERE UserId IN ['{owner}']", "PartiQLSelect"),
        "PartiQL select by parameter": partiql(f"SELECT * FROM {TABLE} WHERE UserId = ?", "PartiQLSelect", Parameters=[s(owner)]),
        "PartiQL select of an index": partiql(f"SELECT * FROM {TABLE}.ByScore WHERE UserId = '{owner}'", "PartiQLSelect", "/index/ByScore"),
        "PartiQL update": partiql(f"UPDATE {TABLE} SET Wins = 1 WHERE {where} RETURNING ALL OLD *", "PartiQLUpdate"),
        "PartiQL transaction": request("ExecuteTransaction", "PartiQLSelect", TransactStatements=[
            {"Statement": f"SELECT * FROM {TABLE} WHERE {where}"}]),
        "PartiQL transaction, update": request("ExecuteTransaction", "PartiQLUpdate", TransactStatements=[
            {"Statement": f"UPDATE {TABLE} SET Wins = 1 WHERE {where}"}]),
    }, {
        # To the owner himself these are other errors, or another item than before.
        "PutItem that fails and shows": request("PutItem", **of_table(Item=item_of(owner), **failing)),
        "UpdateItem that fails and shows": request("UpdateItem", **of_table(Key=key, **failing_update)),
        "DeleteItem that fails and shows": request("DeleteItem", **of_table(Key=key, **failing)),
        "DeleteItem, old values": request("DeleteItem", **of_table(Key=key, ReturnValues="ALL_OLD")),
        "DeleteItem of what is not there": request("DeleteItem", **of_table(Key=key_of(owner, "go"))),
        "BatchWriteItem, delete": request("BatchWriteItem", RequestItems={TABLE: [{"DeleteRequest": {"Key": key}}]}),
        "TransactWriteItems, delete": request("TransactWriteItems", "DeleteItem", TransactItems=[write("Delete", Key=key)]),
        "TransactWriteItems that fails and shows": request("TransactWriteItems", "ConditionCheckItem", TransactItems=[
            write("ConditionCheck", Key=key, **failing)]),
        "PartiQL insert": partiql(f"INSERT INTO {TABLE} VALUE {{'UserId': '{owner}', 'Title': 'chess'}}", "PartiQLInsert"),
        "PartiQL delete": partiql(f"DELETE FROM {TABLE} WHERE {where} RETURNING ALL OLD *", "PartiQLDelete"),
        "PartiQL update that fails and shows": partiql(f"UPDATE {TABLE} SET Wins = 1 WHERE {where} AND Wins = 99", "PartiQLUpdate",
                                                       ReturnValuesOnConditionCheckFailure="ALL_OLD"),
    }


# What asks for no key of its own, and so for everybody's.
EVERYBODYS = {
    "Scan": request("Scan", **of_table()),
    "Scan with a filter": request("Scan", **of_table(FilterExpression="UserId = :u", ExpressionAttributeValues={":u": s("alice")})),
    "Scan, count": request("Scan", **of_table(Select="COUNT")),
    "Scan of an index": request("Scan", None, "/index/ByScore", **of_table(IndexName="ByScore")),
    "Scan of a global index": request("Scan", None, "/index/ByTitle", **of_table(IndexName="ByTitle")),
    "Scan from the middle": request("Scan", **of_table(ExclusiveStartKey=key_of("alice"))),
    "Scan in segments": request("Scan", **of_table(Segment=0, TotalSegments=2)),
    "Query of a global index": request("Query", None, "/index/ByTitle", **of_table(
        IndexName="ByTitle", KeyConditionExpression="Title = :t", ExpressionAttributeValues={":t": s("chess")})),
    "PartiQL scan": partiql(f"SELECT * FROM {TABLE}", "PartiQLSelect"),
    "PartiQL scan with OR": partiql(f"SELECT * FROM {TABLE} WHERE UserId = 'alice' OR Wins = 1", "PartiQLSelect"),
    "PartiQL by a range of keys": partiql(f"SELECT * FROM {TABLE} WHERE UserId >= 'alice'", "PartiQLSelect"),
    "PartiQL of a global index": partiql(f"SELECT * FROM {TABLE}.ByTitle WHERE Title = 'chess'", "PartiQLSelect", "/index/ByTitle"),
}

# One own item beside another's: nothing is given, not even the own one.
MIXED = {
    "BatchGetItem": request("BatchGetItem", RequestItems={TABLE: {"Keys": [key_of("alice"), key_of("bob")]}}),
    "BatchWriteItem": request("BatchWriteItem", RequestItems={TABLE: [
        {"PutRequest": {"Item": {**item_of("alice"), "Wins": {"N": "5"}}}}, {"DeleteRequest": {"Key": key_of("bob")}}]}),
    "TransactGetItems": request("TransactGetItems", "GetItem", TransactItems=[write("Get", Key=key_of(o)) for o in ("alice", "bob")]),
    "TransactWriteItems": request("TransactWriteItems", "DeleteItem", TransactItems=[
        write("Put", Item={**item_of("alice"), "Wins": {"N": "5"}}), write("Delete", Key=key_of("bob"))]),
    "PartiQL with IN": partiql(f"SELECT * FROM {TABLE} WHERE UserId IN ['alice', 'bob']", "PartiQLSelect"),
    "PartiQL transaction": request("ExecuteTransaction", "PartiQLSelect", TransactStatements=[
        {"Statement": f"SELECT * FROM {TABLE} WHERE UserId = '{owner}' AND Title = 'chess'"} for owner in ("alice", "bob")]),
}


def check_denied(client, user, asked, reason=None):
    operation, action, part, members = asked
    told = client.error(operation, members, "AccessDeniedException", user.denied(action, table_arn(TABLE, part), reason))
    assert set(told) == {"__type", "Message"}
    assert SECRET not in json.dumps(told)


BOTH_OF_BOB = {**ways("bob")[0], **ways("bob")[1]}


class TestBoundToAKey:
    @pytest.mark.parametrize("way", ways("alice")[0])
    def test_his_own_item_in_every_way(self, db, as_user, way):
        operation, _, _, members = ways("alice")[0][way]
        as_user(ALICE).ok(operation, members)

    @pytest.mark.parametrize("way", ways("alice")[1])
    def test_his_own_item_in_ways_that_end_otherwise(self, db, as_user, way):
        operation, _, _, members = ways("alice")[1][way]
        reply = as_user(ALICE).post(operation, members)
        assert "AccessDenied" not in reply.body.decode()

    @pytest.mark.parametrize("way", BOTH_OF_BOB)
    def test_anothers_item_in_no_way(self, db, as_user, way):
        check_denied(as_user(ALICE), ALICE, BOTH_OF_BOB[way])
        assert db.ok("GetItem", of_table(Key=key_of("bob"), ConsistentRead=True))["Item"] == item_of("bob")

    @pytest.mark.parametrize("way", EVERYBODYS)
    def test_nobodys_key_in_no_way(self, db, as_user, way):
        check_denied(as_user(ALICE), ALICE, EVERYBODYS[way])

    @pytest.mark.parametrize("way", MIXED)
    def test_not_even_the_own_item_beside_anothers(self, db, as_user, way):
        check_denied(as_user(ALICE), ALICE, MIXED[way])
        for owner in ("alice", "bob"):
            assert db.ok("GetItem", of_table(Key=key_of(owner), ConsistentRead=True))["Item"] == item_of(owner)

    def test_each_statement_of_a_batch_for_itself(self, db, as_user):
        where = "UserId = '{}' AND Title = 'chess'"
        replies = as_user(ALICE).ok("BatchExecuteStatement", {"Statements": [
            {"Statement": f"SELECT * FROM {TABLE} WHERE {where.format(owner)}"} for owner in ("alice", "bob")]})["Responses"]
        assert replies[0]["Item"] == item_of("alice")
        assert replies[1]["Error"] == {"Code": "AccessDenied", "Message": ALICE.denied("dynamodb:PartiQLSelect", table_arn(TABLE))}
        assert "Item" not in replies[1]

    def test_a_page_goes_on_only_in_the_own_partition(self, db, as_user):
        members = of_table(KeyConditionExpression="UserId = :u", ExpressionAttributeValues={":u": s("alice")}, Limit=1)
        page = as_user(ALICE).ok("Query", members)
        assert page["LastEvaluatedKey"] == key_of("alice")
        reply = as_user(ALICE).post("Query", {**members, "ExclusiveStartKey": key_of("bob")})
        assert reply.status == 400 and SECRET not in reply.body.decode()

    def test_no_stream(self, db, guarded, as_user):
        prefix = {"prefix": "DynamoDBStreams_20120810"}
        iterator = {"StreamArn": guarded.stream, "ShardId": guarded.shard, "ShardIteratorType": "TRIM_HORIZON"}
        for operation, members in (("DescribeStream", {"StreamArn": guarded.stream}), ("GetShardIterator", iterator),
                                   ("GetRecords", {"ShardIterator": guarded.iterator})):
            told = as_user(ALICE).error(operation, members, "AccessDeniedException", **prefix)
            assert told["Message"] == ALICE.denied(f"dynamodb:{operation}", guarded.stream)

    @pytest.mark.parametrize("operation, members", [
        ("DescribeTable", of_table()), ("DeleteTable", of_table()), ("UpdateTable", of_table(BillingMode="PAY_PER_REQUEST")),
        ("UpdateTimeToLive", of_table(TimeToLiveSpecification={"Enabled": True, "AttributeName": "Wins"})),
        ("ListTagsOfResource", {"ResourceArn": table_arn(TABLE)}), ("TagResource", {"ResourceArn": table_arn(TABLE), "Tags": [{"Key": "team", "Value": "alice"}]})])
    def test_no_table(self, db, as_user, operation, members):
        as_user(ALICE).error(operation, members, "AccessDeniedException", ALICE.denied(f"dynamodb:{operation}", table_arn(TABLE)))

    def test_whether_a_table_is_there_is_not_told(self, as_user):
        for operation, members in (("GetItem", {"Key": {"pk": s("bob")}}), ("DescribeTable", {}), ("Scan", {})):
            as_user(ALICE).error(operation, {"TableName": "NotThere", **members}, "AccessDeniedException",
                                 ALICE.denied(f"dynamodb:{operation}", table_arn("NotThere")))


def narrow_ways():
    key = key_of("narrow")
    update = {"UpdateExpression": "SET Score = :n", "ExpressionAttributeValues": {":n": {"N": "7"}}}
    failing = {"ConditionExpression": "Score = :no", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    no = {"ExpressionAttributeValues": {":n": {"N": "7"}, ":no": {"N": "99"}}}
    where = "UserId = 'narrow' AND Title = 'chess'"
    query = {"KeyConditionExpression": "UserId = :u", "ExpressionAttributeValues": {":u": s("narrow")}}
    guess = {"ExpressionAttributeValues": {":g": s(SECRET)}}
    allowed = {
        "GetItem": request("GetItem", **of_table(Key=key, ProjectionExpression="Title, Score")),
        "GetItem, legacy": request("GetItem", **of_table(Key=key, AttributesToGet=["Score"])),
        "Query": request("Query", **of_table(**query, ProjectionExpression="Score")),
        "Scan": request("Scan", **of_table(ProjectionExpression="Score")),
        "UpdateItem": request("UpdateItem", **of_table(Key=key, **update, ReturnValues="UPDATED_NEW")),
        "BatchGetItem": request("BatchGetItem", RequestItems={TABLE: {"Keys": [key], "ProjectionExpression": "Score"}}),
        "PartiQL": partiql(f"SELECT Score FROM {TABLE} WHERE {where}", "PartiQLSelect"),
    }
    refused = {
        "GetItem of everything": request("GetItem", **of_table(Key=key)),
        "GetItem of the secret": request("GetItem", **of_table(Key=key, ProjectionExpression="Secret")),
        "GetItem by another name": request("GetItem", **of_table(Key=key, ProjectionExpression="#s", ExpressionAttributeNames={"#s": "Secret"})),
        "GetItem of a part": request("GetItem", **of_table(Key=key, ProjectionExpression="Secret.a[0]")),
        "GetItem, legacy": request("GetItem", **of_table(Key=key, AttributesToGet=["Score", "Secret"])),
        "Query of everything": request("Query", **of_table(**query)),
        "Query that counts": request("Query", **of_table(**query, Select="COUNT")),
        "Query that filters": request("Query", **of_table(KeyConditionExpression="UserId = :u", FilterExpression="Secret = :g", ProjectionExpression="Score",
                                                          ExpressionAttributeValues={":u": s("narrow"), ":g": s(SECRET)})),
        "Query of an index": request("Query", None, "/index/ByScore", **of_table(**query, IndexName="ByScore")),
        "Scan of everything": request("Scan", **of_table()),
        "Scan that filters": request("Scan", **of_table(ProjectionExpression="Score", FilterExpression="begins_with(Secret, :g)", **guess)),
        "Scan, legacy": request("Scan", **of_table(AttributesToGet=["Score"], ScanFilter={
            "Secret": {"ComparisonOperator": "EQ", "AttributeValueList": [s(SECRET)]}})),
        "UpdateItem, all new": request("UpdateItem", **of_table(Key=key, **update, ReturnValues="ALL_NEW")),
        "UpdateItem, all old": request("UpdateItem", **of_table(Key=key, **update, ReturnValues="ALL_OLD")),
        "UpdateItem of the secret": request("UpdateItem", **of_table(Key=key, UpdateExpression="SET Secret = :g", **guess)),
        "UpdateItem that copies": request("UpdateItem", **of_table(Key=key, UpdateExpression="SET Score = Secret")),
        "UpdateItem that copies by a function": request("UpdateItem", **of_table(
            Key=key, UpdateExpression="SET Score = if_not_exists(Secret, :g)", **guess)),
        "UpdateItem that guesses": request("UpdateItem", **of_table(Key=key, UpdateExpression="SET Score = Score", ConditionExpression="Secret = :g", **guess)),
        "UpdateItem, legacy": request("UpdateItem", **of_table(Key=key, AttributeUpdates={"Secret": {"Action": "DELETE"}})),
        "UpdateItem that fails and shows": request("UpdateItem", **of_table(Key=key, UpdateExpression="SET Score = :n", **failing, **no)),
        "PutItem": request("PutItem", **of_table(Item=item_of("narrow"))),
        "DeleteItem, old values": request("DeleteItem", **of_table(Key=key, ReturnValues="ALL_OLD")),
        "DeleteItem that fails and shows": request("DeleteItem", **of_table(Key=key, **failing, ExpressionAttributeValues={":no": {"N": "99"}})),
        "BatchGetItem": request("BatchGetItem", RequestItems={TABLE: {"Keys": [key]}}),
        "BatchWriteItem": request("BatchWriteItem", RequestItems={TABLE: [{"PutRequest": {"Item": item_of("narrow")}}]}),
        "TransactGetItems": request("TransactGetItems", "GetItem", TransactItems=[write("Get", Key=key)]),
        "TransactWriteItems that shows": request("TransactWriteItems", "ConditionCheckItem", TransactItems=[
            write("ConditionCheck", Key=key, **failing, ExpressionAttributeValues={":no": {"N": "99"}})]),
        "TransactWriteItems that guesses": request("TransactWriteItems", "ConditionCheckItem", TransactItems=[
            write("ConditionCheck", Key=key, ConditionExpression="Secret = :g", **guess)]),
        "PartiQL of everything": partiql(f"SELECT * FROM {TABLE} WHERE {where}", "PartiQLSelect"),
        "PartiQL of the secret": partiql(f"SELECT Secret FROM {TABLE} WHERE {where}", "PartiQLSelect"),
        "PartiQL that guesses": partiql(f"SELECT Score FROM {TABLE} WHERE {where} AND Secret = '{SECRET}'", "PartiQLSelect"),
        "PartiQL update that gives back": partiql(f"UPDATE {TABLE} SET Score = 7 WHERE {where} RETURNING ALL OLD *", "PartiQLUpdate"),
        "PartiQL update that fails and shows": partiql(f"UPDATE {TABLE} SET Score = 7 WHERE {where} AND Score = 99", "PartiQLUpdate",
                                                       ReturnValuesOnConditionCheckFailure="ALL_OLD"),
        "PartiQL delete that gives back": partiql(f"DELETE FROM {TABLE} WHERE {where} RETURNING ALL OLD *", "PartiQLDelete"),
    }
    return allowed, refused


class TestBoundToAttributes:
    @pytest.mark.parametrize("way", narrow_ways()[0])
    def test_what_he_may_see(self, db, as_user, way):
        operation, _, _, members = narrow_ways()[0][way]
        assert SECRET not in json.dumps(as_user(NARROW).ok(operation, members))

    @pytest.mark.parametrize("way", narrow_ways()[1])
    def test_what_he_may_not(self, db, as_user, way):
        check_denied(as_user(NARROW), NARROW, narrow_ways()[1][way])
        assert db.ok("GetItem", of_table(Key=key_of("narrow"), ConsistentRead=True))["Item"] == item_of("narrow")


class TestOtherPolicies:
    EXPLICIT = "with an explicit deny in an identity-based policy"

    @pytest.mark.parametrize("way", {**BOTH_OF_BOB, "DeleteTable": request("DeleteTable", **of_table())})
    def test_an_explicit_deny_wins(self, db, as_user, way):
        asked = {**BOTH_OF_BOB, "DeleteTable": request("DeleteTable", **of_table())}[way]
        if asked[1] == "dynamodb:Query":
            as_user(READER).ok(asked[0], asked[3])
        else:
            check_denied(as_user(READER), READER, asked, self.EXPLICIT)

    @pytest.mark.parametrize("way", {**BOTH_OF_BOB, **EVERYBODYS})
    def test_without_a_policy_nothing(self, db, as_user, way):
        check_denied(as_user(NOBODY), NOBODY, {**BOTH_OF_BOB, **EVERYBODYS}[way])

    def test_actions_without_a_resource(self, as_user):
        as_user(NOBODY).error("ListTables", {}, "AccessDeniedException", NOBODY.denied("dynamodb:ListTables", "*"))
        as_user(READER).ok("ListTables", {})

    def test_tags_of_table_and_caller(self, db, as_user):
        red = as_user(RED)
        assert red.ok("GetItem", of_table(Key=key_of("bob")))["Item"] == item_of("bob")
        other = tables.create(db, "UserId:S", "Title:S", Tags=[{"Key": "team", "Value": "blue"}])
        red.error("GetItem", {"TableName": other, "Key": key_of("bob")}, "AccessDeniedException", RED.denied("dynamodb:GetItem", table_arn(other)))
        db.ok("TagResource", {"ResourceArn": table_arn(other), "Tags": [{"Key": "team", "Value": "red"}]})
        red.ok("GetItem", {"TableName": other, "Key": key_of("bob")})
        tables.drop(db, other)

    def test_where_a_request_comes_from_and_by_what(self, guarded, as_user):
        assert FROM_HERE.boto(guarded).list_tables()["TableNames"] == [TABLE]
        as_user(FROM_HERE).error("ListTables", {}, "AccessDeniedException")  # another user agent
        as_user(FROM_ELSEWHERE).error("ListTables", {}, "AccessDeniedException", FROM_ELSEWHERE.denied("dynamodb:ListTables", "*"))

    def test_without_tls_who_must_have_it_gets_nothing(self, as_user):
        as_user(ENCRYPTED_ONLY).error("ListTables", {}, "AccessDeniedException", ENCRYPTED_ONLY.denied("dynamodb:ListTables", "*", self.EXPLICIT))

    def test_boto3_sees_the_error_as_on_aws(self, db, guarded):
        with pytest.raises(botocore.exceptions.ClientError) as refusal:
            ALICE.boto(guarded).get_item(TableName=TABLE, Key=key_of("bob"))
        assert refusal.value.response["Error"] == {"Code": "AccessDeniedException", "Message": ALICE.denied("dynamodb:GetItem", table_arn(TABLE))}

    def test_a_wrong_signature_is_told_before_a_denial(self, guarded):
        client = RawClient(guarded.endpoint, access_key=ALICE.key_id, secret_key="wrong")
        client.error("GetItem", of_table(Key=key_of("bob")), "InvalidSignatureException")
        client.close()
