"""The rules of the caches, one by one (docs/design/dax.md). What was cached is seen by changing the table around DAX."""

import contextlib

import pytest

from harness import indexes, tables
from harness.dax import KINDS, DaxServer, comparable, dax_only, in_order
from harness.indexes import Index
from harness.raw import RawClient
from harness.sdk import race
from harness.waiting import poll_until

pytestmark = dax_only

TTL = 400  # milliseconds, where entries are to end while a test looks on


@pytest.fixture(scope="module")
def cached(tmp_path_factory):
    """Entries that stay: the defaults."""
    with DaxServer(tmp_path_factory.mktemp("caching") / "data") as server:
        yield server


@pytest.fixture(scope="module", params=KINDS)
def dax(node, cached, request):
    client = node.open(request.param, cached.dax)
    yield client
    client.close()


@pytest.fixture(scope="module")
def db(cached):
    client = RawClient(cached.endpoint)
    yield client
    client.close()


@pytest.fixture
def table(make_table):
    return make_table("pk:S", "sk:N")


def item(number, value):
    return {"pk": {"S": "a"}, "sk": {"N": str(number)}, "v": {"S": value}}


def key(number=1):
    return {"pk": {"S": "a"}, "sk": {"N": str(number)}}


def put(client, table, value, number=1, **more):
    return client.ok("PutItem", {"TableName": table, "Item": item(number, value), **more})


def get(client, table, number=1, **more):
    """The value of an item; None if there is none."""
    found = client.ok("GetItem", {"TableName": table, "Key": key(number), **more}).get("Item")
    return found and found["v"]["S"]


def query_of(table, **more):
    return {"TableName": table, "KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": {"S": "a"}}, **more}


def values(answer):
    return [each["v"]["S"] for each in answer["Items"]]


@contextlib.contextmanager
def counts(server, **expected):
    """The block must change these figures by so much."""
    before = {name: server.counted(name) for name in expected}
    yield
    assert {name: server.counted(name) - before[name] for name in expected} == expected


# --- items


def test_what_was_read_is_kept(dax, db, cached, table):
    put(db, table, "old")
    with counts(cached, item_cache_hits=0, item_cache_misses=1):
        assert get(dax, table) == "old"
    put(db, table, "new")
    with counts(cached, item_cache_hits=3, item_cache_misses=0):
        assert [get(dax, table) for _ in range(3)] == ["old"] * 3


def test_a_hit_costs_nothing(dax, db, table):
    put(db, table, "old")
    request = {"TableName": table, "Key": key(), "ReturnConsumedCapacity": "TOTAL"}
    assert [dax.ok("GetItem", request)["ConsumedCapacity"]["CapacityUnits"] for _ in range(3)] == [0.5, 0, 0]
    batch = {"RequestItems": {table: {"Keys": [key(), key(2)]}}, "ReturnConsumedCapacity": "TOTAL"}
    assert [dax.ok("BatchGetItem", batch)["ConsumedCapacity"][0]["CapacityUnits"] for _ in range(2)] == [0.5, 0]
    pages = query_of(table, ReturnConsumedCapacity="TOTAL")
    assert [dax.ok("Query", pages)["ConsumedCapacity"]["CapacityUnits"] for _ in range(2)] == [0.5, 0]


def test_a_missing_item_is_kept_as_missing(dax, db, cached, table):
    assert get(dax, table) is None
    put(db, table, "new")
    with counts(cached, item_cache_hits=2, item_cache_misses=0):
        assert get(dax, table) is None
        assert dax.ok("BatchGetItem", {"RequestItems": {table: {"Keys": [key()]}}})["Responses"].get(table, []) == []
    assert get(dax, table, ConsistentRead=True) == "new"
    assert get(dax, table) is None
    dax.ok("UpdateItem", {"TableName": table, "Key": key(), "UpdateExpression": "SET w = :w", "ExpressionAttributeValues": {":w": {"S": "x"}}})
    assert get(dax, table) == "new"


def write_put(table, value, number=1):
    return "PutItem", {"TableName": table, "Item": item(number, value)}


def write_update(table, value, number=1, **more):
    return "UpdateItem", {"TableName": table, "Key": key(number), "UpdateExpression": "SET v = :v", "ExpressionAttributeValues": {":v": {"S": value}}, **more}


def write_batch(table, value, number=1):
    return "BatchWriteItem", {"RequestItems": {table: [{"PutRequest": {"Item": item(number, value)}}]}}


WRITES = {
    "put": write_put, "update": write_update, "batch": write_batch,
    **{f"update returning {returned}": lambda table, value, returned=returned: write_update(table, value, ReturnValues=returned)
       for returned in ("ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW")},
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("was_cached", [True, False])
def test_what_was_written_is_kept(dax, db, cached, table, write, was_cached):
    put(db, table, "old")
    if was_cached:
        assert get(dax, table) == "old"
    dax.ok(*WRITES[write](table, "new"))
    assert get(db, table) == "new"
    if "returning" in write:  # what the answer does not tell of the item is read behind it, as for transactions
        assert get(dax, table) == "new"
        return
    put(db, table, "newest")
    with counts(cached, item_cache_hits=1, item_cache_misses=0):
        assert get(dax, table) == "new"


@pytest.mark.parametrize("delete", ["DeleteItem", "BatchWriteItem"])
def test_what_was_deleted_is_kept_as_missing(dax, db, cached, table, delete):
    put(db, table, "old")
    assert get(dax, table) == "old"
    one = {"TableName": table, "Key": key()}
    dax.ok(delete, one if delete == "DeleteItem" else {"RequestItems": {table: [{"DeleteRequest": {"Key": key()}}]}})
    put(db, table, "new")
    with counts(cached, item_cache_hits=1, item_cache_misses=0):
        assert get(dax, table) is None


@pytest.mark.parametrize("operation", ["PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"])
def test_a_write_that_failed_changes_nothing(dax, db, cached, table, operation):
    put(db, table, "old")
    assert get(dax, table) == "old"
    put(db, table, "around")
    refused = {"TableName": table, "ConditionExpression": "attribute_exists(nope)"}
    requests = {"PutItem": {**refused, "Item": item(1, "new")}, "UpdateItem": {**refused, "Key": key(), "UpdateExpression": "REMOVE v"},
                "DeleteItem": {**refused, "Key": key()}}
    requests["TransactWriteItems"] = {"TransactItems": [{"Put": requests["PutItem"]}]}
    assert dax.error(operation, requests[operation]).code in ("ConditionalCheckFailedException", "TransactionCanceledException")
    with counts(cached, item_cache_hits=1, item_cache_misses=0):
        assert get(dax, table) == "old"


def test_a_write_that_dynamodb_found_wrong_changes_nothing(dax, db, table):
    put(db, table, "old")
    assert get(dax, table) == "old"
    dax.error("PutItem", {"TableName": table, "Item": {**item(1, "new"), "n": {"N": "1e999"}}})
    dax.error("UpdateItem", {"TableName": table, "Key": key(), "UpdateExpression": "ADD v :v", "ExpressionAttributeValues": {":v": {"N": "1"}}},
              "ValidationException")
    assert get(dax, table) == "old"


def test_consistent_reads_pass_by(dax, db, cached, table):
    put(db, table, "old")
    with counts(cached, item_cache_hits=0):
        assert get(dax, table, ConsistentRead=True) == "old"
    put(db, table, "new")
    assert get(dax, table) == "new"  # nothing was kept
    put(db, table, "newest")
    with counts(cached, item_cache_hits=0):
        assert get(dax, table, ConsistentRead=True) == "newest"
        batch = dax.ok("BatchGetItem", {"RequestItems": {table: {"Keys": [key()], "ConsistentRead": True}}})
        assert batch["Responses"][table] == [item(1, "newest")]
    assert get(dax, table) == "new"  # and nothing was replaced


def test_projections_pass_by(dax, db, cached, table):
    put(db, table, "old")
    with counts(cached, item_cache_hits=0):
        assert get(dax, table, ProjectionExpression="v") == "old"
    put(db, table, "new")
    assert get(dax, table) == "new"
    put(db, table, "newest")
    with counts(cached, item_cache_hits=0):
        assert get(dax, table, ProjectionExpression="v, pk") == "newest"
    assert get(dax, table) == "new"


def test_transactions_are_read_around_the_cache(dax, db, table):
    put(db, table, "old")
    request = {"TransactItems": [{"Get": {"TableName": table, "Key": key()}}]}
    assert dax.ok("TransactGetItems", request)["Responses"] == [{"Item": item(1, "old")}]
    put(db, table, "new")
    assert get(dax, table) == "new"
    put(db, table, "newest")
    assert dax.ok("TransactGetItems", request)["Responses"] == [{"Item": item(1, "newest")}]
    assert get(dax, table) == "new"


def test_what_a_transaction_wrote_is_read_again(dax, db, cached, table):
    """In the background, behind the answer; nobody is shown what was there before."""
    for number in (1, 2, 3):
        put(db, table, "old", number)
        assert get(dax, table, number) == "old"
    dax.ok("TransactWriteItems", {"TransactItems": [
        {"Put": {"TableName": table, "Item": item(1, "new")}}, {"Delete": {"TableName": table, "Key": key(2)}},
        {"Update": write_update(table, "new", 3)[1]}]})
    assert [get(dax, table, number) for number in (1, 2, 3)] == ["new", None, "new"]

    def hits():
        before = cached.counted("item_cache_hits")
        assert [get(dax, table, number) for number in (1, 2, 3)] == ["new", None, "new"]
        return cached.counted("item_cache_hits") - before

    poll_until(hits, lambda found: found == 3)


def test_a_batch_may_be_part_hit_part_miss(dax, db, cached, table):
    for number in range(6):
        put(db, table, "old", number)
    for number in (0, 2, 4, 7):  # three that are there, one that is not
        get(dax, table, number)
    for number in range(8):
        put(db, table, "new", number)
    request = {"RequestItems": {table: {"Keys": [key(number) for number in range(9)]}}}
    expected = [item(number, "old" if number in (0, 2, 4) else "new") for number in range(7)]
    with counts(cached, item_cache_hits=4, item_cache_misses=5):
        assert in_order(dax.ok("BatchGetItem", request)["Responses"][table]) == in_order(expected)
    for number in range(9):
        put(db, table, "newest", number)
    with counts(cached, item_cache_hits=9, item_cache_misses=0):
        assert in_order(dax.ok("BatchGetItem", request)["Responses"][table]) == in_order(expected)
    with counts(cached, item_cache_hits=1):
        assert get(dax, table, 1) == "new"


def test_one_entry_for_every_spelling_of_a_key(dax, db, cached, table):
    put(db, table, "old", "10")
    assert get(dax, table, "10") == "old"
    put(db, table, "new", "10")
    with counts(cached, item_cache_hits=3, item_cache_misses=0):
        assert [get(dax, table, spelling) for spelling in ("1e1", "10.0", "100e-1")] == ["old"] * 3


def test_tables_do_not_share_entries(dax, db, make_table):
    first, second = (make_table("pk:S", "sk:N") for _ in range(2))
    for table in (first, second):
        put(db, table, table)
        assert get(dax, table) == table


# --- queries and scans


def test_queries_are_kept_and_writes_do_not_touch_them(dax, db, cached, table):
    put(db, table, "old")
    with counts(cached, query_cache_hits=0, query_cache_misses=1):
        assert values(dax.ok("Query", query_of(table))) == ["old"]
    put(dax, table, "new")
    put(dax, table, "more", 2)
    with counts(cached, query_cache_hits=1, query_cache_misses=0):
        assert values(dax.ok("Query", query_of(table))) == ["old"]
    assert values(dax.ok("Query", query_of(table, ConsistentRead=True))) == ["new", "more"]
    assert values(dax.ok("Query", query_of(table))) == ["old"]
    assert get(dax, table) == "new"


def test_scans_are_kept_and_writes_do_not_touch_them(dax, db, cached, table):
    put(db, table, "old")
    request = {"TableName": table}
    with counts(cached, scan_cache_hits=0, scan_cache_misses=1):
        assert values(dax.ok("Scan", request)) == ["old"]
    put(dax, table, "new")
    with counts(cached, scan_cache_hits=1, scan_cache_misses=0):
        assert values(dax.ok("Scan", request)) == ["old"]
    assert values(dax.ok("Scan", {**request, "ConsistentRead": True})) == ["new"]
    assert values(dax.ok("Scan", request)) == ["old"]


def test_empty_results_are_kept(dax, db, table):
    assert values(dax.ok("Query", query_of(table))) == values(dax.ok("Scan", {"TableName": table})) == []
    put(dax, table, "new")
    assert values(dax.ok("Query", query_of(table))) == values(dax.ok("Scan", {"TableName": table})) == []


def test_the_caches_do_not_feed_each_other(dax, db, cached, table):
    put(db, table, "old")
    assert values(dax.ok("Query", query_of(table))) == values(dax.ok("Scan", {"TableName": table})) == ["old"]
    put(db, table, "new")
    with counts(cached, item_cache_hits=0, item_cache_misses=1):
        assert get(dax, table) == "new"
    assert values(dax.ok("Query", query_of(table))) == ["old"]


def test_a_query_that_asks_otherwise_is_another(dax, db, cached, table):
    for number in range(4):
        put(db, table, "old", number)
    more_values = {":pk": {"S": "a"}, ":one": {"N": "1"}}
    variants = [
        query_of(table), query_of(table, Limit=2), query_of(table, Limit=3), query_of(table, ScanIndexForward=False), query_of(table, Select="COUNT"),
        query_of(table, ProjectionExpression="v"), query_of(table, ProjectionExpression="sk"), query_of(table, ExclusiveStartKey=key(1)),
        query_of(table, KeyConditionExpression="pk = :pk AND sk > :one", ExpressionAttributeValues=more_values),
        query_of(table, KeyConditionExpression="pk = :pk AND sk > :one", ExpressionAttributeValues={**more_values, ":one": {"N": "2"}}),
        query_of(table, FilterExpression="v > :one", ExpressionAttributeValues=more_values),
        query_of(table, FilterExpression="v <> :one", ExpressionAttributeValues=more_values),
    ]
    with counts(cached, query_cache_hits=0, query_cache_misses=len(variants)):
        first = [comparable(dax.ok("Query", request)) for request in variants]
    for number in range(4):
        put(db, table, "new", number)
    with counts(cached, query_cache_hits=len(variants), query_cache_misses=0):
        assert [comparable(dax.ok("Query", request)) for request in variants] == first
    # How much of the costs is told makes no other question.
    with counts(cached, query_cache_hits=1):
        assert values(dax.ok("Query", query_of(table, ReturnConsumedCapacity="INDEXES"))) == ["old"] * 4


def test_queries_of_indexes_are_kept(dax, db, cached, make_table):
    table = make_table("pk:S", "sk:N", **indexes.members("pk:S", "sk:N", [Index("byV", "v:S", "sk:N")]))
    put(db, table, "old")
    request = {"TableName": table, "IndexName": "byV", "KeyConditionExpression": "v = :v", "ExpressionAttributeValues": {":v": {"S": "old"}}}
    assert values(dax.ok("Query", request)) == ["old"]
    put(dax, table, "new")
    with counts(cached, query_cache_hits=1, query_cache_misses=0):
        assert values(dax.ok("Query", request)) == ["old"]


def test_what_was_refused_is_not_kept(dax, db, table, new_name):
    for _ in range(2):
        dax.error("Query", query_of(table, FilterExpression="pk > :pk"), "ValidationException")
    missing = new_name()
    for _ in range(2):
        dax.error("Scan", {"TableName": missing}, "ResourceNotFoundException")
    tables.create(db, "pk:S", "sk:N", name=missing)
    assert values(dax.ok("Scan", {"TableName": missing})) == []


def test_many_who_ask_at_once_cost_one_read(dax, db, cached, table):
    put(db, table, "x" * 300_000)
    reads = [dax.start("GetItem", {"TableName": table, "Key": key(), "ReturnConsumedCapacity": "TOTAL"}) for _ in range(100)]
    answers = [read.result(60) for read in reads]
    assert {answer["Item"]["v"]["S"] for answer in answers} == {"x" * 300_000}
    assert sum(answer["ConsumedCapacity"]["CapacityUnits"] > 0 for answer in answers) == 1


# --- times to live


@pytest.fixture(scope="module")
def short_lived(tmp_path_factory):
    with DaxServer(tmp_path_factory.mktemp("ttl") / "data", "--dax-record-ttl-millis", TTL, "--dax-query-ttl-millis", 3 * TTL) as server:
        yield server


@pytest.fixture(scope="module")
def endless(tmp_path_factory):
    """0: items stay until their place is needed, pages are not kept at all."""
    with DaxServer(tmp_path_factory.mktemp("endless") / "data", "--dax-record-ttl-millis", 0, "--dax-query-ttl-millis", 0) as server:
        yield server


@contextlib.contextmanager
def clients_of(node, server, kind="v3"):
    db, dax = RawClient(server.endpoint), node.open(kind, server.dax)
    yield db, dax, tables.create(db, "pk:S", "sk:N")
    db.close()
    dax.close()


@pytest.mark.parametrize("kind", KINDS)
def test_entries_end_each_kind_at_its_time(node, short_lived, kind):
    with clients_of(node, short_lived, kind) as (db, dax, table):
        put(db, table, "old")
        assert get(dax, table) == "old"
        assert get(dax, table, 2) is None
        assert values(dax.ok("Query", query_of(table))) == ["old"]
        for number in (1, 2):
            put(db, table, "new", number)
        poll_until(lambda: get(dax, table), lambda found: found == "new")
        poll_until(lambda: get(dax, table, 2), lambda found: found == "new")
        poll_until(lambda: values(dax.ok("Query", query_of(table))), lambda found: found == ["new", "new"])


def test_being_read_does_not_keep_an_entry(node, short_lived):
    with clients_of(node, short_lived) as (db, dax, table):
        put(db, table, "old")
        assert get(dax, table) == "old"
        put(db, table, "new")
        poll_until(lambda: get(dax, table), lambda found: found == "new", seconds=20 * TTL / 1000, pause=0.001)


def test_zero_keeps_items_and_no_pages(node, endless):
    with clients_of(node, endless) as (db, dax, table):
        put(db, table, "old")
        assert get(dax, table) == "old"
        assert values(dax.ok("Query", query_of(table))) == values(dax.ok("Scan", {"TableName": table})) == ["old"]
        put(db, table, "new")
        assert values(dax.ok("Query", query_of(table))) == values(dax.ok("Scan", {"TableName": table})) == ["new"]
        assert get(dax, table) == "old"
        put(dax, table, "newest")
        assert get(dax, table) == "newest"


# --- room


def test_the_oldest_goes_when_the_room_is_full(node, tmp_path):
    with DaxServer(tmp_path / "data", "--dax-cache-mib", 4) as server, clients_of(node, server) as (db, dax, table):
        filler = "x" * 100_000
        put(dax, table, filler, 0)  # the first of all; the client chooses the order of those that are sent together
        for future in [dax.start(*write_put(table, filler, number)) for number in range(1, 199)]:
            future.result(60)
        put(dax, table, filler, 199)
        assert server.counted("cache_evictions") > 0
        assert server.counted("cache_memory_bytes") <= 4.8 * (1 << 20)
        for number in range(200):
            put(db, table, "new", number)
        found = [get(dax, table, number) for number in range(199, -1, -1)]
        kept = sum(value == filler for value in found)
        assert 10 <= kept < 60 and found[0] == filler and found[-1] == "new"


def test_an_item_that_is_larger_than_the_room(node, tmp_path):
    with DaxServer(tmp_path / "data", "--dax-cache-mib", 1) as server, clients_of(node, server) as (db, dax, table):
        for number in range(20):
            put(dax, table, "x" * 390_000, number)
            assert get(dax, table, number) == "x" * 390_000
        assert len(dax.ok("Scan", {"TableName": table})["Items"]) == 3
        assert server.counted("cache_memory_bytes") <= 1.2 * (1 << 20)


# --- coherent


@pytest.fixture(scope="module")
def coherent(tmp_path_factory):
    with DaxServer(tmp_path_factory.mktemp("coherent") / "data", "--dax-coherent") as server:
        yield server


@pytest.mark.parametrize("kind", KINDS)
def test_coherent_caches_follow_every_write(node, coherent, kind):
    with clients_of(node, coherent, kind) as (db, dax, table):
        for value in map(str, range(30)):
            put(db, table, value)
            for _ in range(2):
                assert get(dax, table) == value
                assert values(dax.ok("Query", query_of(table))) == values(dax.ok("Scan", {"TableName": table})) == [value]
        before = coherent.counted("item_cache_hits"), coherent.counted("query_cache_hits"), coherent.counted("scan_cache_hits")
        assert all(before)
        db.ok("DeleteItem", {"TableName": table, "Key": key()})
        assert get(dax, table) is None
        assert values(dax.ok("Query", query_of(table))) == []
        db.ok("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": table, "Item": item(1, "t")}}]})
        assert (get(dax, table), values(dax.ok("Query", query_of(table)))) == ("t", ["t"])


def test_coherent_under_a_race(node, coherent):
    """A reader never sees less than the writer had been told before the read began."""
    with clients_of(node, coherent) as (db, dax, table):
        put(db, table, "0")
        written = [0]

        def work(number):
            if number == 0:
                writer = RawClient(coherent.endpoint)
                for value in range(1, 400):
                    put(writer, table, str(value))
                    written[0] = value
                return writer.close()
            while written[0] < 399:
                least = written[0]
                assert int(get(dax, table)) >= least
                assert int(values(dax.ok("Query", query_of(table)))[0]) >= least

        race(4, work)


# --- races without coherence: writers through DAX


def test_writers_and_readers_of_one_item(dax, db, cached, table):
    """Whoever wins, cache and table agree afterwards, and no reader goes back behind its own write."""
    put(dax, table, "0")

    def work(number):
        for turn in range(40):
            if number < 4:
                put(dax, table, f"{number}-{turn}")
            else:
                get(dax, table)

    race(8, work)
    assert get(dax, table) == get(db, table)
    assert get(dax, table) == get(dax, table, ConsistentRead=True)
