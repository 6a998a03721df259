"""kill -9 under concurrent load, over and over: nothing acknowledged is lost, nothing half-written is
found, and no reader was ever shown a value that later vanished."""

import random
import threading

import pytest

from crash_model import Model, item_of, number_in
from harness import tables
from harness.load import Closed, LoadConnection
from harness.raw import RawClient
from harness.server import Server

# --durability interval and none promise the same for kill -9, if not for a power cut.
ROUNDS = {"fsync": 24, "interval": 4, "none": 4}
WRITERS, KEYS_PER_WRITER, READERS, COUNTING = 6, 20, 2, 2
TABLE = "crash"


class Load:
    """Threads that write, read and count until the server dies. Problems are collected, not thrown."""

    def __init__(self, port, model, counter, seed):
        self.port, self.model, self.counter, self.seed = port, model, counter, seed
        self.problems = []
        self.acknowledged = threading.Semaphore(0)
        roles = [(self.write, n) for n in range(WRITERS)] + [(self.read, n) for n in range(READERS)]
        roles += [(self.count, n) for n in range(COUNTING)] + [(self.delete, 0)]
        self.threads = [threading.Thread(target=self.run, args=role) for role in roles]

    def start(self):
        for thread in self.threads:
            thread.start()

    def join(self):
        for thread in self.threads:
            thread.join()

    def run(self, role, number):
        try:
            connection = LoadConnection(self.port)
            try:
                role(connection, number, random.Random(f"{self.seed}/{role.__name__}/{number}"))
            finally:
                connection.close()
        except Closed:
            pass
        except Exception as problem:  # shown by the test
            self.problems.append(repr(problem))

    def call(self, connection, operation, **request):
        status, members = connection.call(operation, {"TableName": TABLE, **request})
        if status != 200:
            raise AssertionError(f"{operation}: {status} {members}")
        return members

    def write(self, connection, writer, rng):
        while True:
            key = f"w{writer}-{rng.randrange(KEYS_PER_WRITER)}"
            history = self.model.key(key)
            history.sent += 1
            self.call(connection, "PutItem", Item=item_of(key, history.sent))
            history.acknowledged = history.sent
            self.acknowledged.release()

    def delete(self, connection, _, rng):
        """Puts and deletes one key in turn: odd numbers are stored, even ones mean deleted."""
        history = self.model.key("deleted")
        while True:
            number = history.sent = history.sent + 1
            if number % 2:
                self.call(connection, "PutItem", Item=item_of("deleted", number))
            else:
                self.call(connection, "DeleteItem", Key={"pk": {"S": "deleted"}})
            history.acknowledged = number

    def read(self, connection, reader, rng):
        """Each key has one reader: two could record their answers in another order than they got them."""
        while True:
            key = f"w{rng.randrange(reader, WRITERS, READERS)}-{rng.randrange(KEYS_PER_WRITER)}"
            self.model.key(key)
            reply = self.call(connection, "GetItem", Key={"pk": {"S": key}}, ConsistentRead=rng.random() < 0.5)
            if not self.model.saw(key, number_in(key, reply.get("Item"))):
                raise AssertionError(f"{key}: a read ran backwards")

    def count(self, connection, _, rng):
        while True:
            with self.counter.lock:
                self.counter.sent += 1
            reply = self.call(connection, "UpdateItem", Key={"pk": {"S": "counter"}}, UpdateExpression="ADD hits :one",
                              ExpressionAttributeValues={":one": {"N": "1"}}, ReturnValues="UPDATED_NEW")
            with self.counter.lock:
                self.counter.acknowledged += 1
                self.counter.shown = max(self.counter.shown, int(reply["Attributes"]["hits"]["N"]))


class Counter:
    def __init__(self):
        self.lock = threading.Lock()
        self.sent = self.acknowledged = self.shown = 0

    def check(self, value):
        assert self.acknowledged <= value <= self.sent, f"counter {value}, acknowledged {self.acknowledged}, sent {self.sent}"
        assert self.shown <= value, f"counter {value}, but {self.shown} was shown"
        self.sent = self.acknowledged = self.shown = value


def verify(server, model, counter):
    db = RawClient(server.endpoint)
    try:
        for key in model.names():
            found = []
            for consistent in (True, False):
                request = {"TableName": TABLE, "Key": {"pk": {"S": key}}, "ConsistentRead": consistent}
                found.append(db.ok("GetItem", request).get("Item"))
            assert found[0] == found[1]
            if key == "deleted":
                verify_deleted(model.keys[key], found[0])
            else:
                model.check(key, number_in(key, found[0]))
        item = db.ok("GetItem", {"TableName": TABLE, "Key": {"pk": {"S": "counter"}}, "ConsistentRead": True}).get("Item")
        counter.check(int(item["hits"]["N"]) if item else 0)
    finally:
        db.close()


def verify_deleted(history, item):
    """The state must be the one after the last acknowledged write or the one after the write in flight."""
    possible = {number if number % 2 else 0 for number in range(history.acknowledged, history.sent + 1)}
    number = number_in("deleted", item)
    assert number in possible, f"deleted: found {number}, possible {possible}"
    # Go on from what is there: from the item's own (odd) number, or from the next even one.
    history.sent = history.acknowledged = number or history.sent + history.sent % 2


@pytest.mark.parametrize("durability", ROUNDS)
def test_kill_minus_nine_in_a_loop(data, durability):
    rng = random.Random(durability)
    model, counter = Model(), Counter()
    with Server(data) as server:
        db = RawClient(server.endpoint)
        tables.create(db, name=TABLE)
        db.close()
    for round_number in range(ROUNDS[durability]):
        server = Server(data, "--durability", durability).start()
        load = Load(server.port, model, counter, f"{durability}/{round_number}")
        load.start()
        # Kill after a random number of acknowledged writes: early, late, in every phase of a sync.
        wanted = rng.choice([1, 5, 50, 200, 400])
        for _ in range(wanted):
            assert load.acknowledged.acquire(timeout=60), load.problems
        server.kill()
        load.join()
        assert not load.problems, load.problems
        with Server(data) as survivor:
            verify(survivor, model, counter)


def test_tables_survive_too(data):
    """CreateTable and DeleteTable that were answered hold after a crash, whatever was under way."""
    existing = set()
    for round_number in range(8):
        server = Server(data).start()
        db = RawClient(server.endpoint)
        names = db.ok("ListTables", {})["TableNames"]
        assert existing <= set(names), "an acknowledged table is gone"
        for name in sorted(existing):
            tables.wait_active(db, name)
        for number in range(3):
            name = f"table-{round_number}-{number}"
            db.ok("CreateTable", tables.definition(name))
            existing.add(name)
        victim = sorted(existing)[0]
        tables.wait_active(db, victim)
        db.ok("DeleteTable", {"TableName": victim})
        existing.discard(victim)
        db.close()
        server.kill()
        with Server(data) as survivor:
            db = RawClient(survivor.endpoint)
            tables.wait_gone(db, victim)
            assert existing <= set(db.ok("ListTables", {})["TableNames"])
            db.close()
