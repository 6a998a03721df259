"""An attribute that is a key of a global and of a local index: what is wrong with it is told of the global one."""

import pytest

from harness import tables
from harness.indexes import Index, members

OOM = "One or more parameter values were invalid: "
MISMATCH = OOM + "Type mismatch for Index Key when_ Expected: S Actual: N IndexName: gsi1"
EMPTY = ("One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a "
         "key attribute cannot contain an empty string value. IndexName: gsi1, IndexKey: when_")
FAULTS = {"type": ({"N": "1"}, MISMATCH), "empty": ({"S": ""}, EMPTY)}


@pytest.fixture(scope="module")
def table(db):
    name = tables.create(db, "pk:S", "sk:S", **members("pk:S", "sk:S", lsi=[Index("lsi1", "pk:S", "when_:S")], gsi=[Index("gsi1", "when_:S")]))
    yield name
    tables.drop(db, name)


@pytest.fixture
def key(pk):
    return {"pk": pk, "sk": {"S": "s"}}


@pytest.mark.parametrize("value, message", FAULTS.values(), ids=FAULTS)
def test_puts(db, table, key, value, message):
    item = {**key, "when_": value}
    db.invalid("PutItem", {"TableName": table, "Item": item}, message)
    db.invalid("BatchWriteItem", {"RequestItems": {table: [{"PutRequest": {"Item": item}}]}}, message)


def test_a_put_in_a_transaction(db, table, key):
    db.invalid("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": table, "Item": {**key, "when_": {"S": ""}}}}]}, EMPTY)
    members_ = db.error("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": table, "Item": {**key, "when_": {"N": "1"}}}}]},
                        "TransactionCanceledException")
    assert members_["CancellationReasons"] == [{"Code": "ValidationError", "Message": MISMATCH}]


def test_an_update_in_a_transaction(db, table, key):
    update = {"TableName": table, "Key": key, "UpdateExpression": "SET when_ = :v", "ExpressionAttributeValues": {":v": {"N": "1"}}}
    members_ = db.error("TransactWriteItems", {"TransactItems": [{"Update": update}]}, "TransactionCanceledException")
    assert members_["CancellationReasons"] == [{"Code": "ValidationError", "Message": MISMATCH}]
    db.invalid("UpdateItem", update, MISMATCH)
