"""A Kinesis to deliver to: npm's kinesalite, in memory, in a process that tests stop and start."""

import collections
import json
import pathlib
import subprocess

import boto3
import botocore.config

from harness.waiting import poll_until

JS = pathlib.Path(__file__).resolve().parents[1] / "wire" / "js"
REGION = "us-east-1"

Record = collections.namedtuple("Record", "shard partition_key data")


class Kinesis:
    def __init__(self):
        self.port = 0
        self.process = None

    def start(self):
        """Empty, at the same address as before."""
        self.process = subprocess.Popen(
            ["node", "kinesis_server.cjs", str(self.port)], cwd=JS, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line.strip(), "kinesalite did not start"
        self.port = int(line)
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.client = boto3.client(
            "kinesis", endpoint_url=self.endpoint, region_name=REGION, aws_access_key_id="any", aws_secret_access_key="any",
            config=botocore.config.Config(retries={"max_attempts": 5}))
        return self

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def create(self, stream, shards=1):
        """Makes a stream; returns its ARN."""
        self.client.create_stream(StreamName=stream, ShardCount=shards)
        self.client.get_waiter("stream_exists").wait(StreamName=stream, WaiterConfig={"Delay": 0.05, "MaxAttempts": 400})
        return self.client.describe_stream_summary(StreamName=stream)["StreamDescriptionSummary"]["StreamARN"]

    def read(self, stream):
        """Everything in the stream, shard by shard, each in its order."""
        records = []
        for shard in self.client.list_shards(StreamName=stream)["Shards"]:
            iterator = self.client.get_shard_iterator(
                StreamName=stream, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
            while True:
                page = self.client.get_records(ShardIterator=iterator, Limit=10000)
                if not page["Records"]:
                    break
                records += [Record(shard["ShardId"], record["PartitionKey"], json.loads(record["Data"]))
                            for record in page["Records"]]
                iterator = page["NextShardIterator"]
        return records

    def read_until(self, stream, is_enough, seconds=60):
        """Reads until `is_enough(records)`: Kinesis has no event for new records."""
        return poll_until(lambda: self.read(stream), is_enough, seconds, pause=0.05)

    def __enter__(self):
        return self.start()

    def __exit__(self, kind, value, trace):
        self.stop()


def by_item(records):
    """The records of each item in the order of arrival, without repetitions."""
    seen, items = set(), collections.defaultdict(list)
    for record in records:
        if record.data["eventID"] not in seen:
            seen.add(record.data["eventID"])
            items[record.partition_key].append(record.data)
    return items
