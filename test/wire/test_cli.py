"""A tour with Debian's AWS CLI, as a person would type it."""

import json
import os
import shutil
import subprocess

import pytest

from harness.tables import unique


@pytest.fixture(scope="module")
def aws(endpoint):
    program = "/usr/bin/aws" if os.path.exists("/usr/bin/aws") else shutil.which("aws")
    environment = {
        "PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "AWS_ACCESS_KEY_ID": os.environ.get("AWS_ACCESS_KEY_ID", "fake"),
        "AWS_SECRET_ACCESS_KEY": os.environ.get("AWS_SECRET_ACCESS_KEY", "fake"), "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1", "AWS_PAGER": "",
    }

    def run(*arguments, fails=False):
        done = subprocess.run([program, "dynamodb", *arguments, "--endpoint-url", endpoint, "--output", "json"],
                              env=environment, capture_output=True, text=True, timeout=120)
        assert (done.returncode != 0) == fails, done.stderr
        return done.stderr if fails else json.loads(done.stdout or "null")
    return run


def test_tour(aws):
    name = unique("cli")
    created = aws("create-table", "--table-name", name, "--billing-mode", "PAY_PER_REQUEST",
                  "--attribute-definitions", "AttributeName=artist,AttributeType=S", "AttributeName=year,AttributeType=N",
                  "--key-schema", "AttributeName=artist,KeyType=HASH", "AttributeName=year,KeyType=RANGE")
    assert created["TableDescription"]["TableName"] == name
    aws("wait", "table-exists", "--table-name", name)
    assert name in aws("list-tables")["TableNames"]

    key = {"artist": {"S": "Nina Simone"}, "year": {"N": "1965"}}
    aws("put-item", "--table-name", name, "--item", json.dumps({**key, "title": {"S": "Pastel Blues"}}))
    assert aws("get-item", "--table-name", name, "--key", json.dumps(key), "--consistent-read") == {
        "Item": {**key, "title": {"S": "Pastel Blues"}}}

    updated = aws("update-item", "--table-name", name, "--key", json.dumps(key),
                  "--update-expression", "SET plays = if_not_exists(plays, :zero) + :one",
                  "--expression-attribute-values", '{":zero": {"N": "0"}, ":one": {"N": "1"}}', "--return-values", "UPDATED_NEW")
    assert updated == {"Attributes": {"plays": {"N": "1"}}}

    error = aws("put-item", "--table-name", name, "--item", json.dumps(key), "--condition-expression", "attribute_not_exists(artist)",
                fails=True)
    assert "An error occurred (ConditionalCheckFailedException) when calling the PutItem operation" in error
    assert error.rstrip().endswith("The conditional request failed")

    old = aws("delete-item", "--table-name", name, "--key", json.dumps(key), "--return-values", "ALL_OLD")
    assert old["Attributes"]["plays"] == {"N": "1"}
    assert aws("get-item", "--table-name", name, "--key", json.dumps(key)) is None

    arn = aws("describe-table", "--table-name", name)["Table"]["TableArn"]
    aws("tag-resource", "--resource-arn", arn, "--tags", "Key=owner,Value=me")
    assert aws("list-tags-of-resource", "--resource-arn", arn)["Tags"] == [{"Key": "owner", "Value": "me"}]
    aws("update-table", "--table-name", name, "--billing-mode", "PROVISIONED",
        "--provisioned-throughput", "ReadCapacityUnits=5,WriteCapacityUnits=5")
    aws("wait", "table-exists", "--table-name", name)
    aws("delete-table", "--table-name", name)
    aws("wait", "table-not-exists", "--table-name", name)
    assert "Requested resource not found" in aws("describe-table", "--table-name", name, fails=True)


def test_time_to_live(aws, make_table):
    name = make_table()
    assert aws("describe-time-to-live", "--table-name", name) == {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
    updated = aws("update-time-to-live", "--table-name", name, "--time-to-live-specification", "Enabled=true,AttributeName=until")
    assert updated == {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "until"}}
    described = aws("describe-time-to-live", "--table-name", name)["TimeToLiveDescription"]
    assert described["AttributeName"] == "until"
    error = aws("update-time-to-live", "--table-name", name, "--time-to-live-specification", "Enabled=true,AttributeName=until",
                fails=True)
    assert "(ValidationException)" in error and "TimeToLive is already enabled" in error
