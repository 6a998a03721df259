"""Optimistic locking: every write names the version it has seen; of writers with the same version one wins."""

import pytest
from botocore.exceptions import ClientError

from harness.sdk import CANCELLED, CONDITION_FAILED, INVALID, code_of, insist, race, refused


@pytest.fixture
def accounts(table):
    made = table(range_key=None)
    made.put_item(Item={"PK": "acc", "balance": 100, "version": 1})
    return made


def update(table, seen, balance, **more):
    # `version` and `balance` are no reserved words.
    return insist(lambda: table.meta.client.update_item(
        TableName=table.name, Key={"PK": "acc"}, UpdateExpression="SET balance = :b, version = version + :one",
        ConditionExpression="version = :seen", ExpressionAttributeValues={":b": balance, ":one": 1, ":seen": seen}, **more))


def read(table):
    return table.meta.client.get_item(TableName=table.name, Key={"PK": "acc"}, ConsistentRead=True)["Item"]


def test_the_version_rises(accounts):
    reply = update(accounts, 1, 90, ReturnValues="ALL_NEW")
    assert reply["Attributes"] == {"PK": "acc", "balance": 90, "version": 2}


def test_a_stale_version_changes_nothing(accounts):
    update(accounts, 1, 90)
    with refused(CONDITION_FAILED, "The conditional request failed"):
        update(accounts, 1, 80)
    assert read(accounts) == {"PK": "acc", "balance": 90, "version": 2}


def test_the_loser_sees_the_item_without_another_read(accounts, db):
    update(accounts, 1, 90)
    # Raw, because older SDKs know this member for transactions only.
    error = db.error("DeleteItem", {
        "TableName": accounts.name, "Key": {"PK": {"S": "acc"}}, "ConditionExpression": "version = :seen",
        "ExpressionAttributeValues": {":seen": {"N": "1"}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"},
        CONDITION_FAILED, "The conditional request failed")
    assert error["Item"] == {"PK": {"S": "acc"}, "balance": {"N": "90"}, "version": {"N": "2"}}


def test_a_version_of_another_type_never_matches(accounts):
    with refused(CONDITION_FAILED):
        accounts.update_item(Key={"PK": "acc"}, UpdateExpression="SET balance = :b", ConditionExpression="version = :seen",
                             ExpressionAttributeValues={":b": 0, ":seen": "1"})


def test_a_first_write_needs_no_version(accounts):
    put = lambda: accounts.put_item(Item={"PK": "new", "version": 1}, ConditionExpression="attribute_not_exists(PK)")
    put()
    with refused(CONDITION_FAILED):
        put()


def test_a_delete_and_a_put_are_guarded_too(accounts):
    update(accounts, 1, 90)
    with refused(CONDITION_FAILED):
        accounts.delete_item(Key={"PK": "acc"}, ConditionExpression="version = :v", ExpressionAttributeValues={":v": 1})
    with refused(CONDITION_FAILED):
        accounts.put_item(Item={"PK": "acc", "version": 9}, ConditionExpression="version = :v", ExpressionAttributeValues={":v": 1})
    accounts.delete_item(Key={"PK": "acc"}, ConditionExpression="version = :v", ExpressionAttributeValues={":v": 2})
    assert "Item" not in accounts.get_item(Key={"PK": "acc"}, ConsistentRead=True)


def test_two_items_under_their_versions(accounts):
    accounts.put_item(Item={"PK": "other", "balance": 0, "version": 7})

    def move(seen):
        change = lambda key, amount, version: {"Update": {
            "TableName": accounts.name, "Key": {"PK": key}, "UpdateExpression": "SET balance = balance + :a, version = version + :one",
            "ConditionExpression": "version = :v", "ExpressionAttributeValues": {":a": amount, ":one": 1, ":v": version},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}}
        accounts.meta.client.transact_write_items(TransactItems=[change("acc", -30, seen[0]), change("other", 30, seen[1])])

    move((1, 7))
    assert read(accounts) == {"PK": "acc", "balance": 70, "version": 2}
    with refused(CANCELLED) as why:
        move((2, 7))
    assert why.codes == ["None", "ConditionalCheckFailed"]
    assert why.reasons[1]["Item"] == {"PK": {"S": "other"}, "balance": {"N": "30"}, "version": {"N": "8"}}
    assert read(accounts) == {"PK": "acc", "balance": 70, "version": 2}


def test_of_writers_with_the_same_version_one_wins(accounts):
    for seen in range(1, 11):
        def attempt(number):
            try:
                update(accounts, seen, 1000 * seen + number)
                return True
            except ClientError as error:
                assert code_of(error) == CONDITION_FAILED
                return False
        won = race(6, attempt)
        assert won.count(True) == 1
        assert read(accounts) == {"PK": "acc", "balance": 1000 * seen + won.index(True), "version": seen + 1}


def test_read_change_write_loops_lose_nothing(accounts):
    threads, each = 5, 20

    def deposit(number):
        lost = 0
        for _ in range(each):
            while True:
                seen = read(accounts)
                try:
                    update(accounts, seen["version"], seen["balance"] + number + 1)
                    break
                except ClientError as error:
                    assert code_of(error) == CONDITION_FAILED
                    lost += 1
        return lost

    race(threads, deposit)
    assert read(accounts) == {"PK": "acc", "balance": 100 + each * sum(range(1, threads + 1)), "version": 1 + threads * each}


class TestMisuse:
    def test_mixing_old_and_new_parameters(self, accounts, client):
        with refused(INVALID, "1 validation error detected: Can not use both expression and non-expression parameters in the same request: "
                              "Non-expression parameters: {Expected} Expression parameters: {UpdateExpression}"):
            client.update_item(TableName=accounts.name, Key={"PK": {"S": "acc"}}, UpdateExpression="SET balance = :b",
                               ExpressionAttributeValues={":b": {"N": "1"}}, Expected={"version": {"Value": {"N": "1"}}})

    def test_a_forgotten_value(self, accounts):
        with refused(INVALID, "1 validation error detected: Invalid ConditionExpression: An expression attribute value used in expression is not defined; attribute value: :seen"):
            accounts.update_item(Key={"PK": "acc"}, UpdateExpression="SET balance = :b", ConditionExpression="version = :seen",
                                 ExpressionAttributeValues={":b": 1})
