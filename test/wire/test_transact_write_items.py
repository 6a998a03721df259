"""TransactWriteItems: all or nothing, cancellation reasons, where faults are reported, tokens, capacity."""

import threading

import pytest

from harness import tables
from harness.indexes import Index, members

CANCELLED = "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]"


@pytest.fixture
def transact(db):
    def run(*actions, **more):
        return db.ok("TransactWriteItems", {"TransactItems": list(actions), **more})
    return run


@pytest.fixture
def cancelled(db):
    """The reasons of a transaction that must be cancelled."""
    def run(*actions):
        members_of_error = db.error("TransactWriteItems", {"TransactItems": list(actions)}, "TransactionCanceledException")
        reasons = members_of_error["CancellationReasons"]
        assert members_of_error["Message"] == CANCELLED.format(", ".join(reason["Code"] for reason in reasons))
        return reasons
    return run


@pytest.fixture
def action(hash_table):
    def make(kind, name, **more):
        key = {"pk": {"S": name}}
        return {kind: {"TableName": hash_table, **({"Item": key} if kind == "Put" else {"Key": key}), **more}}
    return make


@pytest.fixture
def names():
    prefix = tables.unique("k")
    return [f"{prefix}-{n}" for n in range(6)]


@pytest.fixture
def item(db, hash_table):
    def read(name):
        return db.ok("GetItem", {"TableName": hash_table, "Key": {"pk": {"S": name}}, "ConsistentRead": True}).get("Item")
    return read


NONE = {"Code": "None"}
FAILED = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}


class TestEffect:
    def test_the_four_actions(self, db, hash_table, transact, action, names, item):
        for name in names[1:3]:
            db.ok("PutItem", {"TableName": hash_table, "Item": {"pk": {"S": name}, "n": {"N": "1"}}})
        assert transact(
            action("Put", names[0]),
            action("Update", names[1], UpdateExpression="ADD n :one", ExpressionAttributeValues={":one": {"N": "1"}}),
            action("Delete", names[2]),
            action("ConditionCheck", names[3], ConditionExpression="attribute_not_exists(pk)")) == {}
        assert item(names[0]) and item(names[1])["n"] == {"N": "2"}
        assert item(names[2]) is None and item(names[3]) is None

    def test_across_tables(self, db, hash_table, range_table, transact, action, names, item):
        transact(action("Put", names[0]), {"Put": {"TableName": range_table, "Item": {"pk": {"S": names[0]}, "sk": {"N": "1"}}}})
        assert item(names[0])
        assert "Item" in db.ok("GetItem", {"TableName": range_table, "Key": {"pk": {"S": names[0]}, "sk": {"N": "1"}}})

    def test_conflicting_writers_all_make_progress(self, client, hash_table, names, item):
        """Ten threads move units between accounts; no unit is lost, nobody waits for ever."""
        for name in names:
            client.put_item(TableName=hash_table, Item={"pk": {"S": name}, "n": {"N": "100"}})
        problems = []

        def move(number):
            def change(name, by):
                return {"Update": {"TableName": hash_table, "Key": {"pk": {"S": name}}, "UpdateExpression": "ADD n :by",
                                   "ExpressionAttributeValues": {":by": {"N": str(by)}}}}
            try:
                for n in range(30):
                    source, target = names[(number + n) % 6], names[(number * 5 + n * 3 + 1) % 6]
                    if source != target:
                        client.transact_write_items(TransactItems=[change(source, -1), change(target, 1)])
            except Exception as problem:  # shown below
                problems.append(repr(problem))
        threads = [threading.Thread(target=move, args=(n,)) for n in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert problems == []
        assert sum(int(item(name)["n"]["N"]) for name in names) == 600


class TestCancellation:
    def test_every_failure_in_order(self, db, hash_table, cancelled, action, names, item):
        db.ok("PutItem", {"TableName": hash_table, "Item": {"pk": {"S": names[1]}, "n": {"N": "1"}}})
        absent = {"ConditionExpression": "attribute_not_exists(pk)"}
        assert cancelled(
            action("Put", names[0]),
            action("Put", names[1], **absent, ReturnValuesOnConditionCheckFailure="ALL_OLD"),
            action("Delete", names[1] + "x", **absent),
            action("ConditionCheck", names[2], ConditionExpression="attribute_exists(pk)",
                   ReturnValuesOnConditionCheckFailure="ALL_OLD"),
        ) == [NONE, {**FAILED, "Item": {"pk": {"S": names[1]}, "n": {"N": "1"}}}, NONE, FAILED]
        assert item(names[0]) is None and item(names[1])["n"] == {"N": "1"}

    @pytest.mark.parametrize("update, values, message", [
        ("SET s = s + :v", {"N": "1"}, "An operand in the update expression has an incorrect data type"),
        ("SET a.b = :v", {"N": "1"}, "The document path provided in the update expression is invalid for update"),
        ("SET n = absent + :v", {"N": "1"}, "The provided expression refers to an attribute that does not exist in the item"),
        ("ADD n :v", {"N": "9.9E125"}, "Number overflow. Attempting to store a number with magnitude larger than supported range"),
        ("SET x = :v", {"S": "x" * 409_600}, "Item size to update has exceeded the maximum allowed size"),
        ("SET pk = :v", {"S": "x"},
         "One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key"),
    ], ids=["operand", "path", "missing", "overflow", "size", "key"])
    def test_an_update_that_cannot_be_done(self, db, hash_table, cancelled, action, names, update, values, message):
        db.ok("PutItem", {"TableName": hash_table, "Item": {
            "pk": {"S": names[0]}, "s": {"S": "x"}, "n": {"N": "9.9E125"}}})
        assert cancelled(
            action("ConditionCheck", names[1], ConditionExpression="attribute_exists(pk)"),
            action("Update", names[0], UpdateExpression=update, ExpressionAttributeValues={":v": values}),
        ) == [NONE, {"Code": "ValidationError", "Message": message}]

    def test_keys_of_the_wrong_type(self, cancelled, hash_table, action, names):
        assert cancelled({"Put": {"TableName": hash_table, "Item": {"pk": {"N": "1"}}}}, action("Put", names[0])) == [
            {"Code": "ValidationError",
             "Message": "One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N"}, NONE]
        assert cancelled({"Put": {"TableName": hash_table, "Item": {"x": {"N": "1"}}}}) == [
            {"Code": "ValidationError", "Message": "One or more parameter values were invalid: Missing the key pk in the item"}]
        assert cancelled({"Delete": {"TableName": hash_table, "Key": {"pk": {"N": "1"}}}}) == [
            {"Code": "ValidationError", "Message": "The provided key element does not match the schema"}]


class TestRefusals:
    def test_one_item_twice(self, db, action, names):
        db.invalid("TransactWriteItems", {"TransactItems": [
            action("Put", names[0]), action("ConditionCheck", names[0], ConditionExpression="attribute_exists(pk)")]},
            "Transaction request cannot include multiple operations on one item")

    def test_expressions(self, db, action, names):
        db.invalid("TransactWriteItems", {"TransactItems": [
            action("Put", names[0]), action("Delete", names[1], ConditionExpression="a = :x")]},
            "Invalid ConditionExpression: An expression attribute value used in expression is not defined; attribute value: :x")

    def test_empty_key(self, db, action):
        db.invalid("TransactWriteItems", {"TransactItems": [action("Put", "")]},
                   "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
                   "string value. Key: pk")

    def test_large_item_and_large_request(self, db, hash_table, names, item):
        def put(name, size):
            return {"Put": {"TableName": hash_table, "Item": {"pk": {"S": name}, "v": {"S": "x" * size}}}}
        db.invalid("TransactWriteItems", {"TransactItems": [put(names[0], 409_600)]},
                   "Item size has exceeded the maximum allowed size")
        message = db.error("TransactWriteItems", {"TransactItems": [put(f"{names[0]}{n}", 400_000) for n in range(11)]},
                           "ValidationException")["message"]
        assert "size cannot exceed" in message
        assert item(names[0] + "0") is None

    def test_missing_table(self, db, action, names, item):
        db.error("TransactWriteItems", {"TransactItems": [
            action("Put", names[0]), {"Put": {"TableName": tables.unique(), "Item": {"pk": {"S": "a"}}}}]},
            "ResourceNotFoundException", "Requested resource not found")
        assert item(names[0]) is None


class TestTokens:
    @pytest.fixture
    def add(self, action, names):
        return action("Update", names[0], UpdateExpression="ADD n :one", ExpressionAttributeValues={":one": {"N": "1"}})

    def test_a_repeated_request_is_done_once(self, transact, add, names, item, hash_table):
        token = tables.unique()[:36]
        assert transact(add, ClientRequestToken=token) == {}
        assert transact(add, ClientRequestToken=token, ReturnConsumedCapacity="TOTAL") == {"ConsumedCapacity": [
            {"TableName": hash_table, "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0}]}
        assert item(names[0])["n"] == {"N": "1"}

    def test_other_parameters(self, db, transact, add, action, names):
        token = tables.unique()[:36]
        transact(add, ClientRequestToken=token)
        db.error("TransactWriteItems", {"TransactItems": [action("Put", names[1])], "ClientRequestToken": token},
                 "IdempotentParameterMismatchException")

    def test_a_cancelled_transaction_leaves_its_token(self, db, transact, add, action, names):
        token = tables.unique()[:36]
        db.error("TransactWriteItems", {"ClientRequestToken": token, "TransactItems": [
            action("ConditionCheck", names[1], ConditionExpression="attribute_exists(pk)")]}, "TransactionCanceledException")
        assert transact(add, ClientRequestToken=token) == {}


class TestMetrics:
    def test_the_table_pays_double(self, transact, make_table):
        table = make_table("pk:S", "sk:N", **members("pk:S", "sk:N", gsi=[Index("byG", "g:S")],
                                                     lsi=[Index("byL", "pk:S", "l:S", "KEYS_ONLY")]))
        reply = transact(
            {"Put": {"TableName": table, "Item": {"pk": {"S": "a"}, "sk": {"N": "1"}, "g": {"S": "g"}, "l": {"S": "l"},
                                                  "v": {"S": "x" * 1500}}}},
            {"ConditionCheck": {"TableName": table, "Key": {"pk": {"S": "a"}, "sk": {"N": "2"}},
                                "ConditionExpression": "attribute_not_exists(pk)"}},
            ReturnConsumedCapacity="INDEXES", ReturnItemCollectionMetrics="SIZE")

        def units(number):
            return {"CapacityUnits": number, "WriteCapacityUnits": number}
        assert reply["ConsumedCapacity"] == [{
            "TableName": table, **units(9.0), "Table": units(6.0),
            "LocalSecondaryIndexes": {"byL": units(1.0)}, "GlobalSecondaryIndexes": {"byG": units(2.0)}}]
        assert reply["ItemCollectionMetrics"] == {table: [
            {"ItemCollectionKey": {"pk": {"S": "a"}}, "SizeEstimateRangeGB": [0.0, 1.0]}]}
