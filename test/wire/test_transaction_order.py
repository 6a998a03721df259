"""Which of several faults of a transaction is told: TransactWriteItems looks at its actions one after the other."""

import pytest

from test_values_by_operation import NEST, deep

EMPTY_NAME = "Empty attribute name"
SYNTAX = 'Invalid ConditionExpression: Syntax error; token: "=", near: "= = b"'
ABSENT = "no-such-table"
S = {"S": "x"}


def put(name="a", **attributes):
    return {"Put": {"TableName": ABSENT, "Item": {"pk": {"S": name}, **attributes}}}


def nameless(name="a"):
    return {"Put": {"TableName": ABSENT, "Item": {"pk": {"S": name}, "": S}}}


def check(key=None, condition="attribute_exists(a)", **values):
    action = {"TableName": ABSENT, "Key": {"pk": key or S}, "ConditionExpression": condition}
    if values:
        action["ExpressionAttributeValues"] = {f":{name}": value for name, value in values.items()}
    return {"ConditionCheck": action}


def update(expression="SET a = :v", **values):
    return {"Update": {"TableName": ABSENT, "Key": {"pk": S}, "UpdateExpression": expression,
                       "ExpressionAttributeValues": {f":{name}": value for name, value in (values or {"v": S}).items()}}}


def delete(key, **more):
    return {"Delete": {"TableName": ABSENT, "Key": {"pk": key}, **more}}


BAD_CONDITION = {"ConditionExpression": "a = = b"}
LONG_CONDITION = {"ConditionExpression": "a = :v" + " AND a = :v" * 373, "ExpressionAttributeValues": {":v": S}}
TOO_LONG = "Expression size has exceeded the maximum allowed size;"

CASES = {
    "depth before a later empty name": ([put(d=deep(40)), nameless()], NEST),
    "an empty name before later depth": ([nameless(), put(d=deep(100))], EMPTY_NAME),
    "an empty name before depth in its item": ([{"Put": {"TableName": ABSENT, "Item": {"pk": S, "": S, "d": deep(100)}}}], EMPTY_NAME),
    "an empty name behind depth in its item": ([{"Put": {"TableName": ABSENT, "Item": {"pk": S, "d": deep(100), "": S}}}], EMPTY_NAME),
    "depth before an empty nested name": ([put(m={"M": {"": S}}, d=deep(40))], NEST),
    "an empty nested name": ([put(m={"M": {"": S}})], EMPTY_NAME),
    "an empty name before a later deep value": ([nameless(), check(condition="d = :deep", deep=deep(100))], EMPTY_NAME),
    "a deep value before a later empty name": ([check(condition="d = :deep", deep=deep(40)), nameless()], NEST),
    "a deep value of an update before a later empty name": ([update("SET d = :deep", deep=deep(40)), nameless()], NEST),
    "a deep key before a later condition": ([delete(deep(40)), {"Put": {"TableName": ABSENT, "Item": {"pk": S}, **BAD_CONDITION}}], NEST),
    "a deep key before a later unused value": ([check(deep(40)), update(v=S, u=S)], NEST),
    "a condition before a later deep key": ([{"Put": {"TableName": ABSENT, "Item": {"pk": S}, **BAD_CONDITION}}, delete(deep(100))], SYNTAX),
    "a condition before its own deep key": ([delete(deep(100), **BAD_CONDITION)], SYNTAX),
    "a long condition before its own deep key": ([delete(deep(100), **LONG_CONDITION)], f"Invalid ConditionExpression: {TOO_LONG} expression size: 4109"),
    "a long update before a later deep key": (
        [update("SET " + ", ".join(f"a{i} = :v" for i in range(500))), check(deep(100))], f"Invalid UpdateExpression: {TOO_LONG}"),
    "an unused value before a later deep key": (
        [update(v=S, u=S), check(deep(100))], "Value provided in ExpressionAttributeValues unused in expressions: keys: {:u}"),
    "a later condition before a missing table": ([put(), check(condition="a = = b")], SYNTAX),
    "a later unused value before a missing table": (
        [put(), check(v=S)], "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}"),
}


@pytest.mark.parametrize("actions, message", CASES.values(), ids=CASES)
def test_the_first_fault_in_order_is_told(db, actions, message):
    db.invalid("TransactWriteItems", {"TransactItems": actions}, message)


NO_ACTION = ("1 validation error detected: Value '' at 'transactItems' failed to satisfy constraint: "
             "TransactWriteRequest should contain Delete or Put or Update or ConditionCheck")


class TestMembers:
    CAPACITY = ("Value 'BOGUS' at 'returnConsumedCapacity' failed to satisfy constraint: "
                "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]")
    METRICS = ("Value 'BOGUS' at 'returnItemCollectionMetrics' failed to satisfy constraint: "
               "Member must satisfy enum value set: [SIZE, NONE]")
    TOKEN = "Value at 'ClientRequestToken' failed to satisfy constraint: Member must have length less than or equal to 36"

    def test_no_actions(self, db):
        db.invalid("TransactWriteItems", {"TransactItems": []},
                   "1 validation error detected: Value at 'TransactItems' failed to satisfy constraint: "
                   "Member must have length greater than or equal to 1")

    def test_too_many_actions(self, db):
        db.invalid("TransactWriteItems", {"TransactItems": [put(str(i)) for i in range(101)]},
                   "1 validation error detected: Value at 'TransactItems' failed to satisfy constraint: "
                   "Member must have length less than or equal to 100")

    def test_an_action_that_is_none(self, db):
        db.invalid("TransactWriteItems", {"TransactItems": [{}]}, NO_ACTION)
        db.invalid("TransactWriteItems", {"TransactItems": [{}, nameless()]}, NO_ACTION)
        db.invalid("TransactWriteItems", {"TransactItems": [nameless(), {}]}, EMPTY_NAME)

    def test_enums_come_before_everything_else(self, db, hash_table, pk, get):
        same = {"Put": {"TableName": hash_table, "Item": {"pk": pk}}}
        for actions in ([same], [same, same], [put()], [nameless()]):
            db.invalid("TransactWriteItems", {"TransactItems": actions, "ReturnConsumedCapacity": "BOGUS"},
                       f"1 validation error detected: {self.CAPACITY}")
        db.invalid("TransactWriteItems", {"TransactItems": [same], "ReturnConsumedCapacity": "BOGUS", "ReturnItemCollectionMetrics": "BOGUS"},
                   f"2 validation errors detected: {self.CAPACITY}; {self.METRICS}")
        assert get() is None

    def test_a_long_token_comes_alone(self, db):
        for more in ({}, {"ReturnConsumedCapacity": "BOGUS"}):
            db.invalid("TransactWriteItems", {"TransactItems": [put()], "ClientRequestToken": "x" * 37, **more},
                       f"1 validation error detected: {self.TOKEN}")
