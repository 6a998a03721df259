"""--eventual-lag: eventually consistent reads and global indexes are that old; consistent reads are current."""

import time

import pytest

from harness import tables
from harness.indexes import Index, members
from harness.raw import RawClient
from harness.server import Server, StartFailed
from harness.waiting import poll_until

LAG_SECONDS = 1.0


# Older views are snapshots, which only embedded engines have: all but the refusal is tried on one of those.
OPTION = ["--eventual-lag", int(LAG_SECONDS * 1000)]


@pytest.fixture
def lagging():
    with Server(None, *OPTION, is_embedded=True) as server:
        db = RawClient(server.endpoint)
        yield db
        db.close()


def reads(db, name):
    """Every way to read item k, by name: whether it finds it."""
    key = {"pk": {"S": "k"}}
    table = {"TableName": name}
    by_key = {"KeyConditionExpression": "pk = :k", "ExpressionAttributeValues": {":k": {"S": "k"}}}
    by_g = {"KeyConditionExpression": "g = :g", "ExpressionAttributeValues": {":g": {"S": "x"}}, "IndexName": "idx"}

    def both(suffix, **consistent):
        return {
            "get" + suffix: "Item" in db.ok("GetItem", {**table, "Key": key, **consistent}),
            "batch" + suffix: bool(db.ok("BatchGetItem", {"RequestItems": {name: {"Keys": [key], **consistent}}})["Responses"].get(name)),
            "query" + suffix: db.ok("Query", {**table, **by_key, **consistent})["Count"] == 1,
            "scan" + suffix: db.ok("Scan", {**table, **consistent})["Count"] == 1,
        }
    strong = both(" consistent", ConsistentRead=True)
    weak = {**both(""), "index query": db.ok("Query", {**table, **by_g})["Count"] == 1,
            "index scan": db.ok("Scan", {**table, "IndexName": "idx"})["Count"] == 1}
    return strong, weak


def test_an_engine_without_snapshots_does_not_promise_it():
    with pytest.raises(StartFailed, match="--eventual-lag needs an engine that has snapshots"):
        Server(None, *OPTION, "--engine", "narrow", is_embedded=True).start()


def test_stale_reads_catch_up(lagging):
    name = tables.create(lagging, **members("pk:S", gsi=[Index("idx", "g:S")]))
    written = time.monotonic()
    lagging.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": "k"}, "g": {"S": "x"}}})
    strong, weak = reads(lagging, name)
    assert all(strong.values()), strong
    if time.monotonic() - written < LAG_SECONDS / 2:  # else the machine was too slow to say
        assert not any(weak.values()), weak

    def weak_ones():
        strong, weak = reads(lagging, name)
        assert all(strong.values()), strong
        return weak

    poll_until(weak_ones, lambda weak: all(weak.values()), seconds=60, pause=0.05)
    assert time.monotonic() - written >= LAG_SECONDS


def test_without_it_all_reads_are_current(db, make_table):
    name = make_table(**members("pk:S", gsi=[Index("idx", "g:S")]))
    db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": "k"}, "g": {"S": "x"}}})
    strong, weak = reads(db, name)
    assert all(strong.values()) and all(weak.values())
