"""Sparse index: only items that have the attribute are in it, so the index is the work list."""

import pytest
from boto3.dynamodb.conditions import Key

from harness.indexes import Index
from harness.sdk import INVALID, all_items, refused, settle

OOM = "One or more parameter values were invalid: "
TICKETS = [{"PK": f"TICKET#{number:02}", "queue": "support", **({"open_since": 1000 - number} if number % 3 == 0 else {})}
           for number in range(1, 13)]
OPEN = sorted((ticket for ticket in TICKETS if "open_since" in ticket), key=lambda ticket: ticket["open_since"])


@pytest.fixture
def tickets(filled):
    return filled(TICKETS, range_key=None, gsi=[Index("open", "queue:S", "open_since:N")])


def open_tickets(table):
    return table.query(IndexName="open", KeyConditionExpression=Key("queue").eq("support"))["Items"]


def test_only_marked_items_are_there_oldest_first(tickets):
    settle(lambda: open_tickets(tickets), OPEN)
    assert [ticket["PK"] for ticket in OPEN] == ["TICKET#12", "TICKET#09", "TICKET#06", "TICKET#03"]


def test_a_scan_of_the_index_reads_only_the_marked(tickets):
    reply = tickets.scan(IndexName="open")
    assert (reply["Count"], reply["ScannedCount"]) == (4, 4)
    whole = tickets.scan()
    assert (whole["Count"], whole["ScannedCount"]) == (12, 12)


def test_removing_the_attribute_takes_the_item_out(tickets):
    tickets.update_item(Key={"PK": "TICKET#09"}, UpdateExpression="REMOVE open_since")
    settle(lambda: open_tickets(tickets), [OPEN[0], OPEN[2], OPEN[3]])
    assert tickets.get_item(Key={"PK": "TICKET#09"}, ConsistentRead=True)["Item"] == {"PK": "TICKET#09", "queue": "support"}


def test_removing_the_other_key_attribute_takes_it_out_too(tickets):
    tickets.update_item(Key={"PK": "TICKET#09"}, UpdateExpression="REMOVE queue")
    settle(lambda: open_tickets(tickets), [OPEN[0], OPEN[2], OPEN[3]])


def test_setting_the_attribute_brings_the_item_in(tickets):
    tickets.update_item(Key={"PK": "TICKET#01"}, UpdateExpression="SET open_since = :now", ExpressionAttributeValues={":now": 990})
    settle(lambda: open_tickets(tickets), [OPEN[0], {**TICKETS[0], "open_since": 990}, *OPEN[1:]])


def test_overwriting_without_the_attribute_takes_the_item_out(tickets):
    tickets.put_item(Item={"PK": "TICKET#12", "queue": "support", "closed": True})
    settle(lambda: open_tickets(tickets), OPEN[1:])


def test_claiming_work_takes_each_item_once(tickets):
    """Workers read the list, then claim by a condition; a claimed ticket leaves the list."""
    claimed = []
    for ticket in open_tickets(tickets):
        tickets.update_item(Key={"PK": ticket["PK"]}, UpdateExpression="SET claimed_by = :me REMOVE open_since",
                            ConditionExpression="attribute_exists(open_since)", ExpressionAttributeValues={":me": "w1"})
        claimed.append(ticket["PK"])
    assert claimed == [ticket["PK"] for ticket in OPEN]
    settle(lambda: open_tickets(tickets), [])
    with refused("ConditionalCheckFailedException", "The conditional request failed"):
        tickets.update_item(Key={"PK": "TICKET#12"}, UpdateExpression="SET claimed_by = :me REMOVE open_since",
                            ConditionExpression="attribute_exists(open_since)", ExpressionAttributeValues={":me": "w2"})


class TestMisuse:
    @pytest.mark.parametrize("value, actual", [(True, "BOOL"), ("today", "S"), (None, "NULL"), ([1], "L"), ({"a": 1}, "M"), ({1, 2}, "NS")])
    def test_a_flag_of_the_wrong_type_refuses_the_write(self, tickets, value, actual):
        with refused(INVALID, f"{OOM}Type mismatch for Index Key open_since Expected: N Actual: {actual} IndexName: open"):
            tickets.put_item(Item={"PK": "TICKET#99", "queue": "support", "open_since": value})
        assert "Item" not in tickets.get_item(Key={"PK": "TICKET#99"}, ConsistentRead=True)
        assert len(all_items(tickets.scan, ConsistentRead=True)) == 12

    def test_an_empty_string_is_not_a_way_to_leave(self, tickets):
        with refused(INVALID, "One or more parameter values are not valid. A value specified for a secondary index key is not "
                              "supported. The AttributeValue for a key attribute cannot contain an empty string value. "
                              "IndexName: open, IndexKey: queue"):
            tickets.put_item(Item={"PK": "TICKET#12", "queue": "", "open_since": 5})
        settle(lambda: open_tickets(tickets), OPEN)
