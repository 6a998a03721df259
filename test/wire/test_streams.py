"""DynamoDB Streams with boto3: what is recorded, in which shape, and the life of a stream."""

import re
import time

import pytest
from botocore.exceptions import ClientError

from harness import tables
from harness.streams import Consumer, describe, plain, read_all
from harness.waiting import poll_until


@pytest.fixture(scope="session")
def streams(session, endpoint):
    return session.client("dynamodbstreams", endpoint_url=endpoint)


@pytest.fixture
def make_stream(make_table, client):
    """A factory of (table name, stream ARN)."""
    def make(view="NEW_AND_OLD_IMAGES", hash_key="pk:S", range_key=None):
        name = make_table(hash_key, range_key, StreamSpecification={"StreamEnabled": True, "StreamViewType": view})
        return name, client.describe_table(TableName=name)["Table"]["LatestStreamArn"]
    return make


def change(client, name):
    """One item made, changed and removed."""
    client.put_item(TableName=name, Item={"pk": {"S": "k"}, "n": {"N": "1"}})
    client.update_item(TableName=name, Key={"pk": {"S": "k"}}, UpdateExpression="SET n = :n", ExpressionAttributeValues={":n": {"N": "22"}})
    client.delete_item(TableName=name, Key={"pk": {"S": "k"}})


@pytest.mark.parametrize("view, sizes, images", [
    ("KEYS_ONLY", [3, 3, 3], [(None, None), (None, None), (None, None)]),
    ("NEW_IMAGE", [9, 9, 3], [(None, "1"), (None, "22"), (None, None)]),
    ("OLD_IMAGE", [3, 9, 9], [(None, None), ("1", None), ("22", None)]),
    ("NEW_AND_OLD_IMAGES", [9, 15, 9], [(None, "1"), ("1", "22"), ("22", None)]),
])
def test_every_view_type(client, streams, make_stream, view, sizes, images):
    name, arn = make_stream(view)
    change(client, name)
    records = read_all(streams, arn)
    assert [record["eventName"] for record in records] == ["INSERT", "MODIFY", "REMOVE"]
    for record, size, (old, new) in zip(records, sizes, images):
        assert record["eventVersion"] == "1.1" and record["eventSource"] == "aws:dynamodb" and record["awsRegion"] == "us-east-1"
        assert re.fullmatch("[0-9a-f]{32}", record["eventID"])
        assert "userIdentity" not in record
        told = record["dynamodb"]
        assert told["Keys"] == {"pk": {"S": "k"}}
        assert told["StreamViewType"] == view
        assert re.fullmatch("[0-9]{21,40}", told["SequenceNumber"])
        assert told["SizeBytes"] == size
        assert abs(told["ApproximateCreationDateTime"].timestamp() - time.time()) < 60
        assert (told.get("OldImage") or {}).get("n", {}).get("N") == old
        assert (told.get("NewImage") or {}).get("n", {}).get("N") == new
    numbers = [int(record["dynamodb"]["SequenceNumber"]) for record in records]
    assert numbers == sorted(set(numbers))


def test_an_item_of_keys_alone_has_an_image(client, streams, make_stream):
    name, arn = make_stream("NEW_IMAGE", range_key="sk:N")
    client.put_item(TableName=name, Item={"pk": {"S": "k"}, "sk": {"N": "1.50"}})
    (record,) = read_all(streams, arn)
    assert record["dynamodb"]["NewImage"] == record["dynamodb"]["Keys"] == {"pk": {"S": "k"}, "sk": {"N": "1.5"}}


def test_writes_that_change_nothing_are_not_recorded(client, streams, make_stream):
    name, arn = make_stream()
    item = {"pk": {"S": "k"}, "s": {"SS": ["a", "b"]}, "m": {"M": {"x": {"N": "1"}, "y": {"NULL": True}}}}
    same = {"m": {"M": {"y": {"NULL": True}, "x": {"N": "1.0"}}}, "s": {"SS": ["b", "a"]}, "pk": {"S": "k"}}
    client.put_item(TableName=name, Item=item)
    client.put_item(TableName=name, Item=same)
    client.update_item(TableName=name, Key={"pk": {"S": "k"}}, UpdateExpression="REMOVE missing_one")
    client.update_item(TableName=name, Key={"pk": {"S": "k"}}, UpdateExpression="ADD s :a", ExpressionAttributeValues={":a": {"SS": ["a"]}})
    client.delete_item(TableName=name, Key={"pk": {"S": "not there"}})
    client.batch_write_item(RequestItems={name: [
        {"PutRequest": {"Item": same}}, {"DeleteRequest": {"Key": {"pk": {"S": "nor this"}}}}, {"PutRequest": {"Item": {"pk": {"S": "batch"}}}}]})
    client.transact_write_items(TransactItems=[
        {"Put": {"TableName": name, "Item": same}}, {"Delete": {"TableName": name, "Key": {"pk": {"S": "nor that"}}}},
        {"Put": {"TableName": name, "Item": {"pk": {"S": "transaction"}}}},
        {"ConditionCheck": {"TableName": name, "Key": {"pk": {"S": "batch"}}, "ConditionExpression": "attribute_exists(pk)"}}])
    with pytest.raises(ClientError):
        client.transact_write_items(TransactItems=[
            {"Put": {"TableName": name, "Item": {"pk": {"S": "cancelled"}}}},
            {"Put": {"TableName": name, "Item": {"pk": {"S": "batch"}, "n": {"N": "1"}}, "ConditionExpression": "attribute_not_exists(pk)"}}])
    assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in read_all(streams, arn)] == ["k", "batch", "transaction"]


def test_iterators(client, streams, make_stream):
    name, arn = make_stream("KEYS_ONLY")
    shard = describe(streams, arn)["Shards"][0]["ShardId"]

    def keys(**how):
        iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, **how)["ShardIterator"]
        return [record["dynamodb"]["Keys"]["pk"]["S"] for record in streams.get_records(ShardIterator=iterator)["Records"]]

    for key in "abc":
        client.put_item(TableName=name, Item={"pk": {"S": key}})
    latest = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType="LATEST")["ShardIterator"]
    client.put_item(TableName=name, Item={"pk": {"S": "d"}})
    assert keys(ShardIteratorType="TRIM_HORIZON") == ["a", "b", "c", "d"]
    assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in streams.get_records(ShardIterator=latest)["Records"]] == ["d"]
    number = read_all(streams, arn)[1]["dynamodb"]["SequenceNumber"]
    assert keys(ShardIteratorType="AT_SEQUENCE_NUMBER", SequenceNumber=number) == ["b", "c", "d"]
    assert keys(ShardIteratorType="AFTER_SEQUENCE_NUMBER", SequenceNumber=number) == ["c", "d"]
    first = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
    for _ in range(2):  # an iterator may be used again
        page = streams.get_records(ShardIterator=first, Limit=3)
        assert len(page["Records"]) == 3
    page = streams.get_records(ShardIterator=page["NextShardIterator"], Limit=3)
    assert len(page["Records"]) == 1
    page = streams.get_records(ShardIterator=page["NextShardIterator"])
    assert page["Records"] == [] and page["NextShardIterator"]


def test_errors(client, streams, make_stream):
    _, arn = make_stream()
    shard = describe(streams, arn)["Shards"][0]["ShardId"]
    with pytest.raises(streams.exceptions.ResourceNotFoundException, match="Shard does not exist"):
        streams.get_shard_iterator(StreamArn=arn, ShardId="shardId-00000000000000000000-00000000", ShardIteratorType="LATEST")
    with pytest.raises(streams.exceptions.ResourceNotFoundException, match="Requested resource not found: Stream: "):
        streams.describe_stream(StreamArn=arn[:-1] + "z")

    def refuse(call, **request):
        with pytest.raises(ClientError) as error:
            call(**request)
        assert error.value.response["Error"]["Code"] == "ValidationException"

    refuse(streams.get_records, ShardIterator="nonsense")
    refuse(streams.describe_stream, StreamArn="x" * 40)
    refuse(streams.list_streams, Limit=101)
    iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType="LATEST")["ShardIterator"]
    refuse(streams.get_records, ShardIterator=iterator, Limit=1001)
    refuse(streams.get_shard_iterator, StreamArn=arn, ShardId=shard, ShardIteratorType="AT_SEQUENCE_NUMBER")
    refuse(streams.get_shard_iterator, StreamArn=arn, ShardId=shard, ShardIteratorType="NEWEST")
    refuse(streams.get_shard_iterator, StreamArn=arn, ShardId=shard, ShardIteratorType="AT_SEQUENCE_NUMBER", SequenceNumber="x" * 21)


def test_a_stream_is_disabled_and_made_anew(client, streams, make_stream):
    name, old = make_stream("NEW_IMAGE")
    client.put_item(TableName=name, Item={"pk": {"S": "seen"}})
    consumer = Consumer(streams, old)
    assert consumer.poll() and not consumer.finished
    update = {"TableName": name, "StreamSpecification": {"StreamEnabled": False}}
    client.update_table(**update)
    with pytest.raises(ClientError, match="Table doesn't have a stream to disable"):
        client.update_table(**update)
    table = client.describe_table(TableName=name)["Table"]
    assert "StreamSpecification" not in table and table["LatestStreamArn"] == old
    client.put_item(TableName=name, Item={"pk": {"S": "unseen"}})
    update["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    new = client.update_table(**update)["TableDescription"]["LatestStreamArn"]
    with pytest.raises(ClientError, match="Table already has an enabled stream"):
        client.update_table(**update)
    client.put_item(TableName=name, Item={"pk": {"S": "later"}})

    assert new > old
    assert consumer.drain() == [] and len(consumer.finished) == 1
    description = describe(streams, old)
    assert description["StreamStatus"] == "DISABLED" and description["StreamViewType"] == "NEW_IMAGE"
    assert all("EndingSequenceNumber" in shard["SequenceNumberRange"] for shard in description["Shards"])
    assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in read_all(streams, new)] == ["later"]
    listed = streams.list_streams(TableName=name)["Streams"]
    assert [stream["StreamArn"] for stream in listed] == [old, new]
    assert [stream["StreamLabel"] for stream in listed] == [arn.rsplit("/", 1)[1] for arn in (old, new)]


def test_the_stream_of_a_deleted_table_stays(db, client, streams, make_stream):
    name, arn = make_stream()
    client.put_item(TableName=name, Item={"pk": {"S": "k"}})
    tables.drop(db, name)
    assert describe(streams, arn)["StreamStatus"] == "DISABLED"
    consumer = Consumer(streams, arn)
    assert len(consumer.drain()) == 1 and consumer.finished
    tables.create(db, name=name)
    assert [stream["StreamArn"] for stream in streams.list_streams(TableName=name)["Streams"]] == [arn]
    tables.drop(db, name)


def test_streams_are_listed_in_pages(streams, make_stream):
    made = {make_stream()[1] for _ in range(3)}
    found, start = [], {}
    while True:
        page = streams.list_streams(Limit=2, **start)
        found += [stream["StreamArn"] for stream in page["Streams"]]
        if "LastEvaluatedStreamArn" not in page:
            break
        assert len(page["Streams"]) == 2 and page["LastEvaluatedStreamArn"] == found[-1]
        start = {"ExclusiveStartStreamArn": found[-1]}
    assert made <= set(found) and len(found) == len(set(found))


def test_deletions_by_ttl_carry_the_identity_of_the_service(client, streams, make_stream):
    name, arn = make_stream("OLD_IMAGE")
    client.update_time_to_live(TableName=name, TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
    client.put_item(TableName=name, Item={"pk": {"S": "k"}, "ttl": {"N": str(int(time.time()) - 10)}})
    consumer, records = Consumer(streams, arn), []
    poll_until(lambda: records.extend(consumer.poll()) or records, lambda found: len(found) >= 2, seconds=60, pause=0.05)
    assert records[1]["eventName"] == "REMOVE"
    assert records[1]["userIdentity"] == {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
    assert plain(records[1]["dynamodb"]["OldImage"])["pk"] == "k"


def test_large_items_come_in_pages_of_about_a_megabyte(client, streams, make_stream):
    name, arn = make_stream("NEW_IMAGE")
    for number in range(8):
        client.put_item(TableName=name, Item={"pk": {"S": str(number)}, "text": {"S": "x" * 300_000}})
    consumer = Consumer(streams, arn)
    pages = [len(consumer.poll()) for _ in range(3)]
    assert sum(pages) == 8 and max(pages) == 4
