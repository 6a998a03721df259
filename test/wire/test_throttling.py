"""Throughput that is kept to: bursts, sizes, indexes, maximums on demand, hot keys, and what each operation answers.

On servers of their own, whose clock is set: time goes on by itself too, so rates are low and what is owed is much. Nothing here sleeps.
"""

import os

import boto3
import botocore.config
import pytest

from harness import tables
from harness.indexes import Index, members
from harness.raw import RawClient, error_type
from harness.server import Server
from harness.waiting import poll_until

pytestmark = pytest.mark.skipif(bool(os.environ.get("ARMATURE_ENDPOINT")), reason="servers of their own, whose clock is set")

PROVISIONED, ON_DEMAND = "ProvisionedThroughputExceededException", "ThrottlingException"
TABLE_TEXT = "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API."
INDEX_TEXT = ("The level of configured provisioned throughput for one or more global secondary indexes of the table was exceeded. Consider increasing your "
              "provisioning level for the under-provisioned global secondary indexes with the UpdateTable API")
MAXIMUM_TEXT = "Throughput exceeds the maximum OnDemandThroughput configured on table or index"
INDEX_SCALES_TEXT = ("Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is automatically scaling your index so please "
                     "try again shortly.")
ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/"
OURS = "Armature_20261116"


def units(reads, writes=None):
    return {"ReadCapacityUnits": reads, "WriteCapacityUnits": reads if writes is None else writes}


class Database:
    """A server, a client of it, and its clock."""

    def __init__(self, server, clock):
        self.server, self.clock = server, clock
        self.db = RawClient(server.endpoint)

    def table(self, reads=1, writes=1, name=None, **more):
        throughput = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(reads, writes)}
        return tables.create(self.db, name=name, **{**throughput, **more})

    def put(self, name, key, kilobytes=0.5, **more):
        """The error's type, or None. An item of so many KB, or rather a little less."""
        item = {"pk": {"S": key}, "b": {"S": "x" * (int(kilobytes * 1024) - 100)}, **more}
        return self.outcome("PutItem", {"TableName": name, "Item": item})

    def get(self, name, key, consistent=True):
        return self.outcome("GetItem", {"TableName": name, "Key": {"pk": {"S": key}}, "ConsistentRead": consistent})

    def outcome(self, operation, request):
        reply = self.db.post(operation, request)
        if reply.status == 200:
            return None
        kind = reply.json["__type"].split("#")[1]
        assert kind in (PROVISIONED, ON_DEMAND), reply
        return kind

    def owe_writes(self, name, **more):
        """Much more than comes in while the test runs."""
        while self.put(name, "owing", 399, **more) is None:
            pass

    def owe_reads(self, name):
        if "Item" not in self.db.ok("GetItem", {"TableName": name, "Key": {"pk": {"S": "large"}}}):
            assert self.put(name, "large", 399) is None
        while self.get(name, "large") is None:
            pass


@pytest.fixture
def make_database(clock):
    running = []

    def make(*options):
        server = Server(None, *options).start()
        running.append(server)
        return Database(server, clock)

    yield make
    for server in running:
        server.stop()


@pytest.fixture
def database(make_database):
    return make_database()


# --- bursts and sizes


class TestRates:
    def test_five_minutes_of_burst_and_then_the_rate(self, database):
        name = database.table(writes=100)
        done = 0
        while database.put(name, f"k{done}", 100) is None:
            done += 1
            assert done < 600
        assert done >= 300, "30,000 units"
        database.clock.advance(10)
        done = 0
        while database.put(name, f"k{done}", 100) is None:
            done += 1
            assert done < 200
        assert done >= 9, "100 a second"
        database.clock.advance(10_000)
        done = sum(database.put(name, f"k{i}", 100) is None for i in range(300))
        assert done == 300, "five minutes are saved again"

    def test_an_item_larger_than_all_that_is_saved_is_written_and_owed(self, database):
        name = database.table()
        assert database.put(name, "large", 350) is None
        assert database.put(name, "small") == PROVISIONED
        database.clock.advance(30)
        assert database.put(name, "small") == PROVISIONED
        database.clock.advance(25)
        assert database.put(name, "small") is None

    @pytest.mark.parametrize("kilobytes, cost", [(0.5, 1), (1.5, 2), (3, 3)])
    def test_writes_by_size(self, database, kilobytes, cost):
        name = database.table()
        database.owe_writes(name)
        database.clock.advance(2000)  # 300 are saved
        done = 0
        while database.put(name, f"k{done}", kilobytes) is None:
            done += 1
        assert 300 / cost <= done <= 300 / cost + 60, "and what came in meanwhile"

    @pytest.mark.parametrize("kilobytes, consistent, cost", [(4, True, 1), (4, False, 0.5), (6, True, 2), (10, True, 3)])
    def test_reads_by_size(self, database, kilobytes, consistent, cost):
        name = database.table(writes=100)
        assert database.put(name, "k", kilobytes) is None
        done = 0
        while database.get(name, "k", consistent) is None:
            done += 1
        assert 300 / cost <= done <= 300 / cost + 60

    def test_reads_and_writes_are_apart(self, database):
        name = database.table()
        database.owe_writes(name)
        assert database.get(name, "k") is None
        database.owe_reads(database.table(writes=100, name="reads"))
        assert database.get("reads", "k") == PROVISIONED
        assert database.put("reads", "k") is None

    def test_a_clock_that_is_set_back_shuts_nobody_out(self, database):
        name = database.table()
        database.owe_writes(name)
        database.clock.advance(-3600)
        assert database.put(name, "k") == PROVISIONED
        database.clock.advance(800)
        assert database.put(name, "k") is None


# --- who is told what


class TestErrors:
    def test_of_a_table(self, database):
        name = database.table()
        database.owe_writes(name)
        error = database.db.error("PutItem", {"TableName": name, "Item": {"pk": {"S": "k"}}}, PROVISIONED, TABLE_TEXT)
        assert error["ThrottlingReasons"] == [{"reason": "TableWriteProvisionedThroughputExceeded", "resource": ARN + name}]
        database.owe_reads(database.table(name="reads"))
        error = database.db.error("GetItem", {"TableName": "reads", "Key": {"pk": {"S": "k"}}}, PROVISIONED, TABLE_TEXT)
        assert error["ThrottlingReasons"] == [{"reason": "TableReadProvisionedThroughputExceeded", "resource": ARN + "reads"}]

    def test_with_boto3(self, database):
        name = database.table()
        database.owe_writes(name)
        client = boto3.client("dynamodb", endpoint_url=database.server.endpoint, region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b",
                              config=botocore.config.Config(retries={"total_max_attempts": 1}))
        with pytest.raises(client.exceptions.ProvisionedThroughputExceededException) as refused:
            client.put_item(TableName=name, Item={"pk": {"S": "k"}})
        assert refused.value.response["Error"] == {"Code": PROVISIONED, "Message": TABLE_TEXT}
        # Older ones leave out what they do not know.
        assert refused.value.response.get("ThrottlingReasons", [{"resource": ARN + name}])[0]["resource"] == ARN + name

    def test_nothing_is_done_of_what_is_refused_and_a_failed_condition_is_paid(self, database):
        name = database.table()
        assert database.put(name, "k", 399) is None
        database.clock.advance(150)
        condition = {"ConditionExpression": "attribute_not_exists(pk)"}
        database.db.error("PutItem", {"TableName": name, "Item": {"pk": {"S": "k"}}, **condition}, "ConditionalCheckFailedException")
        assert database.put(name, "other") == PROVISIONED, "399 for nothing"
        assert "Item" not in database.db.ok("GetItem", {"TableName": name, "Key": {"pk": {"S": "other"}}})


# --- global indexes


class TestIndexes:
    INDEXED = members("pk:S", gsi=[Index("by_g", "g:S", projection="KEYS_ONLY")])

    def with_index(self, database, table_units, index_units, **more):
        request = {**self.INDEXED, "GlobalSecondaryIndexes": [dict(self.INDEXED["GlobalSecondaryIndexes"][0], ProvisionedThroughput=index_units)]}
        return database.table(*table_units.values(), **request, **more)

    def test_one_with_too_little_write_capacity_throttles_its_table(self, database):
        name = self.with_index(database, units(1000), units(100, 1))
        g = {"g": {"S": "x"}}
        assert database.put(name, "first", **g) is None
        done = 0
        while database.put(name, f"k{done}", **g) is None:
            done += 1
        assert 299 <= done <= 360
        error = database.db.error("PutItem", {"TableName": name, "Item": {"pk": {"S": "k"}, **g}}, PROVISIONED, INDEX_TEXT)
        assert error["ThrottlingReasons"] == [{"reason": "IndexWriteProvisionedThroughputExceeded", "resource": f"{ARN}{name}/index/by_g"}]
        update = {"TableName": name, "Key": {"pk": {"S": "first"}}, "UpdateExpression": "SET extra = :o", "ExpressionAttributeValues": {":o": {"S": "1"}}}
        assert database.outcome("UpdateItem", update) == PROVISIONED, "though its row stays as it is"
        assert database.put(name, "not in it") is None
        assert "extra" not in database.db.ok("GetItem", {"TableName": name, "Key": {"pk": {"S": "first"}}})["Item"]
        database.clock.advance(300)
        assert database.outcome("UpdateItem", update) is None

    def test_its_reads_are_its_own(self, database):
        name = self.with_index(database, units(100), units(1, 1000))
        for i in range(40):
            assert database.put(name, f"k{i}", g={"S": "x" * 1000 + str(i % 2)}) is None
        scan = {"TableName": name, "IndexName": "by_g"}
        refused = next(reply for reply in (database.db.post("Scan", scan) for _ in range(1000)) if reply.status != 200)
        assert refused.json["message"] == INDEX_TEXT
        assert refused.json["ThrottlingReasons"] == [{"reason": "IndexReadProvisionedThroughputExceeded", "resource": f"{ARN}{name}/index/by_g"}]
        assert database.get(name, "k1") is None


# --- on demand


class TestOnDemand:
    def test_it_is_free(self, database):
        name = tables.create(database.db)
        for i in range(50):
            assert database.put(name, f"k{i}", 399) is None

    def test_maximums(self, database):
        name = tables.create(database.db, OnDemandThroughput={"MaxReadRequestUnits": 1, "MaxWriteRequestUnits": 1})
        database.owe_writes(name)
        error = database.db.error("PutItem", {"TableName": name, "Item": {"pk": {"S": "k"}}}, ON_DEMAND, MAXIMUM_TEXT)
        assert error["throttlingReasons"] == [{"reason": "TableWriteMaxOnDemandThroughputExceeded", "resource": ARN + name}]
        while database.get(name, "owing") is None:
            pass
        error = database.db.error("GetItem", {"TableName": name, "Key": {"pk": {"S": "k"}}}, ON_DEMAND, MAXIMUM_TEXT)
        assert error["throttlingReasons"] == [{"reason": "TableReadMaxOnDemandThroughputExceeded", "resource": ARN + name}]
        database.db.ok("UpdateTable", {"TableName": name, "OnDemandThroughput": {"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": -1}})
        assert database.put(name, "k") is None and database.get(name, "k") is None

    def test_of_an_index(self, database):
        request = members("pk:S", gsi=[Index("by_g", "g:S")])
        request["GlobalSecondaryIndexes"][0]["OnDemandThroughput"] = {"MaxWriteRequestUnits": 1}
        name = tables.create(database.db, **request)
        database.owe_writes(name, g={"S": "x"})
        put = {"TableName": name, "Item": {"pk": {"S": "k"}, "g": {"S": "x"}}}
        error = database.db.error("PutItem", put, PROVISIONED, INDEX_TEXT)
        reasons = [{"reason": "IndexWriteMaxOnDemandThroughputExceeded", "resource": f"{ARN}{name}/index/by_g"}]
        assert error["ThrottlingReasons"] == reasons
        error = database.db.error("TransactWriteItems", {"TransactItems": [{"Put": put}]}, ON_DEMAND, INDEX_SCALES_TEXT)
        assert error["throttlingReasons"] == reasons and "CancellationReasons" not in error


# --- what each operation answers


class TestOperations:
    def puts(self, name, keys):
        return {"RequestItems": {name: [{"PutRequest": {"Item": {"pk": {"S": key}}}} for key in keys]}}

    def test_batch_write_item(self, database):
        name, free = database.table(), tables.create(database.db)
        database.owe_writes(name)
        both = {"RequestItems": {**self.puts(name, "abc")["RequestItems"], **self.puts(free, "x")["RequestItems"]}}
        assert database.db.ok("BatchWriteItem", both)["UnprocessedItems"] == self.puts(name, "abc")["RequestItems"]
        assert database.get(free, "x") is None
        error = database.db.error("BatchWriteItem", self.puts(name, "abc"), PROVISIONED, TABLE_TEXT)
        assert error["ThrottlingReasons"][0]["reason"] == "TableWriteProvisionedThroughputExceeded"

    def test_batch_get_item(self, database):
        name, free = database.table(), tables.create(database.db)
        database.owe_reads(name)
        asked = {"Keys": [{"pk": {"S": key}} for key in "abc"], "ProjectionExpression": "pk", "ConsistentRead": True}
        database.put(free, "x")
        reply = database.db.ok("BatchGetItem", {"RequestItems": {name: asked, free: {"Keys": [{"pk": {"S": "x"}}]}}})
        assert reply["UnprocessedKeys"] == {name: asked} and len(reply["Responses"][free]) == 1 and reply["Responses"][name] == []
        database.db.error("BatchGetItem", {"RequestItems": {name: asked}}, PROVISIONED, TABLE_TEXT)

    def test_a_batch_that_is_sent_again_until_it_is_done_loses_nothing(self, database):
        name = database.table(writes=20)
        database.owe_writes(name)
        database.clock.advance(20)
        keys = [f"k{i}" for i in range(60)]
        left, sent = [], 0
        waiting = list(keys)
        while waiting or left:
            batch, waiting = (left + waiting)[:25], (left + waiting)[25:]
            reply = database.db.post("BatchWriteItem", self.puts(name, batch))
            sent += 1
            assert sent < 2000
            if reply.status == 200:
                unprocessed = reply.json["UnprocessedItems"].get(name, [])
                left = [request["PutRequest"]["Item"]["pk"]["S"] for request in unprocessed]
                assert len(left) < len(batch)
            else:
                assert reply.json["__type"].endswith(PROVISIONED)
                left = batch
            database.clock.advance(0.3)
        database.clock.advance(1000)
        database.db.ok("UpdateTable", {"TableName": name, "BillingMode": "PAY_PER_REQUEST"})
        assert sorted(item["pk"]["S"] for item in tables.scan(database.db, name)) == sorted([*keys, "owing"])

    def test_pages_end_where_capacity_does(self, database):
        name = tables.create(database.db, range_key="sk:N")
        tables.fill(database.db, name, [{"pk": {"S": "k"}, "sk": {"N": str(i)}, "b": {"S": "x" * 10_000}} for i in range(80)])
        database.db.ok("UpdateTable", {"TableName": name, "BillingMode": "PROVISIONED", "ProvisionedThroughput": units(10)})
        whole = {"TableName": name, "ConsistentRead": True}
        query = {**whole, "KeyConditionExpression": "pk = :k", "ExpressionAttributeValues": {":k": {"S": "k"}}}
        for operation, request in (("Query", query), ("Scan", whole)):
            refused = next(reply for reply in (database.db.post(operation, request) for _ in range(2000)) if reply.status != 200)
            assert refused.json["__type"] == error_type(PROVISIONED)
            assert refused.json["ThrottlingReasons"] == [{"reason": "TableReadProvisionedThroughputExceeded", "resource": ARN + name}]
            database.clock.advance(5)
            seen, start, pages = [], {}, 0
            while True:
                database.clock.advance(4)
                reply = database.db.post(operation, {**request, **start})
                assert (pages := pages + 1) < 200
                if reply.status != 200:  # a row more than there was capacity for is owed
                    assert reply.json["__type"].endswith(PROVISIONED)
                    continue
                seen += [int(item["sk"]["N"]) for item in reply.json["Items"]]
                if "LastEvaluatedKey" not in reply.json:
                    break
                start = {"ExclusiveStartKey": reply.json["LastEvaluatedKey"]}
            assert seen == list(range(80)), "each row once, in order"
            assert pages >= 3

    def test_transactions_are_refused_as_a_whole(self, database):
        name, free = database.table(), tables.create(database.db)
        database.owe_writes(name)
        puts = [{"Put": {"TableName": table, "Item": {"pk": {"S": "t"}}}} for table in (free, name)]
        error = database.db.error("TransactWriteItems", {"TransactItems": puts}, PROVISIONED, TABLE_TEXT)
        assert error["ThrottlingReasons"] == [{"reason": "TableWriteProvisionedThroughputExceeded", "resource": ARN + name}]
        assert "CancellationReasons" not in error
        assert "Item" not in database.db.ok("GetItem", {"TableName": free, "Key": {"pk": {"S": "t"}}})
        insert = {"TransactStatements": [{"Statement": f"INSERT INTO \"{name}\" VALUE {{'pk': 't'}}"}]}
        database.db.error("ExecuteTransaction", insert, PROVISIONED, TABLE_TEXT)
        reads = database.table(name="reads")
        database.owe_reads(reads)
        gets = [{"Get": {"TableName": table, "Key": {"pk": {"S": "t"}}}} for table in (free, reads)]
        database.db.error("TransactGetItems", {"TransactItems": gets}, PROVISIONED, TABLE_TEXT)

    def test_partiql(self, database):
        name = database.table()
        database.owe_writes(name)
        insert = {"Statement": f"INSERT INTO \"{name}\" VALUE {{'pk': 'q'}}"}
        database.db.error("ExecuteStatement", insert, PROVISIONED, TABLE_TEXT)
        reply = database.db.ok("BatchExecuteStatement", {"Statements": [insert]})
        assert reply["Responses"] == [{"TableName": name, "Error": {"Code": "ProvisionedThroughputExceeded", "Message": TABLE_TEXT}}]
        limited = tables.create(database.db, OnDemandThroughput={"MaxReadRequestUnits": 1})
        database.put(limited, "k", 399)
        while database.get(limited, "k") is None:
            pass
        reply = database.db.ok("BatchExecuteStatement", {"Statements": [{"Statement": f"SELECT * FROM \"{limited}\" WHERE pk = 'k'"}]})
        assert reply["Responses"][0]["Error"] == {"Code": "ThrottlingError", "Message": MAXIMUM_TEXT}


# --- clients that try again


class TestRetries:
    """In time that passes by itself: fifty writes a second, and more of them wanted at once."""

    @pytest.fixture
    def throttled(self, database):
        name = database.table(reads=100, writes=50)
        database.owe_writes(name)
        database.clock.advance(7)
        return name

    @pytest.fixture(params=["legacy", "standard"])
    def resource(self, database, request):
        config = botocore.config.Config(retries={"mode": request.param, "total_max_attempts": 12})
        return boto3.resource("dynamodb", endpoint_url=database.server.endpoint, region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b", config=config)

    def spend(self, database, name):
        while database.put(name, "spent", 60) is None:
            pass

    def test_nothing_is_done_twice(self, database, throttled, resource):
        refused = 0
        self.spend(database, throttled)
        client = resource.meta.client
        for _ in range(40):
            reply = client.update_item(TableName=throttled, Key={"pk": "counter"}, UpdateExpression="ADD n :one", ExpressionAttributeValues={":one": 1})
            refused += reply["ResponseMetadata"]["RetryAttempts"]
        assert resource.Table(throttled).get_item(Key={"pk": "counter"}, ConsistentRead=True)["Item"]["n"] == 40
        assert refused > 0

    def test_a_batch_writer_loses_nothing(self, database, throttled, resource):
        self.spend(database, throttled)
        with resource.Table(throttled).batch_writer() as batch:
            for i in range(100):
                batch.put_item(Item={"pk": f"k{i}"})
        keys = {item["pk"]["S"] for item in tables.scan(database.db, throttled, ConsistentRead=True)}
        assert keys == {f"k{i}" for i in range(100)} | {"owing", "spent"}


# --- changes


class TestChanges:
    def test_throughput_counts_at_once(self, database):
        name = database.table()
        database.owe_writes(name)
        database.clock.advance(395)
        database.owe_writes(name)
        database.db.ok("UpdateTable", {"TableName": name, "ProvisionedThroughput": units(1, 1000)})
        database.clock.advance(1)
        assert database.put(name, "k", 10) is None, "what is owed is soon paid"
        database.db.ok("UpdateTable", {"TableName": name, "BillingMode": "PAY_PER_REQUEST"})
        for i in range(10):
            assert database.put(name, f"k{i}", 399) is None

    def test_decreases_are_limited_within_a_day(self, database):
        name = database.table(10, 10)
        lower = lambda to: database.db.post("UpdateTable", {"TableName": name, "ProvisionedThroughput": units(to)})
        # Well behind midnight.
        today = database.db.ok("DescribeTable", {"TableName": name})["Table"]["CreationDateTime"]
        database.clock.advance(86400 - today % 86400 + 3600)
        for to in (9, 8, 7, 6):
            assert lower(to).status == 200
        reply = lower(5)
        assert reply.json["__type"].endswith("#LimitExceededException")
        assert "Number of decreases today: 4. Last decrease at " in reply.json["message"] and "Coordinated Universal Time. Next decrease" in reply.json["message"]
        assert lower(20).status == 200, "it can be raised"
        database.clock.advance(3600)
        assert lower(19).status == 200 and lower(18).status == 400
        described = database.db.ok("DescribeTable", {"TableName": name})["Table"]["ProvisionedThroughput"]
        assert described["NumberOfDecreasesToday"] == 5
        database.clock.advance(86400)
        assert database.db.ok("DescribeTable", {"TableName": name})["Table"]["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 0
        assert lower(17).status == 200

    def test_a_table_goes_on_demand_four_times_a_day(self, database):
        name = tables.create(database.db)  # is one
        change = lambda **to: database.db.post("UpdateTable", {"TableName": name, **to})
        for _ in range(3):
            assert change(BillingMode="PROVISIONED", ProvisionedThroughput=units(5)).status == 200
            database.clock.advance(60)
            assert change(BillingMode="PAY_PER_REQUEST").status == 200
        assert change(BillingMode="PROVISIONED", ProvisionedThroughput=units(5)).status == 200
        reply = change(BillingMode="PAY_PER_REQUEST")
        assert reply.json["__type"].endswith("#LimitExceededException")
        assert reply.json["message"].startswith("Subscriber limit exceeded: Update to PayPerRequest mode are limited to 4 in 1 day(s). Last update at ")
        database.clock.advance(86400 - 60)
        assert change(BillingMode="PAY_PER_REQUEST").status == 200, "the first is a day ago"

    def test_quotas(self, database):
        above = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(5, 40001)}
        database.db.error("CreateTable", tables.definition("above", **above), "LimitExceededException",
                          "The requested WriteCapacityUnits, 40001, is above the per table maximum for the account in us-east-1. Per table maximum: 40000. Refer to "
                          "the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.")
        for name in ("one", "two"):
            database.table(40000, 5, name=name)
        reply = database.db.post("CreateTable", tables.definition("three", BillingMode="PROVISIONED", ProvisionedThroughput=units(1)))
        assert reply.json["__type"].endswith("#LimitExceededException") and "would have caused the ReadCapacityUnits limit" in reply.json["message"]
        database.db.ok("UpdateTable", {"TableName": "two", "ProvisionedThroughput": units(39999, 5)})
        database.table(1, 1, name="three")
        database.db.error("CreateTable", tables.definition("most", OnDemandThroughput={"MaxReadRequestUnits": 40001}), "LimitExceededException",
                          "Subscriber limit exceeded: Requested MaxReadRequestUnits for OnDemandThroughput for table exceeds TableMaxReadCapacityUnits of the "
                          "account in region us-east-1")


# --- options


@pytest.mark.parametrize("options", [("--throttling", "off"), ("--compat", "dynamodb-local")])
def test_servers_that_throttle_nothing(make_database, options):
    database = make_database(*options)
    name = database.table()
    for i in range(5):
        assert database.put(name, f"k{i}", 399) is None


def test_what_imitates_dynamodb_local_can_be_told_to_throttle(make_database):
    database = make_database("--compat", "dynamodb-local", "--throttling", "on")
    database.owe_writes(database.table())


# --- partitions that are too hot


class TestPartitions:
    WRITES = 16_000  # and one for reads: 17 partitions, rounded up to 32

    @pytest.fixture
    def database(self, make_database):
        return make_database("--partition-limits", "aws")

    def await_partitions(self, database, name, wanted):
        def count():
            listed = database.db.ok("ListPartitions", {"TableName": name}, prefix=OURS)["Partitions"]
            return sum(partition["Status"] == "ACTIVE" for partition in listed)
        poll_until(count, lambda count: count >= wanted, seconds=60)

    def done(self, database, name, keys):
        """How many of large items, as fast as can be, are let in; and what those are told that are not."""
        outcomes = []
        for key in keys:
            item = {"pk": {"S": key}, "b": {"S": "x" * 390_000}}
            outcomes.append(database.db.post("PutItem", {"TableName": name, "Item": item}))
        refused = [reply.json["ThrottlingReasons"][0]["reason"] for reply in outcomes if reply.status != 200]
        return len(outcomes) - len(refused), set(refused)

    def test_a_hot_key_is_refused_where_others_are_not(self, database):
        name = database.table(1, self.WRITES)
        self.await_partitions(database, name, 32)
        done, refused = self.done(database, name, ["status"] * 16)
        assert done < 12 and refused == {"TableWriteKeyRangeThroughputExceeded"}
        assert self.done(database, name, [f"order-{i}" for i in range(16)]) == (16, set())

    def test_sharded_by_a_suffix_it_is_served(self, database):
        name = database.table(1, self.WRITES)
        self.await_partitions(database, name, 32)
        date = "2026-11-19"
        assert self.done(database, name, [date] * 16)[0] < 12
        assert self.done(database, name, [f"{date}.{i}" for i in range(10)]) == (10, set())

    def test_a_table_on_demand_has_four_and_tells_it_otherwise(self, database):
        name = tables.create(database.db)
        self.await_partitions(database, name, 4)
        put = {"TableName": name, "Item": {"pk": {"S": "hot"}, "b": {"S": "x" * 390_000}}}
        refused = next(reply for reply in (database.db.post("PutItem", put) for _ in range(100)) if reply.status != 200)
        assert refused.json["__type"] == error_type(ON_DEMAND)
        assert refused.json["throttlingReasons"] == [{"reason": "TableWriteKeyRangeThroughputExceeded", "resource": ARN + name}]
