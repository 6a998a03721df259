"""The same bad number, set or nesting is told in different words by different operations (src/model/wording.h)."""

import pytest

OOM = "One or more parameter values were invalid: "
NOT_NUMERIC = "The parameter cannot be converted to a numeric value"
OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
NEST = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"


def one(message):
    return f"1 validation error detected: {message}"


def bare(message):
    return message


def named(message):
    return f"ExpressionAttributeValues contains invalid value: {message} for key :v"


def deep(levels, leaf=None):
    value = leaf or {"S": "leaf"}
    for _ in range(levels):
        value = {"M": {"n": value}}
    return value


# value: the newer words, the older words
FAULTS = {
    "no number": ({"N": "abc"}, f"{NOT_NUMERIC}: abc", f"{NOT_NUMERIC}: abc"),
    "empty": ({"N": ""}, f"{NOT_NUMERIC}: ", NOT_NUMERIC),
    "too large": ({"N": "1e126"}, OVERFLOW, OVERFLOW),
    "wrapping": ({"N": "1e2147483647"}, OVERFLOW, UNDERFLOW),
    "beyond 32 bits": ({"N": "1e2147483648"}, OVERFLOW, OVERFLOW),
    "beyond 32 bits, small": ({"N": "1e-99999999999"}, UNDERFLOW, UNDERFLOW),
    "beyond 64 bits": ({"N": "1e9223372036854775808"}, f"{NOT_NUMERIC}: 1e9223372036854775808", f"{NOT_NUMERIC}: 1e9223372036854775808"),
    "zero, too large": ({"N": "0e126"}, OVERFLOW, OVERFLOW),
    "zero, too small": ({"N": "0e-131"}, UNDERFLOW, UNDERFLOW),
    "in a set": ({"NS": ["1", ""]}, f"{NOT_NUMERIC}: ", NOT_NUMERIC),
    "nested": ({"M": {"x": {"L": [{"N": ""}]}}}, f"{NOT_NUMERIC}: ", NOT_NUMERIC),
    "strings twice": ({"SS": ["b", "a", "b"]}, OOM + 'Input collection ["a", "b", "b"] contains duplicates.',
                      OOM + "Input collection [b, a, b] contains duplicates."),
    "strings twice, early": ({"SS": ["c", "b", "c", "a"]}, OOM + 'Input collection ["b", "c", "c", "a"] contains duplicates.',
                             OOM + "Input collection [c, b, c, a] contains duplicates."),
    "binaries twice": ({"BS": ["/w==", "AA==", "AA=="]}, OOM + 'Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.',
                       OOM + "Input collection [/w==, AA==, AA==]of type BS contains duplicates."),
    "numbers twice": ({"NS": ["2", "1", "2"]}, OOM + "Input collection contains duplicates.", "Input collection contains duplicates"),
}

# where: operation, request with the value, whose words, how they are wrapped
PLACES = {
    "put: item": ("PutItem", lambda t, k, v: {"TableName": t, "Item": {"pk": k, "a": v}}, "newer", one),
    "put: condition": ("PutItem", lambda t, k, v: {"TableName": t, "Item": {"pk": k}, "ConditionExpression": "a = :v",
                                                   "ExpressionAttributeValues": {":v": v}}, "newer", one),
    "put: Expected": ("PutItem", lambda t, k, v: {"TableName": t, "Item": {"pk": k}, "Expected": {"a": {"Value": v}}}, "newer", one),
    "update: value": ("UpdateItem", lambda t, k, v: {"TableName": t, "Key": {"pk": k}, "UpdateExpression": "SET a = :v",
                                                     "ExpressionAttributeValues": {":v": v}}, "newer", one),
    "update: AttributeUpdates": ("UpdateItem", lambda t, k, v: {"TableName": t, "Key": {"pk": k}, "AttributeUpdates": {"a": {"Value": v}}},
                                 "newer", one),
    "update: key": ("UpdateItem", lambda t, k, v: {"TableName": t, "Key": {"pk": v}, "UpdateExpression": "REMOVE a"}, "newer", one),
    "delete: condition": ("DeleteItem", lambda t, k, v: {"TableName": t, "Key": {"pk": k}, "ConditionExpression": "a = :v",
                                                         "ExpressionAttributeValues": {":v": v}}, "newer", one),
    "delete: key": ("DeleteItem", lambda t, k, v: {"TableName": t, "Key": {"pk": v}}, "newer", one),
    "get: key": ("GetItem", lambda t, k, v: {"TableName": t, "Key": {"pk": v}}, "newer", bare),
    "batch get: key": ("BatchGetItem", lambda t, k, v: {"RequestItems": {t: {"Keys": [{"pk": v}]}}}, "newer", bare),
    "query: key": ("Query", lambda t, k, v: {"TableName": t, "KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": {":v": v}},
                   "newer", bare),
    "query: filter": ("Query", lambda t, k, v: {"TableName": t, "KeyConditionExpression": "pk = :p", "FilterExpression": "a = :v",
                                                "ExpressionAttributeValues": {":p": k, ":v": v}}, "newer", bare),
    "query: start key": ("Query", lambda t, k, v: {"TableName": t, "KeyConditionExpression": "pk = :p", "ExclusiveStartKey": {"pk": v},
                                                   "ExpressionAttributeValues": {":p": k}}, "newer", bare),
    "query: QueryFilter": ("Query", lambda t, k, v: {
        "TableName": t, "KeyConditions": {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [k]}},
        "QueryFilter": {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [v]}}}, "newer", bare),
    "scan: filter": ("Scan", lambda t, k, v: {"TableName": t, "FilterExpression": "a = :v", "ExpressionAttributeValues": {":v": v}},
                     "older", named),
    "batch write: item": ("BatchWriteItem", lambda t, k, v: {"RequestItems": {t: [{"PutRequest": {"Item": {"pk": k, "a": v}}}]}}, "older", bare),
    "batch write: key": ("BatchWriteItem", lambda t, k, v: {"RequestItems": {t: [{"DeleteRequest": {"Key": {"pk": v}}}]}}, "older", bare),
    "transaction: item": ("TransactWriteItems", lambda t, k, v: {"TransactItems": [{"Put": {"TableName": t, "Item": {"pk": k, "a": v}}}]},
                          "newer", bare),
    "transaction: value": ("TransactWriteItems", lambda t, k, v: {"TransactItems": [{"Update": {
        "TableName": t, "Key": {"pk": k}, "UpdateExpression": "SET a = :v", "ExpressionAttributeValues": {":v": v}}}]}, "newer", bare),
    "transaction: get": ("TransactGetItems", lambda t, k, v: {"TransactItems": [{"Get": {"TableName": t, "Key": {"pk": v}}}]}, "newer", bare),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_value(db, hash_table, pk, place, fault):
    operation, request, words, wrapped = PLACES[place]
    value, newer, older = FAULTS[fault]
    db.invalid(operation, request(hash_table, pk, value), wrapped(newer if words == "newer" else older))


def test_nothing_is_written_with_a_bad_expectation(db, hash_table, pk, get):
    db.invalid("PutItem", {"TableName": hash_table, "Item": {"pk": pk}, "Expected": {"n": {"Value": {"N": "1e126"}}}})
    assert get() is None


@pytest.mark.parametrize("text", ["0e125", "0e-130", "0.0e126", "-0"])
def test_a_zero_within_the_range_is_stored_as_0(put, get, text):
    put(n={"N": text})
    assert get()["n"] == {"N": "0"}


class TestNesting:
    # levels: maps around a string
    WRITES = {"item": "put: item", "put value": "put: condition", "update value": "update: value", "delete value": "delete: condition",
              "Expected": "put: Expected", "AttributeUpdates": "update: AttributeUpdates"}

    def test_31_levels_are_stored(self, put, get):
        put(d=deep(31))
        assert get()["d"] == deep(31)

    def test_31_levels_are_compared(self, db, hash_table, pk, put):
        put()
        operation, request, _, _ = PLACES["delete: condition"]
        db.error(operation, request(hash_table, pk, deep(31)), "ConditionalCheckFailedException")

    @pytest.mark.parametrize("levels", [32, 33, 61])
    @pytest.mark.parametrize("place", WRITES.values(), ids=WRITES)
    def test_more_come_in_the_envelope(self, db, hash_table, pk, place, levels):
        operation, request, _, _ = PLACES[place]
        db.invalid(operation, request(hash_table, pk, deep(levels)), one(NEST))

    @pytest.mark.parametrize("levels", [63, 64, 100])
    def test_a_very_deep_item_is_told_bare(self, db, hash_table, pk, levels):
        db.invalid("PutItem", {"TableName": hash_table, "Item": {"pk": pk, "d": deep(levels)}}, NEST)

    @pytest.mark.parametrize("levels", [63, 100])
    @pytest.mark.parametrize("place", ["put: condition", "update: value", "delete: condition"])
    def test_a_very_deep_value_is_told_with_its_name(self, db, hash_table, pk, place, levels):
        operation, request, _, _ = PLACES[place]
        db.invalid(operation, request(hash_table, pk, deep(levels)), named(NEST))

    @pytest.mark.parametrize("levels", [32, 40, 100])
    def test_of_items_in_batches_and_transactions(self, db, hash_table, pk, levels):
        for place in ("batch write: item", "transaction: item"):
            operation, request, _, _ = PLACES[place]
            db.invalid(operation, request(hash_table, pk, deep(levels)), NEST)

    @pytest.mark.parametrize("levels, message", [(32, NEST), (40, NEST), (60, NEST), (61, named(NEST)), (100, named(NEST))])
    def test_of_values_in_transactions(self, db, hash_table, pk, levels, message):
        operation, request, _, _ = PLACES["transaction: value"]
        db.invalid(operation, request(hash_table, pk, deep(levels)), message)
        check = {"TableName": hash_table, "Key": {"pk": pk}, "ConditionExpression": "a = :v", "ExpressionAttributeValues": {":v": deep(levels)}}
        db.invalid("TransactWriteItems", {"TransactItems": [{"ConditionCheck": check}]}, message)

    def test_a_hundred_thousand_levels_are_no_danger(self, db, hash_table, pk):
        body = ('{"TableName":"%s","Item":{"pk":{"S":"x"},"d":' % hash_table + '{"L":[' * 500 + '{"S":"x"}' + "]}" * 500 + "}}").encode()
        db.invalid("PutItem", body, NEST)


class TestStatementParameters:
    STATEMENTS = {
        "WHERE": 'SELECT * FROM "{}" WHERE pk = \'x\' AND a = ?',
        "INSERT": "INSERT INTO \"{}\" VALUE {{'pk': 'x', 'a': ?}}",
        "SET": 'UPDATE "{}" SET a = ? WHERE pk = \'x\'',
        "key": 'SELECT * FROM "{}" WHERE pk = ?',
    }
    UNCONVERTIBLE = ["1e99999999999", "-1e99999999999", "1e-99999999999", "1e2147483648", "1e-2147483648"]
    CASES = {**{text: (text, f"{NOT_NUMERIC}: {text}") for text in UNCONVERTIBLE}, "wrapping": ("1e2147483647", UNDERFLOW), "empty": ("", NOT_NUMERIC)}

    @pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)
    @pytest.mark.parametrize("text, message", CASES.values(), ids=CASES)
    def test_a_bad_number(self, db, hash_table, statement, text, message):
        request = {"Statement": statement.format(hash_table), "Parameters": [{"N": text}]}
        db.invalid("ExecuteStatement", request, message)
        db.invalid("ExecuteTransaction", {"TransactStatements": [request]}, message)
        reply = db.ok("BatchExecuteStatement", {"Statements": [request]})
        assert reply["Responses"][0]["Error"] == {"Code": "ValidationError", "Message": message}

    @pytest.mark.parametrize("value", [{"L": [{"N": "1"}, {"N": "1e99999999999"}]}, {"M": {"x": {"N": "1e99999999999"}}},
                                       {"NS": ["1", "1e99999999999"]}], ids=["list", "map", "set"])
    def test_a_bad_number_inside(self, db, hash_table, value):
        db.invalid("ExecuteStatement", {"Statement": self.STATEMENTS["WHERE"].format(hash_table), "Parameters": [value]},
                   f"{NOT_NUMERIC}: 1e99999999999")

    @pytest.mark.parametrize("levels", [40, 100])
    def test_the_first_fault_is_told(self, db, hash_table, levels):
        pair = f'SELECT * FROM "{hash_table}" WHERE pk = \'x\' AND a = ? AND b = ?'
        single = f'SELECT * FROM "{hash_table}" WHERE pk = \'x\' AND a = ?'
        bad = {"N": "abc"}
        for statement, parameters, message in [
                (pair, [deep(levels), bad], NEST), (pair, [bad, deep(levels)], f"{NOT_NUMERIC}: abc"),
                (single, [{"M": {"d": deep(levels), "bad": bad}}], NEST), (single, [{"M": {"bad": bad, "d": deep(levels)}}], f"{NOT_NUMERIC}: abc"),
                (single, [deep(levels, bad)], NEST), (pair, [deep(levels), {"N": "1e126"}], NEST)]:
            db.invalid("ExecuteStatement", {"Statement": statement, "Parameters": parameters}, message)
