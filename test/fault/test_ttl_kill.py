"""kill -9 while the expiry of existing items is entered and while expired items are deleted, with writers at work: in the end
everything that has expired is gone, with its index rows, and nothing else is."""

import random
import time

from harness import tables
from harness.indexes import Index, members
from harness.load import LoadThreads
from harness.server import Server
from harness.waiting import wait_until

TABLE, INDEX = "expiring", Index("by-g", "g:S", "n:N")
ITEMS, WRITERS = 5000, 3


def item_of(number, expiry):
    return {"pk": {"S": f"k{number}"}, "g": {"S": f"g{number % 7}"}, "n": {"N": str(number)}, "exp": {"N": str(expiry)}}


def fill(db, is_expired):
    now = int(time.time())
    tables.fill(db, TABLE, [item_of(number, now + (-100 if is_expired(number) else 100_000)) for number in range(ITEMS)])


def start_prolonging(port, seed, kept):
    """Threads that put off the expiry of random items that are still there, and enter in `kept` those they were told of."""
    def prolong(connection, rng, writer):
        number = rng.randrange(ITEMS // WRITERS) * WRITERS + writer
        later = str(int(time.time()) + 100_000)
        status_code, reply = connection.call("UpdateItem", {
            "TableName": TABLE, "Key": {"pk": {"S": f"k{number}"}}, "UpdateExpression": "SET exp = :later",
            "ConditionExpression": "attribute_exists(pk)", "ExpressionAttributeValues": {":later": {"N": later}}})
        if status_code == 200:
            kept.add(number)
        else:
            assert "ConditionalCheckFailed" in reply["__type"], reply
    return LoadThreads(port, WRITERS, seed, prolong)


def scan(db, **more):
    return tables.scan(db, TABLE, **more)


def status(db):
    return db.ok("DescribeTimeToLive", {"TableName": TABLE})["TimeToLiveDescription"]["TimeToLiveStatus"]


def change(db, enabled):
    db.ok("UpdateTimeToLive", {"TableName": TABLE, "TimeToLiveSpecification": {"Enabled": enabled, "AttributeName": "exp"}})


def expired(items):
    return [item for item in items if int(item["exp"]["N"]) <= time.time()]


def check(db, kept):
    wait_until(lambda: not expired(scan(db, ConsistentRead=True)), 60)
    items = scan(db, ConsistentRead=True)
    assert scan(db, IndexName=INDEX.name) == items
    numbers = {int(item["n"]["N"]) for item in items}
    assert kept <= numbers, kept - numbers
    assert db.ok("DescribeTable", {"TableName": TABLE})["Table"]["ItemCount"] == len(items)


def test_entering_existing_items_survives_kills(data, client_of):
    rng = random.Random("enabling")
    is_expired = lambda number: number % 4 == 0  # noqa: E731
    with Server(data, "--ttl-delay", "1h") as server:
        db = client_of(server)
        tables.create(db, name=TABLE, **members("pk:S", gsi=[INDEX]))
        fill(db, is_expired)
    kills_while_enabling = 0
    for round_number in range(4):
        server = Server(data, "--ttl-delay", "1h").start()
        db = client_of(server)
        prolongers = start_prolonging(server.port, f"enabling/{round_number}", set())
        change(db, True)
        time.sleep(rng.uniform(0, 0.1))  # the moment of the kill is what is random here
        kills_while_enabling += status(db) == "ENABLING"
        server.kill()
        prolongers.join()
        with Server(data, "--ttl-delay", "1h") as survivor:
            db = client_of(survivor)
            wait_until(lambda: status(db) == "ENABLED", 60)
            assert len(scan(db, ConsistentRead=True)) == ITEMS, "nothing is deleted within the hour"
            change(db, False)
            wait_until(lambda: status(db) == "DISABLED", 60)
    assert kills_while_enabling > 0, "every table was ready before it could be interrupted"
    server = Server(data).start()
    db = client_of(server)
    fill(db, is_expired)
    change(db, True)
    server.kill()
    with Server(data) as survivor:
        db = client_of(survivor)
        wait_until(lambda: status(db) == "ENABLED", 60)
        check(db, {number for number in range(ITEMS) if not is_expired(number)})
        assert len(scan(db)) == ITEMS - ITEMS // 4


def test_deleting_expired_items_survives_kills(data, client_of):
    rng = random.Random("sweeping")
    kept, kills_while_sweeping = set(), 0
    with Server(data, "--ttl-delay", "1h") as server:
        db = client_of(server)
        tables.create(db, name=TABLE, **members("pk:S", gsi=[INDEX]))
        change(db, True)
        fill(db, lambda number: True)
    for round_number in range(4):
        server = Server(data).start()
        db = client_of(server)
        prolongers = start_prolonging(server.port, f"sweeping/{round_number}", kept)
        time.sleep(rng.uniform(0.02, 0.25))  # the moment of the kill is what is random here
        kills_while_sweeping += bool(expired(scan(db)))
        server.kill()
        prolongers.join()
    assert kills_while_sweeping > 0, "everything was deleted before it could be interrupted"
    with Server(data) as survivor:
        db = client_of(survivor)
        check(db, kept)
        assert 0 < len(scan(db)) < ITEMS
