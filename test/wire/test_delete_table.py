"""DeleteTable: the table and its items go; protection; unknown tables."""

import pytest

from harness.tables import create, definition, unique, wait_active, wait_gone


def test_deletes_the_table_and_its_items(db, new_name):
    name = new_name()
    create(db, name=name)
    db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": "a"}}})
    table = db.ok("DeleteTable", {"TableName": name})["TableDescription"]
    assert (table["TableName"], table["TableStatus"]) == (name, "DELETING")
    wait_gone(db, name)
    db.error("GetItem", {"TableName": name, "Key": {"pk": {"S": "a"}}}, "ResourceNotFoundException", "Requested resource not found")
    create(db, name=name)
    assert db.ok("GetItem", {"TableName": name, "Key": {"pk": {"S": "a"}}, "ConsistentRead": True}) == {}


@pytest.mark.parametrize("billing", [{}, {"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}}])
def test_the_reply_has_figures_and_no_definition(db, new_name, billing):
    name = new_name()
    create(db, name=name, range_key="sk:S", StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}, **billing,
           AttributeDefinitions=[{"AttributeName": a, "AttributeType": "S"} for a in ("pk", "sk", "at")],
           LocalSecondaryIndexes=[{"IndexName": "local", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [
               {"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}]}])
    before = db.ok("DescribeTable", {"TableName": name})["Table"]
    table = db.ok("DeleteTable", {"TableName": name})["TableDescription"]
    members = {"TableName", "TableStatus", "TableId", "TableArn", "ProvisionedThroughput", "TableSizeBytes", "ItemCount"}
    assert set(table) == (members if billing else members | {"BillingModeSummary"})
    assert table["TableStatus"] == "DELETING"
    assert [table[member] for member in ("TableName", "TableId", "TableArn")] == [before[member] for member in ("TableName", "TableId", "TableArn")]
    assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == (3 if billing else 0)


def test_deletion_protection(db, new_name):
    name = new_name()
    create(db, name=name, DeletionProtectionEnabled=True)
    db.invalid("DeleteTable", {"TableName": name},
               "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.")
    db.ok("UpdateTable", {"TableName": name, "DeletionProtectionEnabled": False})
    wait_active(db, name)
    db.ok("DeleteTable", {"TableName": name})
    wait_gone(db, name)


def test_unknown(db):
    db.error("DeleteTable", {"TableName": "no-such-table"}, "ResourceNotFoundException",
             "Requested resource not found: Table: no-such-table not found")


def test_right_after_creation(db):
    """A table still CREATING is in use; one that is ACTIVE already may go."""
    name = unique()
    status = db.ok("CreateTable", definition(name))["TableDescription"]["TableStatus"]
    reply = db.post("DeleteTable", {"TableName": name})
    if status == "CREATING" and reply.status == 400:
        assert reply.json["message"] == f"Attempt to change a resource which is still in use: Table is being created: {name}"
        wait_active(db, name)
        db.ok("DeleteTable", {"TableName": name})
    wait_gone(db, name)


def test_with_boto3_and_its_waiter(client, db):
    name = create(db)
    client.delete_table(TableName=name)
    client.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.delete_table(TableName=name)
