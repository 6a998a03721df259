"""DeleteItem: deleting something and nothing, conditions, returned values, capacity, refusals."""

import pytest


@pytest.fixture
def request_of(hash_table, pk):
    def make(**more):
        return {"TableName": hash_table, "Key": {"pk": pk}, **more}
    return make


class TestEffect:
    def test_deletes(self, db, put, get, request_of):
        put()
        assert db.ok("DeleteItem", request_of()) == {}
        assert get() is None

    def test_deleting_nothing_succeeds(self, db, request_of):
        assert db.ok("DeleteItem", request_of(ReturnValues="ALL_OLD")) == {}

    def test_only_the_given_sort_key(self, db, range_table, pk):
        for number in ("1", "2"):
            db.ok("PutItem", {"TableName": range_table, "Item": {"pk": pk, "sk": {"N": number}}})
        db.ok("DeleteItem", {"TableName": range_table, "Key": {"pk": pk, "sk": {"N": "1.0"}}})
        for number, left in (("1", False), ("2", True)):
            assert ("Item" in db.ok("GetItem", {"TableName": range_table, "Key": {"pk": pk, "sk": {"N": number}}})) == left


class TestReturnValues:
    def test_all_old(self, db, put, request_of, pk):
        put(a={"S": "old"})
        assert db.ok("DeleteItem", request_of(ReturnValues="ALL_OLD")) == {"Attributes": {"pk": pk, "a": {"S": "old"}}}

    @pytest.mark.parametrize("value", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
    def test_others_are_refused(self, db, request_of, value):
        db.invalid("DeleteItem", request_of(ReturnValues=value), "1 validation error detected: ReturnValues can only be ALL_OLD or NONE")


class TestConditions:
    def test_condition(self, db, put, get, request_of):
        put(a={"N": "1"})
        values = {":v": {"N": "2"}}
        db.error("DeleteItem", request_of(ConditionExpression="a = :v", ExpressionAttributeValues=values),
                 "ConditionalCheckFailedException", "The conditional request failed")
        assert get() is not None
        db.ok("DeleteItem", request_of(ConditionExpression="a < :v", ExpressionAttributeValues=values))
        assert get() is None

    def test_a_condition_on_nothing(self, db, request_of):
        db.error("DeleteItem", request_of(ConditionExpression="attribute_exists(pk)"), "ConditionalCheckFailedException")
        db.ok("DeleteItem", request_of(ConditionExpression="attribute_not_exists(pk)"))

    def test_the_failing_item_is_returned_on_request(self, db, put, request_of, pk):
        put(a={"S": "x"})
        members = db.error("DeleteItem", request_of(ConditionExpression="attribute_not_exists(a)",
                                                    ReturnValuesOnConditionCheckFailure="ALL_OLD"),
                           "ConditionalCheckFailedException")
        assert members["Item"] == {"pk": pk, "a": {"S": "x"}}

    def test_expected(self, db, put, request_of):
        put(a={"S": "x"})
        db.error("DeleteItem", request_of(Expected={"a": {"Value": {"S": "y"}}}), "ConditionalCheckFailedException")
        db.ok("DeleteItem", request_of(Expected={"a": {"Value": {"S": "x"}}}))


class TestCapacity:
    def test_by_the_old_size(self, db, put, request_of):
        put(a={"S": "x" * 2500})
        reply = db.ok("DeleteItem", request_of(ReturnConsumedCapacity="TOTAL"))
        assert reply["ConsumedCapacity"]["CapacityUnits"] == 3.0

    def test_nothing_costs_one(self, db, hash_table, request_of):
        reply = db.ok("DeleteItem", request_of(ReturnConsumedCapacity="INDEXES"))
        assert reply == {"ConsumedCapacity": {"TableName": hash_table, "CapacityUnits": 1.0, "Table": {"CapacityUnits": 1.0}}}


class TestRefused:
    def test_key_and_table(self, db, range_table):
        db.invalid("DeleteItem", {"TableName": range_table, "Key": {"pk": {"S": "a"}}}, "The provided key element does not match the schema")
        db.error("DeleteItem", {"TableName": "no-such-table", "Key": {"pk": {"S": "a"}}},
                 "ResourceNotFoundException", "Requested resource not found")

    def test_bad_enums_are_reported_together(self, db, request_of):
        members = db.invalid("DeleteItem", request_of(ReturnConsumedCapacity="x", ReturnItemCollectionMetrics="y"))
        assert members["message"].startswith("2 validation errors detected: ")
        assert members["message"].endswith("; ReturnItemCollectionMetrics can only be SIZE or NONE")

    def test_values_without_an_expression(self, db, request_of):
        db.invalid("DeleteItem", request_of(ExpressionAttributeValues={":v": {"S": "a"}}),
                   "1 validation error detected: ExpressionAttributeValues can only be specified when using expressions")
