"""Two servers, one with our memtable and one with RocksDB's own (--memtable=stock), get the same requests: every answer
is the same, in both directions, before and after kill -9, and after each has taken over the other's store."""

import os
import random

import pytest

from harness import tables
from harness.raw import RawClient
from harness.server import Server

TABLE = "rows"
KINDS = ("linked", "stock")
STEPS_PER_ROUND = 250


def seed():
    number = int(os.environ.get("ARMATURE_SEED") or random.SystemRandom().getrandbits(32))
    print(f"seed {number}")
    return number


class Pair:
    """The two servers, asked as one. So little cache that memtables are flushed under way."""

    def __init__(self, stores):
        self.stores = stores
        self.servers = {kind: Server(stores[kind], "--cache-mib", 8, "--memtable", kind).start() for kind in KINDS}
        self.clients = {kind: RawClient(server.endpoint) for kind, server in self.servers.items()}

    def ok(self, operation, request):
        ours, theirs = (self.clients[kind].ok(operation, request) for kind in KINDS)
        assert ours == theirs, f"{operation} {request}"
        return ours

    def kill(self):
        for client in self.clients.values():
            client.close()
        for server in self.servers.values():
            server.kill()


def key_of(rng):
    return {"pk": {"S": f"p{rng.randrange(5)}"}, "sk": {"S": f"{rng.randrange(200):03}" + "x" * rng.randrange(3)}}


def change(pair, rng, number):
    key = key_of(rng)
    kind = rng.randrange(10)
    if kind == 0:
        pair.ok("DeleteItem", {"TableName": TABLE, "Key": key, "ReturnValues": "ALL_OLD"})
    elif kind == 1:
        pair.ok("UpdateItem", {"TableName": TABLE, "Key": key, "UpdateExpression": "ADD hits :one", "ReturnValues": "ALL_NEW",
                               "ExpressionAttributeValues": {":one": {"N": "1"}}})
    elif kind == 2:
        items = {str(item): item for item in ({**key_of(rng), "text": {"S": f"batch {number}"}} for _ in range(25))}
        unique = {(item["pk"]["S"], item["sk"]["S"]): item for item in items.values()}
        pair.ok("BatchWriteItem", {"RequestItems": {TABLE: [{"PutRequest": {"Item": item}} for item in unique.values()]}})
    else:
        size = rng.choice((10, 200, 3000, 30000))
        pair.ok("PutItem", {"TableName": TABLE, "Item": {**key, "n": {"N": str(number)}, "text": {"S": "t" * size}}})


def read(pair, rng):
    key = key_of(rng)
    pair.ok("GetItem", {"TableName": TABLE, "Key": key, "ConsistentRead": rng.random() < 0.5})
    request = {
        "TableName": TABLE, "KeyConditionExpression": "pk = :p AND sk >= :s", "ScanIndexForward": rng.random() < 0.5,
        "ExpressionAttributeValues": {":p": key["pk"], ":s": key["sk"]}, "Limit": rng.randrange(1, 30),
    }
    page = pair.ok("Query", request)
    if "LastEvaluatedKey" in page:
        pair.ok("Query", {**request, "ExclusiveStartKey": page["LastEvaluatedKey"]})


def read_all(pair):
    """Every row: by Scan, and by Query of each collection in both directions, which must be each other's reverse."""
    start, scanned = {}, 0
    while True:
        page = pair.ok("Scan", {"TableName": TABLE, **start})
        scanned += page["Count"]
        if "LastEvaluatedKey" not in page:
            break
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    queried = 0
    for number in range(5):
        forwards, backwards = (collection(pair, f"p{number}", forward) for forward in (True, False))
        assert forwards == backwards[::-1]
        queried += len(forwards)
    assert scanned == queried > 0


def collection(pair, name, forward):
    keys, start = [], {}
    while True:
        page = pair.ok("Query", {"TableName": TABLE, "KeyConditionExpression": "pk = :p", "ScanIndexForward": forward,
                                 "ExpressionAttributeValues": {":p": {"S": name}}, **start})
        keys += [item["sk"]["S"] for item in page["Items"]]
        if "LastEvaluatedKey" not in page:
            return keys
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


@pytest.fixture
def stores(tmp_path):
    return {kind: tmp_path / kind for kind in KINDS}


def test_both_memtables_answer_alike_through_kills_and_change_places(stores):
    rng = random.Random(seed())
    pair = Pair(stores)
    try:
        for client in pair.clients.values():
            tables.create(client, name=TABLE, range_key="sk:S")
        for round_number in range(4):
            for step in range(STEPS_PER_ROUND):
                change(pair, rng, step)
                if step % 3 == 0:
                    read(pair, rng)
            read_all(pair)
            pair.kill()
            pair = Pair({"linked": pair.stores["stock"], "stock": pair.stores["linked"]})
            read_all(pair)
    finally:
        pair.kill()
