"""Names that cannot be: empty attribute names, and table names too short or of the wrong characters."""

import pytest

OOM = "One or more parameter values were invalid: "
EMPTY = "Empty attribute name"
S = {"S": "x"}
CONDITION = {"ComparisonOperator": "NOT_NULL"}


@pytest.mark.parametrize("operation, more", [
    ("PutItem", {"Item": {"": S}}),
    ("PutItem", {"Item": {"m": {"M": {"": S}}}}),
    ("PutItem", {"Item": {}, "Expected": {"": {"Exists": False}}}),
    ("PutItem", {"Item": {}, "ConditionExpression": "attribute_exists(#n)", "ExpressionAttributeNames": {"#n": ""}}),
    ("UpdateItem", {"Key": {}, "AttributeUpdates": {"": {"Value": S}}}),
    ("UpdateItem", {"Key": {}, "UpdateExpression": "REMOVE #n", "ExpressionAttributeNames": {"#n": ""}}),
    ("DeleteItem", {"Key": {"": S}}),
    ("GetItem", {"Key": {}, "AttributesToGet": [""]}),
    ("GetItem", {"Key": {}, "AttributesToGet": ["a", ""]}),
    ("GetItem", {"Key": {}, "ProjectionExpression": "a, #n", "ExpressionAttributeNames": {"#n": ""}}),
    ("Scan", {"AttributesToGet": [""]}),
    ("Scan", {"ScanFilter": {"": CONDITION}}),
    ("Query", {"KeyConditions": {"pk": CONDITION}, "QueryFilter": {"": CONDITION}}),
])
def test_an_empty_attribute_name(db, hash_table, pk, operation, more):
    request = {"TableName": hash_table, **more}
    for member in ("Item", "Key"):
        if member in request:
            request[member] = {"pk": pk, **request[member]}
    assert EMPTY in db.invalid(operation, request)["message"]


def test_the_words_for_it(db, hash_table, pk):
    one = "1 validation error detected: "
    db.invalid("PutItem", {"TableName": hash_table, "Item": {"pk": pk, "": S}}, one + OOM + EMPTY)
    db.invalid("GetItem", {"TableName": hash_table, "Key": {"pk": pk}, "AttributesToGet": [""]}, OOM + EMPTY)
    db.invalid("BatchWriteItem", {"RequestItems": {hash_table: [{"PutRequest": {"Item": {"pk": pk, "": S}}}]}}, OOM + EMPTY)


KEY = {"Key": {"pk": S}}
REQUESTS = {
    "PutItem": {"Item": {"pk": S}}, "GetItem": KEY, "DeleteItem": KEY, "UpdateItem": KEY, "Scan": {},
    "Query": {"KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": {":v": S}},
}


@pytest.mark.parametrize("operation", REQUESTS)
class TestTables:
    @pytest.mark.parametrize("name", ["bad!name", "with space", "a/b"])
    def test_a_name_of_wrong_characters_is_told_the_pattern(self, db, operation, name):
        message = db.invalid(operation, {"TableName": name, **REQUESTS[operation]})["message"]
        assert "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+" in message and f"'{name}'" in message

    @pytest.mark.parametrize("name", ["a", "ab"])
    def test_a_short_name(self, db, operation, name):
        db.invalid(operation, {"TableName": name, **REQUESTS[operation]},
                   "TableName must be at least 3 characters long and at most 255 characters long")

    def test_a_name_nobody_has(self, db, operation):
        db.error(operation, {"TableName": "abc-nobody", **REQUESTS[operation]}, "ResourceNotFoundException")
