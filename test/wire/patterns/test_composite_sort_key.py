"""Composite sort keys: STATUS#DATE in one attribute, and the same with a multi-attribute index key."""

import pytest
from boto3.dynamodb.conditions import Key

from harness.indexes import Index
from harness.sdk import INVALID, all_items, refused, settle

RAW = [("o1", "OPEN", "2026-01-03"), ("o2", "SHIPPED", "2026-01-02"), ("o3", "OPEN", "2026-02-01"), ("o4", "OPENED", "2026-01-01"),
       ("o5", "SHIPPED", "2026-03-09"), ("o6", "OPEN", "2026-01-20"), ("o7", "CANCELLED", "2026-02-14")]
ORDERS = [{"PK": number, "customer": "c1", "state": state, "day": day, "state_day": f"{state}#{day}"} for number, state, day in RAW]
SORTED = sorted(ORDERS, key=lambda order: (order["state"], order["day"]))


def numbers(items):
    return [item["PK"] for item in items]


@pytest.fixture
def orders(filled):
    return filled(ORDERS, range_key=None, gsi=[
        Index("joined", "customer:S", "state_day:S"), Index("parts", "customer:S", "state:S,day:S", ["state_day"])])


JOINED = {"IndexName": "joined"}
PARTS = {"IndexName": "parts"}


@pytest.mark.parametrize("request_, expected", [
    ({**JOINED, "KeyConditionExpression": Key("customer").eq("c1") & Key("state_day").begins_with("OPEN#")}, ["o1", "o6", "o3"]),
    ({**PARTS, "KeyConditionExpression": Key("customer").eq("c1") & Key("state").eq("OPEN")}, ["o1", "o6", "o3"]),
    ({**JOINED, "KeyConditionExpression": Key("customer").eq("c1") & Key("state_day").begins_with("OPEN#2026-01")}, ["o1", "o6"]),
    ({**PARTS, "KeyConditionExpression": Key("customer").eq("c1") & Key("state").eq("OPEN") & Key("day").begins_with("2026-01")}, ["o1", "o6"]),
    ({**JOINED, "KeyConditionExpression": Key("customer").eq("c1") & Key("state_day").between("OPEN#2026-01-10", "OPEN#2026-02-01")}, ["o6", "o3"]),
    ({**PARTS, "KeyConditionExpression": Key("customer").eq("c1") & Key("state").eq("OPEN") & Key("day").between("2026-01-10", "2026-02-01")}, ["o6", "o3"]),
    ({**JOINED, "KeyConditionExpression": Key("customer").eq("c1") & Key("state_day").begins_with("SHIPPED#"), "ScanIndexForward": False, "Limit": 1}, ["o5"]),
    ({**PARTS, "KeyConditionExpression": Key("customer").eq("c1") & Key("state").eq("SHIPPED"), "ScanIndexForward": False, "Limit": 1}, ["o5"]),
    ({**PARTS, "KeyConditionExpression": Key("customer").eq("c1") & Key("state").begins_with("OPEN")}, ["o1", "o6", "o3", "o4"]),
    ({**PARTS, "KeyConditionExpression": Key("customer").eq("c1") & Key("state").gte("OPENED")}, ["o4", "o2", "o5"]),
])
def test_reads(orders, request_, expected):
    settle(lambda: numbers(orders.query(**request_)["Items"]), expected)


def test_both_indexes_keep_the_same_order(orders):
    whole = Key("customer").eq("c1")
    settle(lambda: numbers(orders.query(**PARTS, KeyConditionExpression=whole)["Items"]), numbers(SORTED))
    settle(lambda: numbers(orders.query(**JOINED, KeyConditionExpression=whole)["Items"]), numbers(sorted(ORDERS, key=lambda order: order["state_day"])))


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_pages_of_a_multi_attribute_key(orders, forward, size):
    expected = numbers(SORTED if forward else SORTED[::-1])
    request = {**PARTS, "KeyConditionExpression": Key("customer").eq("c1"), "ScanIndexForward": forward}
    settle(lambda: numbers(orders.query(**request)["Items"]), expected)
    assert numbers(all_items(orders.query, **request, Limit=size)) == expected
    page = orders.query(**request, Limit=size)
    last = page["Items"][-1]
    assert page["LastEvaluatedKey"] == {name: last[name] for name in ("PK", "customer", "state", "day")}


def test_changing_the_state_moves_the_order(orders):
    orders.update_item(Key={"PK": "o1"}, UpdateExpression="SET #s = :s, state_day = :j", ConditionExpression="#s = :open",
                       ExpressionAttributeNames={"#s": "state"},
                       ExpressionAttributeValues={":s": "SHIPPED", ":j": "SHIPPED#2026-01-03", ":open": "OPEN"})
    for request in ({**JOINED, "KeyConditionExpression": Key("customer").eq("c1") & Key("state_day").begins_with("SHIPPED#")},
                    {**PARTS, "KeyConditionExpression": Key("customer").eq("c1") & Key("state").eq("SHIPPED")}):
        settle(lambda: numbers(orders.query(**request)["Items"]), ["o2", "o1", "o5"])


class TestMisuse:
    def test_a_gap_in_a_multi_attribute_key(self, orders):
        with refused(INVALID):
            orders.query(**PARTS, KeyConditionExpression=Key("customer").eq("c1") & Key("day").eq("2026-01-03"))

    def test_an_inequality_before_the_last_part(self, orders):
        with refused(INVALID):
            orders.query(**PARTS, KeyConditionExpression=Key("customer").eq("c1") & Key("state").gt("A") & Key("day").eq("2026-01-03"))

    def test_one_part_of_the_key_in_a_filter(self, orders):
        with refused(INVALID, "Filter Expression can only contain non-primary key attributes: Primary key attribute: day"):
            orders.query(**PARTS, KeyConditionExpression=Key("customer").eq("c1"), FilterExpression="#d = :d",
                         ExpressionAttributeNames={"#d": "day"}, ExpressionAttributeValues={":d": "2026-01-03"})

    def test_the_joined_index_takes_one_sort_condition(self, orders):
        with refused(INVALID, "Query condition missed key schema element: state_day"):
            orders.query(**JOINED, KeyConditionExpression=Key("customer").eq("c1") & Key("state").eq("OPEN"))
