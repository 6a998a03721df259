"""BatchExecuteStatement: order of responses, errors in place, capacity of each statement, faults of the whole."""

import botocore.exceptions
import pytest

from harness import tables
from harness.partiql import in_table


@pytest.fixture
def batch(client, hash_table):
    def execute(*statements, **more):
        return client.batch_execute_statement(
            Statements=[{"Statement": in_table(statement, hash_table)} for statement in statements], **more)
    return execute


@pytest.fixture
def names(db, hash_table):
    """Six keys; the first three have items."""
    prefix = tables.unique("k")
    keys = [f"{prefix}-{n}" for n in range(6)]
    for n, key in enumerate(keys[:3]):
        db.ok("PutItem", {"TableName": hash_table, "Item": {"pk": {"S": key}, "n": {"N": str(n)}}})
    return keys


def test_reads_in_order(batch, names, hash_table):
    reply = batch(f"SELECT * FROM T WHERE pk = '{names[1]}'", f"SELECT n FROM T WHERE pk = '{names[0]}'",
                  f"SELECT * FROM T WHERE pk = '{names[5]}'", ReturnConsumedCapacity="TOTAL")
    assert reply["Responses"] == [
        {"TableName": hash_table, "Item": {"pk": {"S": names[1]}, "n": {"N": "1"}}},
        {"TableName": hash_table, "Item": {"n": {"N": "0"}}},
        {"TableName": hash_table},
    ]
    assert reply["ConsumedCapacity"] == [{"TableName": hash_table, "CapacityUnits": 0.5}] * 3


def test_consistency_is_each_statements_own(client, hash_table, names):
    statements = [{"Statement": f'SELECT * FROM "{hash_table}" WHERE pk = ?', "Parameters": [{"S": name}],
                   "ConsistentRead": consistent} for name, consistent in ((names[0], True), (names[1], False))]
    reply = client.batch_execute_statement(Statements=statements, ReturnConsumedCapacity="TOTAL")
    assert [entry["CapacityUnits"] for entry in reply["ConsumedCapacity"]] == [1.0, 0.5]


def test_writes_with_errors_in_place(batch, names, hash_table, db):
    reply = batch(
        f"INSERT INTO T VALUE {{'pk': '{names[0]}'}}",
        f"INSERT INTO T VALUE {{'pk': '{names[3]}', 'n': 3}}",
        f"UPDATE T SET n = 9 WHERE pk = '{names[1]}' RETURNING MODIFIED NEW *",
        f"UPDATE T SET n = 9 WHERE pk = '{names[4]}'",
        f"DELETE FROM T WHERE pk = '{names[2]}' RETURNING ALL OLD *",
        f"UPDATE T SET n = 1 WHERE n = 2",
        "UPDATE none_such SET n = 1 WHERE pk = 'x'",
        "UPDATE T SET",
    )["Responses"]
    assert reply == [
        {"Error": {"Code": "DuplicateItem", "Message": "Duplicate primary key exists in table"}, "TableName": hash_table},
        {"TableName": hash_table},
        {"TableName": hash_table, "Item": {"n": {"N": "9"}}},
        {"Error": {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}, "TableName": hash_table},
        {"TableName": hash_table, "Item": {"pk": {"S": names[2]}, "n": {"N": "2"}}},
        {"Error": {"Code": "ValidationError",
                   "Message": "Where clause does not contain a mandatory equality on all key attributes"}},
        {"Error": {"Code": "ResourceNotFound", "Message": "Requested resource not found"}},
        {"Error": {"Code": "ValidationError", "Message": "Statement wasn't well formed, can't be processed: Expected "
                                                         "identifier for simple path"}},
    ]
    assert db.ok("GetItem", {"TableName": hash_table, "Key": {"pk": {"S": names[3]}}})["Item"]["n"] == {"N": "3"}


def test_reads_must_be_by_key(batch, names):
    message = "Select statements within BatchExecuteStatement must specify the primary key in the where clause."
    for where in ("n = 1", f"pk = '{names[0]}' AND n = 0", f"pk = '{names[0]}' AND pk = '{names[1]}'"):
        assert batch(f"SELECT * FROM T WHERE {where}")["Responses"] == [
            {"Error": {"Code": "ValidationError", "Message": message}}]
    assert batch(f"SELECT * FROM T WHERE pk IN ['{names[0]}']")["Responses"][0]["Item"]


@pytest.mark.parametrize("statements, message", [
    (["SELECT * FROM T WHERE pk = 'a'", "DELETE FROM T WHERE pk = 'b'"],
     "Read and write requests together in the same batch is not supported."),
    (["DELETE FROM T WHERE pk = 'a'", "UPDATE T SET x = 1 WHERE pk = 'a'"],
     "Provided list of item keys contains duplicates"),
    (["DELETE FROM T WHERE pk = 'a'"] * 26, "Member must have length less than or equal to 25"),
])
def test_faults_of_the_whole_batch(batch, statements, message):
    with pytest.raises(botocore.exceptions.ClientError) as caught:
        batch(*statements)
    assert message in caught.value.response["Error"]["Message"]


def test_the_item_of_a_failed_condition_is_not_shown(db, hash_table, names):
    reply = db.ok("BatchExecuteStatement", {"Statements": [{
        "Statement": f"UPDATE \"{hash_table}\" SET n = 1 WHERE pk = '{names[0]}' AND n = 7",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}]})
    assert reply["Responses"] == [
        {"Error": {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}, "TableName": hash_table}]
