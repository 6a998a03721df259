"""Tenants whose keys are numbers or bytes, or stand in an index with several attributes in its key: each is kept to his own, however he
writes another's. And a tenant with the AWS CLI."""

import json
import os
import shutil
import subprocess

import pytest

from harness import tables
from harness.principals import REGION, User, administrator, allow, table_arn, write_file
from harness.server import Server

ACTIONS = [f"dynamodb:{name}" for name in (
    "GetItem", "BatchGetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "ConditionCheckItem",
    "PartiQLSelect", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete")]
MINE, ANOTHERS = b"of-alice", b"of-bob"


class Kind:
    """A type of partition key: the own value as policies write it, other writings of it, and another's."""

    def __init__(self, type_, policy_value, own, anothers, literal):
        self.type, self.policy_value, self.own, self.anothers, self.literal = type_, policy_value, own, anothers, literal
        self.table = f"Tenants{type_}"

    def key(self, value):
        return {"Tenant": {self.type: value}}

    def item(self, value, whose):
        return {**self.key(value), "Note": {"S": whose.decode()}}


KINDS = {
    "number": Kind("N", "7", ["7", "7.0", "07", "0.7E1", "70e-1"], ["8", "70", "-7", "7.0000000000000000000000000000000000001", "0.07"], lambda value: value),
    "bytes": Kind("B", "AAEC/w==", ["AAEC/w=="], ["AAEC/g==", "AAE=", "AAEC/wA=", "QUFFQy93PT0="], lambda value: None),
}


def bound_to(value, name="LeadingKeys"):
    return {"ForAllValues_StringEquals": {f"dynamodb:{name}": [value]}, "Null": {f"dynamodb:{name}": "false"}}


ADMIN = administrator()
TENANTS = {name: User(f"by-{name}", [allow(ACTIONS, table_arn(kind.table), **bound_to(kind.policy_value))]) for name, kind in KINDS.items()}
PAIRS = "Pairs"
# Bound by the second attribute of the index's key: the first is everybody's.
BY_SECOND = User("by-second", [allow("dynamodb:Query", table_arn(PAIRS, "/index/ByPair"), **bound_to("7", "SecondPartitionKeyValues"))])
BY_BOTH = User("by-both", [allow("dynamodb:Query", table_arn(PAIRS, "/index/ByPair"), ForAllValues_StringEquals={
    "dynamodb:FirstPartitionKeyValues": ["all"], "dynamodb:SecondPartitionKeyValues": ["7"]}, Null={"dynamodb:SecondPartitionKeyValues": "false"})])


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tenants-by-key")
    with Server(folder / "data", "--iam-file", write_file(folder / "iam.toml", ADMIN, *TENANTS.values(), BY_SECOND, BY_BOTH)) as server:
        db = ADMIN.raw(server)
        for kind in KINDS.values():
            db.ok("CreateTable", {"TableName": kind.table, "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "Tenant", "KeyType": "HASH"}],
                                  "AttributeDefinitions": [{"AttributeName": "Tenant", "AttributeType": kind.type}]})
            tables.wait_active(db, kind.table)
        db.ok("CreateTable", {
            "TableName": PAIRS, "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": type_} for name, type_ in (("pk", "S"), ("Crowd", "S"), ("Tenant", "N"))],
            "GlobalSecondaryIndexes": [{"IndexName": "ByPair", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [
                {"AttributeName": "Crowd", "KeyType": "HASH"}, {"AttributeName": "Tenant", "KeyType": "HASH"}]}]})
        tables.wait_active(db, PAIRS)
        for number, whose in ((7, MINE), (8, ANOTHERS)):
            db.ok("PutItem", {"TableName": PAIRS, "Item": {"pk": {"S": str(number)}, "Crowd": {"S": "all"}, "Tenant": {"N": str(number)},
                                                           "Note": {"S": whose.decode()}}})
        db.close()
        yield server


@pytest.fixture
def db(guarded):
    client = ADMIN.raw(guarded)
    for kind in KINDS.values():
        for whose, values in ((MINE, kind.own[:1]), (ANOTHERS, kind.anothers)):
            for value in values:
                client.ok("PutItem", {"TableName": kind.table, "Item": kind.item(value, whose)})
    yield client
    client.close()


def ways(kind, value):
    """To read or change the item with that key."""
    table, key, item = kind.table, kind.key(value), kind.item(value, b"new")
    literal = kind.literal(value)
    of = {"ExpressionAttributeValues": {":t": {kind.type: value}}}
    change = {"UpdateExpression": "SET Seen = :x", "ExpressionAttributeValues": {":x": {"S": "x"}}}
    spoken = {} if literal is None else {
        "PartiQL": ("ExecuteStatement", {"Statement": f"SELECT * FROM {table} WHERE Tenant = {literal}"}),
        "PartiQL with a list": ("ExecuteStatement", {"Statement": f"SELECT * FROM {table} WHERE Tenant IN [{literal}]"}),
        "PartiQL update": ("ExecuteStatement", {"Statement": f"UPDATE {table} SET Seen = 'x' WHERE Tenant = {literal} RETURNING ALL OLD *"}),
    }
    return {
        "GetItem": ("GetItem", {"TableName": table, "Key": key}),
        "Query": ("Query", {"TableName": table, "KeyConditionExpression": "Tenant = :t", **of}),
        "BatchGetItem": ("BatchGetItem", {"RequestItems": {table: {"Keys": [key]}}}),
        "TransactGetItems": ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": table, "Key": key}}]}),
        "UpdateItem": ("UpdateItem", {"TableName": table, "Key": key, "ReturnValues": "ALL_OLD", **change}),
        "PutItem": ("PutItem", {"TableName": table, "Item": item, "ReturnValues": "ALL_OLD"}),
        "DeleteItem": ("DeleteItem", {"TableName": table, "Key": key, "ReturnValues": "ALL_OLD"}),
        "BatchWriteItem": ("BatchWriteItem", {"RequestItems": {table: [{"PutRequest": {"Item": item}}]}}),
        "TransactWriteItems": ("TransactWriteItems", {"TransactItems": [{"Update": {"TableName": table, "Key": key, **change}}]}),
        "PartiQL with a parameter": ("ExecuteStatement", {"Statement": f"SELECT * FROM {table} WHERE Tenant = ?", "Parameters": [{kind.type: value}]}),
        **spoken,
    }


@pytest.mark.parametrize("name", KINDS)
def test_the_own_items_however_the_key_is_written(guarded, db, name):
    kind, who, failed = KINDS[name], TENANTS[name].raw(guarded), []
    for value in kind.own:
        for way, (operation, members) in ways(kind, value).items():
            reply = who.post(operation, members)
            if reply.status != 200 or b"AccessDenied" in reply.plain():
                failed.append((value, way, reply))
            db.ok("PutItem", {"TableName": kind.table, "Item": kind.item(kind.own[0], MINE)})
    who.close()
    assert not failed, "\n".join(map(str, failed))


@pytest.mark.parametrize("name", KINDS)
def test_nothing_of_anybody_elses(guarded, db, name):
    kind, who, told = KINDS[name], TENANTS[name].raw(guarded), []
    before = sorted(db.ok("Scan", {"TableName": kind.table})["Items"], key=json.dumps)
    for value in kind.anothers:
        for way, (operation, members) in ways(kind, value).items():
            reply = who.post(operation, members)
            if b"AccessDenied" not in reply.plain() or ANOTHERS in reply.plain():
                told.append((value, way, reply))
    for members in ({"RequestItems": {kind.table: {"Keys": [kind.key(kind.own[0]), kind.key(kind.anothers[0])]}}},):
        reply = who.post("BatchGetItem", members)
        if b"AccessDenied" not in reply.plain():
            told.append(("both", members, reply))
    reply = who.post("Scan", {"TableName": kind.table})
    if b"AccessDenied" not in reply.plain():
        told.append(("Scan", reply))
    who.close()
    assert not told, "\n".join(map(str, told))
    assert sorted(db.ok("Scan", {"TableName": kind.table})["Items"], key=json.dumps) == before


@pytest.mark.parametrize("user", [BY_SECOND, BY_BOTH], ids=lambda user: user.name)
def test_an_index_with_two_partition_key_attributes(guarded, user):
    who = user.raw(guarded)

    def query(tenant, crowd="all"):
        return who.post("Query", {"TableName": PAIRS, "IndexName": "ByPair", "KeyConditionExpression": "Crowd = :c AND Tenant = :t",
                                  "ExpressionAttributeValues": {":c": {"S": crowd}, ":t": {"N": tenant}}})

    for own in ("7", "7.0"):
        reply = query(own)
        assert reply.status == 200 and MINE in reply.plain() and ANOTHERS not in reply.plain()
    for reply in (query("8"), query("70"), who.post("Scan", {"TableName": PAIRS, "IndexName": "ByPair"}), who.post("Scan", {"TableName": PAIRS}),
                  who.post("ExecuteStatement", {"Statement": "SELECT * FROM Pairs.ByPair WHERE Crowd = 'all' AND Tenant = 8"}),
                  who.post("GetItem", {"TableName": PAIRS, "Key": {"pk": {"S": "8"}}})):
        assert b"AccessDenied" in reply.plain() and ANOTHERS not in reply.plain(), reply
    who.close()


def run_cli(server, user, *arguments):
    environment = {**os.environ, "AWS_ACCESS_KEY_ID": user.key_id, "AWS_SECRET_ACCESS_KEY": user.secret, "AWS_REGION": REGION,
                   "AWS_PAGER": "", "AWS_EC2_METADATA_DISABLED": "true", "AWS_MAX_ATTEMPTS": "1"}
    program = "/usr/bin/aws" if os.path.exists("/usr/bin/aws") else shutil.which("aws")
    return subprocess.run([program, "--endpoint-url", server.endpoint, "--output", "json", "dynamodb", *arguments],
                          env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_a_tenant_with_the_aws_cli(guarded, db):
    """The same through the tool that most people have: what is his he gets, of the rest he is told that it is not for him."""
    kind, user = KINDS["number"], TENANTS["number"]

    def ask(*arguments):
        done = run_cli(guarded, user, *arguments)
        assert "of-bob" not in done.stdout + done.stderr
        return done

    own = ask("get-item", "--table-name", kind.table, "--key", json.dumps(kind.key("7.0")))
    assert own.returncode == 0, own.stderr
    assert json.loads(own.stdout)["Item"] == kind.item("7", MINE)
    listed = ask("query", "--table-name", kind.table, "--key-condition-expression", "Tenant = :t", "--expression-attribute-values",
                 json.dumps({":t": {"N": "7"}}))
    assert json.loads(listed.stdout)["Count"] == 1
    foreign = json.dumps(kind.key("8"))
    for arguments in (("get-item", "--table-name", kind.table, "--key", foreign), ("scan", "--table-name", kind.table),
                      ("delete-item", "--table-name", kind.table, "--key", foreign, "--return-values", "ALL_OLD"),
                      ("update-item", "--table-name", kind.table, "--key", foreign, "--return-values", "ALL_NEW"),
                      ("batch-get-item", "--request-items", json.dumps({kind.table: {"Keys": [kind.key("7"), kind.key("8")]}})),
                      ("execute-statement", "--statement", f"SELECT * FROM {kind.table} WHERE Tenant = 8"),
                      ("describe-table", "--table-name", kind.table), ("list-tables",)):
        refused = ask(*arguments)
        assert refused.returncode != 0 and "AccessDeniedException" in refused.stderr, (arguments, refused.stdout, refused.stderr)
