"""What the clients of a soak do: one class a kind of use, each a thread with a connection and a pace of its own.

The data stays bounded (few keys, tables that are dropped, items that expire), so that a server that grows all the same is found.
"""

import random
import threading
import time

from harness import tables
from harness.load import Closed, LoadConnection

KEYS, ACCOUNTS, START_BALANCE = 300, 8, 1000
GONE = ("ResourceNotFoundException", "ResourceInUseException", "LimitExceededException")


def s(text):
    return {"S": str(text)}


def n(number):
    return {"N": str(number)}


class Role(threading.Thread):
    """Does `step` over and over, `rate` times a second, through restarts, until the soak is over."""

    rate = 10

    def __init__(self, soak, number):
        super().__init__(name=f"{type(self).__name__}-{number}")
        self.soak, self.rng = soak, random.Random(f"{soak.seed}/{type(self).__name__}/{number}")
        self.connection = None

    def run(self):
        due = time.monotonic()
        try:
            while not self.soak.is_over.is_set():
                try:
                    self.connect()
                    self.step()
                except Closed:
                    self.disconnect()
                    self.lost()
                    self.soak.is_over.wait(0.05)
                due = max(due + 1 / self.rate, time.monotonic() - 1)
                self.soak.is_over.wait(max(0, due - time.monotonic()))
        except Exception as problem:  # shown at the end
            self.soak.problems.append(f"{self.name}: {problem!r}")
            self.soak.is_over.set()
        finally:
            self.disconnect()

    def connect(self):
        if self.connection is None:
            self.connection = LoadConnection(self.soak.port)

    def disconnect(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def lost(self):
        """The server went away in the middle of a step."""

    def call(self, operation, request, may_fail=()):
        """The members of the answer, or of an error that may be."""
        begin = time.monotonic()
        status, members = self.connection.call(operation, request)
        self.soak.latencies.append((begin, 1000 * (time.monotonic() - begin)))
        name = members.get("__type", "").split("#")[-1]
        assert status == 200 or name in may_fail, f"{operation} {status} {members}"
        self.soak.counts[operation] = self.soak.counts.get(operation, 0) + 1
        return members

    def ok(self, operation, request):
        return self.call(operation, request)


class Items(Role):
    rate = 30

    def step(self):
        key = {"pk": s(f"k{self.rng.randrange(KEYS // 10)}"), "sk": n(self.rng.randrange(10))}
        kind = self.rng.randrange(10)
        if kind < 4:
            item = {**key, "tag": s(f"tag{self.rng.randrange(20)}"), "text": s("x" * self.rng.randrange(2000))}
            self.call("PutItem", {"TableName": "main", "Item": item})
        elif kind < 6:
            self.call("UpdateItem", {"TableName": "main", "Key": key, "UpdateExpression": "ADD hits :one",
                                     "ExpressionAttributeValues": {":one": n(1)}, "ReturnValues": "ALL_NEW"})
        elif kind < 7:
            self.call("DeleteItem", {"TableName": "main", "Key": key, "ConditionExpression": "hits > :few",
                                     "ExpressionAttributeValues": {":few": n(1)}}, ("ConditionalCheckFailedException",))
        else:
            self.call("GetItem", {"TableName": "main", "Key": key, "ConsistentRead": kind < 9})


class Newcomers(Items):
    """A connection for each request: what a server keeps of those that have gone adds up."""

    rate = 20

    def step(self):
        super().step()
        self.disconnect()


class Queries(Role):
    rate = 8

    def step(self):
        values = {":v": s(f"k{self.rng.randrange(KEYS // 10)}")}
        if self.rng.random() < 0.5:
            self.call("Query", {"TableName": "main", "KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": values,
                                "ScanIndexForward": self.rng.random() < 0.5})
        elif self.rng.random() < 0.7:
            values = {":v": s(f"tag{self.rng.randrange(20)}")}
            self.call("Query", {"TableName": "main", "IndexName": "by-tag", "KeyConditionExpression": "tag = :v",
                                "ExpressionAttributeValues": values})
        else:
            self.call("Scan", {"TableName": "main", "Limit": 50, "TotalSegments": 4, "Segment": self.rng.randrange(4)})


class Transfers(Role):
    """Moves money between accounts; the sum is looked at as often, and always whole."""

    rate = 10

    def step(self):
        if self.rng.random() < 0.3:
            gets = [{"Get": {"TableName": "accounts", "Key": {"pk": s(number)}}} for number in range(ACCOUNTS)]
            answers = self.call("TransactGetItems", {"TransactItems": gets})["Responses"]
            balances = [int(answer["Item"]["balance"]["N"]) for answer in answers]
            assert sum(balances) == ACCOUNTS * START_BALANCE, balances
            return
        amount, pair = self.rng.randrange(1, 20), self.rng.sample(range(ACCOUNTS), 2)
        moves = [{"Update": {"TableName": "accounts", "Key": {"pk": s(account)}, "UpdateExpression": "ADD balance :m",
                             "ConditionExpression": "balance > :low",
                             "ExpressionAttributeValues": {":m": n(sign * amount), ":low": n(20)}}}
                 for account, sign in zip(pair, (-1, 1))]
        self.call("TransactWriteItems", {"TransactItems": moves, "ClientRequestToken": f"{self.rng.getrandbits(64):x}"},
                  ("TransactionCanceledException",))


class Statements(Role):
    rate = 6

    def step(self):
        key = [s(f"p{self.rng.randrange(30)}"), n(self.rng.randrange(5))]
        statement, parameters = self.rng.choice([
            ("INSERT INTO main VALUE {'pk': ?, 'sk': ?, 'tag': 'partiql'}", key),
            ("UPDATE main SET hits = 1 SET tag = 'changed' WHERE pk = ? AND sk = ?", key),
            ("DELETE FROM main WHERE pk = ? AND sk = ?", key),
            ("SELECT * FROM main WHERE pk = ?", key[:1]),
        ])
        self.call("ExecuteStatement", {"Statement": statement, "Parameters": parameters},
                  ("DuplicateItemException", "ConditionalCheckFailedException"))


class Batches(Role):
    rate = 4

    def step(self):
        keys = [{"pk": s(f"b{number}"), "sk": n(0)} for number in self.rng.sample(range(60), 12)]
        puts = [{"PutRequest": {"Item": {**key, "tag": s(f"tag{self.rng.randrange(20)}")}}} for key in keys]
        self.call("BatchWriteItem", {"RequestItems": {"main": puts}})
        self.call("BatchGetItem", {"RequestItems": {"main": {"Keys": keys}}})


class Expiring(Role):
    """Items whose time has come when they are written, and now and then a look that they go."""

    rate = 5

    def step(self):
        expires = int(time.time()) - self.rng.randrange(60)
        self.call("PutItem", {"TableName": "expiring", "Item": {"pk": s(f"e{self.rng.getrandbits(40):x}"), "ttl": n(expires)}})


class Churn(Role):
    """Tables that come and go."""

    rate = 0.5

    def step(self):
        name = f"churn-{self.rng.getrandbits(40):x}"
        index = {"IndexName": "by-tag", "KeySchema": [{"AttributeName": "tag", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}
        request = tables.definition(name, GlobalSecondaryIndexes=[index])
        request["AttributeDefinitions"].append({"AttributeName": "tag", "AttributeType": "S"})
        self.call("CreateTable", request)
        tables.wait_active(self, name)
        for number in range(5):
            self.call("PutItem", {"TableName": name, "Item": {"pk": s(number), "tag": s("t")}})
        self.call("DeleteTable", {"TableName": name})


class Building(Role):
    """An index that is built and removed, over and over."""

    rate = 0.3

    def step(self):
        described = self.call("DescribeTable", {"TableName": "main"})["Table"]
        status = {index["IndexName"]: index["IndexStatus"] for index in described["GlobalSecondaryIndexes"]}.get("by-hits")
        if status is None:
            change = {"Create": {"IndexName": "by-hits", "KeySchema": [{"AttributeName": "hits", "KeyType": "HASH"}],
                                 "Projection": {"ProjectionType": "KEYS_ONLY"}}}
        elif status == "ACTIVE":
            change = {"Delete": {"IndexName": "by-hits"}}
        else:
            return
        attributes = [{"AttributeName": name, "AttributeType": kind} for name, kind in (("pk", "S"), ("sk", "N"), ("tag", "S"), ("hits", "N"))]
        self.call("UpdateTable", {"TableName": "main", "AttributeDefinitions": attributes, "GlobalSecondaryIndexUpdates": [change]}, GONE)


class Triggering(Role):
    """Writes to the table whose changes a function is fed."""

    rate = 2

    def step(self):
        self.call("PutItem", {"TableName": "triggering", "Item": {"pk": s(self.rng.randrange(50)), "at": n(time.time_ns())}})


class StreamReading(Role):
    """Follows the accounts' stream from its beginning; each record must fit on the one before it."""

    rate = 2

    def __init__(self, soak, number):
        super().__init__(soak, number)
        self.iterators, self.balances, self.last, self.done = {}, {}, {}, set()

    def lost(self):
        self.iterators = {}

    def stream(self, operation, request):
        return self.call(f"DynamoDBStreams_20120810.{operation}", request)

    def step(self):
        shards = self.stream("DescribeStream", {"StreamArn": self.soak.stream})["StreamDescription"]["Shards"]
        known = {shard["ShardId"] for shard in shards}
        for shard in shards:
            name, parent = shard["ShardId"], shard.get("ParentShardId")
            if name not in self.done and (parent not in known or parent in self.done):
                self.read(name)

    def read(self, shard):
        if shard not in self.iterators:
            at = {"ShardIteratorType": "TRIM_HORIZON"}
            if shard in self.last:
                at = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": self.last[shard]}
            request = {"StreamArn": self.soak.stream, "ShardId": shard, **at}
            self.iterators[shard] = self.stream("GetShardIterator", request)["ShardIterator"]
        page = self.stream("GetRecords", {"ShardIterator": self.iterators[shard]})
        for record in page["Records"]:
            change = record["dynamodb"]
            account = change["Keys"]["pk"]["S"]
            old = change.get("OldImage", {}).get("balance", {}).get("N")
            assert self.balances.get(account) == old, (self.balances, record)
            self.balances[account] = change["NewImage"]["balance"]["N"]
            self.last[shard] = change["SequenceNumber"]
        if "NextShardIterator" in page:
            self.iterators[shard] = page["NextShardIterator"]
        else:
            self.done.add(shard)


ROLES = [Items, Items, Newcomers, Queries, Transfers, Transfers, Statements, Batches, Expiring, Churn, Building, Triggering, StreamReading]
