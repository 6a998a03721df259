"""DescribeTable."""

import pytest


def test_an_active_table(db, hash_table):
    table = db.ok("DescribeTable", {"TableName": hash_table})["Table"]
    assert table["TableStatus"] == "ACTIVE"
    assert table["WarmThroughput"] == {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"}
    assert "LastUpdateToPayPerRequestDateTime" in table["BillingModeSummary"]
    for absent in ("SSEDescription", "StreamSpecification", "LatestStreamArn", "TableClassSummary", "Replicas",
                   "RestoreSummary", "OnDemandThroughput", "GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        assert absent not in table


def test_by_arn(db, hash_table):
    arn = db.ok("DescribeTable", {"TableName": hash_table})["Table"]["TableArn"]
    assert db.ok("DescribeTable", {"TableName": arn})["Table"]["TableName"] == hash_table


def test_unknown(db):
    db.error("DescribeTable", {"TableName": "no-such-table"}, "ResourceNotFoundException",
             "Requested resource not found: Table: no-such-table not found")


def test_missing_name(db):
    db.invalid("DescribeTable", {})


def test_with_boto3(client, dynamodb, hash_table):
    assert dynamodb.Table(hash_table).table_status == "ACTIVE"
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.describe_table(TableName="no-such-table")
