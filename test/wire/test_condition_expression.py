"""Condition expressions: what each operator and function means, and how mistakes are worded.

The condition is tried by a DeleteItem that would otherwise succeed; items are put back by the next test.
"""

import pytest

ITEM = {
    "s": {"S": "hello"}, "n": {"N": "5"}, "b": {"B": "aGVsbG8="}, "t": {"BOOL": True}, "nul": {"NULL": True},
    "ss": {"SS": ["a", "b"]}, "ns": {"NS": ["1", "2"]}, "l": {"L": [{"S": "x"}, {"N": "1"}]},
    "m": {"M": {"x1": {"S": "deep"}, "y1": {"L": [{"N": "7"}]}}}, "n2": {"N": "5.0"}, "pre": {"S": "hell"},
}
VALUES = {
    "hello": {"S": "hello"}, "hel": {"S": "hel"}, "ell": {"S": "ell"}, "a": {"S": "a"}, "x": {"S": "x"}, "z": {"S": "z"},
    "4": {"N": "4"}, "5": {"N": "5"}, "6": {"N": "6"}, "1": {"N": "1"}, "7": {"N": "7"}, "2": {"N": "2"},
    "bytes": {"B": "aGVs"}, "true": {"BOOL": True}, "null": {"NULL": True}, "ab": {"SS": ["b", "a"]}, "list": {"L": []},
    "N": {"S": "N"}, "S": {"S": "S"}, "SS": {"S": "SS"}, "M": {"S": "M"}, "dog": {"S": "DOG"}, "deep": {"S": "deep"},
    "map": {"M": {"x1": {"S": "deep"}, "y1": {"L": [{"N": "7.0"}]}}},
}


@pytest.fixture
def attempt(db, hash_table, pk):
    def delete(condition, **more):
        values = {f":{name}": value for name, value in VALUES.items() if f":{name}" in tokens(condition)}
        request = {"TableName": hash_table, "Key": {"pk": pk}, "ConditionExpression": condition}
        if values:
            request["ExpressionAttributeValues"] = values
        return db, {**request, **more}
    return delete


def tokens(text):
    for mark in "(),=<>[]":
        text = text.replace(mark, " ")
    return text.split()


@pytest.mark.parametrize("condition", [
    "s = :hello", "n = :5", "n = n2", "n <> :4", "n < :6", "n <= :5", "n > :4", "n >= :5", ":4 < n",
    "s > pre", "n BETWEEN :4 AND :6", "n between :5 and :5", "n IN (:4, :5)", "n IN (:hello, :5)",
    "ss = :ab", "m = :map", "t = :true", "nul = :null",
    "nothere <> :5", "nothere <> nowhere", "n <> :hello", "NOT nothere = :5", "NOT n = :4", "NOT NOT n = :5",
    "n = :5 AND s = :hello", "n = :4 OR s = :hello", "n = :4 AND n = :5 OR s = :hello", "n = :5 or n = :4 and s = :x",
    "(n = :4 OR n = :5) AND s = :hello", "NOT (n = :4)",
    "attribute_exists(s)", "attribute_exists(m.y1[0])", "attribute_not_exists(nothere)", "attribute_not_exists(l[9])",
    "attribute_type(n, :N)", "attribute_type(ss, :SS)", "attribute_type(m, :M)",
    "begins_with(s, :hel)", "begins_with(s, pre)", "begins_with(b, :bytes)",
    "contains(s, :ell)", "contains(ss, :a)", "contains(ns, :1)", "contains(l, :x)", "contains(l, :1)",
    "size(s) = :5", "size(ss) = :2", "size(l) = :2", "size(m) = :2", "size(b) = :5", "size(:hello) = :5", "size(s) > size(l)",
    "m.x1 = :deep", "m.y1[0] = :7", "l[1] = :1", "\n s\t=\r :hello ",
])
def test_holds(attempt, put, condition):
    put(**ITEM)
    db, request = attempt(condition)
    db.ok("DeleteItem", request)


@pytest.mark.parametrize("condition", [
    "s = :hel", "n = :hello", "nothere = :5", "nothere = nowhere", "nothere < :5", "s < :5", "n <> :5", "n IN (:4, :6)",
    "nothere IN (:4)", "n BETWEEN :6 AND :7", "NOT n = :5", "attribute_exists(nothere)", "attribute_not_exists(s)",
    "attribute_exists(m.nowhere)", "attribute_type(n, :S)", "attribute_type(nothere, :S)", "begins_with(n, :hel)",
    "begins_with(nothere, :hel)", "contains(s, :z)", "contains(m, :x)", "contains(n, :5)", "contains(ns, :x)",
    "size(n) = :1", "size(nothere) = :1", "size(t) = :1", "l[5] = :1", "s.x = :hello", "m[0] = :7",
    "n = :4 AND (s = :hello OR n = :5)",
])
def test_does_not_hold(attempt, put, condition):
    put(**ITEM)
    db, request = attempt(condition)
    db.error("DeleteItem", request, "ConditionalCheckFailedException", "The conditional request failed")


@pytest.mark.parametrize("condition, message", [
    ("", "The expression can not be empty;"),
    ("((n = :5))", "The expression has redundant parentheses;"),
    ("n = :5 AND ((n = :5))", "The expression has redundant parentheses;"),
    ("nonsense(n)", "Invalid function name; function: nonsense"),
    ("ATTRIBUTE_EXISTS(n)", "Invalid function name; function: ATTRIBUTE_EXISTS"),
    ("attribute_exists(n, s)", "Incorrect number of operands for operator or function; operator or function: "
                               "attribute_exists, number of operands: 2"),
    ("size(n)", "The function is not allowed to be used this way in an expression; function: size"),
    ("attribute_exists(n) = :5", "The function is not allowed to be used this way in an expression; function: attribute_exists"),
    ("if_not_exists(n, :5) = :5", "The function is not allowed in a condition expression; function: if_not_exists"),
    ("attribute_exists(:5)", "Operator or function requires a document path; operator or function: attribute_exists"),
    ("n < :list", "Incorrect operand type for operator or function; operator or function: <, operand type: L"),
    ("begins_with(s, :5)", "Incorrect operand type for operator or function; operator or function: begins_with, operand type: N"),
    ("size(:5) = :1", "Incorrect operand type for operator or function; operator or function: size, operand type: N"),
    ("attribute_type(n, :dog)", "Invalid attribute type name found; type: DOG, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"),
    ("n = n", "The first operand must be distinct from the remaining operands for this operator or function; "
              "operator: =, first operand: [n]"),
    ("contains(s, s)", "The first operand must be distinct from the remaining operands for this operator or function; "
                       "operator: contains, first operand: [s]"),
    ("n BETWEEN :1 AND :a", "The BETWEEN operator requires same data type for lower and upper bounds; lower bound "
                            "operand: AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:a}"),
    ("n BETWEEN :6 AND :5", "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
                            "lower bound operand: AttributeValue: {N:6}, upper bound operand: AttributeValue: {N:5}"),
    ("#x = :5", "An expression attribute name used in the document path is not defined; attribute name: #x"),
    ("n = :y", "An expression attribute value used in expression is not defined; attribute value: :y"),
    ("name = :5", "Attribute name is a reserved keyword; reserved keyword: name"),
    ("n", 'Syntax error; token: "<EOF>", near: "n"'),
    ("n != :5", 'Syntax error; token: "!", near: "n !="'),
    ("n = :5 garbage", 'Syntax error; token: "garbage", near: ":5 garbage"'),
    ("n IN (" + ", ".join([":5"] * 100) + ")", None),
    (" AND ".join(["n = :5"] * 151), "The expression contains too many operators; operator count: 301"),
])
def test_refused(attempt, condition, message):
    db, request = attempt(condition)
    db.invalid("DeleteItem", request, message and f"1 validation error detected: Invalid ConditionExpression: {message}")


def test_99_operands_of_in(attempt, put):
    put(**ITEM)
    db, request = attempt("n IN (" + ", ".join([":5"] * 99) + ")")
    db.ok("DeleteItem", request)


def test_unused_values(attempt):
    db, request = attempt("n = :5", ExpressionAttributeValues={":5": {"N": "5"}, ":z": {"N": "1"}})
    db.invalid("DeleteItem", request, "1 validation error detected: Value provided in ExpressionAttributeValues unused in "
               "expressions: keys: {:z}")


def test_unevaluated_branches_use_their_values(attempt, put):
    put(**ITEM)
    db, request = attempt("n = :5 OR s = :x")
    db.ok("DeleteItem", request)


def test_aliases_and_digits(attempt, put):
    put(**ITEM)
    db, request = attempt("#1.#in = :deep", ExpressionAttributeNames={"#1": "m", "#in": "x1"})
    db.ok("DeleteItem", request)


def test_failed_conditions_are_charged_nothing_visible(attempt, put):
    put(**ITEM)
    db, request = attempt("n = :4", ReturnConsumedCapacity="TOTAL")
    assert "ConsumedCapacity" not in db.error("DeleteItem", request, "ConditionalCheckFailedException")


@pytest.mark.parametrize("text, units", [("abc", 3), ("\u00e9\u00e9", 2), ("\u20ac", 1), ("\U0001f600", 2), ("a\U0001f600", 3)])
def test_the_size_of_a_string_is_in_utf_16_units(db, hash_table, pk, put, text, units):
    put(t={"S": text})
    for expected, outcome in ((units, 200), (units + 1, 400)):
        request = {"TableName": hash_table, "Key": {"pk": pk}, "UpdateExpression": "SET seen = :n", "ConditionExpression": "size(t) = :n",
                   "ExpressionAttributeValues": {":n": {"N": str(expected)}}}
        assert db.post("UpdateItem", request).status == outcome
