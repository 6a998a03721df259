"""kill -9 under load with a stream that is read all the while: no record is lost, none comes twice, none out of order, and none
is shown that the crash then takes back."""

import random
import threading
import time

import boto3
import botocore.config
import pytest
from botocore.exceptions import BotoCoreError, ClientError

from harness import tables
from harness.load import Closed, LoadConnection
from harness.server import Server
from harness.streams import Consumer, Replica, plain

TABLE, WRITERS, KEYS = "streamed", 6, 5
ROUNDS = {"fsync": 10, "interval": 3, "none": 3}


def streams_of(server):
    return boto3.client("dynamodbstreams", endpoint_url=server.endpoint, region_name="us-east-1",
                        aws_access_key_id="fakeAccessKey", aws_secret_access_key="fakeSecretKey",
                        config=botocore.config.Config(retries={"max_attempts": 0}))


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


@pytest.mark.parametrize("durability", ROUNDS)
def test_no_record_is_lost_repeated_or_reordered(data, client_of, durability):
    rng = random.Random(f"stream/{durability}")
    options = ("--durability", durability, "--stream-shard-age", "1s")
    writers, replica = Writers(), Replica()
    with Server(data, *options) as server:
        db = client_of(server)
        tables.create(db, name=TABLE, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
        arn = db.ok("DescribeTable", {"TableName": TABLE})["Table"]["LatestStreamArn"]
    consumer = Consumer(None, arn, page=100)
    for round_number in range(ROUNDS[durability]):
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
        writers.run_until_killed(server, f"{durability}/{round_number}", lambda: time.sleep(rng.uniform(0.2, 1.5)))
        is_over.set()
        follower.join()
        assert not problems, problems
        with Server(data, *options) as survivor:
            db = client_of(survivor)
            consumer.streams = streams_of(survivor)
            consumer.forget()
            replica.apply(consumer.drain())
            items = {(("pk", item["pk"]["S"]),): plain(item) for item in db.ok("Scan", {"TableName": TABLE, "ConsistentRead": True})["Items"]}
            assert replica.items == items
            writers.settle(items)
    assert writers.acknowledged > 500 and len(replica.applied) > 500
