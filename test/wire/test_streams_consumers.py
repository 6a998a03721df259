"""Consumers of a stream under load: order per key with many writers, shards that split while they are read, restarts of the
server and crashes of the consumer."""

import random
import threading

import boto3
import pytest

from harness import tables
from harness.load import LoadConnection
from harness.raw import RawClient
from harness.server import Server
from harness.streams import Consumer, Replica, describe, plain

WRITERS = 32


def streams_of(server):
    return boto3.client("dynamodbstreams", endpoint_url=server.endpoint, region_name="us-east-1",
                        aws_access_key_id="fakeAccessKey", aws_secret_access_key="fakeSecretKey")


def create_stream(db, view="NEW_AND_OLD_IMAGES"):
    name = tables.create(db, StreamSpecification={"StreamEnabled": True, "StreamViewType": view})
    return name, db.ok("DescribeTable", {"TableName": name})["Table"]["LatestStreamArn"]


class Counting:
    """Writers that count shared items up, and now and then delete them, until stopped."""

    def __init__(self, port, table, keys=8, writers=WRITERS):
        self.port, self.table, self.keys = port, table, keys
        self.problems, self.writes = [], 0
        self.lock, self.is_stopped = threading.Lock(), threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(number,)) for number in range(writers)]
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.is_stopped.set()
        for thread in self.threads:
            thread.join()
        assert not self.problems, self.problems

    def run(self, number):
        rng, connection, writes = random.Random(number), LoadConnection(self.port), 0
        try:
            while not self.is_stopped.is_set():
                request = {"TableName": self.table, "Key": {"pk": {"S": f"k{rng.randrange(self.keys)}"}}}
                operation = "DeleteItem"
                if rng.randrange(10):
                    operation = "UpdateItem"
                    request |= {"UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}
                status, members = connection.call(operation, request)
                assert status == 200, members
                writes += operation == "UpdateItem"
        except Exception as problem:  # shown by stop
            self.problems.append(repr(problem))
        connection.close()
        with self.lock:
            self.writes += writes


def items_of(db, name):
    items = db.ok("Scan", {"TableName": name, "ConsistentRead": True})["Items"]
    return {(("pk", item["pk"]["S"]),): plain(item) for item in items}


def children_of(db, arn, shard):
    """By ShardFilter, which Debian's boto3 does not know yet."""
    request = {"StreamArn": arn, "ShardFilter": {"Type": "CHILD_SHARDS", "ShardId": shard}}
    described = db.ok("DescribeStream", request, prefix="DynamoDBStreams_20120810")["StreamDescription"]
    return [child["ShardId"] for child in described["Shards"]]


def updates_in(replica_records):
    return sum(record["eventName"] != "REMOVE" for record in replica_records)


def test_order_per_key_under_many_writers(tmp_path):
    with Server(tmp_path / "data") as server:
        db = RawClient(server.endpoint)
        name, arn = create_stream(db)
        counting = Counting(server.port, name)
        consumer, replica, records = Consumer(streams_of(server), arn), Replica(), []
        while len(records) < 5000:
            page = consumer.poll()
            consumer.checkpoint()
            replica.apply(page)
            records += page
        counting.stop()
        page = consumer.drain()
        replica.apply(page)
        records += page
        assert replica.items == items_of(db, name)
        assert updates_in(records) == counting.writes, "every acknowledged write is there once"
        db.close()


@pytest.mark.parametrize("how", ["by age", "by heat"])
def test_shards_split_while_they_are_read(tmp_path, how):
    options = ["--stream-shard-age", "1s"] if how == "by age" else ["--stream-split-rate", "100", "--stream-split-seconds", "1"]
    with Server(tmp_path / "data", *options) as server:
        db, streams = RawClient(server.endpoint), streams_of(server)
        name, arn = create_stream(db)
        counting = Counting(server.port, name, keys=40, writers=8)
        consumer, replica, records = Consumer(streams, arn), Replica(), []
        wanted = 4 if how == "by age" else 6
        while len(describe(streams, arn, page=2)["Shards"]) < wanted:
            page = consumer.poll()
            consumer.checkpoint()
            replica.apply(page)
            records += page
        counting.stop()
        page = consumer.drain()
        replica.apply(page)
        records += page
        assert replica.items == items_of(db, name)
        assert updates_in(records) == counting.writes
        shards = describe(streams, arn, page=3)["Shards"]
        assert [shard["ShardId"] for shard in shards] == sorted(shard["ShardId"] for shard in shards)
        for shard in shards:
            found = children_of(db, arn, shard["ShardId"])
            assert found == [other["ShardId"] for other in shards if other.get("ParentShardId") == shard["ShardId"]]
            is_open = "EndingSequenceNumber" not in shard["SequenceNumberRange"]
            assert len(found) == (0 if is_open else 1 if how == "by age" else 2)
        db.close()


def test_iterators_and_checkpoints_outlive_restarts(tmp_path):
    data, server = tmp_path / "data", None
    seen, expected = [], []
    iterator = late = None
    for life in range(4):
        server = Server(data).start()
        db, streams = RawClient(server.endpoint), streams_of(server)
        if life == 0:
            name, arn = create_stream(db)
            shard = describe(streams, arn)["Shards"][0]["ShardId"]
            iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
            late = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType="LATEST")["ShardIterator"]
        for number in range(5):
            expected.append(f"{life}-{number}")
            db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": expected[-1]}}})
        page = streams.get_records(ShardIterator=iterator, Limit=3)  # always behind
        seen += [record["dynamodb"]["Keys"]["pk"]["S"] for record in page["Records"]]
        iterator = page["NextShardIterator"]
        db.close()
        if life % 2:
            server.kill()
        else:
            server.stop()
    with Server(data) as server:
        streams = streams_of(server)
        for first in (iterator, late):
            rest, following = [], first
            while page := streams.get_records(ShardIterator=following, Limit=2):
                rest += [record["dynamodb"]["Keys"]["pk"]["S"] for record in page["Records"]]
                following = page["NextShardIterator"]
                if not page["Records"]:
                    break
            assert (seen if first is iterator else []) + rest == expected


def test_a_consumer_that_crashes_sees_each_record_once_per_checkpoint(tmp_path):
    rng = random.Random("consumer")
    with Server(tmp_path / "data", "--stream-shard-age", "1s") as server:
        db = RawClient(server.endpoint)
        name, arn = create_stream(db)
        counting = Counting(server.port, name, writers=4)
        consumer, replica = Consumer(streams_of(server), arn, page=50), Replica()
        durable, working, crashes = [], [], 0
        while len(durable) < 3000 or crashes < 5:
            working += consumer.poll()
            luck = rng.randrange(10)
            if luck < 4:
                consumer.checkpoint()
                durable += working
                working = []
            elif luck == 9:
                lost, working = working, []
                consumer.forget()
                crashes += 1
                again = []
                while len(again) < len(lost):  # what was not checkpointed comes again, whole
                    again += consumer.poll()
                numbers = [record["dynamodb"]["SequenceNumber"] for record in again]
                assert {record["dynamodb"]["SequenceNumber"] for record in lost} <= set(numbers)
                assert len(numbers) == len(set(numbers))
                working = again
        counting.stop()
        consumer.checkpoint()
        durable += working + consumer.drain()
        replica.apply(durable)
        assert replica.items == items_of(db, name)
        assert updates_in(durable) == counting.writes
        db.close()


def test_the_calls_of_the_kinesis_client_library(tmp_path):
    """The adapter's sequence: all shards by pages, a lease per shard, parents to their end, then their children."""
    with Server(tmp_path / "data", "--stream-shard-age", "1s") as server:
        db, streams = RawClient(server.endpoint), streams_of(server)
        name, arn = create_stream(db, "NEW_IMAGE")
        expected, leases, seen = [], {}, []
        while len(leases) < 3 or any(lease != "SHARD_END" for lease in list(leases.values())[:-1]):
            expected.append(f"k{len(expected)}")
            db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": expected[-1]}}})
            shards = {shard["ShardId"]: shard for shard in describe(streams, arn, page=1)["Shards"]}
            for shard, found in shards.items():
                parent = found.get("ParentShardId")
                if parent is None or leases.get(parent) == "SHARD_END":
                    leases.setdefault(shard, "TRIM_HORIZON")
            for shard, lease in leases.items():
                if lease == "SHARD_END":
                    continue
                at = {"ShardIteratorType": lease} if lease == "TRIM_HORIZON" else {
                    "ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": lease}
                iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, **at)["ShardIterator"]
                reply = streams.get_records(ShardIterator=iterator, Limit=1000)
                for record in reply["Records"]:
                    seen.append(record["dynamodb"]["NewImage"]["pk"]["S"])
                    leases[shard] = record["dynamodb"]["SequenceNumber"]
                if "NextShardIterator" not in reply:
                    assert "EndingSequenceNumber" in describe(streams, arn)["Shards"][list(leases).index(shard)]["SequenceNumberRange"]
                    leases[shard] = "SHARD_END"
        assert seen == expected[:len(seen)] and len(expected) - len(seen) <= 2
        # An ended shard may be asked again, from its last record and from its end.
        first = describe(streams, arn)["Shards"][0]
        end = first["SequenceNumberRange"]["EndingSequenceNumber"]
        for how in ({"ShardIteratorType": "LATEST"}, {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": end},
                    {"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": end}):
            iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=first["ShardId"], **how)["ShardIterator"]
            reply = streams.get_records(ShardIterator=iterator)
            numbers = [record["dynamodb"]["SequenceNumber"] for record in reply["Records"]]
            assert numbers == ([end] if how["ShardIteratorType"].startswith("AT_") else [])
            assert "NextShardIterator" not in reply
        db.close()
