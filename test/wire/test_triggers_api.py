"""Event source mappings through Lambda's API: boto3's lambda client and the AWS CLI, unchanged."""

import json
import os
import shutil
import subprocess
import uuid

import pytest

from harness import tables
from harness.raw import RawClient
from harness.sdk import refused
from harness.server import Server
from harness.triggers import lambda_client

BAD = "InvalidParameterValueException"
STREAM = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    lost = tmp_path_factory.mktemp("lost")
    with Server(tmp_path_factory.mktemp("armature") / "data", "--function", "f=cat", "--function", "g=cat",
                "--destination", f"lost={lost}") as running:
        yield running


@pytest.fixture(scope="module")
def endpoint(server):
    return server.endpoint


@pytest.fixture(scope="module")
def db(endpoint):
    return RawClient(endpoint)


@pytest.fixture(scope="module")
def mappings(endpoint):
    return lambda_client(endpoint)


def new_stream(db):
    name = tables.create(db, **STREAM)
    return db.ok("DescribeTable", {"TableName": name})["Table"]["LatestStreamArn"]


@pytest.fixture
def stream(db):
    return new_stream(db)


@pytest.fixture
def mapping(mappings, stream):
    return mappings.create_event_source_mapping(EventSourceArn=stream, FunctionName="f", StartingPosition="LATEST")


def shown(reply):
    return {name: value for name, value in reply.items() if name != "ResponseMetadata"}


def test_create_shows_defaults(mapping, stream):
    assert mapping["ResponseMetadata"]["HTTPStatusCode"] == 202
    described = shown(mapping)
    assert str(uuid.UUID(described.pop("UUID"))) == mapping["UUID"]
    assert described.pop("LastModified").year >= 2024
    arn = f"arn:aws:lambda:us-east-1:123456789012:event-source-mapping:{mapping['UUID']}"
    assert described.pop("EventSourceMappingArn", arn) == arn  # older SDKs do not know it
    assert described == {
        "StartingPosition": "LATEST", "BatchSize": 100, "MaximumBatchingWindowInSeconds": 0, "ParallelizationFactor": 1,
        "EventSourceArn": stream, "FunctionArn": "arn:aws:lambda:us-east-1:123456789012:function:f",
        "LastProcessingResult": "No records processed", "State": "Creating", "StateTransitionReason": "User action",
        "DestinationConfig": {"OnFailure": {}}, "MaximumRecordAgeInSeconds": -1, "BisectBatchOnFunctionError": False,
        "MaximumRetryAttempts": -1, "TumblingWindowInSeconds": 0, "FunctionResponseTypes": [],
    }


def test_get_update_delete(mappings, mapping):
    name = mapping["UUID"]
    assert shown(mappings.get_event_source_mapping(UUID=name)) == {**shown(mapping), "State": "Enabled"}
    settings = {
        "FunctionName": "arn:aws:lambda:us-east-1:123456789012:function:g:live", "BatchSize": 7, "MaximumBatchingWindowInSeconds": 2,
        "ParallelizationFactor": 3, "MaximumRecordAgeInSeconds": 60, "MaximumRetryAttempts": 4, "BisectBatchOnFunctionError": True,
        "FunctionResponseTypes": ["ReportBatchItemFailures"],
        "FilterCriteria": {"Filters": [{"Pattern": '{"eventName": ["INSERT"]}'}, {"Pattern": '{"eventName": ["REMOVE"]}'}]},
        "DestinationConfig": {"OnFailure": {"Destination": "arn:aws:sqs:us-east-1:123456789012:lost"}},
    }
    updated = mappings.update_event_source_mapping(UUID=name, Enabled=False, **settings)
    assert updated["ResponseMetadata"]["HTTPStatusCode"] == 202
    assert updated["State"] == "Disabling"
    found = mappings.get_event_source_mapping(UUID=name)
    assert found["State"] == "Disabled"
    assert {**found, **settings, "FunctionName": None} == {**found, "FunctionName": None}
    assert found["FunctionArn"] == settings["FunctionName"]
    # What is not named stays; empty criteria clear.
    cleared = mappings.update_event_source_mapping(UUID=name, FilterCriteria={}, DestinationConfig={})
    assert cleared["State"] == "Updating"
    assert "FilterCriteria" not in cleared and cleared["DestinationConfig"] == {"OnFailure": {}} and cleared["BatchSize"] == 7
    deleted = mappings.delete_event_source_mapping(UUID=name)
    assert (deleted["State"], deleted["UUID"]) == ("Deleting", name)
    with refused("ResourceNotFoundException", "The resource you requested does not exist."):
        mappings.get_event_source_mapping(UUID=name)


def test_list_pages_and_filters(mappings, db):
    streams = [new_stream(db) for _ in range(3)]
    made = set()
    for stream in streams:
        for function in "fg":
            made.add(mappings.create_event_source_mapping(EventSourceArn=stream, FunctionName=function, StartingPosition="TRIM_HORIZON",
                                                          Enabled=False)["UUID"])
    pages = list(mappings.get_paginator("list_event_source_mappings").paginate(PaginationConfig={"PageSize": 4}))
    assert all(len(page["EventSourceMappings"]) == 4 for page in pages[:-1])
    listed = [entry["UUID"] for page in pages for entry in page["EventSourceMappings"]]
    assert len(listed) == len(set(listed)) and made <= set(listed)
    of_stream = mappings.list_event_source_mappings(EventSourceArn=streams[1])["EventSourceMappings"]
    assert sorted(entry["FunctionArn"][-1] for entry in of_stream) == ["f", "g"]
    of_both = mappings.list_event_source_mappings(EventSourceArn=streams[1], FunctionName="g")["EventSourceMappings"]
    assert [entry["State"] for entry in of_both] == ["Disabled"]
    assert mappings.list_event_source_mappings(FunctionName="nobody")["EventSourceMappings"] == []


def test_refusals(mappings, stream):
    def create(**settings):
        mappings.create_event_source_mapping(**{"EventSourceArn": stream, "FunctionName": "f", "StartingPosition": "LATEST", **settings})

    with refused("ResourceNotFoundException", "Function not found: arn:aws:lambda:us-east-1:123456789012:function:nobody") as refusal:
        create(FunctionName="nobody")
    assert refusal.response["ResponseMetadata"]["HTTPStatusCode"] == 404
    assert refusal.response["Type"] == "User"
    with refused(BAD, "MaximumRecordAgeInSeconds must be either -1 (forever) or between 60 and 604800 (inclusive)"):
        create(MaximumRecordAgeInSeconds=59)
    with refused(BAD):
        create(StartingPosition="AT_TIMESTAMP", StartingPositionTimestamp=1)
    with refused(BAD):
        create(TumblingWindowInSeconds=30)
    with refused(BAD) as refusal:
        create(FilterCriteria={"Filters": [{"Pattern": '{"eventName": "INSERT"}'}]})
    assert refusal.message.startswith("Invalid filter pattern definition.")
    with refused(BAD):
        create(DestinationConfig={"OnFailure": {"Destination": "arn:aws:sqs:us-east-1:123456789012:nowhere"}})
    with refused(BAD):  # only what the server's owner has defined
        create(DestinationConfig={"OnFailure": {"Destination": "/tmp"}})
    with refused(BAD):
        create(Topics=["t"])
    with refused(BAD, f"Stream not found: {stream}x"):
        create(EventSourceArn=stream + "x")
    with refused(BAD):
        create(EventSourceArn="arn:aws:sqs:us-east-1:123456789012:q")
    with refused(BAD, "1 validation error detected: Value null at 'startingPosition' failed to satisfy constraint: Member must not be null."):
        mappings.create_event_source_mapping(EventSourceArn=stream, FunctionName="f")
    create()
    with refused("ResourceConflictException") as refusal:
        create()
    assert "already exists. Please update or delete the existing mapping with UUID" in refusal.message
    assert refusal.response["ResponseMetadata"]["HTTPStatusCode"] == 409
    create(FunctionName="g")
    for call in (mappings.delete_event_source_mapping, mappings.update_event_source_mapping):
        with refused("ResourceNotFoundException"):
            call(UUID=str(uuid.uuid4()))


def test_limits_beyond_the_sdk(endpoint, stream):
    """What boto3 refuses by itself, sent by hand."""
    import botocore.auth
    import botocore.awsrequest
    import botocore.credentials
    import urllib3

    def send(method, path, body=None, signed=True):
        data = json.dumps(body) if isinstance(body, dict) else body
        request = botocore.awsrequest.AWSRequest(method, endpoint + path, {"Content-Type": "application/json"}, data)
        if signed:
            botocore.auth.SigV4Auth(botocore.credentials.Credentials("a", "b"), "lambda", "us-east-1").add_auth(request)
        return urllib3.PoolManager().request(method, endpoint + path, headers=dict(request.headers), body=data)

    path = "/2015-03-31/event-source-mappings/"
    for name, value, bound in (("BatchSize", 0, "greater than or equal to 1"), ("BatchSize", 10001, "less than or equal to 10000"),
                               ("ParallelizationFactor", 11, "less than or equal to 10"), ("MaximumRetryAttempts", -2, "greater than or equal to -1"),
                               ("MaximumBatchingWindowInSeconds", 301, "less than or equal to 300")):
        reply = send("POST", path, {"EventSourceArn": stream, "FunctionName": "f", "StartingPosition": "LATEST", name: value})
        member = name[0].lower() + name[1:]
        assert (reply.status, reply.headers["x-amzn-ErrorType"]) == (400, BAD)
        assert json.loads(reply.data) == {
            "Type": "User", "Message": f"1 validation error detected: Value '{value}' at '{member}' failed to satisfy constraint: "
                                       f"Member must have value {bound}"}
    assert send("POST", path, "{").headers["x-amzn-ErrorType"] == "SerializationException"
    reply = send("POST", path, {"FunctionName": 7})
    assert json.loads(reply.data)["Message"] == "NUMBER_VALUE cannot be converted to String"
    assert send("GET", path.rstrip("/")).status == 200
    assert send("GET", path + "?MaxItems=0").status == 400
    reply = send("GET", path, signed=False)
    assert (reply.status, reply.headers["x-amzn-ErrorType"]) == (403, "MissingAuthenticationTokenException")
    assert send("PATCH", path).status == 404
    assert send("GET", "/2015-03-31/functions").status == 404


def test_regions_are_apart(endpoint, mapping):
    other = lambda_client(endpoint, "eu-west-1")
    assert other.list_event_source_mappings()["EventSourceMappings"] == []
    with refused("ResourceNotFoundException"):
        other.delete_event_source_mapping(UUID=mapping["UUID"])


def test_aws_cli(endpoint, stream):
    program = "/usr/bin/aws" if os.path.exists("/usr/bin/aws") else shutil.which("aws")
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "AWS_ACCESS_KEY_ID": "fake",
                   "AWS_SECRET_ACCESS_KEY": "fake", "AWS_DEFAULT_REGION": "us-east-1", "AWS_PAGER": ""}

    def aws(*arguments):
        done = subprocess.run([program, "lambda", *arguments, "--endpoint-url", endpoint, "--output", "json"], env=environment,
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    created = aws("create-event-source-mapping", "--function-name", "f", "--event-source-arn", stream, "--starting-position", "LATEST",
                  "--filter-criteria", '{"Filters": [{"Pattern": "{\\"eventName\\": [\\"INSERT\\"]}"}]}')
    name = created["UUID"]
    assert aws("get-event-source-mapping", "--uuid", name)["State"] == "Enabled"
    assert [entry["UUID"] for entry in aws("list-event-source-mappings", "--event-source-arn", stream)["EventSourceMappings"]] == [name]
    assert aws("update-event-source-mapping", "--uuid", name, "--batch-size", "9", "--no-enabled")["BatchSize"] == 9
    assert aws("get-event-source-mapping", "--uuid", name)["State"] == "Disabled"
    assert aws("delete-event-source-mapping", "--uuid", name)["State"] == "Deleting"


def test_mappings_survive_a_restart(tmp_path):
    with Server(tmp_path / "data", "--function", "f=cat") as running:
        arn = new_stream(RawClient(running.endpoint))
        mappings = lambda_client(running.endpoint)
        made = mappings.create_event_source_mapping(EventSourceArn=arn, FunctionName="f", StartingPosition="LATEST", BatchSize=3)
        gone = mappings.create_event_source_mapping(EventSourceArn=arn, FunctionName="f:old", StartingPosition="LATEST")
        mappings.delete_event_source_mapping(UUID=gone["UUID"])
    with Server(tmp_path / "data") as running:  # without the function
        listed = lambda_client(running.endpoint).list_event_source_mappings()["EventSourceMappings"]
        assert listed == [{**shown(made), "State": "Enabled", "LastProcessingResult": listed[0]["LastProcessingResult"]}]
