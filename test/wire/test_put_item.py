"""PutItem: replacing, returned values, conditions, capacity, and what is refused in which words."""

import pytest
from botocore.exceptions import ClientError

OOM = "One or more parameter values were invalid: "


@pytest.fixture
def request_of(hash_table, pk):
    def make(**more):
        return {"TableName": hash_table, "Item": {"pk": pk, "a": {"S": "new"}}, **more}
    return make


class TestEffect:
    def test_replies_with_nothing(self, db, request_of):
        assert db.ok("PutItem", request_of()) == {}

    def test_replaces_the_whole_item(self, db, put, get, request_of, pk):
        put(b={"S": "old"})
        db.ok("PutItem", request_of())
        assert get() == {"pk": pk, "a": {"S": "new"}}

    def test_with_boto3(self, dynamodb, hash_table, pk):
        table = dynamodb.Table(hash_table)
        table.put_item(Item={"pk": pk["S"], "list": [1, "two", None], "set": {"x", "y"}, "raw": b"\x00\xff"})
        item = table.get_item(Key={"pk": pk["S"]})["Item"]
        assert item["list"] == [1, "two", None]
        assert item["set"] == {"x", "y"}
        assert bytes(item["raw"]) == b"\x00\xff"

    def test_by_table_arn(self, db, hash_table, get, pk):
        arn = db.ok("DescribeTable", {"TableName": hash_table})["Table"]["TableArn"]
        reply = db.ok("PutItem", {"TableName": arn, "Item": {"pk": pk}, "ReturnConsumedCapacity": "TOTAL"})
        assert reply["ConsumedCapacity"]["TableName"] == arn
        assert get() == {"pk": pk}


class TestReturnValues:
    def test_all_old(self, db, put, request_of, pk):
        assert db.ok("PutItem", request_of(ReturnValues="ALL_OLD")) == {}
        assert db.ok("PutItem", request_of(ReturnValues="ALL_OLD")) == {"Attributes": {"pk": pk, "a": {"S": "new"}}}

    def test_none(self, db, put, request_of):
        put()
        assert db.ok("PutItem", request_of(ReturnValues="NONE")) == {}

    @pytest.mark.parametrize("value", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
    def test_others_are_refused(self, db, request_of, value):
        db.invalid("PutItem", request_of(ReturnValues=value), "1 validation error detected: ReturnValues can only be ALL_OLD or NONE")


class TestConditions:
    def test_put_if_absent(self, db, get, request_of):
        condition = request_of(ConditionExpression="attribute_not_exists(pk)")
        db.ok("PutItem", condition)
        db.error("PutItem", condition, "ConditionalCheckFailedException", "The conditional request failed")

    def test_boto3_sees_the_exception_class(self, client, hash_table, pk):
        with pytest.raises(client.exceptions.ConditionalCheckFailedException) as caught:
            client.put_item(TableName=hash_table, Item={"pk": pk}, ConditionExpression="attribute_exists(pk)")
        assert caught.value.response["Error"] == {
            "Code": "ConditionalCheckFailedException", "Message": "The conditional request failed"}
        assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400

    def test_a_failed_condition_changes_nothing(self, db, put, get, request_of, pk):
        put(a={"S": "old"})
        db.error("PutItem", request_of(ConditionExpression="attribute_not_exists(a)"), "ConditionalCheckFailedException")
        assert get() == {"pk": pk, "a": {"S": "old"}}

    def test_the_failing_item_is_returned_on_request(self, db, put, request_of, pk):
        put(a={"S": "old"})
        members = db.error("PutItem", request_of(ConditionExpression="attribute_not_exists(pk)",
                                                 ReturnValuesOnConditionCheckFailure="ALL_OLD"),
                           "ConditionalCheckFailedException")
        assert members["Item"] == {"pk": pk, "a": {"S": "old"}}

    def test_no_item_no_item_member(self, db, request_of):
        members = db.error("PutItem", request_of(ConditionExpression="attribute_exists(pk)",
                                                 ReturnValuesOnConditionCheckFailure="ALL_OLD"),
                           "ConditionalCheckFailedException")
        assert "Item" not in members

    def test_the_condition_sees_the_absent_item(self, db, request_of):
        db.error("PutItem", request_of(ConditionExpression="a = :v", ExpressionAttributeValues={":v": {"S": "new"}}),
                 "ConditionalCheckFailedException")


class TestLegacyExpected:
    def test_value(self, db, put, request_of):
        put(a={"S": "old"})
        db.error("PutItem", request_of(Expected={"a": {"Value": {"S": "other"}}}), "ConditionalCheckFailedException")
        db.ok("PutItem", request_of(Expected={"a": {"Value": {"S": "old"}}}))

    def test_exists_false(self, db, request_of):
        db.ok("PutItem", request_of(Expected={"pk": {"Exists": False}}))
        db.error("PutItem", request_of(Expected={"pk": {"Exists": False}}), "ConditionalCheckFailedException")

    @pytest.mark.parametrize("operator, arguments, holds", [
        ("EQ", [{"N": "5"}], True), ("NE", [{"N": "5"}], False), ("LT", [{"N": "6"}], True), ("LE", [{"N": "4"}], False),
        ("GT", [{"N": "4"}], True), ("GE", [{"N": "5"}], True), ("BETWEEN", [{"N": "1"}, {"N": "5"}], True),
        ("IN", [{"N": "1"}, {"N": "5"}], True), ("NULL", None, False), ("NOT_NULL", None, True)])
    def test_operators(self, db, put, request_of, operator, arguments, holds):
        put(n={"N": "5"})
        expected = {"n": {"ComparisonOperator": operator}}
        if arguments:
            expected["n"]["AttributeValueList"] = arguments
        if holds:
            db.ok("PutItem", request_of(Expected=expected))
        else:
            db.error("PutItem", request_of(Expected=expected), "ConditionalCheckFailedException")

    def test_missing_attributes(self, db, request_of):
        db.ok("PutItem", request_of(Expected={"x": {"ComparisonOperator": "NE", "AttributeValueList": [{"S": "a"}]}}))
        db.error("PutItem", request_of(Expected={"x": {"ComparisonOperator": "NOT_CONTAINS", "AttributeValueList": [{"S": "a"}]}}),
                 "ConditionalCheckFailedException")

    def test_conditional_operator(self, db, put, request_of):
        put(a={"S": "old"})
        expected = {"a": {"Value": {"S": "old"}}, "b": {"Value": {"S": "x"}}}
        db.error("PutItem", request_of(Expected=expected), "ConditionalCheckFailedException")
        db.ok("PutItem", request_of(Expected=expected, ConditionalOperator="OR"))

    @pytest.mark.parametrize("expected, message", [
        ({"Value": {"S": "a"}, "AttributeValueList": [{"S": "a"}], "ComparisonOperator": "EQ"},
         "Value and AttributeValueList cannot be used together for Attribute: a"),
        ({"Exists": True, "ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]},
         "Exists and ComparisonOperator cannot be used together for Attribute: a"),
        ({"ComparisonOperator": "EQ"}, "Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: a"),
        ({"AttributeValueList": [{"S": "a"}]}, "AttributeValueList can only be used with a ComparisonOperator for Attribute: a"),
        ({}, "Value must be provided when Exists is null for Attribute: a"),
        ({"Exists": True}, "Value must be provided when Exists is true for Attribute: a"),
        ({"Exists": False, "Value": {"S": "a"}}, "Value cannot be used when Exists is false for Attribute: a"),
        ({"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"S": "a"}]},
         "Invalid number of argument(s) for the BETWEEN ComparisonOperator"),
        ({"ComparisonOperator": "IN", "AttributeValueList": [{"S": "a"}, {"N": "1"}]},
         "AttributeValues inside AttributeValueList must be of same type"),
        ({"ComparisonOperator": "LT", "AttributeValueList": [{"L": []}]},
         "ComparisonOperator LT is not valid for L AttributeValue type"),
    ])
    def test_errors(self, db, request_of, expected, message):
        db.invalid("PutItem", request_of(Expected={"a": expected}), "1 validation error detected: " + OOM + message)

    def test_never_mixed_with_expressions(self, db, request_of):
        db.invalid("PutItem", request_of(Expected={"a": {"Exists": False}}, ConditionExpression="attribute_exists(a)"),
                   "1 validation error detected: Can not use both expression and non-expression parameters in the same request: "
                   "Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}")


class TestCapacity:
    def test_total(self, db, hash_table, request_of):
        reply = db.ok("PutItem", request_of(ReturnConsumedCapacity="TOTAL"))
        assert reply == {"ConsumedCapacity": {"TableName": hash_table, "CapacityUnits": 1.0}}

    def test_indexes(self, db, hash_table, request_of):
        reply = db.ok("PutItem", request_of(ReturnConsumedCapacity="INDEXES"))
        assert reply["ConsumedCapacity"] == {
            "TableName": hash_table, "CapacityUnits": 1.0, "Table": {"CapacityUnits": 1.0}}

    def test_the_larger_of_old_and_new(self, db, put, request_of):
        put(a={"S": "x" * 3000})
        reply = db.ok("PutItem", request_of(ReturnConsumedCapacity="TOTAL"))
        assert reply["ConsumedCapacity"]["CapacityUnits"] == 3.0

    def test_no_item_collection_metrics_without_a_local_index(self, db, request_of):
        assert db.ok("PutItem", request_of(ReturnItemCollectionMetrics="SIZE")) == {}


class TestRefused:
    def test_unknown_table(self, db):
        db.error("PutItem", {"TableName": "no-such-table", "Item": {"pk": {"S": "a"}}},
                 "ResourceNotFoundException", "Requested resource not found")

    def test_missing_members(self, db):
        db.invalid("PutItem", {"Item": {}}, "1 validation error detected: Value null at 'tableName' failed to satisfy "
                                            "constraint: Member must not be null")
        db.invalid("PutItem", {"TableName": "abc"}, "1 validation error detected: Value null at 'item' failed to satisfy "
                                                    "constraint: Member must not be null")

    def test_bad_enums_are_reported_together(self, db, request_of):
        members = db.invalid("PutItem", request_of(ReturnConsumedCapacity="x", ReturnValues="y"))
        assert members["message"].startswith("2 validation errors detected: ")
        assert ("Value 'x' at 'returnConsumedCapacity' failed to satisfy constraint: "
                "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]") in members["message"]
        assert members["message"].endswith("; Failed to satisfy constraint: Member must satisfy enum value set: "
                                           "[ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]")

    @pytest.mark.parametrize("name, message", [
        ("", "1 validation error detected: Value at 'TableName' failed to satisfy constraint: "
             "Member must have length greater than or equal to 1"),
        ("a b", "1 validation error detected: Value 'a b' at 'tableName' failed to satisfy constraint: "
                "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
        ("x" * 256, f"1 validation error detected: Value '{'x' * 256}' at 'tableName' failed to satisfy constraint: "
                    "Member must have length less than or equal to 255"),
    ])
    def test_a_bad_table_name_is_reported_alone(self, db, name, message):
        db.invalid("PutItem", {"TableName": name, "Item": {"pk": {"S": "a"}}, "ReturnValues": "bogus"}, message)

    def test_missing_key(self, db, hash_table, range_table):
        db.invalid("PutItem", {"TableName": hash_table, "Item": {"a": {"S": "a"}}}, OOM + "Missing the key pk in the item")
        db.invalid("PutItem", {"TableName": range_table, "Item": {"pk": {"S": "a"}}}, OOM + "Missing the key sk in the item")

    def test_wrong_key_type(self, db, hash_table):
        db.invalid("PutItem", {"TableName": hash_table, "Item": {"pk": {"N": "1"}}},
                   OOM + "Type mismatch for key pk expected: S actual: N")

    def test_empty_key(self, db, hash_table):
        db.invalid("PutItem", {"TableName": hash_table, "Item": {"pk": {"S": ""}}},
                   "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain "
                   "an empty string value. Key: pk")

    def test_boto3_sees_the_message(self, client, hash_table):
        with pytest.raises(ClientError) as caught:
            client.put_item(TableName=hash_table, Item={"pk": {"N": "1"}})
        assert caught.value.response["Error"] == {
            "Code": "ValidationException", "Message": OOM + "Type mismatch for key pk expected: S actual: N"}
