"""Partitions of a table, operations of our own: listed and split by `armature partition` and by raw HTTP, under load."""

import json
import os
import re
import subprocess
import threading

import pytest

from harness import tables
from harness.server import binary
from harness.streams import read_all
from harness.waiting import wait_until

OURS = "Armature_20261116"
ALL_HASHES = "0000000000000000-ffffffffffffffff"
KEYS = 64


class Command:
    """`armature partition` on one endpoint, with as little as possible of the tester's own settings."""

    def __init__(self, endpoint, home):
        self.endpoint, self.home = endpoint, home

    def run(self, *arguments):
        kept = {name: value for name, value in os.environ.items() if name == "PATH" or name.endswith("SAN_OPTIONS")}
        return subprocess.run([binary(), "partition", *map(str, arguments), "--endpoint", self.endpoint],
                              env={**kept, "HOME": str(self.home)}, text=True, capture_output=True, timeout=120)

    def out(self, *arguments):
        done = self.run(*arguments)
        assert done.returncode == 0 and done.stderr == "", done
        return done.stdout

    def json(self, *arguments):
        return json.loads(self.out(*arguments, "--json"))


@pytest.fixture
def command(endpoint, tmp_path):
    return Command(endpoint, tmp_path)


@pytest.fixture
def streams(session, endpoint):
    return session.client("dynamodbstreams", endpoint_url=endpoint)


def in_use(reply):
    """Those in use, which stand first, adjoin, and have every hash together."""
    partitions = [each for each in reply["Partitions"] if each["Status"] == "ACTIVE"]
    assert partitions == reply["Partitions"][:len(partitions)]
    ends = [int(each["LastHash"], 16) for each in partitions]
    assert [int(each["FirstHash"], 16) for each in partitions] == [0] + [end + 1 for end in ends[:-1]]
    assert ends[-1] == 2**64 - 1
    return partitions


class Writer:
    """Counts items up, one after the other, and remembers what was acknowledged."""

    def __init__(self, raw_client, table):
        self.client, self.table = raw_client(), table
        self.acknowledged, self.writes = {}, 0
        self.is_stopped, self.problem = threading.Event(), None
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        try:
            while not self.is_stopped.is_set():
                key = f"k{self.writes % KEYS}"
                number = self.acknowledged.get(key, 0) + 1
                self.client.ok("PutItem", {"TableName": self.table, "Item": {"pk": {"S": key}, "n": {"N": str(number)}}})
                self.acknowledged[key] = number
                self.writes += 1
        except Exception as error:  # told by await_more, on the test's own thread
            self.problem = error

    def await_more(self, count=2 * KEYS):
        enough = self.writes + count
        wait_until(lambda: self.problem or self.writes >= enough, 60, "the writer stands still")
        assert self.problem is None, self.problem

    def stop(self):
        self.is_stopped.set()
        self.thread.join()
        self.client.close()
        assert self.problem is None, self.problem


def test_a_fresh_table_and_its_index(command, make_table):
    name = make_table(
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in ("pk", "g")],
        GlobalSecondaryIndexes=[{"IndexName": "by-g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                                 "Projection": {"ProjectionType": "ALL"}}])
    heading, of_table, index, of_index = command.out("list", name).splitlines()
    assert heading.split() == ["partition", "hashes", "share", "epoch", "read-units", "write-units", "status"]
    assert index == "index by-g"
    for line in (of_table, of_index):
        assert re.fullmatch(rf" *[1-9]\d*  {ALL_HASHES}  +100 %  +\d+  +0  +0  ACTIVE", line), line
    assert of_table.split()[0] != of_index.split()[0]


def test_the_command_shows_what_the_server_answers(command, db, make_table):
    name = make_table()
    assert command.json("list", name) == db.ok("ListPartitions", {"TableName": name}, prefix=OURS)
    (parent,) = in_use(command.json("list", name))
    text = command.out("split", name, parent["PartitionId"])
    assert [line.split()[2:4] for line in text.splitlines()[1:3]] == [["50", "%"], ["50", "%"]]
    assert len(in_use(db.ok("ListPartitions", {"TableName": name}, prefix=OURS))) == 2


def test_splits_under_load_lose_nothing(command, db, client, streams, raw_client, make_table):
    name = make_table(StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    arn = client.describe_table(TableName=name)["Table"]["LatestStreamArn"]
    writer = Writer(raw_client, name)
    try:
        writer.await_more()
        (parent,) = in_use(command.json("list", name))
        low, high = in_use(command.json("split", name, parent["PartitionId"]))
        writer.await_more()
        kept, *halves = in_use(command.json("split", name, high["PartitionId"]))
        assert kept["PartitionId"] == low["PartitionId"] and len(halves) == 2
        writer.await_more()
    finally:
        writer.stop()
    listed = command.json("list", name)
    assert [each["PartitionId"] for each in in_use(listed)] == [each["PartitionId"] for each in (kept, *halves)]
    ended = {each["PartitionId"] for each in listed["Partitions"] if each["Status"] == "ENDED"}
    assert ended == {parent["PartitionId"], high["PartitionId"]}, "kept for their stream records"

    found = {item["pk"]["S"]: int(item["n"]["N"]) for item in tables.scan(db, name, ConsistentRead=True)}
    assert found == writer.acknowledged
    for key, number in writer.acknowledged.items():
        item = db.ok("GetItem", {"TableName": name, "Key": {"pk": {"S": key}}, "ConsistentRead": True})["Item"]
        assert item["n"]["N"] == str(number)

    told = {}
    for record in read_all(streams, arn):
        image = record["dynamodb"]["NewImage"]
        told.setdefault(image["pk"]["S"], []).append(int(image["n"]["N"]))
    assert told == {key: list(range(1, number + 1)) for key, number in writer.acknowledged.items()}
    shards = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    assert len(shards) == 5
    assert sum("EndingSequenceNumber" not in shard["SequenceNumberRange"] for shard in shards) == 3


def test_errors_are_one_line(command, make_table, tmp_path):
    name = make_table()

    def fails(code, *arguments):
        done = command.run(*arguments)
        assert done.returncode == code and done.stdout == "", done
        return done.stderr

    assert fails(1, "list", "no-such-table") == (
        "armature partition: ResourceNotFoundException: Requested resource not found: Table: no-such-table not found\n")
    assert fails(1, "split", name, 999999999) == (
        f"armature partition: ResourceNotFoundException: Requested resource not found: Table: {name} has no partition 999999999 that can be "
        "split: one that is in use and has more than one hash\n")
    (parent,) = in_use(command.json("list", name))
    command.out("split", name, parent["PartitionId"])
    assert "ResourceNotFoundException" in fails(1, "split", name, parent["PartitionId"])
    for arguments in (["list"], ["split", name], ["split", name, "x"], ["merge", name]):
        assert fails(2, *arguments) != ""
    nobody = Command("http://127.0.0.1:9", tmp_path).run("list", name)
    assert nobody.returncode == 1 and nobody.stdout == "" and nobody.stderr.count("\n") == 1, nobody


def test_the_prefix_is_ours(command, db, make_table):
    name = make_table()
    for operation in ("ListPartitions", "SplitPartition"):
        db.error(operation, {"TableName": name, "PartitionId": 1}, "UnknownOperationException")
    db.error("ListTables", {}, "UnknownOperationException", prefix=OURS)
    db.error("SplitPartition", {"TableName": name, "PartitionId": 0}, "ValidationException", prefix=OURS)
    db.error("SplitPartition", {"TableName": name, "PartitionId": "1"}, "SerializationException", prefix=OURS)
