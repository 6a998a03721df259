"""PutItem, UpdateItem and DeleteItem tell what is wrong with a request behind `1 validation error detected: `."""

import pytest

OOM = "One or more parameter values were invalid: "
ENUM = "failed to satisfy constraint: Member must satisfy enum value set: "
RETURN_VALUES = "Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
OLDER_RETURN_VALUES = f"Value 'BOGUS' at 'returnValues' {ENUM}[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
CONDITIONAL_OPERATOR = "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"
OLDER_CONDITIONAL_OPERATOR = f"Value 'XOR' at 'conditionalOperator' {ENUM}[OR, AND]"
CAPACITY = f"Value 'BOGUS' at 'returnConsumedCapacity' {ENUM}[INDEXES, TOTAL, NONE]"
EMPTY_TABLE_NAME = "Value at 'TableName' failed to satisfy constraint: Member must have length greater than or equal to 1"
OLDER_EMPTY_TABLE_NAME = "Value '' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 1"
NO_KEY = "Value null at 'key' failed to satisfy constraint: Member must not be null"
WRITES = ["PutItem", "UpdateItem", "DeleteItem"]


def one(message):
    return f"1 validation error detected: {message}"


def deep(levels):
    value = {"S": "leaf"}
    for _ in range(levels):
        value = {"M": {"n": value}}
    return value


@pytest.fixture(params=WRITES)
def write(request, hash_table, pk):
    """The operation and a request of it with more members."""
    key = "Item" if request.param == "PutItem" else "Key"

    def make(**more):
        return request.param, {"TableName": hash_table, key: {"pk": pk}, **more}
    return make


class TestExpressions:
    def test_values_without_an_expression(self, db, write):
        db.invalid(*write(ExpressionAttributeValues={":v": {"S": "x"}}),
                   one("ExpressionAttributeValues can only be specified when using expressions"))

    def test_names_without_an_expression(self, db, write):
        message = one("ExpressionAttributeNames can only be specified when using expressions")
        db.invalid(*write(ExpressionAttributeNames={"#a": "a"}), message)
        db.invalid(*write(Expected={"a": {"Exists": False}}, ExpressionAttributeNames={"#a": "a"}), message)

    @pytest.mark.parametrize("parameter", ["ExpressionAttributeValues", "ExpressionAttributeNames"])
    def test_an_empty_map(self, db, write, parameter):
        db.invalid(*write(ConditionExpression="attribute_exists(a)", **{parameter: {}}), one(f"{parameter} must not be empty"))

    @pytest.mark.parametrize("condition, text", [
        ("", "The expression can not be empty;"),
        ("a = :v", "An expression attribute value used in expression is not defined; attribute value: :v"),
        ("#a = #b", "An expression attribute name used in the document path is not defined; attribute name: #a"),
        ("a = = b", 'Syntax error; token: "=", near: "= = b"'),
        ("((attribute_exists(a)))", "The expression has redundant parentheses;"),
        ("status = a", "Attribute name is a reserved keyword; reserved keyword: status"),
        ("attribute_exists(" + "a" * 5000 + ")", "Expression size has exceeded the maximum allowed size;"),
    ])
    def test_a_bad_condition(self, db, write, condition, text):
        db.invalid(*write(ConditionExpression=condition), one(f"Invalid ConditionExpression: {text}"))

    @pytest.mark.parametrize("update, text", [
        ("", "The expression can not be empty;"),
        ("SET a", 'Syntax error; token: "<EOF>", near: "a"'),
        ("SET a = :v", "An expression attribute value used in expression is not defined; attribute value: :v"),
        ("SET " + "a" * 5000 + " = b", "Expression size has exceeded the maximum allowed size;"),
    ])
    def test_a_bad_update(self, db, hash_table, pk, update, text):
        db.invalid("UpdateItem", {"TableName": hash_table, "Key": {"pk": pk}, "UpdateExpression": update},
                   one(f"Invalid UpdateExpression: {text}"))

    def test_an_unused_value(self, db, write):
        db.invalid(*write(ConditionExpression="attribute_exists(a)", ExpressionAttributeValues={":v": {"S": "x"}}),
                   one("Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}"))

    def test_expressions_beside_legacy_parameters(self, db, write):
        db.invalid(*write(ConditionExpression="attribute_exists(a)", Expected={"a": {"Exists": False}}),
                   one("Can not use both expression and non-expression parameters in the same request: "
                       "Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}"))

    def test_what_needs_the_table_is_bare(self, db, hash_table, pk):
        db.invalid("UpdateItem", {"TableName": hash_table, "Key": {"pk": pk}, "UpdateExpression": "REMOVE pk"},
                   OOM + "Cannot update attribute pk. This attribute is part of the key")


class TestLegacyConditions:
    @pytest.mark.parametrize("expected, text", [
        ({"Exists": True}, "Value must be provided when Exists is true for Attribute: a"),
        ({"Exists": False, "Value": {"S": "x"}}, "Value cannot be used when Exists is false for Attribute: a"),
        ({"Value": {"S": "x"}, "ComparisonOperator": "EQ", "AttributeValueList": [{"S": "x"}]},
         "Value and AttributeValueList cannot be used together for Attribute: a"),
        ({"ComparisonOperator": "EQ"}, "Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: a"),
        ({"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"S": "x"}]},
         "Invalid number of argument(s) for the BETWEEN ComparisonOperator"),
    ])
    def test_malformed_expected(self, db, write, expected, text):
        db.invalid(*write(Expected={"a": expected}), one(OOM + text))

    @pytest.mark.parametrize("levels", [0, 33, 40])
    def test_an_unknown_conditional_operator(self, db, write, levels):
        expected = {"a": {"Value": deep(levels)}, "b": {"Exists": False}}
        db.invalid(*write(Expected=expected, ConditionalOperator="XOR"), one(CONDITIONAL_OPERATOR))

    def test_an_unknown_conditional_operator_in_a_very_deep_request(self, db, write):
        expected = {"a": {"Value": deep(100)}, "b": {"Exists": False}}
        db.invalid(*write(Expected=expected, ConditionalOperator="XOR"), one(OLDER_CONDITIONAL_OPERATOR))


class TestMembers:
    @pytest.mark.parametrize("operation", ["PutItem", "DeleteItem"])
    @pytest.mark.parametrize("value", ["ALL_NEW", "UPDATED_NEW", "UPDATED_OLD"])
    def test_return_values_of_an_update(self, db, hash_table, pk, operation, value):
        key = "Item" if operation == "PutItem" else "Key"
        db.invalid(operation, {"TableName": hash_table, key: {"pk": pk}, "ReturnValues": value},
                   one("ReturnValues can only be ALL_OLD or NONE"))

    def test_unknown_return_values(self, db, write):
        db.invalid(*write(ReturnValues="BOGUS"), one(RETURN_VALUES))

    def test_unknown_item_collection_metrics(self, db, write):
        db.invalid(*write(ReturnItemCollectionMetrics="BOGUS"), one("ReturnItemCollectionMetrics can only be SIZE or NONE"))

    def test_put_lists_all_unknown_enums(self, db, hash_table, pk):
        db.invalid("PutItem", {"TableName": hash_table, "Item": {"pk": pk}, "ReturnValues": "BOGUS",
                               "ReturnConsumedCapacity": "BOGUS", "ReturnItemCollectionMetrics": "BOGUS"},
                   f"3 validation errors detected: {CAPACITY}; {RETURN_VALUES}; ReturnItemCollectionMetrics can only be SIZE or NONE")

    def test_delete_lists_both_unknown_enums(self, db, hash_table, pk):
        db.invalid("DeleteItem", {"TableName": hash_table, "Key": {"pk": pk}, "ReturnValues": "BOGUS", "ReturnConsumedCapacity": "BOGUS"},
                   f"2 validation errors detected: {CAPACITY}; {RETURN_VALUES}")

    def test_update_tells_the_return_values_only(self, db, hash_table, pk):
        db.invalid("UpdateItem", {"TableName": hash_table, "Key": {"pk": pk}, "ReturnValues": "BOGUS", "ReturnConsumedCapacity": "BOGUS"},
                   one(RETURN_VALUES))

    def test_an_empty_table_name_comes_alone(self, db, write):
        operation, request = write(ReturnValues="BOGUS", ReturnConsumedCapacity="BOGUS")
        db.invalid(operation, {**request, "TableName": ""}, one(EMPTY_TABLE_NAME))

    def test_an_ill_formed_table_name_is_echoed(self, db, write):
        operation, request = write()
        db.invalid(operation, {**request, "TableName": "bad table!"},
                   one("Value 'bad table!' at 'tableName' failed to satisfy constraint: "
                       "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"))


class TestWithoutAKey:
    """Without its key a request is read the older way: everything in one list, in the order of the members."""

    def test_and_an_empty_table_name(self, db):
        db.invalid("UpdateItem", {"TableName": "", "UpdateExpression": "REMOVE a"},
                   f"2 validation errors detected: {OLDER_EMPTY_TABLE_NAME}; {NO_KEY}")

    def test_and_everything_else(self, db):
        db.invalid("UpdateItem", {"TableName": "", "ReturnConsumedCapacity": "BOGUS", "ReturnValues": "BOGUS"},
                   f"4 validation errors detected: {CAPACITY}; {OLDER_EMPTY_TABLE_NAME}; {OLDER_RETURN_VALUES}; {NO_KEY}")

    @pytest.mark.parametrize("operation", ["UpdateItem", "DeleteItem"])
    def test_and_a_conditional_operator(self, db, hash_table, operation):
        request = {"TableName": hash_table, "Expected": {"a": {"Exists": False}, "b": {"Exists": False}}, "ConditionalOperator": "XOR"}
        db.invalid(operation, request, f"2 validation errors detected: {OLDER_CONDITIONAL_OPERATOR}; {NO_KEY}")

    def test_alone(self, db, hash_table):
        db.invalid("DeleteItem", {"TableName": hash_table}, one(NO_KEY))


class TestDeepDeletes:
    """A body nested 128 levels or more is read the older way; a value of 63 levels makes it so."""

    def request(self, hash_table, pk, levels, **more):
        return {"TableName": hash_table, "Key": {"pk": pk}, "ConditionExpression": "d = :deep",
                "ExpressionAttributeValues": {":deep": deep(levels)}, **more}

    @pytest.mark.parametrize("levels, message", [(40, RETURN_VALUES), (62, RETURN_VALUES), (63, OLDER_RETURN_VALUES), (100, OLDER_RETURN_VALUES)])
    def test_unknown_return_values(self, db, hash_table, pk, levels, message):
        db.invalid("DeleteItem", self.request(hash_table, pk, levels, ReturnValues="BOGUS"), one(message))

    def test_unknown_return_values_with_a_deep_expected_value(self, db, hash_table, pk):
        db.invalid("DeleteItem", {"TableName": hash_table, "Key": {"pk": pk}, "Expected": {"d": {"Value": deep(63)}}, "ReturnValues": "BOGUS"},
                   one(OLDER_RETURN_VALUES))

    def test_unknown_return_values_with_a_deep_key(self, db, hash_table):
        db.invalid("DeleteItem", {"TableName": hash_table, "Key": {"pk": deep(100)}, "ReturnValues": "BOGUS"}, one(OLDER_RETURN_VALUES))

    def test_return_values_of_an_update(self, db, hash_table, pk):
        bare = "ReturnValues can only be ALL_OLD or NONE"
        db.invalid("DeleteItem", self.request(hash_table, pk, 100, ReturnValues="UPDATED_NEW"), bare)
        db.invalid("DeleteItem", self.request(hash_table, pk, 1, ReturnValues="UPDATED_NEW"), one(bare))
