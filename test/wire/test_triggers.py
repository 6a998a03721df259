"""Triggers at work: real handlers in Python and JavaScript and an Invoke endpoint, fed by a table's changes."""

import json
import pathlib
import shutil
import time
import types
import urllib.request

import pytest

from harness import tables
from harness.raw import RawClient
from harness.sdk import race
from harness.server import Server
from harness.triggers import EXAMPLES, Log, http_endpoint, lambda_client, python_function
from harness.waiting import wait_until

NODE_HANDLER = '''
import { appendFileSync } from "node:fs";
export const handler = async (event) => {
  console.log("printing does no harm");
  appendFileSync(process.env.LOG, JSON.stringify(event) + "\\n");
  if (event.Records.some((record) => record.dynamodb.NewImage?.wish)) throw new TypeError("as wished");
};
'''


def answer_invocation(path, event):
    if any("wish" in record["dynamodb"].get("NewImage", {}) for record in event.get("Records", [])):
        return 200, {"X-Amz-Function-Error": "Unhandled"}, {"errorMessage": "as wished"}
    return 200, {}, {"ok": True}


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A server with all sorts of functions, and what there is to look at."""
    folder = tmp_path_factory.mktemp("triggers")
    with http_endpoint(answer_invocation) as (invoke_url, invoked), http_endpoint() as (hook_url, hooked):
        (folder / "handler.mjs").write_text(NODE_HANDLER)
        config = folder / "triggers.toml"
        config.write_text(
            python_function(folder, folder / "python.log", "python") + python_function(folder, folder / "hasty.log", "hasty", timeout=1) +
            f'''
[function.node]
command = ["{shutil.which("node")}", "{EXAMPLES / "node_runtime.mjs"}", "handler.mjs"]
environment = {{ LOG = "{folder / "node.log"}" }}
[function.remote]
url = "{invoke_url}"
[destination.lost]
directory = "lost"
[destination.hook]
url = "{hook_url}/failed"
''')
        with Server(folder / "data", "--trigger", config, "--stream-shard-age", "300ms") as server:
            yield types.SimpleNamespace(
                server=server, db=RawClient(server.endpoint), mappings=lambda_client(server.endpoint), log=Log(folder / "python.log"),
                hasty_log=Log(folder / "hasty.log"), node_log=Log(folder / "node.log"), invoked=invoked, hooked=hooked, lost=folder / "lost")


@pytest.fixture
def table(house):
    name = tables.create(house.db, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
    yield name
    for mapping in house.mappings.list_event_source_mappings()["EventSourceMappings"]:
        house.mappings.delete_event_source_mapping(UUID=mapping["UUID"])
    tables.drop(house.db, name)


def put(house, table, key, **attributes):
    house.db.ok("PutItem", {"TableName": table, "Item": {"pk": {"S": key}, **attributes}})


def stream_of(house, table):
    return house.db.ok("DescribeTable", {"TableName": table})["Table"]["LatestStreamArn"]


def follow(house, table, function="python", **settings):
    return house.mappings.create_event_source_mapping(
        EventSourceArn=stream_of(house, table), FunctionName=function, **{"StartingPosition": "TRIM_HORIZON", **settings})["UUID"]


def wish(text, once=False):
    return {"wish": {"S": text}, **({"once": {"BOOL": True}} if once else {})}


def metric(house, name, mapping):
    text = urllib.request.urlopen(house.server.endpoint + "/metrics").read().decode()
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith(f'{name}{{trigger="{mapping}"}}'))


def test_event_shape(house, table):
    put(house, table, "a", n={"N": "1"})
    follow(house, table)
    wait_until(lambda: len(house.log.records(table)) == 1)
    put(house, table, "a", n={"N": "2"})
    house.db.ok("DeleteItem", {"TableName": table, "Key": {"pk": {"S": "a"}}})
    inserted, modified, removed = wait_until(lambda: len(house.log.records(table)) == 3 and house.log.records(table))
    arn = stream_of(house, table)
    change = inserted["dynamodb"]
    assert inserted == {
        "eventID": inserted["eventID"], "eventName": "INSERT", "eventVersion": "1.1", "eventSource": "aws:dynamodb", "awsRegion": "us-east-1",
        "eventSourceARN": arn,
        "dynamodb": {"ApproximateCreationDateTime": change["ApproximateCreationDateTime"], "Keys": {"pk": {"S": "a"}},
                     "NewImage": {"pk": {"S": "a"}, "n": {"N": "1"}}, "SequenceNumber": change["SequenceNumber"], "SizeBytes": 9,
                     "StreamViewType": "NEW_AND_OLD_IMAGES"}}
    assert len(inserted["eventID"]) == 32
    assert abs(change["ApproximateCreationDateTime"] - time.time()) < 60
    assert (modified["eventName"], modified["dynamodb"]["OldImage"]["n"], modified["dynamodb"]["NewImage"]["n"]) == ("MODIFY", {"N": "1"}, {"N": "2"})
    assert removed["eventName"] == "REMOVE" and "NewImage" not in removed["dynamodb"]
    assert "userIdentity" not in removed
    numbers = [int(record["dynamodb"]["SequenceNumber"]) for record in (inserted, modified, removed)]
    assert numbers == sorted(set(numbers))


def test_expired_items_name_the_service(house, table):
    follow(house, table)
    put(house, table, "old", expires={"N": str(int(time.time()) - 100)})
    house.db.ok("UpdateTimeToLive", {"TableName": table, "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"}})
    removed = wait_until(lambda: [r for r in house.log.records(table) if r["eventName"] == "REMOVE"])
    assert removed[0]["userIdentity"] == {"type": "Service", "principalId": "dynamodb.amazonaws.com"}


def test_latest_leaves_out_what_was_before(house, table):
    put(house, table, "before")
    follow(house, table, StartingPosition="LATEST")
    put(house, table, "after")
    wait_until(lambda: house.log.records(table))
    assert house.log.names(table) == [["after"]]


@pytest.mark.parametrize("factor", [1, 4])
def test_order_per_key_from_many_writers(house, table, factor):
    """Also across shards, which are renewed all the time here."""
    mapping = follow(house, table, ParallelizationFactor=factor, BatchSize=20)

    def write(number):
        db = RawClient(house.server.endpoint)
        for version in range(40):
            db.ok("PutItem", {"TableName": table, "Item": {"pk": {"S": f"w{number}"}, "n": {"N": str(version)}}})
    race(16, write)
    wait_until(lambda: len(house.log.records(table)) >= 16 * 40)
    seen = {}
    for record in house.log.records(table):
        seen.setdefault(record["dynamodb"]["Keys"]["pk"]["S"], []).append(int(record["dynamodb"]["NewImage"]["n"]["N"]))
    assert seen == {f"w{number}": list(range(40)) for number in range(16)}
    assert max(len(event["Records"]) for event in house.log.events(table)) <= 20
    # Counted once the function has answered, and so a moment after it has written its log.
    wait_until(lambda: metric(house, "armature_trigger_records_total", mapping) == 640)
    wait_until(lambda: metric(house, "armature_trigger_lag_records", mapping) == 0)
    assert house.mappings.get_event_source_mapping(UUID=mapping)["LastProcessingResult"] == "OK"


def test_filters(house, table):
    for number in range(10):
        put(house, table, f"k{number}", kind={"S": "odd" if number % 2 else "even"}, n={"N": str(number)})
    mapping = follow(house, table, FilterCriteria={"Filters": [
        {"Pattern": json.dumps({"eventName": ["INSERT"], "dynamodb": {"NewImage": {"kind": {"S": ["odd"]}, "n": {"N": [{"anything-but": ["3"]}]}}}})},
        {"Pattern": json.dumps({"dynamodb": {"Keys": {"pk": {"S": [{"prefix": "k8"}]}}}})},
        {"Pattern": json.dumps({"dynamodb": {"NewImage": {"n": {"N": [{"numeric": [">", 0]}]}}}})}]})
    wait_until(lambda: len(house.log.records(table)) == 5)
    assert sorted(sum(house.log.names(table), [])) == ["k1", "k5", "k7", "k8", "k9"]
    wait_until(lambda: metric(house, "armature_trigger_filtered_total", mapping) == 5)
    wait_until(lambda: metric(house, "armature_trigger_lag_records", mapping) == 0)


def test_used_up_retries_go_to_the_directory(house, table):
    put(house, table, "bad", **wish("fail"))
    mapping = follow(house, table, MaximumRetryAttempts=1, DestinationConfig={"OnFailure": {"Destination": "arn:aws:sqs:us-east-1:123456789012:lost"}})
    wait_until(lambda: len(house.log.names(table)) == 2)
    put(house, table, "good")
    wait_until(lambda: len(house.log.names(table)) == 3)
    assert house.log.names(table) == [["bad"], ["bad"], ["good"]]
    files = [path for path in (house.lost / "aws" / "lambda" / mapping).rglob("*") if path.is_file()]
    assert len(files) == 1
    account = json.loads(files[0].read_text())
    record = house.log.records(table)[0]
    assert account["requestContext"]["condition"] == "RetryAttemptsExhausted"
    assert account["requestContext"]["approximateInvokeCount"] == 2
    assert account["requestContext"]["functionArn"].endswith(":function:python")
    assert account["responseContext"] == {"statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"}
    info = account["DDBStreamBatchInfo"]
    assert info["startSequenceNumber"] == info["endSequenceNumber"] == record["dynamodb"]["SequenceNumber"]
    assert (info["batchSize"], info["streamArn"]) == (1, stream_of(house, table))
    assert info["shardId"].startswith("shardId-")
    assert json.loads(account["payload"]) == {"Records": [record]}
    assert metric(house, "armature_trigger_discarded_total", mapping) == 1
    assert metric(house, "armature_trigger_errors_total", mapping) == 2


def test_used_up_retries_go_to_the_url(house, table):
    put(house, table, "bad", **wish("fail"))
    follow(house, table, MaximumRetryAttempts=0, DestinationConfig={"OnFailure": {"Destination": "arn:aws:sns:us-east-1:123456789012:hook"}})
    path, account = wait_until(lambda: [entry for entry in house.hooked if entry[1]["DDBStreamBatchInfo"]["streamArn"] == stream_of(house, table)])[0]
    assert path == "/failed"
    assert "payload" not in account and account["DDBStreamBatchInfo"]["batchSize"] == 1


def test_bisecting_finds_the_bad_one(house, table):
    for number in range(8):
        put(house, table, f"k{number}", **(wish("fail") if number == 5 else {}))
    follow(house, table, BisectBatchOnFunctionError=True, MaximumRetryAttempts=0)
    everything = [f"k{number}" for number in range(8)]

    def taken():
        return sorted(sum((call for call in house.log.names(table) if "k5" not in call), []))
    wait_until(lambda: taken() == [key for key in everything if key != "k5"])
    calls = house.log.names(table)
    assert calls[0] == everything and calls.count(["k5"]) == 1


def test_reported_items(house, table):
    for number in range(6):
        put(house, table, f"k{number}", **(wish("report", once=True) if number == 3 else {}))
    follow(house, table, FunctionResponseTypes=["ReportBatchItemFailures"])
    wait_until(lambda: len(house.log.names(table)) >= 2)
    everything = [f"k{number}" for number in range(6)]
    assert house.log.names(table) == [everything, everything[3:]]


def test_a_failing_batch_is_tried_until_it_succeeds(house, table):
    put(house, table, "a", **wish("fail", once=True))
    put(house, table, "b", **wish("die", once=True))
    follow(house, table, BatchSize=1)
    put(house, table, "c")
    wait_until(lambda: ["c"] in house.log.names(table))
    assert house.log.names(table) == [["a"], ["a"], ["b"], ["b"], ["c"]]


def test_a_handler_that_hangs_is_replaced(house, table):
    put(house, table, "a", **wish("hang", once=True))
    follow(house, table, function="hasty")
    wait_until(lambda: len(house.hasty_log.names(table)) == 2)


def test_a_failing_batch_holds_up_only_its_own(tmp_path):
    """One item's records wait; those of items in other parts of the shard do not."""
    config = tmp_path / "triggers.toml"
    log = Log(tmp_path / "log")
    config.write_text(python_function(tmp_path, log.path, "python"))
    with Server(tmp_path / "data", "--trigger", config) as server:
        alone = types.SimpleNamespace(server=server, db=RawClient(server.endpoint), mappings=lambda_client(server.endpoint))
        name = tables.create(alone.db, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
        mapping = follow(alone, name, ParallelizationFactor=10, BatchSize=1)
        put(alone, name, "bad", **wish("fail"))
        wait_until(lambda: ["bad"] in log.names())
        for number in range(60):
            put(alone, name, f"k{number}")
        put(alone, name, "bad", n={"N": "2"})
        wait_until(lambda: len({call[0] for call in log.names()}) >= 40)
        wait_until(lambda: log.names().count(["bad"]) >= 3)
        assert all("wish" in record["dynamodb"]["NewImage"] for record in log.records() if record["dynamodb"]["Keys"]["pk"]["S"] == "bad")
        assert metric(alone, "armature_trigger_lag_records", mapping) > 0
        assert alone.mappings.get_event_source_mapping(UUID=mapping)["LastProcessingResult"] in ("OK", "PROBLEM: Function call failed")


def test_batching_window(house, table):
    follow(house, table, MaximumBatchingWindowInSeconds=2, StartingPosition="LATEST")
    for number in range(5):
        put(house, table, f"k{number}")
        time.sleep(0.1)  # longer than the server needs to read each
    keys = [f"k{number}" for number in range(5)]
    wait_until(lambda: sum(house.log.names(table), []) == keys)
    # Without the window each had a batch of its own; on a busy machine the puts take longer than it.
    assert len(house.log.names(table)) <= 2


def test_disabling_and_enabling(house, table):
    mapping = follow(house, table)
    put(house, table, "a")
    wait_until(lambda: house.log.names(table) == [["a"]])
    house.mappings.update_event_source_mapping(UUID=mapping, Enabled=False)
    marker = follow(house, table, function="remote")  # what reaches it would have reached the other
    put(house, table, "b")
    wait_until(lambda: metric(house, "armature_trigger_records_total", marker) == 2)
    assert house.log.names(table) == [["a"]]
    house.mappings.update_event_source_mapping(UUID=mapping, Enabled=True)
    wait_until(lambda: house.log.names(table) == [["a"], ["b"]])


def test_javascript(house, table):
    put(house, table, "line\u2028separator", text={"S": "\u2029 and \"quotes\"\n"})
    follow(house, table, function="node", MaximumRetryAttempts=0)
    wait_until(lambda: house.node_log.names(table) == [["line\u2028separator"]])
    put(house, table, "bad", **wish("fail"))
    put(house, table, "good")
    wait_until(lambda: "good" in sum(house.node_log.names(table), []))


def test_invoke_endpoint(house, table):
    put(house, table, "a")
    mapping = follow(house, table, function="remote", MaximumRetryAttempts=0)
    arn = stream_of(house, table)
    path, event = wait_until(lambda: [call for call in house.invoked if call[1]["Records"][0]["eventSourceARN"] == arn])[0]
    assert path == "/2015-03-31/functions/remote/invocations"
    assert event["Records"][0]["dynamodb"]["Keys"] == {"pk": {"S": "a"}}
    put(house, table, "bad", **wish("fail"))
    wait_until(lambda: metric(house, "armature_trigger_discarded_total", mapping) == 1)


def test_progress_survives_restarts(tmp_path):
    """After a stop in good order nothing comes twice; what was written meanwhile comes."""
    config = tmp_path / "triggers.toml"
    log = Log(tmp_path / "log")
    config.write_text(python_function(tmp_path, log.path, "python"))
    with Server(tmp_path / "data", "--trigger", config) as server:
        db = RawClient(server.endpoint)
        name = tables.create(db, StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
        arn = db.ok("DescribeTable", {"TableName": name})["Table"]["LatestStreamArn"]
        lambda_client(server.endpoint).create_event_source_mapping(EventSourceArn=arn, FunctionName="python", StartingPosition="TRIM_HORIZON")
        for number in range(10):
            db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": f"k{number}"}}})
        wait_until(lambda: len(log.records()) == 10)
    with Server(tmp_path / "data") as server:  # the function is not there
        RawClient(server.endpoint).ok("PutItem", {"TableName": name, "Item": {"pk": {"S": "later"}}})
    with Server(tmp_path / "data", "--trigger", config):
        wait_until(lambda: len(log.records()) > 10)
    assert sum(log.names(), []) == [f"k{number}" for number in range(10)] + ["later"]


def test_triggers_of_the_file_follow_their_table(tmp_path):
    """The table comes later, its stream is closed and opened, the table itself is made anew."""
    config = tmp_path / "triggers.toml"
    log = Log(tmp_path / "log")
    functions = python_function(tmp_path, log.path, "python")
    config.write_text(functions + '\n[[trigger]]\nname = "t"\ntable = "later"\nfunction = "python"\nstarting_position = "LATEST"\n')
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    with Server(tmp_path / "data", "--trigger", config) as server:
        db, mappings = RawClient(server.endpoint), lambda_client(server.endpoint)

        def put_one(key):
            db.ok("PutItem", {"TableName": "later", "Item": {"pk": {"S": key}}})

        def seen(*keys):
            wait_until(lambda: sum(log.names(), []) == list(keys))

        tables.create(db, name="later", StreamSpecification=stream)
        put_one("a")
        seen("a")
        db.ok("UpdateTable", {"TableName": "later", "StreamSpecification": {"StreamEnabled": False}})
        put_one("unseen")
        db.ok("UpdateTable", {"TableName": "later", "StreamSpecification": stream})
        put_one("b")
        seen("a", "b")
        tables.drop(db, "later")
        tables.create(db, name="later", StreamSpecification=stream)
        put_one("c")
        wait_until(lambda: "c" in sum(log.names(), []))
        (entry,) = mappings.list_event_source_mappings()["EventSourceMappings"]
        assert entry["State"] == "Enabled" and ":table/later/stream/" in entry["EventSourceArn"]
        with pytest.raises(mappings.exceptions.ResourceInUseException, match="trigger t of the server's trigger file"):
            mappings.delete_event_source_mapping(UUID=entry["UUID"])
    config.write_text(functions)
    with Server(tmp_path / "data", "--trigger", config) as server:  # no longer in the file
        mappings = lambda_client(server.endpoint)
        assert mappings.get_event_source_mapping(UUID=entry["UUID"])["State"] == "Disabled"
        mappings.delete_event_source_mapping(UUID=entry["UUID"])


def test_bad_trigger_files_stop_the_start(tmp_path):
    config = tmp_path / "triggers.toml"
    config.write_text('[[trigger]]\nname = "t"\ntable = "later"\nfunction = "nobody"\n')
    from harness.server import StartFailed
    with pytest.raises(StartFailed, match="trigger t: there is no function nobody"):
        Server(tmp_path / "data", "--trigger", config).start()
    with pytest.raises(StartFailed, match="not of the form NAME=VALUE"):
        Server(tmp_path / "data", "--function", "f").start()


def test_the_example_file_is_right(tmp_path):
    """examples/triggers/triggers.toml starts; test/fault runs its leaderboard."""
    example = tmp_path / "example"
    shutil.copytree(EXAMPLES, example, ignore=shutil.ignore_patterns("__pycache__"))
    with Server(tmp_path / "data", "--trigger", example / "triggers.toml") as server:
        db = RawClient(server.endpoint)
        tables.create(db, "player:S", name="Scores", StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
        tables.create(db, "pk:S", "sk:S", name="Leaderboard")
        for player, points in (("ada", 1200), ("bob", 900), ("bob", 1500)):
            db.ok("PutItem", {"TableName": "Scores", "Item": {"player": {"S": player}, "points": {"N": str(points)}}})

        def board():
            rows = db.ok("Query", {"TableName": "Leaderboard", "KeyConditionExpression": "pk = :rank",
                                   "ExpressionAttributeValues": {":rank": {"S": "rank"}}})["Items"]
            return [(row["player"]["S"], int(row["points"]["N"])) for row in rows]
        wait_until(lambda: board() == [("bob", 1500), ("ada", 1200)])
        audit = example / "audit.jsonl"
        wait_until(lambda: audit.exists() and len(pathlib.Path(audit).read_text().splitlines()) == 2)
