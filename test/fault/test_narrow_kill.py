"""Death of the process on an engine that commits to one partition at a time (--engine narrow): at each labelled step of a
transaction and of the following of an index, and by kill -9 at any moment while partitions are split. No transaction is found
half done, nothing acknowledged is lost, every index row agrees with its item, and the stream has every change once."""

import threading

import pytest

from harness import tables
from harness.indexes import Index, members
from harness.raw import RawClient
from harness.server import Server
from harness.streams import read_all, streams_of
from harness.waiting import wait_until

INDEX = Index("by-g", "g:S")
NARROW = ["--engine", "narrow"]
OURS = "Armature_20261116"


def create(db):
    """Two tables with an index and a stream each: four keyspaces."""
    for name in ("one", "two"):
        definition = tables.definition(name)
        more = members("pk:S", gsi=[INDEX])
        definition |= more
        definition["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        db.ok("CreateTable", definition)
        tables.wait_active(db, name)


def item_of(key, number):
    return {"pk": {"S": key}, "g": {"S": f"g{number}"}, "n": {"N": str(number)}}


def both(key, number):
    return [{"Put": {"TableName": name, "Item": item_of(key, number)}} for name in ("one", "two")]


def contents(db, name):
    return sorted(tables.scan(db, name, ConsistentRead=True), key=lambda item: item["pk"]["S"])


def check_indexes(db):
    for name in ("one", "two"):
        rows = sorted(tables.scan(db, name, IndexName=INDEX.name), key=lambda item: item["pk"]["S"])
        assert rows == contents(db, name)


def changes(server, db, name):
    """Of each key, the numbers that its stream has, in order."""
    arn = db.ok("DescribeTable", {"TableName": name})["Table"]["LatestStreamArn"]
    found = {}
    for record in read_all(streams_of(server), arn):
        image = record["dynamodb"]["NewImage"]
        found.setdefault(image["pk"]["S"], []).append(int(image["n"]["N"]))
    return found


# "intent" and "change" are between the partitions of the transaction.
STEPS = [("intent", False), ("intents", False), ("record", True), ("change", True), ("changes", True), ("forgotten", True)]


@pytest.mark.parametrize("step,is_done", STEPS)
def test_death_at_a_step_of_a_transaction(data, client_of, step, is_done):
    with Server(data, *NARROW) as server:
        db = client_of(server)
        create(db)
        db.ok("TransactWriteItems", {"TransactItems": both("a", 1)})
    dying = Server(data, *NARROW, "--crash-at", step)
    dying.start()
    client = RawClient(dying.endpoint)
    with pytest.raises(Exception):
        client.post("TransactWriteItems", {"TransactItems": both("a", 2) + both("b", 2), "ClientRequestToken": "t"})
    client.close()
    assert dying.wait() == 137
    with Server(data, *NARROW) as again:
        db = client_of(again)
        expected = [item_of("a", 2), item_of("b", 2)] if is_done else [item_of("a", 1)]
        for name in ("one", "two"):
            assert contents(db, name) == expected
        check_indexes(db)
        # The client asks again: what was done is not done once more.
        db.ok("TransactWriteItems", {"TransactItems": both("a", 2) + both("b", 2), "ClientRequestToken": "t"})
        for name in ("one", "two"):
            assert contents(db, name) == [item_of("a", 2), item_of("b", 2)]
            assert changes(again, db, name) == {"a": [1, 2], "b": [2]}


@pytest.mark.parametrize("step", ["index-compared", "index-rows", "index-note"])
def test_death_at_a_step_of_following_an_index(data, client_of, step):
    with Server(data, *NARROW) as server:
        db = client_of(server)
        create(db)
        db.ok("PutItem", {"TableName": "one", "Item": item_of("a", 1)})
        check_indexes(db)
    dying = Server(data, *NARROW, "--crash-at", step)
    dying.start()
    client = RawClient(dying.endpoint)
    try:
        client.post("PutItem", {"TableName": "one", "Item": item_of("a", 2)})
    except Exception:  # it may die before it answers
        pass
    client.close()
    assert dying.wait() == 137
    with Server(data, *NARROW) as again:
        db = client_of(again)
        assert contents(db, "one") == [item_of("a", 2)]
        check_indexes(db)
        assert changes(again, db, "one") == {"a": [1, 2]}


def split_all(db, name):
    """The first partitions of the table and of its index."""
    listed = db.ok("ListPartitions", {"TableName": name}, prefix=OURS)
    for of_one in [listed, *listed["GlobalSecondaryIndexes"]]:
        active = [partition["PartitionId"] for partition in of_one["Partitions"] if partition["Status"] == "ACTIVE"]
        for partition in active[:4]:
            db.post("SplitPartition", {"TableName": name, "PartitionId": partition}, prefix=OURS)


class Writer(threading.Thread):
    """Transactions on keys of its own, numbered; knows the last that was acknowledged and the last that was sent."""

    def __init__(self, endpoint, name, start):
        super().__init__()
        self.endpoint, self.key = endpoint, name
        self.sent = self.acknowledged = start
        self.enough = threading.Event()

    def run(self):
        client = RawClient(self.endpoint)
        try:
            while True:
                self.sent += 1
                reply = client.post("TransactWriteItems", {"TransactItems": both(self.key, self.sent)})
                if reply.status == 200:
                    self.acknowledged = self.sent
                elif reply.status < 500:
                    raise AssertionError(reply)
                if self.acknowledged > 15 + self.start_at:
                    self.enough.set()
        except (OSError, EOFError):
            pass
        except Exception as problem:  # http.client's ways to say that the server is gone
            if isinstance(problem, AssertionError):
                self.failure = problem
        finally:
            client.close()


def test_kill_while_partitions_split_and_faults_happen(data, client_of):
    last = {name: 0 for name in "abc"}
    for round_number in range(5):
        server = Server(data, *NARROW, "--engine-faults", "0.01", "--engine-seed", str(round_number + 1))
        server.start()
        db = client_of(server)
        if round_number == 0:
            create(db)
        writers = []
        for name in last:
            writer = Writer(server.endpoint, name, last[name])
            writer.start_at, writer.failure = last[name], None
            writer.start()
            writers.append(writer)
        for name in ("one", "two"):
            split_all(db, name)
        for writer in writers:
            assert writer.enough.wait(120)
        server.kill()
        for writer in writers:
            writer.join()
            assert writer.failure is None
        with Server(data, *NARROW) as again:
            db = client_of(again)
            stored = [{item["pk"]["S"]: int(item["n"]["N"]) for item in contents(db, name)} for name in ("one", "two")]
            assert stored[0] == stored[1], "half a transaction"
            for writer in writers:
                assert writer.acknowledged <= stored[0][writer.key] <= writer.sent
                last[writer.key] = stored[0][writer.key]
            check_indexes(db)
            for name in ("one", "two"):
                found = changes(again, db, name)
                for writer in writers:
                    numbers = found[writer.key]
                    assert numbers == sorted(set(numbers)), "twice, or out of order"
                    assert numbers[-1] == last[writer.key]
            wait_until(lambda: again.metrics()["armature_index_lag_items"] == 0, 30, "the indexes do not follow")
