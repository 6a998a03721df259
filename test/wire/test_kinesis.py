"""Kinesis streaming destinations: the four operations, and what kinesalite receives, through restarts and kills of both."""

import re
import threading
import time

import pytest

from harness import kinesis as streams
from harness import tables
from harness.kinesis import Kinesis
from harness.raw import RawClient
from harness.server import Server
from harness.waiting import poll_until

NOT_ENABLING = ("Table is not in a valid state to enable Kinesis Streaming Destination: EnableKinesisStreamingDestination must be "
                "DISABLED or ENABLE_FAILED to perform ENABLE operation.")
NOT_DISABLING = ("Table is not in a valid state to enable Kinesis Streaming Destination: KinesisStreamingDestination must be ACTIVE "
                 "to perform DISABLE operation.")
NOT_UPDATING = ("Table is not in a valid state to enable Kinesis Streaming Destination: Kinesis streaming is not in ACTIVE state. "
                "Updates are only allowed in ACTIVE state. TableName: {}, kdsArn: {}")
NOTHING_TO_UPDATE = ("Streaming destination cannot be updated with given parameters: UpdateKinesisStreamingConfiguration cannot be "
                     "null or contain only null values")
MICROSECOND = {"ApproximateCreationDateTimePrecision": "MICROSECOND"}


@pytest.fixture(scope="module")
def kinesis():
    with Kinesis() as running:
        yield running


@pytest.fixture(scope="module")
def db(kinesis, tmp_path_factory):
    """A server that delivers to kinesalite."""
    with Server(tmp_path_factory.mktemp("kinesis") / "data", "--kinesis-endpoint", kinesis.endpoint) as server:
        client = RawClient(server.endpoint)
        yield client
        client.close()


@pytest.fixture
def table(db):
    name = tables.create(db)
    yield name
    tables.drop(db, name)


@pytest.fixture
def stream(kinesis):
    name = tables.unique("stream")
    arn = kinesis.create(name)
    return name, arn


def destinations(db, table):
    reply = db.ok("DescribeKinesisStreamingDestination", {"TableName": table})
    assert reply["TableName"] == table
    return reply["KinesisDataStreamDestinations"]


def wait_for(db, table, arn, status):
    return poll_until(lambda: [destination for destination in destinations(db, table) if destination["StreamArn"] == arn],
                      lambda found: found and found[0]["DestinationStatus"] == status)[0]


def enable(db, table, arn, **more):
    db.ok("EnableKinesisStreamingDestination", {"TableName": table, "StreamArn": arn, **more})
    return wait_for(db, table, arn, "ACTIVE")


def put(db, table, key, **attributes):
    db.ok("PutItem", {"TableName": table, "Item": {"pk": {"S": key}, **attributes}})


# --- the operations


def test_a_table_has_no_destination_at_first(db, table):
    assert destinations(db, table) == []


def test_the_replies_show_the_states_passed_through(db, table, stream):
    _, arn = stream
    reply = db.ok("EnableKinesisStreamingDestination", {"TableName": table, "StreamArn": arn})
    assert reply == {"TableName": table, "StreamArn": arn, "DestinationStatus": "ENABLING", "EnableKinesisStreamingConfiguration": {}}
    assert wait_for(db, table, arn, "ACTIVE") == {"StreamArn": arn, "DestinationStatus": "ACTIVE"}

    reply = db.ok("UpdateKinesisStreamingDestination",
                  {"TableName": table, "StreamArn": arn, "UpdateKinesisStreamingConfiguration": MICROSECOND})
    assert reply == {"TableName": table, "StreamArn": arn, "DestinationStatus": "UPDATING",
                     "UpdateKinesisStreamingConfiguration": MICROSECOND}
    assert wait_for(db, table, arn, "ACTIVE") == {"StreamArn": arn, "DestinationStatus": "ACTIVE", **MICROSECOND}

    reply = db.ok("DisableKinesisStreamingDestination", {"TableName": table, "StreamArn": arn})
    assert reply == {"TableName": table, "StreamArn": arn, "DestinationStatus": "DISABLING"}
    wait_for(db, table, arn, "DISABLED")
    # Enabled again, the entry is the same one, and its precision is forgotten.
    assert enable(db, table, arn) == {"StreamArn": arn, "DestinationStatus": "ACTIVE"}
    assert len(destinations(db, table)) == 1


def test_a_table_has_one_live_destination(db, kinesis, table, stream):
    _, first = stream
    second = kinesis.create(tables.unique("stream"))
    enable(db, table, first)
    for arn in (first, second):
        db.error("EnableKinesisStreamingDestination", {"TableName": table, "StreamArn": arn}, "ValidationException", NOT_ENABLING)
    db.ok("DisableKinesisStreamingDestination", {"TableName": table, "StreamArn": first})
    wait_for(db, table, first, "DISABLED")
    enable(db, table, second)
    assert [(entry["StreamArn"], entry["DestinationStatus"]) for entry in destinations(db, table)] == [
        (second, "ACTIVE"), (first, "DISABLED")]


def test_changes_need_an_active_destination(db, table, stream):
    _, arn = stream
    request = {"TableName": table, "StreamArn": arn}
    update = {**request, "UpdateKinesisStreamingConfiguration": MICROSECOND}
    db.error("DisableKinesisStreamingDestination", request, "ValidationException", NOT_DISABLING)
    db.error("UpdateKinesisStreamingDestination", update, "ValidationException",
             "Table is not in a valid state to enable Kinesis Streaming Destination: No streaming destination with streamArn: "
             f"{arn} found for table with tableName: {table}")
    db.error("UpdateKinesisStreamingDestination", request, "ValidationException", NOTHING_TO_UPDATE)
    db.error("UpdateKinesisStreamingDestination", {**request, "UpdateKinesisStreamingConfiguration": {}}, "ValidationException",
             NOTHING_TO_UPDATE)
    enable(db, table, arn)
    uuid = db.ok("DescribeTable", {"TableName": table})["Table"]["TableId"]
    same = {**request, "UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MILLISECOND"}}
    db.error("UpdateKinesisStreamingDestination", same, "ValidationException",
             f"Invalid Request: Precision is already set to the desired value of MILLISECOND for tableId: {uuid}, kdsArn: {arn}")
    db.error("DisableKinesisStreamingDestination", {**request, "EnableKinesisStreamingConfiguration": MICROSECOND},
             "ValidationException", "Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters")
    db.ok("DisableKinesisStreamingDestination", request)
    wait_for(db, table, arn, "DISABLED")
    db.error("UpdateKinesisStreamingDestination", update, "ValidationException", NOT_UPDATING.format(table, arn))
    db.error("DisableKinesisStreamingDestination", request, "ValidationException", NOT_DISABLING)


def test_requests_are_validated(db, table):
    missing = tables.unique()
    arn = "arn:aws:kinesis:us-east-1:123456789012:stream/none"
    for operation in ("Describe", "Enable", "Disable", "Update"):
        request = {"TableName": missing, **({} if operation == "Describe" else {"StreamArn": arn})}
        if operation == "Update":
            request["UpdateKinesisStreamingConfiguration"] = MICROSECOND
        db.error(f"{operation}KinesisStreamingDestination", request, "ResourceNotFoundException",
                 f"Requested resource not found: Table: {missing} not found")
    reply = db.post("EnableKinesisStreamingDestination", {"TableName": table, "StreamArn": "short"})
    assert reply.json["message"].endswith("Member must have length greater than or equal to 37")
    reply = db.post("EnableKinesisStreamingDestination", {
        "TableName": table, "StreamArn": arn,
        "EnableKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "SECOND"}})
    assert reply.json["message"].endswith("Member must satisfy enum value set: [MILLISECOND, MICROSECOND]")


@pytest.mark.parametrize("arn, why", [
    ("arn:aws:kinesis:us-east-1:123456789012:stream/nobody-made-it", "User does not have a permission to use kinesis stream"),
    ("arn:aws:kinesis:eu-west-1:123456789012:stream/far-away",
     "The kinesis Arn used to enable kinesis replication belongs to a stream which is not in the current region"),
    ("arn:aws:dynamodb:us-east-1:123456789012:table/no-stream", "User does not have a permission to use kinesis stream"),
])
def test_a_bad_stream_fails_a_little_later(db, table, arn, why):
    assert db.ok("EnableKinesisStreamingDestination", {"TableName": table, "StreamArn": arn})["DestinationStatus"] == "ENABLING"
    assert wait_for(db, table, arn, "ENABLE_FAILED")["DestinationStatusDescription"] == why


def test_without_an_endpoint_no_destination_can_be_enabled():
    arn = "arn:aws:kinesis:us-east-1:123456789012:stream/any"
    with Server() as server:
        db = RawClient(server.endpoint)
        table = tables.create(db)
        db.ok("EnableKinesisStreamingDestination", {"TableName": table, "StreamArn": arn})
        assert "--kinesis-endpoint" in wait_for(db, table, arn, "ENABLE_FAILED")["DestinationStatusDescription"]
        db.close()


# --- what arrives


def test_every_kind_of_write_arrives(db, kinesis, table, stream):
    name, arn = stream
    put(db, table, "early", v={"N": "0"})
    enable(db, table, arn)
    started = time.time()
    put(db, table, "a", v={"N": "1"}, b={"B": "AAEC"}, s={"SS": ["x", "y"]})
    put(db, table, "a", v={"N": "1"}, b={"B": "AAEC"}, s={"SS": ["y", "x"]})  # changes nothing
    db.ok("UpdateItem", {"TableName": table, "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET v = v + :one REMOVE b, s",
                         "ExpressionAttributeValues": {":one": {"N": "1"}}})
    db.ok("BatchWriteItem", {"RequestItems": {table: [{"PutRequest": {"Item": {"pk": {"S": "batch"}}}},
                                                     {"DeleteRequest": {"Key": {"pk": {"S": "early"}}}}]}})
    db.ok("TransactWriteItems", {"TransactItems": [
        {"Put": {"TableName": table, "Item": {"pk": {"S": "transact"}}}},
        {"Delete": {"TableName": table, "Key": {"pk": {"S": "a"}}}}]})
    records = [record.data for record in kinesis.read_until(name, lambda records: len(records) >= 6)]

    first = records[0]
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", first.pop("eventID"))
    at = first["dynamodb"].pop("ApproximateCreationDateTime")
    assert started - 1 <= at / 1000 <= time.time() + 1
    assert first == {
        "awsRegion": "us-east-1", "eventName": "INSERT", "userIdentity": None, "recordFormat": "application/json",
        "tableName": table, "eventSource": "aws:dynamodb",
        "dynamodb": {"Keys": {"pk": {"S": "a"}}, "SizeBytes": 3 + 13,
                     "NewImage": {"pk": {"S": "a"}, "v": {"N": "1"}, "b": {"B": "AAEC"}, "s": {"SS": ["x", "y"]}}}}

    def shown(record):
        image = record["dynamodb"]
        return (record["eventName"], image["Keys"]["pk"]["S"], image.get("OldImage", {}).get("v"), image.get("NewImage", {}).get("v"))
    assert shown(records[1]) == ("MODIFY", "a", {"N": "1"}, {"N": "2"})
    assert sorted(map(shown, records[2:]), key=str) == sorted([
        ("INSERT", "batch", None, None), ("REMOVE", "early", {"N": "0"}, None),
        ("INSERT", "transact", None, None), ("REMOVE", "a", {"N": "2"}, None)], key=str)
    assert len({record.get("eventID") for record in records}) == 6


def test_times_in_microseconds(db, kinesis, table, stream):
    name, arn = stream
    assert enable(db, table, arn, EnableKinesisStreamingConfiguration=MICROSECOND) == {
        "StreamArn": arn, "DestinationStatus": "ACTIVE", **MICROSECOND}
    put(db, table, "a")
    [record] = kinesis.read_until(name, bool)
    assert record.data["dynamodb"]["ApproximateCreationDateTimePrecision"] == "MICROSECOND"
    assert abs(record.data["dynamodb"]["ApproximateCreationDateTime"] / 1e6 - time.time()) < 60


def test_the_service_deletes_expired_items(db, kinesis, table, stream):
    name, arn = stream
    enable(db, table, arn)
    db.ok("UpdateTimeToLive", {"TableName": table, "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ttl"}})
    put(db, table, "expired", ttl={"N": str(int(time.time()) - 60)})
    records = kinesis.read_until(name, lambda records: len(records) >= 2)
    assert records[0].data["userIdentity"] is None
    assert records[1].data["eventName"] == "REMOVE"
    assert records[1].data["userIdentity"] == {"type": "Service", "principalId": "dynamodb.amazonaws.com"}


def test_a_disabled_destination_receives_nothing(db, kinesis, table, stream):
    name, arn = stream
    enable(db, table, arn)
    put(db, table, "a", v={"N": "1"})
    db.ok("DisableKinesisStreamingDestination", {"TableName": table, "StreamArn": arn})
    wait_for(db, table, arn, "DISABLED")
    put(db, table, "a", v={"N": "2"})
    enable(db, table, arn)
    put(db, table, "a", v={"N": "3"})
    records = kinesis.read_until(name, lambda records: len(records) >= 2)
    assert [record.data["dynamodb"]["NewImage"]["v"]["N"] for record in records] == ["1", "3"]


def test_a_stream_and_a_destination_side_by_side(db, kinesis, stream):
    """Each works without the other, and both see the same changes."""
    name, arn = stream
    table = tables.create(db, StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    enable(db, table, arn)
    put(db, table, "a", v={"N": "1"})
    [record] = kinesis.read_until(name, bool)
    assert record.data["dynamodb"]["NewImage"]["v"] == {"N": "1"}, "always with images, whatever the stream shows"
    db.ok("UpdateTable", {"TableName": table, "StreamSpecification": {"StreamEnabled": False}})
    assert destinations(db, table)[0]["DestinationStatus"] == "ACTIVE"
    put(db, table, "a", v={"N": "2"})
    kinesis.read_until(name, lambda records: len(records) == 2)
    tables.drop(db, table)


def test_order_by_item_under_concurrent_writers(db, kinesis, table):
    name = tables.unique("stream")
    arn = kinesis.create(name, shards=3)
    enable(db, table, arn)
    writers, items, rounds = 8, 4, 40

    def write(number):
        client = RawClient(f"http://{db.url.netloc}")
        for count in range(rounds):
            for item in range(items):
                # Half of the items belong to one writer, half are shared by all.
                key = f"own-{number}-{item}" if item % 2 else f"shared-{item}"
                client.ok("UpdateItem", {"TableName": table, "Key": {"pk": {"S": key}}, "UpdateExpression": "ADD v :one",
                                         "ExpressionAttributeValues": {":one": {"N": "1"}}})
        client.close()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    total = writers * items * rounds
    records = kinesis.read_until(name, lambda records: len(records) >= total)
    assert len(records) == total
    assert len({record.shard for record in records}) == 3
    found = streams.by_item(records)
    assert len(found) == writers * items // 2 + items // 2
    for changes in found.values():
        counts = [int(change["dynamodb"]["NewImage"]["v"]["N"]) for change in changes]
        assert counts == list(range(1, len(changes) + 1))


# --- restarts and kills


class Writer(threading.Thread):
    """Counts an item up until it is told to stop or the server dies; `acknowledged` is the last count that was answered."""

    def __init__(self, endpoint, table, key):
        super().__init__()
        self.endpoint, self.table, self.key = endpoint, table, key
        self.acknowledged = 0
        self.is_stopped = threading.Event()
        self.start()

    def run(self):
        client = RawClient(self.endpoint)
        try:
            while not self.is_stopped.is_set():
                reply = client.ok("UpdateItem", {
                    "TableName": self.table, "Key": {"pk": {"S": self.key}}, "UpdateExpression": "ADD v :one",
                    "ExpressionAttributeValues": {":one": {"N": "1"}}, "ReturnValues": "UPDATED_NEW"})
                self.acknowledged = int(reply["Attributes"]["v"]["N"])
        except OSError:
            pass
        finally:
            client.close()


def values_by_key(records):
    values = {}
    for record in records:
        image = record.data["dynamodb"]
        values.setdefault(image["Keys"]["pk"]["S"], []).append(int(image["NewImage"]["v"]["N"]))
    return values


def missing(records, expected):
    """Counts that were acknowledged but have not arrived, by key."""
    values = values_by_key(records)
    gaps = {key: sorted(set(range(1, last + 1)) - set(values.get(key, []))) for key, last in expected.items()}
    return {key: gap for key, gap in gaps.items() if gap}


def assert_in_order(records):
    """Without repetitions of what had arrived before, each item counts up."""
    for key, values in values_by_key(records).items():
        highest = 0
        for value in values:
            assert value <= highest + 1, f"{key}: {value} after {highest}"
            highest = max(highest, value)


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_nothing_is_lost_when_the_server_goes(kinesis, stream, tmp_path, ending):
    name, arn = stream
    keys = [f"k{number}" for number in range(4)]
    expected = {}
    server = Server(tmp_path / "data", "--kinesis-endpoint", kinesis.endpoint)
    for round in range(4):
        server.start()
        db = RawClient(server.endpoint)
        if round == 0:
            table = tables.create(db)
            enable(db, table, arn)
        assert destinations(db, table)[0]["DestinationStatus"] == "ACTIVE"
        writers = [Writer(server.endpoint, table, key) for key in keys]
        # In the midst of delivering, at another moment each time.
        so_far = len(kinesis.read(name))
        kinesis.read_until(name, lambda records: len(records) > so_far + 40 * round)
        if ending == "kill":
            server.kill()
        else:
            server.stop()
        for writer in writers:
            writer.is_stopped.set()
            writer.join()
        expected = {writer.key: writer.acknowledged for writer in writers}
        db.close()
    with server:
        records = kinesis.read_until(name, lambda records: not missing(records, expected))
    assert_in_order(records)


def test_nothing_is_lost_while_kinesis_is_away(tmp_path):
    with Kinesis() as kinesis:
        name = "changes"
        arn = kinesis.create(name)
        with Server(tmp_path / "data", "--kinesis-endpoint", kinesis.endpoint) as server:
            db = RawClient(server.endpoint)
            table = tables.create(db)
            enable(db, table, arn)
            writer = Writer(server.endpoint, table, "a")
            kinesis.read_until(name, lambda records: len(records) > 20)
            kinesis.stop()
            down_at = writer.acknowledged
            poll_until(lambda: writer.acknowledged, lambda count: count >= down_at + 500, seconds=60)
            assert destinations(db, table)[0]["DestinationStatus"] == "ACTIVE"
            assert metric(db, "armature_kinesis_lag_seconds") > 0
            kinesis.start()
            # kinesalite forgets everything when it ends, the stream included: for a while it is not found.
            kinesis.create(name)
            writer.is_stopped.set()
            writer.join()
            # What arrived between our last look and the end of kinesalite is gone with it: look from the first that is left.
            values = poll_until(lambda: values_by_key(kinesis.read(name)).get("a", []),
                                lambda found: found[-1:] == [writer.acknowledged], seconds=60, pause=0.05)
            assert sorted(set(values)) == list(range(min(values), writer.acknowledged + 1))
            assert min(values) <= down_at + 1
            assert metric(db, "armature_kinesis_failures_total") > 0
            poll_until(lambda: metric(db, "armature_kinesis_lag_seconds"), lambda lag: lag == 0)
            db.close()


def metric(db, name):
    text = db.send("GET", "/metrics").plain().decode()
    return float(re.search(rf"^{name} (\S+)$", text, re.MULTILINE).group(1))
