"""kill -9 under load with a stream that is read all the while: no record is lost, none comes twice, none out of order, and none
is shown that the crash then takes back. The same while the partitions of the table and of its index are split."""

import random
import threading
import time

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from harness import tables
from harness.load import Closed, LoadConnection
from harness.server import Server
from harness.streams import Consumer, Replica, plain, streams_of

TABLE, WRITERS, KEYS = "streamed", 6, 5
ROUNDS = {"fsync": 10, "interval": 3, "none": 3}
SPLIT_ROUNDS, MOST_PARTITIONS = 8, 40
OURS = "Armature_20261116."
BY_VALUE = {"AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "value")],
            "GlobalSecondaryIndexes": [{"IndexName": "by-value", "KeySchema": [{"AttributeName": "value", "KeyType": "HASH"}],
                                        "Projection": {"ProjectionType": "ALL"}}]}


class Writers:
    """Each writer has keys of its own and knows of every one what was acknowledged last, and what may have happened since."""

    def __init__(self):
        self.known = [{f"w{writer}k{key}": {None} for key in range(KEYS)} for writer in range(WRITERS)]
        self.counter, self.problems = 0, []
        self.acknowledged = 0

    def run_until_killed(self, server, seed, moment):
        threads = [threading.Thread(target=self.write, args=(server.port, number, random.Random(f"{seed}/{number}")))
                   for number in range(WRITERS)]
        for thread in threads:
            thread.start()
        moment()
        server.kill()
        for thread in threads:
            thread.join()
        assert not self.problems, self.problems

    def write(self, port, writer, rng):
        known = self.known[writer]
        try:
            connection = LoadConnection(port)
            while True:
                self.counter += 1
                value = f"{writer}-{self.counter}-{rng.random()}"
                keys = rng.sample(sorted(known), rng.choice((1, 1, 1, 2, 3)))
                is_put = rng.random() < 0.8
                for key in keys:
                    known[key] = known[key] | {value if is_put else None}
                status, members = connection.call(*self.request(rng, keys, value if is_put else None))
                assert status == 200, members
                for key in keys:
                    known[key] = {value if is_put else None}
                self.acknowledged += 1
        except Closed:
            pass
        except Exception as problem:  # shown by the test
            self.problems.append(repr(problem))

    @staticmethod
    def request(rng, keys, value):
        def one(key):
            if value is None:
                return "Delete", {"Key": {"pk": {"S": key}}}
            return "Put", {"Item": {"pk": {"S": key}, "value": {"S": value}}}

        if len(keys) == 1:
            kind, members = one(keys[0])
            return kind + "Item", {"TableName": TABLE, **members}
        if rng.random() < 0.5:
            return "BatchWriteItem", {"RequestItems": {TABLE: [{kind + "Request": members} for kind, members in map(one, keys)]}}
        return "TransactWriteItems", {"TransactItems": [{kind: {"TableName": TABLE, **members}} for kind, members in map(one, keys)]}

    def settle(self, items):
        """After a crash: what the table has must be possible, and is what is known from here on."""
        for known in self.known:
            for key, possible in known.items():
                value = items.get((("pk", key),), {}).get("value")
                assert value in possible, (key, value, possible)
                known[key] = {value}


class Splitter(threading.Thread):
    """Splits partitions at random until the server is gone."""

    def __init__(self, port, rng):
        super().__init__()
        self.port, self.rng, self.problem, self.splits = port, rng, None, 0

    def run(self):
        try:
            connection = LoadConnection(self.port)
            while True:
                status, listed = connection.call(OURS + "ListPartitions", {"TableName": TABLE})
                assert status == 200, listed
                sets = [listed["Partitions"], listed["GlobalSecondaryIndexes"][0]["Partitions"]]
                in_use = [[one["PartitionId"] for one in each if one["Status"] == "ACTIVE"] for each in sets]
                for partitions in in_use:
                    if len(partitions) >= MOST_PARTITIONS:
                        continue
                    status, told = connection.call(
                        OURS + "SplitPartition", {"TableName": TABLE, "PartitionId": self.rng.choice(partitions)})
                    assert status == 200, told
                    self.splits += 1
                time.sleep(self.rng.uniform(0, 0.1))
        except Closed:
            pass
        except Exception as problem:  # shown by the test
            self.problem = repr(problem)


def items_by_key(reply):
    return {(("pk", item["pk"]["S"]),): plain(item) for item in reply["Items"]}


def run_rounds(data, client_of, durability, rounds, is_split):
    rng = random.Random(f"stream/{durability}/{is_split}")
    options = ("--durability", durability, "--stream-shard-age", "1s")
    writers, replica, splits = Writers(), Replica(), 0
    with Server(data, *options) as server:
        db = client_of(server)
        tables.create(db, name=TABLE, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
                      **(BY_VALUE if is_split else {}))
        arn = db.ok("DescribeTable", {"TableName": TABLE})["Table"]["LatestStreamArn"]
    consumer = Consumer(None, arn, page=100)
    for round_number in range(rounds):
        server = Server(data, *options).start()
        consumer.streams = streams_of(server)
        is_over = threading.Event()

        def follow():
            while not is_over.is_set():
                try:
                    records = consumer.poll()
                except (BotoCoreError, ClientError):
                    consumer.forget()  # the server died in the middle of a round
                    return
                replica.apply(records)
                consumer.checkpoint()

        problems = []

        def guarded():
            try:
                follow()
            except AssertionError as problem:
                problems.append(problem)

        follower = threading.Thread(target=guarded)
        follower.start()
        splitter = Splitter(server.port, random.Random(f"{durability}/{round_number}")) if is_split else None
        if splitter:
            splitter.start()
        writers.run_until_killed(server, f"{durability}/{round_number}", lambda: time.sleep(rng.uniform(0.2, 1.5)))
        is_over.set()
        follower.join()
        assert not problems, problems
        if splitter:
            splitter.join()
            assert splitter.problem is None, splitter.problem
            splits += splitter.splits
        with Server(data, *options) as survivor:
            db = client_of(survivor)
            consumer.streams = streams_of(survivor)
            consumer.forget()
            replica.apply(consumer.drain())
            items = items_by_key(db.ok("Scan", {"TableName": TABLE, "ConsistentRead": True}))
            assert replica.items == items
            if is_split:
                assert items_by_key(db.ok("Scan", {"TableName": TABLE, "IndexName": "by-value"})) == items
            writers.settle(items)
    assert writers.acknowledged > 500 and len(replica.applied) > 500
    assert splits > 20 or not is_split


@pytest.mark.parametrize("durability", ROUNDS)
def test_no_record_is_lost_repeated_or_reordered(data, client_of, durability):
    run_rounds(data, client_of, durability, ROUNDS[durability], is_split=False)


def test_splits_lose_repeat_and_reorder_nothing(data, client_of):
    run_rounds(data, client_of, "fsync", SPLIT_ROUNDS, is_split=True)
