"""Reading a stream as its consumers do: shards parents first, a checkpoint per shard, children when the parent is done."""

import boto3
import botocore.config


def streams_of(server):
    """A client of the server's streams that repeats nothing by itself."""
    return boto3.client("dynamodbstreams", endpoint_url=server.endpoint, region_name="us-east-1",
                        aws_access_key_id="fakeAccessKey", aws_secret_access_key="fakeSecretKey",
                        config=botocore.config.Config(retries={"max_attempts": 0}))


def describe(streams, arn, page=100):
    """The whole description, its shards collected page by page."""
    description = streams.describe_stream(StreamArn=arn, Limit=page)["StreamDescription"]
    while last := description.pop("LastEvaluatedShardId", None):
        assert last == description["Shards"][-1]["ShardId"]
        more = streams.describe_stream(StreamArn=arn, Limit=page, ExclusiveStartShardId=last)["StreamDescription"]
        description["Shards"] += more["Shards"]
        if "LastEvaluatedShardId" in more:
            description["LastEvaluatedShardId"] = more["LastEvaluatedShardId"]
    return description


def plain(image):
    """{"n": {"N": "1"}} as {"n": "1"}."""
    return None if image is None else {name: next(iter(value.values())) for name, value in image.items()}


class Consumer:
    """Follows a stream from its oldest record. What is checkpointed is never read again; forget() is its crash."""

    def __init__(self, streams, arn, page=1000):
        self.streams, self.arn, self.page = streams, arn, page
        self.checkpoints, self.finished = {}, set()  # durable
        self.iterators, self.pending = {}, {}  # lost in a crash

    def forget(self):
        self.iterators, self.pending = {}, {}

    def checkpoint(self):
        for shard, (number, is_end) in self.pending.items():
            if number:
                self.checkpoints[shard] = number
            if is_end:
                self.finished.add(shard)
        self.pending = {}

    def start(self, shard):
        at = {"ShardIteratorType": "TRIM_HORIZON"}
        if shard in self.checkpoints:
            at = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": self.checkpoints[shard]}
        return self.streams.get_shard_iterator(StreamArn=self.arn, ShardId=shard, **at)["ShardIterator"]

    def poll(self):
        """One page of every shard that may be read now."""
        records = []
        shards = describe(self.streams, self.arn)["Shards"]
        known = {shard["ShardId"] for shard in shards}
        ended = self.finished | {shard for shard, (_, is_end) in self.pending.items() if is_end}
        for shard in shards:
            name, parent = shard["ShardId"], shard.get("ParentShardId")
            if name in ended or (parent in known and parent not in ended):
                continue
            if name not in self.iterators:
                self.iterators[name] = self.start(name)
            reply = self.streams.get_records(ShardIterator=self.iterators[name], Limit=self.page)
            page = reply["Records"]
            number = page[-1]["dynamodb"]["SequenceNumber"] if page else self.pending.get(name, (None,))[0]
            self.iterators[name] = reply.get("NextShardIterator")
            self.pending[name] = (number, self.iterators[name] is None)
            records += page
        return records

    def drain(self):
        """Everything there is, checkpointed. Ends when a whole round brought nothing."""
        records = []
        while True:
            ended = len(self.finished)
            page = self.poll()
            self.checkpoint()
            records += page
            if not page and len(self.finished) == ended:
                return records


def read_all(streams, arn):
    return Consumer(streams, arn).drain()


class Replica:
    """The table as its stream tells it; every record must fit on the one before it."""

    def __init__(self):
        self.items, self.numbers, self.applied = {}, {}, set()

    def apply(self, records):
        for record in records:
            change = record["dynamodb"]
            key = tuple(sorted(plain(change["Keys"]).items()))
            old, new = plain(change.get("OldImage")), plain(change.get("NewImage"))
            assert self.items.get(key) == old, (key, self.items.get(key), record)
            assert record["eventName"] == ("INSERT" if old is None else "REMOVE" if new is None else "MODIFY")
            number = int(change["SequenceNumber"])
            assert number > self.numbers.get(key, 0), "numbers of an item rise"
            assert number not in self.applied, "a record came twice"
            self.numbers[key] = number
            self.applied.add(number)
            if new is None:
                del self.items[key]
            else:
                self.items[key] = new
