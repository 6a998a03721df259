"""kill -9 while the expiry of existing items is entered and while expired items are deleted, with writers at work: in the end
everything that has expired is gone, with its index rows, and nothing else is."""

import random
import threading
import time

from harness import tables
from harness.indexes import Index, members
from harness.load import Closed, LoadConnection
from harness.server import Server

TABLE, INDEX = "expiring", Index("by-g", "g:S", "n:N")
ITEMS, WRITERS = 5000, 3


def item_of(number, expiry):
    return {"pk": {"S": f"k{number}"}, "g": {"S": f"g{number % 7}"}, "n": {"N": str(number)}, "exp": {"N": str(expiry)}}


def fill(db, is_expired):
    now = int(time.time())
    for start in range(0, ITEMS, 25):
        puts = [{"PutRequest": {"Item": item_of(number, now + (-100 if is_expired(number) else 100_000))}}
                for number in range(start, start + 25)]
        assert not db.ok("BatchWriteItem", {"RequestItems": {TABLE: puts}})["UnprocessedItems"]


class Prolongers:
    """Put off the expiry of random items that are still there; know of each what they were told last."""

    def __init__(self, port, seed, kept):
        self.port, self.seed, self.kept = port, seed, kept
        self.problems = []
        self.is_stopped = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(number,)) for number in range(WRITERS)]
        for thread in self.threads:
            thread.start()

    def join(self):
        self.is_stopped.set()
        for thread in self.threads:
            thread.join()
        assert not self.problems, self.problems

    def run(self, number):
        rng = random.Random(f"{self.seed}/{number}")
        try:
            connection = LoadConnection(self.port)
            while not self.is_stopped.is_set():
                self.prolong(connection, rng.randrange(ITEMS // WRITERS) * WRITERS + number)
            connection.close()
        except Closed:
            pass
        except Exception as problem:  # shown by join
            self.problems.append(repr(problem))

    def prolong(self, connection, number):
        later = str(int(time.time()) + 100_000)
        status, members_ = connection.call("UpdateItem", {
            "TableName": TABLE, "Key": {"pk": {"S": f"k{number}"}}, "UpdateExpression": "SET exp = :later",
            "ConditionExpression": "attribute_exists(pk)", "ExpressionAttributeValues": {":later": {"N": later}}})
        if status == 200:
            self.kept.add(number)
        else:
            assert "ConditionalCheckFailed" in members_["__type"], members_


def scan(db, **more):
    items, start = [], {}
    while True:
        page = db.ok("Scan", {"TableName": TABLE, **more, **start})
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            return sorted(items, key=lambda item: item["pk"]["S"])
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def status(db):
    return db.ok("DescribeTimeToLive", {"TableName": TABLE})["TimeToLiveDescription"]["TimeToLiveStatus"]


def change(db, enabled):
    db.ok("UpdateTimeToLive", {"TableName": TABLE, "TimeToLiveSpecification": {"Enabled": enabled, "AttributeName": "exp"}})


def wait_until(done, seconds=60):
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def expired(items):
    return [item for item in items if int(item["exp"]["N"]) <= time.time()]


def check(db, kept):
    wait_until(lambda: not expired(scan(db, ConsistentRead=True)))
    items = scan(db, ConsistentRead=True)
    assert scan(db, IndexName=INDEX.name) == items
    numbers = {int(item["n"]["N"]) for item in items}
    assert kept <= numbers, kept - numbers
    # After a crash the counts are made good in the background.
    wait_until(lambda: db.ok("DescribeTable", {"TableName": TABLE})["Table"]["ItemCount"] == len(items))


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
        prolongers = Prolongers(server.port, f"enabling/{round_number}", set())
        change(db, True)
        time.sleep(rng.uniform(0, 0.1))  # the moment of the kill is what is random here
        kills_while_enabling += status(db) == "ENABLING"
        server.kill()
        prolongers.join()
        with Server(data, "--ttl-delay", "1h") as survivor:
            db = client_of(survivor)
            wait_until(lambda: status(db) == "ENABLED")
            assert len(scan(db, ConsistentRead=True)) == ITEMS, "nothing is deleted within the hour"
            change(db, False)
            wait_until(lambda: status(db) == "DISABLED")
    assert kills_while_enabling > 0, "every table was ready before it could be interrupted"
    server = Server(data).start()
    db = client_of(server)
    fill(db, is_expired)
    change(db, True)
    server.kill()
    with Server(data) as survivor:
        db = client_of(survivor)
        wait_until(lambda: status(db) == "ENABLED")
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
        prolongers = Prolongers(server.port, f"sweeping/{round_number}", kept)
        time.sleep(rng.uniform(0.02, 0.25))  # the moment of the kill is what is random here
        kills_while_sweeping += bool(expired(scan(db)))
        server.kill()
        prolongers.join()
    assert kills_while_sweeping > 0, "everything was deleted before it could be interrupted"
    with Server(data) as survivor:
        db = client_of(survivor)
        check(db, kept)
        assert 0 < len(scan(db)) < ITEMS
