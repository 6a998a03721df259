"""Every list and map of every operation's request, with everything in it that should not be: answered, and still up."""

import json

import pytest

from harness import tables
from harness.load import LoadConnection
from harness.schemas import Schemas
from harness.server import Server

SCHEMAS = Schemas()
# null, the wrong type, empty, nested.
HOSTILE = [None, True, 1, "", "x", [], {}, [None], {"": None}, {"S": None}, {"S": 1}, {"S": "a", "N": "1"}, {"L": [None]}, {"M": {"a": None}},
           {"SS": [None]}, {"NS": [None]}, {"BS": [None]}, {"SS": []}, {"L": [{"M": {"a": {"L": [None]}}}]}]
EMPTY_VALUE = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
ENUM_CHOICES = 4


def bodies(operation):
    for path in SCHEMAS.paths(operation["operation"] + "Input"):
        for value in HOSTILE:
            for enum in range(ENUM_CHOICES):
                yield value, SCHEMAS.request(path, value, enum)


@pytest.fixture(scope="module")
def victim(tmp_path_factory):
    """A server of this module's own: what a few requests in passing do to tables concerns nobody else."""
    with Server(tmp_path_factory.mktemp("shapes") / "data") as running:
        connection = LoadConnection(running.port)
        assert connection.call("CreateTable", tables.definition("Tbl"))[0] == 200
        connection.close()
        yield running


@pytest.mark.parametrize("operation", SCHEMAS.operations, ids=lambda operation: operation["operation"])
def test_no_element_brings_the_server_down(victim, operation):
    connection = LoadConnection(victim.port)
    for value, body in bodies(operation):
        status, reply = connection.call(f"{operation['service']}.{operation['operation']}", body)
        assert status in (200, 400), f"{json.dumps(body)}: {status} {reply}"
        if value is None and status == 200:
            # Only a batch reports it for one of its statements.
            assert operation["operation"] == "BatchExecuteStatement" and EMPTY_VALUE in json.dumps(reply), json.dumps(body)
    assert connection.call("ListTables", {})[0] == 200
    connection.close()


@pytest.mark.parametrize("operation, body", [
    ("Scan", {"TableName": "any-table", "ScanFilter": {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [None]}}}),
    ("Query", {"TableName": "any-table", "KeyConditions": {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [None]}}}),
    ("PutItem", {"TableName": "any-table", "Item": {"pk": {"S": "a"}}, "Expected": {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [None]}}}),
    ("ExecuteStatement", {"Statement": "SELECT * FROM \"any-table\" WHERE pk = ?", "Parameters": [None]}),
])
def test_a_null_among_attribute_values_is_an_empty_value(db, operation, body):
    envelope = "1 validation error detected: " if operation == "PutItem" else ""
    db.invalid(operation, body, envelope + EMPTY_VALUE)


def test_a_null_among_structures_is_named_by_its_path(db):
    db.invalid("TransactWriteItems", {"TransactItems": [None]},
               "1 validation error detected: Value null at 'transactItems.1.member' failed to satisfy constraint: Member must not be null")
