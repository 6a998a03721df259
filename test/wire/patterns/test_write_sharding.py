"""Write sharding: a hot key spread over suffixes, read back by scatter and gather."""

import heapq
import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from boto3.dynamodb.conditions import Key

from harness.indexes import Index
from harness.sdk import all_items, insist, pages, race, settle

SHARDS = 8
DAY = "2026-06-01"


def shard_of(event):
    """Calculated, so that one event can be found again without asking every shard."""
    return zlib.crc32(event.encode()) % SHARDS


def event(number):
    name = f"e{number:04}"
    return {"PK": f"{DAY}#{shard_of(name)}", "SK": f"{number * 7919 % 1000:04}#{name}", "name": name, "day_shard": f"{DAY}#{shard_of(name)}", "cost": number}


EVENTS = [event(number) for number in range(200)]


@pytest.fixture
def events(filled):
    return filled(EVENTS, gsi=[Index("cost", "day_shard:S", "cost:N", "KEYS_ONLY")])


def gather(read):
    with ThreadPoolExecutor(SHARDS) as pool:
        return list(pool.map(read, range(SHARDS)))


def test_every_shard_is_used(events):
    counts = gather(lambda shard: events.meta.client.query(
        TableName=events.name, KeyConditionExpression=Key("PK").eq(f"{DAY}#{shard}"), Select="COUNT")["Count"])
    assert counts == [sum(shard_of(item["name"]) == shard for item in EVENTS) for shard in range(SHARDS)]
    assert sum(counts) == 200 and min(counts) > 0


def test_scatter_gather_merges_to_one_order(events):
    streams = gather(lambda shard: all_items(
        events.meta.client.query, TableName=events.name, KeyConditionExpression=Key("PK").eq(f"{DAY}#{shard}"), Limit=7))
    merged = list(heapq.merge(*streams, key=lambda item: item["SK"]))
    assert merged == sorted(EVENTS, key=lambda item: item["SK"])


def test_the_newest_ten_need_ten_of_each_shard(events):
    streams = gather(lambda shard: events.meta.client.query(
        TableName=events.name, KeyConditionExpression=Key("PK").eq(f"{DAY}#{shard}"), ScanIndexForward=False, Limit=10)["Items"])
    assert all(len(stream) == 10 for stream in streams)
    newest = heapq.nlargest(10, (item for stream in streams for item in stream), key=lambda item: item["SK"])
    assert newest == sorted(EVENTS, key=lambda item: item["SK"], reverse=True)[:10]


def test_one_event_needs_one_shard(events):
    wanted = EVENTS[42]
    key = {"PK": f"{DAY}#{shard_of(wanted['name'])}", "SK": wanted["SK"]}
    assert events.get_item(Key=key)["Item"] == wanted


def test_a_sharded_index(events):
    def dearest():
        streams = gather(lambda shard: events.meta.client.query(
            TableName=events.name, IndexName="cost", KeyConditionExpression=Key("day_shard").eq(f"{DAY}#{shard}") & Key("cost").gte(190))["Items"])
        return sorted(int(item["cost"]) for stream in streams for item in stream)
    settle(dearest, list(range(190, 200)))


def test_a_parallel_scan_sees_each_event_once(events):
    def segment(number):
        replies = list(pages(events.meta.client.scan, TableName=events.name, Segment=number, TotalSegments=SHARDS, Limit=9))
        return [item["name"] for page in replies for item in page["Items"]]
    names = [name for found in gather(segment) for name in found]
    assert len(names) == 200
    assert sorted(names) == [item["name"] for item in EVENTS]


def test_a_sharded_counter_is_exact(table):
    counters, threads, each = table(range_key=None), 6, 40
    client = counters.meta.client

    def count(number):
        for turn in range(each):
            key = {"PK": f"LIKES#{(number * each + turn) % SHARDS}"}
            insist(lambda: client.update_item(TableName=counters.name, Key=key, UpdateExpression="ADD likes :one",
                                              ExpressionAttributeValues={":one": 1}))

    race(threads, count)
    keys = [{"PK": f"LIKES#{shard}"} for shard in range(SHARDS)]
    found = client.batch_get_item(RequestItems={counters.name: {"Keys": keys, "ConsistentRead": True}})["Responses"][counters.name]
    assert sorted(item["PK"] for item in found) == [key["PK"] for key in keys]
    assert [int(item["likes"]) for item in found] == [threads * each // SHARDS] * SHARDS
