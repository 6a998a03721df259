"""UpdateTimeToLive, DescribeTimeToLive, and items that go when their time has come.

Against AWS the deletions take from minutes to days and a second change of the setting an hour: the tests that wait for
either need an endpoint of ours."""

import os
import re
import time

import pytest

from harness.indexes import Index, members
from harness.raw import RawClient
from harness.server import Server
from harness.tables import create
from harness.waiting import poll_until

FIVE_YEARS = 5 * 365 * 24 * 3600
ours_only = pytest.mark.skipif(bool(os.environ.get("ARMATURE_ENDPOINT")), reason="AWS takes minutes to days")


def specification(enabled, attribute="ttl"):
    return {"Enabled": enabled, "AttributeName": attribute}


def update(db, name, enabled, attribute="ttl"):
    return db.ok("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": specification(enabled, attribute)})


def refused(db, name, enabled, attribute, message):
    db.invalid("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": specification(enabled, attribute)}, message)


def describe(db, name):
    return db.ok("DescribeTimeToLive", {"TableName": name})["TimeToLiveDescription"]


def put(db, name, key, **attributes):
    db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": key}, **attributes}})


def expiring(seconds):
    return {"ttl": {"N": str(int(time.time()) + seconds)}}


def keys(db, name, **more):
    return sorted(item["pk"]["S"] for item in db.ok("Scan", {"TableName": name, **more})["Items"])


def wait_for_keys(db, name, expected, seconds=30):
    """There is no event for a deletion but in a stream."""
    poll_until(lambda: keys(db, name), lambda found: found == expected, seconds)


def test_a_table_without_it(db, make_table):
    assert describe(db, make_table()) == {"TimeToLiveStatus": "DISABLED"}


def test_on(db, make_table):
    name = make_table()
    assert update(db, name, True) == {"TimeToLiveSpecification": specification(True)}
    described = describe(db, name)
    assert described["AttributeName"] == "ttl"
    assert described["TimeToLiveStatus"] in ("ENABLING", "ENABLED")
    refused(db, name, True, "ttl", "TimeToLive is already enabled")
    for enabled in (True, False):
        refused(db, name, enabled, "other", "TimeToLive is active on a different AttributeName: current AttributeName is ttl")


def test_off_when_it_is_off(db, make_table):
    refused(db, make_table(), False, "ttl", "TimeToLive is already disabled")


@ours_only
def test_off_and_on_another_attribute(db, make_table):
    name = make_table()
    update(db, name, True)
    assert update(db, name, False) == {"TimeToLiveSpecification": specification(False)}
    assert describe(db, name) == {"TimeToLiveStatus": "DISABLED"}
    put(db, name, "by-ttl", **expiring(-10))
    put(db, name, "by-until", until=expiring(-10)["ttl"])
    update(db, name, True, "until")
    assert describe(db, name) == {"TimeToLiveStatus": "ENABLED", "AttributeName": "until"}
    wait_for_keys(db, name, ["by-ttl"])


def test_constraints(db, make_table):
    name = make_table()
    path = "timeToLiveSpecification.attributeName"
    for attribute, rule in (("", "greater than or equal to 1"), ("x" * 256, "less than or equal to 255")):
        refused(db, name, True, attribute, f"1 validation error detected: Value '{attribute}' at '{path}' failed to satisfy "
                                           f"constraint: Member must have length {rule}")
    for missing in ("Enabled", "AttributeName"):
        given = {member: value for member, value in specification(True).items() if member != missing}
        db.invalid("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": given},
                   f"1 validation error detected: Value null at 'timeToLiveSpecification.{missing[0].lower() + missing[1:]}' "
                   "failed to satisfy constraint: Member must not be null")
    db.error("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": {"Enabled": "dog", "AttributeName": "ttl"}},
             "SerializationException")


def test_no_such_table(db):
    message = "Requested resource not found: Table: no-such-table not found"
    db.error("DescribeTimeToLive", {"TableName": "no-such-table"}, "ResourceNotFoundException", message)
    db.error("UpdateTimeToLive", {"TableName": "no-such-table", "TimeToLiveSpecification": specification(True)},
             "ResourceNotFoundException", message)


@ours_only
def test_what_goes_and_what_stays(db, make_table):
    name = make_table()
    now = int(time.time())
    put(db, name, "before", **expiring(-60))
    update(db, name, True)
    put(db, name, "expired", **expiring(-60))
    put(db, name, "exponent", ttl={"N": f"{(now - 60) * 10}E-1"})
    put(db, name, "decimal", ttl={"N": f"{now - 60}.75"})
    put(db, name, "nearly-five-years", **expiring(60 - FIVE_YEARS))
    put(db, name, "soon", **expiring(1))
    put(db, name, "stays-five-years", **expiring(-60 - FIVE_YEARS))
    put(db, name, "stays-future", **expiring(1000))
    put(db, name, "stays-millis", ttl={"N": str(now * 1000 - 60_000)})
    put(db, name, "stays-none")
    put(db, name, "stays-set", ttl={"NS": [str(now - 60)]})
    put(db, name, "stays-text", ttl={"S": str(now - 60)})
    stay = ["stays-five-years", "stays-future", "stays-millis", "stays-none", "stays-set", "stays-text"]
    wait_for_keys(db, name, stay)
    # Each kind of write makes an item expire.
    db.ok("UpdateItem", {"TableName": name, "Key": {"pk": {"S": "stays-none"}}, "UpdateExpression": "SET #t = :t",
                         "ExpressionAttributeNames": {"#t": "ttl"}, "ExpressionAttributeValues": {":t": expiring(-1)["ttl"]}})
    db.ok("BatchWriteItem", {"RequestItems": {name: [{"PutRequest": {"Item": {"pk": {"S": "batch"}, **expiring(-1)}}}]}})
    db.ok("TransactWriteItems", {"TransactItems": [
        {"Put": {"TableName": name, "Item": {"pk": {"S": "stays-set"}, **expiring(-1)}}},
        {"Put": {"TableName": name, "Item": {"pk": {"S": "transaction"}, **expiring(1)}}}]})
    wait_for_keys(db, name, ["stays-five-years", "stays-future", "stays-millis", "stays-text"])


@ours_only
def test_an_item_whose_time_is_put_off_stays(db, make_table):
    name = make_table()
    update(db, name, True)
    put(db, name, "put-off", **expiring(1))
    put(db, name, "witness", **expiring(2))
    put(db, name, "put-off", **expiring(1000))
    wait_for_keys(db, name, ["put-off"])


@ours_only
def test_a_key_may_be_the_attribute(db, make_table):
    name = make_table(range_key="until:N")
    update(db, name, True, "until")
    now = int(time.time())
    for key, until in (("gone", now - 1), ("stays", now + 1000)):
        db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": key}, "until": {"N": str(until)}}})
    wait_for_keys(db, name, ["stays"])


@ours_only
def test_indexes_follow(db, make_table):
    index = Index("by-group", "group:S", "n:N")
    local = Index("by-n", "pk:S", "n:N", "KEYS_ONLY")
    name = make_table(range_key="sk:S", **members("pk:S", "sk:S", gsi=[index], lsi=[local]))
    update(db, name, True)
    for number in range(6):
        item = {"pk": {"S": f"k{number}"}, "sk": {"S": "s"}, "group": {"S": "g"}, "n": {"N": str(number)}}
        db.ok("PutItem", {"TableName": name, "Item": {**item, **expiring(-10 if number % 2 else 1000)}})
    wait_for_keys(db, name, ["k0", "k2", "k4"])
    for entry in (index, local):
        assert keys(db, name, IndexName=entry.name) == ["k0", "k2", "k4"]


@ours_only
def test_many_items_there_before_it_is_turned_on(db, make_table):
    name = make_table()
    for start in range(0, 2000, 25):
        requests = [{"PutRequest": {"Item": {"pk": {"S": f"k{number:04}"}, **(expiring(-10) if number % 10 else {})}}}
                    for number in range(start, start + 25)]
        assert not db.ok("BatchWriteItem", {"RequestItems": {name: requests}})["UnprocessedItems"]
    update(db, name, True)
    wait_for_keys(db, name, [f"k{number:04}" for number in range(0, 2000, 10)])
    assert describe(db, name)["TimeToLiveStatus"] == "ENABLED"


@ours_only
def test_deletions_are_counted_and_cost_nothing(db, make_table):
    name = make_table()
    update(db, name, True)
    for number in range(3):
        put(db, name, f"k{number}", **expiring(-1))
    wait_for_keys(db, name, [])
    # Counted once the deletion is stored, and so a moment after it can be seen.
    series = re.compile(rf'armature_ttl_deleted_items_total{{.*table="{name}"}} (\d+)')
    poll_until(lambda: series.findall(db.send("GET", "/metrics").plain().decode()), lambda found: found == ["3"])
    assert db.ok("DescribeTable", {"TableName": name})["Table"]["ItemCount"] == 0


@ours_only
def test_with_boto3(client, make_table):
    name = make_table()
    reply = client.update_time_to_live(TableName=name, TimeToLiveSpecification=specification(True))
    assert reply["TimeToLiveSpecification"] == specification(True)
    assert client.describe_time_to_live(TableName=name)["TimeToLiveDescription"] == {
        "TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.describe_time_to_live(TableName="no-such-table")
    client.put_item(TableName=name, Item={"pk": {"S": "session"}, **expiring(1)})
    poll_until(lambda: client.get_item(TableName=name, Key={"pk": {"S": "session"}}, ConsistentRead=True), lambda reply: "Item" not in reply)


@ours_only
def test_expired_items_stay_as_long_as_asked():
    with Server(None, "--ttl-delay", "3s") as server:
        db = RawClient(server.endpoint)
        name = create(db)
        update(db, name, True)
        expiry = int(time.time()) + 1
        put(db, name, "k", ttl={"N": str(expiry)})
        wait_for_keys(db, name, [])
        assert time.time() >= expiry + 3
        db.close()


@ours_only
def test_states_that_last():
    with Server(None, "--control-plane-delay", "500") as server:
        db = RawClient(server.endpoint)
        name = create(db)
        for enabled, passing, settled in ((True, "ENABLING", "ENABLED"), (False, "DISABLING", "DISABLED")):
            update(db, name, enabled)
            assert describe(db, name) == {"TimeToLiveStatus": passing, "AttributeName": "ttl"}
            refused(db, name, not enabled, "ttl", "Time to live has been modified multiple times within a fixed interval")
            poll_until(lambda: describe(db, name)["TimeToLiveStatus"], lambda status: status == settled)
        db.close()
