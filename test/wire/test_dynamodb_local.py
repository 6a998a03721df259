"""What software built around DynamoDB Local finds: `--compat=dynamodb-local`, `--shared-db`, `--separate-keys`, `armature local`.

Every behaviour is tried with the mode and without it: without it Amazon's refusal stays.
"""

import os
import pathlib
import re
import subprocess

import boto3
import botocore.config
import pytest

from harness import tables
from harness.raw import error_type
from harness.sdk import INVALID, refused
from harness.server import Server, binary

JS = pathlib.Path(__file__).parent / "js"
NO_RETRIES = botocore.config.Config(retries={"max_attempts": 0}, parameter_validation=False)
TOKEN_WANTED = {"__type": error_type("MissingAuthenticationToken"),
                "Message": "Request must contain either a valid (registered) AWS access key ID or X.509 certificate."}


class LocalServer(Server):
    """`armature local` with DynamoDB Local's flags."""

    def __init__(self, *flags, cwd=None):
        super().__init__()
        self.arguments = [binary(), "local", *map(str, flags)]
        self.preexec = (lambda: os.chdir(cwd)) if cwd else None


@pytest.fixture(scope="module")
def local():
    with Server(None, "--compat=dynamodb-local") as server:
        yield server


@pytest.fixture(scope="module")
def plain():
    with Server() as server:
        yield server


def sdk(server, key="fakeMyKeyId", region="us-east-1"):
    return boto3.client("dynamodb", endpoint_url=server.endpoint, region_name=region, aws_access_key_id=key,
                        aws_secret_access_key="any", config=NO_RETRIES)


def definition(**more):
    return {**tables.definition(tables.unique()), **more}


# --- what is no call


# A HEAD is what `curl -I` sends: many docker-compose files take its 400 for the sign of health.
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("path", ["/", "/shell/"])
def test_what_is_no_call_is_asked_for_a_token(local, client_of, method, path):
    reply = client_of(local).send(method, path)
    assert reply.status == 400
    assert reply.headers["Content-Type"] == "application/x-amz-json-1.0"
    # Jest, which is kept alive by a connection whose answer jest-dynamodb never reads, ends at once.
    assert reply.headers["Connection"] == "close"
    if method != "HEAD":
        assert reply.json == TOKEN_WANTED


def test_without_the_mode_get_is_a_health_check(plain, client_of):
    assert client_of(plain).send("GET", "/").status == 200
    assert client_of(plain).send("HEAD", "/").status == 404


def test_metrics_and_calls_are_as_ever(local, client_of):
    client = client_of(local)
    assert b"armature_requests_total" in client.send("GET", "/metrics").body
    assert client.post("ListTables", {}).status == 200
    client.error("ListTables", {}, "MissingAuthenticationTokenException", signed=False)
    client.error("Nothing", {}, "UnknownOperationException")


def test_web_pages_are_refused_as_ever(local, client_of):
    assert client_of(local).send("GET", "/", {"Origin": "https://evil.example"}).status == 403
    assert client_of(local).send("GET", "/", {"Host": "evil.example"}).status == 403


# --- numbers as text


THROUGHPUT_AS_TEXT = {"ReadCapacityUnits": "5", "WriteCapacityUnits": "7"}


def test_capacity_may_be_text(local):
    client = sdk(local)
    request = definition(BillingMode="PROVISIONED", ProvisionedThroughput=THROUGHPUT_AS_TEXT)
    throughput = client.create_table(**request)["TableDescription"]["ProvisionedThroughput"]
    assert (throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]) == (5, 7)
    client.update_table(TableName=request["TableName"], ProvisionedThroughput={"ReadCapacityUnits": "6", "WriteCapacityUnits": "8"})
    throughput = client.describe_table(TableName=request["TableName"])["Table"]["ProvisionedThroughput"]
    assert (throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]) == (6, 8)


def test_any_whole_number_may_be_text(local):
    client = sdk(local)
    request = definition()
    client.create_table(**request)
    for number in range(3):
        client.put_item(TableName=request["TableName"], Item={"pk": {"S": str(number)}})
    assert client.scan(TableName=request["TableName"], Limit="2")["Count"] == 2
    assert client.list_tables(Limit="1")["TableNames"]


@pytest.mark.parametrize("text", ["", "five", "5 ", "5.5", "0x5", "99999999999999999999"])
def test_text_that_is_no_whole_number_is_refused(local, client_of, text):
    members = client_of(local).error("ListTables", {"Limit": text}, "SerializationException")
    assert members["Message"] == "STRING_VALUE cannot be converted to Integer"


def test_a_number_out_of_range_is_refused_in_amazons_words(local):
    with refused(INVALID) as refusal:
        sdk(local).list_tables(Limit="101")
    assert "less than or equal to 100" in refusal.message


def test_without_the_mode_text_is_no_number(plain, client_of):
    request = definition(BillingMode="PROVISIONED", ProvisionedThroughput=THROUGHPUT_AS_TEXT)
    members = client_of(plain).error("CreateTable", request, "SerializationException")
    assert members["Message"] == "STRING_VALUE cannot be converted to Long"


def test_attribute_values_stay_strict(local, client_of):
    request = definition()
    client = client_of(local)
    client.ok("CreateTable", request)
    client.error("PutItem", {"TableName": request["TableName"], "Item": {"pk": {"S": 5}}}, "SerializationException")


# --- superfluous definitions


def unused_definitions(**more):
    names = ["pk", "gsipk", "lsisk", "unused", "unused2"]
    return definition(AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in names], **more)


INDEX = {"IndexName": "byGsi", "KeySchema": [{"AttributeName": "gsipk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}
SORTED = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "gsipk", "KeyType": "RANGE"}]
LOCAL_INDEX = {"IndexName": "byLsi", "Projection": {"ProjectionType": "ALL"},
               "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "lsisk", "KeyType": "RANGE"}]}


@pytest.mark.parametrize("more, used", [
    ({}, ["pk"]),
    ({"GlobalSecondaryIndexes": [INDEX]}, ["gsipk", "pk"]),
    ({"KeySchema": SORTED, "LocalSecondaryIndexes": [LOCAL_INDEX]}, ["gsipk", "lsisk", "pk"]),
], ids=["table", "global index", "local index"])
def test_unused_definitions_are_dropped(local, more, used):
    client = sdk(local)
    request = unused_definitions(**more)
    client.create_table(**request)
    described = client.describe_table(TableName=request["TableName"])["Table"]
    assert sorted(each["AttributeName"] for each in described["AttributeDefinitions"]) == used


def test_without_the_mode_unused_definitions_are_refused(plain):
    with refused(INVALID) as refusal:
        sdk(plain).create_table(**unused_definitions())
    assert "Number of attributes in KeySchema does not exactly match" in refusal.message
    with refused(INVALID) as refusal:
        sdk(plain).create_table(**unused_definitions(GlobalSecondaryIndexes=[INDEX]))
    assert "Some AttributeDefinitions are not used" in refusal.message


REPEATED = [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "pk", "AttributeType": "N"}]


def test_a_repeated_definition_is_refused_in_dynamodb_locals_words(local):
    with refused(INVALID, "Cannot have two attributes with the same name"):
        sdk(local).create_table(**definition(AttributeDefinitions=REPEATED))


def test_without_the_mode_a_repeated_definition_is_refused_in_amazons_words(plain):
    with refused(INVALID) as refusal:
        sdk(plain).create_table(**definition(AttributeDefinitions=REPEATED))
    assert "uplicate" in refusal.message and "pk" in refusal.message


def test_missing_definitions_are_refused_all_the_same(local):
    with refused(INVALID):
        sdk(local).create_table(**definition(KeySchema=[{"AttributeName": "other", "KeyType": "HASH"}]))


# --- throughput of on-demand tables


THROUGHPUT = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}


def on_demand_with_throughput():
    return definition(
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "gsipk")],
        ProvisionedThroughput=THROUGHPUT, GlobalSecondaryIndexes=[{**INDEX, "ProvisionedThroughput": THROUGHPUT}])


def test_throughput_of_an_on_demand_table_is_dropped(local):
    client = sdk(local)
    request = on_demand_with_throughput()
    client.create_table(**request)
    described = client.describe_table(TableName=request["TableName"])["Table"]
    assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert described["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    assert described["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"] == 0


def test_without_the_mode_throughput_of_an_on_demand_table_is_refused(plain):
    with refused(INVALID) as refusal:
        sdk(plain).create_table(**on_demand_with_throughput())
    assert "when BillingMode is PAY_PER_REQUEST" in refusal.message


def test_a_provisioned_table_needs_its_throughput(local):
    with refused(INVALID):
        sdk(local).create_table(**definition(BillingMode="PROVISIONED"))


# --- whose tables


def names(client):
    return client.list_tables()["TableNames"]


def test_shared_tables_are_everybodys():
    with Server(None, "--shared-db", "--region", "ddblocal", "--account", "000000000000") as server:
        ours, theirs = sdk(server), sdk(server, "otherKey", "eu-west-1")
        ours.create_table(**tables.definition("Shared"))
        ours.put_item(TableName="Shared", Item={"pk": {"S": "x"}})
        assert names(theirs) == ["Shared"]
        assert theirs.get_item(TableName="Shared", Key={"pk": {"S": "x"}})["Item"] == {"pk": {"S": "x"}}
        assert theirs.describe_table(TableName="Shared")["Table"]["TableArn"] == "arn:aws:dynamodb:ddblocal:000000000000:table/Shared"
        # An ARN of any account and Region means the table, too.
        arn = "arn:aws:dynamodb:ap-south-1:999999999999:table/Shared"
        assert theirs.describe_table(TableName=arn)["Table"]["TableName"] == "Shared"
        assert theirs.query(TableName=arn, KeyConditionExpression="pk = :p", ExpressionAttributeValues={":p": {"S": "x"}})["Count"] == 1
        theirs.tag_resource(ResourceArn=arn, Tags=[{"Key": "k", "Value": "v"}])
        assert ours.list_tags_of_resource(ResourceArn=arn)["Tags"] == [{"Key": "k", "Value": "v"}]


def test_separate_keys_have_tables_of_their_own(tmp_path):
    with Server(tmp_path / "data", "--separate-keys") as server:
        ours = sdk(server)
        ours.create_table(**tables.definition("Mine"))
        assert names(ours) == ["Mine"]
        assert names(sdk(server, "otherKey")) == []
        assert names(sdk(server, region="eu-west-1")) == []
        sdk(server, "otherKey").create_table(**tables.definition("Mine", "other:N"))
        assert names(sdk(server, "otherKey")) == ["Mine"]
        arns = {sdk(server, key).describe_table(TableName="Mine")["Table"]["TableArn"] for key in ("fakeMyKeyId", "otherKey")}
        assert len(arns) == 2
    with Server(tmp_path / "data", "--separate-keys") as server:
        assert names(sdk(server)) == ["Mine"]
        key = sdk(server).describe_table(TableName="Mine")["Table"]["KeySchema"]
        assert key == [{"AttributeName": "pk", "KeyType": "HASH"}]


def test_without_either_the_region_alone_chooses(plain):
    request = definition()
    sdk(plain).create_table(**request)
    assert request["TableName"] in names(sdk(plain, "otherKey"))
    assert request["TableName"] not in names(sdk(plain, region="eu-west-1"))


# --- armature local


def test_local_takes_a_command_line_meant_for_java(client_of):
    with LocalServer("-Djava.library.path=./DynamoDBLocal_lib", "-jar", "DynamoDBLocal.jar", "-inMemory", "-sharedDb", "-port", "0") as server:
        assert server.ready_line.endswith("(in memory, region ddblocal, account 000000000000, any signature is accepted)\n")
        banner = [server.process.stdout.readline() for _ in range(7)]
        assert banner[0] == "Initializing DynamoDB Local with the following configuration:\n"
        assert banner[-1] == "CorsParams:\tnull\n"
        assert client_of(server).send("GET", "/").json == TOKEN_WANTED
        client = sdk(server, region="local-env")
        request = unused_definitions(BillingMode="PROVISIONED", ProvisionedThroughput=THROUGHPUT_AS_TEXT)
        client.create_table(**request)
        assert names(sdk(server, "other", "eu-west-1")) == [request["TableName"]]


def test_local_keeps_its_data_below_the_path(tmp_path):
    (tmp_path / "shared-local-instance.db").write_text("a file of DynamoDB Local's")
    for expected in ([], ["Kept"]):
        with LocalServer("-dbPath", tmp_path, "-sharedDb", "-port", "0") as server:
            assert names(sdk(server)) == expected
            if not expected:
                sdk(server).create_table(**tables.definition("Kept"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["armature-data", "shared-local-instance.db"]


def test_local_without_a_path_keeps_its_data_in_the_current_directory(tmp_path):
    with LocalServer("-port", "0", cwd=tmp_path) as server:
        assert names(sdk(server)) == []
    assert [path.name for path in tmp_path.iterdir()] == ["armature-data"]


def test_local_without_shared_db_separates_keys_and_regions():
    with LocalServer("-inMemory", "-port", "0") as server:
        sdk(server).create_table(**tables.definition("Mine"))
        assert names(sdk(server)) == ["Mine"]
        assert names(sdk(server, "otherKey")) == names(sdk(server, region="eu-west-1")) == []


def test_local_lets_the_pages_of_cors_in(client_of):
    page = {"Origin": "http://localhost:3000"}
    with LocalServer("-inMemory", "-port", "0", "-cors", "http://localhost:3000") as server:
        client = client_of(server)
        assert client.post("ListTables", {}, headers=page).headers["Access-Control-Allow-Origin"] == "http://localhost:3000"
        assert client.post("ListTables", {}, headers={"Origin": "http://other.example"}).status == 403
        asked = client.send("OPTIONS", "/", {**page, "Access-Control-Request-Method": "POST"})
        assert (asked.status, asked.headers["Access-Control-Allow-Methods"]) == (200, "POST")
    with LocalServer("-inMemory", "-port", "0") as server:
        assert client_of(server).post("ListTables", {}, headers=page).status == 403


def test_local_delays_statuses_if_told(client_of):
    with LocalServer("-inMemory", "-port", "0", "-delayTransientStatuses") as server:
        client = client_of(server)
        request = definition()
        client.ok("CreateTable", request)
        assert client.ok("DescribeTable", {"TableName": request["TableName"]})["Table"]["TableStatus"] == "CREATING"
        tables.wait_active(client, request["TableName"])


@pytest.mark.parametrize("flags, line", [
    (["-prot", "8000"], "there is no flag '-prot'"),
    (["-inMemory", "-dbPath", "x"], "exclude each other"),
    (["-port"], "needs a value"),
])
def test_local_refuses_what_it_does_not_know_in_one_line(flags, line):
    done = subprocess.run([binary(), "local", *flags], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and done.stdout == ""
    assert re.fullmatch(rf"armature: .*{line}.*\n", done.stderr)


def test_local_says_its_version_and_its_flags():
    for flag, words in (("-version", "armature "), ("-help", "-sharedDb")):
        done = subprocess.run([binary(), "local", flag], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and words in done.stdout


# --- other clients


def test_the_aws_cli_sees_shared_tables_from_everywhere():
    with LocalServer("-inMemory", "-sharedDb", "-port", "0") as server:
        sdk(server).create_table(**tables.definition("Shared"))
        environment = {**os.environ, "AWS_ACCESS_KEY_ID": "another", "AWS_SECRET_ACCESS_KEY": "x", "AWS_DEFAULT_REGION": "sa-east-1"}
        done = subprocess.run(["aws", "dynamodb", "list-tables", "--endpoint-url", server.endpoint, "--output", "text"],
                              capture_output=True, text=True, timeout=120, env=environment)
        assert done.stdout.split() == ["TABLENAMES", "Shared"], done.stderr


def test_the_javascript_sdk_may_send_a_forms_fields(local, plain):
    """It does not check types itself, so what a web form gives arrives as text."""
    for server, mode in ((local, "dynamodb-local"), (plain, "none")):
        environment = {**os.environ, "ARMATURE_ENDPOINT": server.endpoint, "ARMATURE_COMPAT": mode, "AWS_REGION": "us-east-1",
                       "AWS_ACCESS_KEY_ID": "fake", "AWS_SECRET_ACCESS_KEY": "fake"}
        done = subprocess.run(["node", "--test", "compat/form_fields.test.mjs"], cwd=JS, env=environment, capture_output=True,
                              text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
