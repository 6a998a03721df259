"""TransactGetItems: answers in order, one moment for all of them, capacity, refusals."""

import threading

import pytest

from harness import tables


@pytest.fixture
def get_of(hash_table):
    def make(name, **more):
        return {"Get": {"TableName": hash_table, "Key": {"pk": {"S": name}}, **more}}
    return make


class TestEffect:
    def test_in_order(self, db, range_table, pk, put, get_of):
        put(a={"S": "x"})
        reply = db.ok("TransactGetItems", {"TransactItems": [
            {"Get": {"TableName": range_table, "Key": {"pk": pk, "sk": {"N": "1"}}}},
            get_of(pk["S"]), get_of("none"),
        ]})
        assert reply == {"Responses": [{}, {"Item": {"pk": pk, "a": {"S": "x"}}}, {}]}

    def test_projection(self, db, pk, put, get_of):
        put(a={"S": "x"}, b={"S": "y"})
        for projection, expected in (("a", {"Item": {"a": {"S": "x"}}}), ("nothing", {})):
            reply = db.ok("TransactGetItems", {"TransactItems": [get_of(pk["S"], ProjectionExpression=projection)]})
            assert reply == {"Responses": [expected]}

    def test_never_half_of_a_transaction(self, client, hash_table):
        names = [tables.unique("k") for _ in range(2)]
        stop = threading.Event()
        problems = []

        def write():
            number = 0
            try:
                while not stop.is_set():
                    number += 1
                    client.transact_write_items(TransactItems=[
                        {"Put": {"TableName": hash_table, "Item": {"pk": {"S": name}, "n": {"N": str(number)}}}} for name in names])
            except Exception as problem:  # shown below
                problems.append(repr(problem))
        writer = threading.Thread(target=write)
        writer.start()
        try:
            for _ in range(100):
                seen = client.transact_get_items(TransactItems=[
                    {"Get": {"TableName": hash_table, "Key": {"pk": {"S": name}}}} for name in names])["Responses"]
                assert len({response.get("Item", {}).get("n", {}).get("N") for response in seen}) == 1
        finally:
            stop.set()
            writer.join()
        assert problems == []


class TestCapacity:
    def test_twice_a_strong_read(self, db, hash_table, pk, put, get_of):
        put(a={"S": "x" * 5000})
        reply = db.ok("TransactGetItems", {"TransactItems": [get_of(pk["S"]), get_of("none")], "ReturnConsumedCapacity": "INDEXES"})
        units = {"CapacityUnits": 6.0, "ReadCapacityUnits": 6.0}
        assert reply["ConsumedCapacity"] == [{"TableName": hash_table, **units, "Table": units}]


class TestRefusals:
    def test_empty(self, db):
        db.invalid("TransactGetItems", {"TransactItems": []},
                   "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: Member must have "
                   "length greater than or equal to 1")

    def test_one_item_twice(self, db, get_of):
        db.invalid("TransactGetItems", {"TransactItems": [get_of("a"), get_of("a")]},
                   "Transaction request cannot include multiple operations on one item")

    def test_expression(self, db, get_of):
        db.invalid("TransactGetItems", {"TransactItems": [get_of("a", ProjectionExpression="!!!")]},
                   'Invalid ProjectionExpression: Syntax error; token: "!", near: "!!"')

    def test_wrong_key_cancels(self, db, hash_table, get_of):
        error = db.error("TransactGetItems", {"TransactItems": [get_of("a"), {"Get": {"TableName": hash_table, "Key": {}}}]},
                         "TransactionCanceledException")
        assert error["CancellationReasons"] == [
            {"Code": "None"}, {"Code": "ValidationError", "Message": "The provided key element does not match the schema"}]

    def test_missing_table(self, db, get_of):
        db.error("TransactGetItems", {"TransactItems": [get_of("a"), {"Get": {"TableName": tables.unique(), "Key": {"pk": {"S": "a"}}}}]},
                 "ResourceNotFoundException", "Requested resource not found")

    def test_more_than_four_mebibytes(self, db, make_table):
        table = make_table()
        gets = []
        for n in range(11):
            key = {"pk": {"S": str(n)}}
            db.ok("PutItem", {"TableName": table, "Item": {**key, "v": {"S": "x" * 400_000}}})
            gets.append({"Get": {"TableName": table, "Key": key, "ProjectionExpression": "pk"}})
        assert "size cannot exceed" in db.error("TransactGetItems", {"TransactItems": gets}, "ValidationException")["message"]
        assert len(db.ok("TransactGetItems", {"TransactItems": gets[:10]})["Responses"]) == 10
