"""Hierarchical sort keys: COUNTRY under REGION#CITY#STORE, read at any level with begins_with."""

import pytest
from boto3.dynamodb.conditions import Key
from boto3.dynamodb.types import Binary

from harness.sdk import INVALID, refused

PLACES = ["CA", "NY#ALBANY#1", "NY#NYC", "NY#NYC#1", "NY#NYC#10", "NY#NYC#2", "NYX#NYC#1", "WA#SEATTLE#1"]
STORES = [{"PK": "US", "SK": place} for place in PLACES]
OTHERS = [{"PK": "UK", "SK": "NY#NYC#1"}, {"PK": "USA", "SK": "NY#NYC#1"}]


@pytest.fixture
def stores(filled):
    return filled(STORES + OTHERS)


def under(table, prefix, **more):
    condition = Key("PK").eq("US") & Key("SK").begins_with(prefix)
    return [item["SK"] for item in table.query(KeyConditionExpression=condition, **more)["Items"]]


@pytest.mark.parametrize("prefix, found", [
    ("NY#", PLACES[1:6]), ("NY", PLACES[1:7]), ("NY#NYC#", PLACES[3:6]), ("NY#NYC#1", PLACES[3:5]), ("NY#NYC", PLACES[2:6]),
    ("N", PLACES[1:7]), ("Z", []), ("NY#NYC#11", []), ("WA#SEATTLE#1", PLACES[7:])])
def test_each_level(stores, prefix, found):
    assert under(stores, prefix) == found
    assert under(stores, prefix, ScanIndexForward=False) == found[::-1]


def test_the_prefix_limits_what_is_read(stores):
    page = stores.query(KeyConditionExpression=Key("PK").eq("US") & Key("SK").begins_with("NY#NYC#"), Select="COUNT")
    assert (page["Count"], page["ScannedCount"]) == (3, 3)
    assert "Items" not in page


def test_a_level_and_everything_behind_it(stores):
    page = stores.query(KeyConditionExpression=Key("PK").eq("US") & Key("SK").gte("NY#NYC#2"))
    assert [item["SK"] for item in page["Items"]] == PLACES[5:]


def test_moving_a_branch(stores):
    """A sort key cannot be updated: moving is deleting and putting, together."""
    with refused(INVALID, "One or more parameter values were invalid: Cannot update attribute SK. This attribute is part of the key"):
        stores.update_item(Key={"PK": "US", "SK": "WA#SEATTLE#1"}, UpdateExpression="SET SK = :to", ExpressionAttributeValues={":to": "WA#OLYMPIA#1"})
    stores.meta.client.transact_write_items(TransactItems=[
        {"Delete": {"TableName": stores.name, "Key": {"PK": "US", "SK": "WA#SEATTLE#1"}, "ConditionExpression": "attribute_exists(SK)"}},
        {"Put": {"TableName": stores.name, "Item": {"PK": "US", "SK": "WA#OLYMPIA#1"}, "ConditionExpression": "attribute_not_exists(SK)"}}])
    assert under(stores, "WA#") == ["WA#OLYMPIA#1"]


class TestEdgesOfAPrefix:
    @pytest.mark.parametrize("prefix", ["\uffff", "\U0010ffff", "é", "a\u0000"])
    def test_text_prefixes_without_a_plain_successor(self, filled, prefix):
        keys = sorted([prefix, prefix + "\u0000", prefix + "z", prefix + prefix, "a", "z", "~"], key=lambda text: text.encode())
        table = filled([{"PK": "US", "SK": key} for key in keys])
        assert under(table, prefix) == [key for key in keys if key.startswith(prefix)]

    @pytest.mark.parametrize("prefix", [b"\xff", b"\xff\xff", b"\x00", b"\x7f\xff"])
    def test_binary_prefixes(self, filled, prefix):
        keys = sorted({prefix, prefix + b"\x00", prefix + b"\xff", prefix[:-1] + b"\x01", b"\x01", b"\xfe\xff", b"\xff", b"\x80"} - {b""})
        table = filled([{"PK": "US", "SK": key} for key in keys], range_key="SK:B")
        assert under(table, prefix) == [Binary(key) for key in keys if key.startswith(prefix)]


class TestMisuse:
    def test_an_infix_operator(self, stores):
        with refused(INVALID) as why:
            stores.query(KeyConditionExpression="PK = :c AND SK BEGINS_WITH :p", ExpressionAttributeValues={":c": "US", ":p": "NY#"})
        assert why.message == 'Invalid KeyConditionExpression: Syntax error; token: "BEGINS_WITH", near: "SK BEGINS_WITH :p"'

    def test_function_names_are_case_sensitive(self, stores):
        with refused(INVALID, "Invalid KeyConditionExpression: Invalid function name; function: BEGINS_WITH"):
            stores.query(KeyConditionExpression="PK = :c AND BEGINS_WITH(SK, :p)", ExpressionAttributeValues={":c": "US", ":p": "NY#"})

    def test_contains_is_no_key_condition(self, stores):
        with refused(INVALID, "Invalid operator used in KeyConditionExpression: contains"):
            stores.query(KeyConditionExpression="PK = :c AND contains(SK, :p)", ExpressionAttributeValues={":c": "US", ":p": "NYC"})

    def test_two_levels_at_once(self, stores):
        with refused(INVALID, "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"):
            stores.query(KeyConditionExpression="PK = :c AND begins_with(SK, :p) AND SK < :q",
                         ExpressionAttributeValues={":c": "US", ":p": "NY#", ":q": "NY#O"})

    def test_a_prefix_of_a_number(self, filled):
        table = filled([{"PK": "US", "SK": 12}], range_key="SK:N")
        with refused(INVALID) as why:
            table.query(KeyConditionExpression=Key("PK").eq("US") & Key("SK").begins_with(1))
        assert why.message == ("Invalid KeyConditionExpression: Incorrect operand type for operator or function; "
                               "operator or function: begins_with, operand type: N")
        with refused(INVALID, "One or more parameter values were invalid: Condition parameter type does not match schema type"):
            table.query(KeyConditionExpression=Key("PK").eq("US") & Key("SK").begins_with("1"))
