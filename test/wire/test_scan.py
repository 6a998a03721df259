"""Scan: filters, projections, indexes, paging, parallel segments, capacity, and what is refused."""

import concurrent.futures

import pytest

from harness import tables

OOM = "One or more parameter values were invalid: "
ITEMS = 40
INDEXES = {
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind}
                             for name, kind in (("pk", "S"), ("sk", "N"), ("a", "S"), ("g", "S"))],
    "LocalSecondaryIndexes": [{
        "IndexName": "ByA", "Projection": {"ProjectionType": "KEYS_ONLY"},
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "a", "KeyType": "RANGE"}]}],
    "GlobalSecondaryIndexes": [{
        "IndexName": "OnG", "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]},
        "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}]}],
}


@pytest.fixture(scope="module")
def table(db):
    """Ten partitions of four items; every second item is in the indexes. Read only."""
    name = tables.create(db, "pk:S", "sk:N", **INDEXES)
    for number in range(ITEMS):
        item = {"pk": {"S": f"p{number // 4}"}, "sk": {"N": str(number)}, "n": {"N": str(number)}, "x": {"S": "x"}}
        if number % 2:
            item.update(a={"S": f"a{number}"}, g={"S": f"g{number % 3}"})
        db.ok("PutItem", {"TableName": name, "Item": item})
    yield name
    tables.drop(db, name)


@pytest.fixture
def scan(db, table):
    return lambda **more: db.ok("Scan", {"TableName": table, **more})


@pytest.fixture
def refused(db, table):
    return lambda message, **more: db.invalid("Scan", {"TableName": table, **more}, message)


def numbers(items):
    return sorted(int(item["sk"]["N"]) for item in items)


def all_items(run, **more):
    items, start = [], {}
    while True:
        page = run(**more, **start)
        assert page["Count"] == len(page["Items"])
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            return items
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


class TestReading:
    def test_everything(self, scan):
        reply = scan()
        assert numbers(reply["Items"]) == list(range(ITEMS))
        assert (reply["Count"], reply["ScannedCount"]) == (ITEMS, ITEMS)

    def test_items_of_a_partition_come_together_in_sort_order(self, scan):
        items = scan()["Items"]
        order = list(dict.fromkeys(item["pk"]["S"] for item in items))
        assert len(order) == ITEMS // 4
        assert [(item["pk"]["S"], int(item["sk"]["N"])) for item in items] == sorted(
            ((item["pk"]["S"], int(item["sk"]["N"])) for item in items), key=lambda key: (order.index(key[0]), key[1]))

    def test_an_empty_table(self, db, make_table):
        assert db.ok("Scan", {"TableName": make_table()}) == {"Items": [], "Count": 0, "ScannedCount": 0}

    @pytest.mark.parametrize("index", [{}, {"IndexName": "ByA"}, {"IndexName": "OnG"}])
    @pytest.mark.parametrize("limit", [1, 3, 7])
    def test_pages_make_up_the_whole(self, scan, index, limit):
        assert all_items(scan, Limit=limit, **index) == scan(**index)["Items"]

    def test_one_megabyte(self, db, make_table):
        name = make_table()
        for number in range(24):
            db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": str(number)}, "x": {"S": "x" * 50_000}}})
        first = db.ok("Scan", {"TableName": name})
        assert first["Count"] == 21
        rest = db.ok("Scan", {"TableName": name, "ExclusiveStartKey": first["LastEvaluatedKey"]})
        assert (rest["Count"], "LastEvaluatedKey" in rest) == (3, False)


class TestFilter:
    def test_keys_may_be_used(self, scan):
        reply = scan(FilterExpression="pk = :p AND n > :n", ExpressionAttributeValues={":p": {"S": "p0"}, ":n": {"N": "1"}})
        assert numbers(reply["Items"]) == [2, 3]
        assert (reply["Count"], reply["ScannedCount"]) == (2, ITEMS)

    def test_legacy(self, scan):
        conditions = {"n": {"ComparisonOperator": "LT", "AttributeValueList": [{"N": "2"}]},
                      "pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "p1"}]}}
        assert numbers(scan(ScanFilter=conditions)["Items"]) == []
        assert numbers(scan(ScanFilter=conditions, ConditionalOperator="OR")["Items"]) == [0, 1, 4, 5, 6, 7]

    def test_refused(self, refused):
        refused("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: pk",
                FilterExpression="attribute_exists(pk.x)")
        refused("Can not use both expression and non-expression parameters in the same request: Non-expression "
                "parameters: {AttributesToGet} Expression parameters: {FilterExpression}",
                FilterExpression="attribute_exists(x)", AttributesToGet=["x"])
        refused("ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null",
                ExpressionAttributeValues={":v": {"S": "v"}})
        refused("ConditionalOperator cannot be used without Filter or Expected", ConditionalOperator="OR")


class TestSelect:
    def test_count(self, scan):
        assert scan(Select="COUNT") == {"Count": ITEMS, "ScannedCount": ITEMS}

    def test_projection(self, scan):
        assert scan(ProjectionExpression="x", Limit=1)["Items"] == [{"x": {"S": "x"}}]
        assert scan(AttributesToGet=["x", "none"], Limit=1)["Items"] == [{"x": {"S": "x"}}]

    def test_indexes(self, scan):
        assert {frozenset(item) for item in scan(IndexName="ByA")["Items"]} == {frozenset({"pk", "sk", "a"})}
        assert {frozenset(item) for item in scan(IndexName="OnG")["Items"]} == {frozenset({"pk", "sk", "g", "x"})}
        fetched = scan(IndexName="ByA", Select="ALL_ATTRIBUTES")["Items"]
        assert numbers(fetched) == [number for number in range(ITEMS) if number % 2]
        assert all("n" in item for item in fetched)

    def test_refused(self, refused):
        refused("1 validation error detected: Must specify the AttributesToGet or ProjectionExpression when choosing to get "
                "SPECIFIC_ATTRIBUTES", Select="SPECIFIC_ATTRIBUTES")
        refused("Cannot specify the AttributesToGet when choosing to get ALL_ATTRIBUTES", Select="ALL_ATTRIBUTES",
                AttributesToGet=["x"])
        refused("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName", Select="ALL_PROJECTED_ATTRIBUTES")
        refused(OOM + "Global secondary index OnG does not project [n]", IndexName="OnG", ProjectionExpression="n")
        refused(OOM + "Select type ALL_ATTRIBUTES is not supported for global secondary index OnG because its projection "
                "type is not ALL", IndexName="OnG", Select="ALL_ATTRIBUTES")
        refused("Consistent reads are not supported on global secondary indexes", IndexName="OnG", ConsistentRead=True)
        refused("The table does not have the specified index: None", IndexName="None")


class TestSegments:
    @pytest.mark.parametrize("total", [1, 2, 5])
    def test_segments_are_disjoint_and_complete(self, raw_client, table, total):
        def part(segment):
            own = raw_client()
            try:
                return all_items(lambda **more: own.ok("Scan", {"TableName": table, **more}), Limit=3, Segment=segment,
                                 TotalSegments=total)
            finally:
                own.close()
        with concurrent.futures.ThreadPoolExecutor(total) as pool:
            parts = list(pool.map(part, range(total)))
        assert numbers(item for items in parts for item in items) == list(range(ITEMS))
        # All items of a partition are in one segment.
        owners = [{item["pk"]["S"] for item in items} for items in parts]
        assert sum(len(keys) for keys in owners) == ITEMS // 4

    def test_refused(self, scan, refused):
        refused("The TotalSegments parameter is required but was not present in the request when Segment parameter is "
                "present", Segment=0)
        refused("The Segment parameter is required but was not present in the request when parameter TotalSegments is "
                "present", TotalSegments=4)
        refused("The Segment parameter is zero-based and must be less than parameter TotalSegments", Segment=5, TotalSegments=5)
        refused("1 validation error detected: Value at 'Segment' failed to satisfy constraint: Member must have value "
                "greater than or equal to 0", Segment=-1, TotalSegments=5)
        key = scan(Segment=1, TotalSegments=2, Limit=1)["LastEvaluatedKey"]
        refused("The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with "
                "correct Segment. TotalSegments: 2 Segment: 0", Segment=0, TotalSegments=2, ExclusiveStartKey=key)


class TestStartKey:
    def test_refused(self, refused):
        refused("The provided starting key is invalid", ExclusiveStartKey={"pk": {"S": "p"}})
        refused("The provided starting key is invalid", IndexName="OnG",
                ExclusiveStartKey={"pk": {"S": "p"}, "sk": {"N": "1"}})
        refused("1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value "
                "greater than or equal to 1", Limit=0)


class TestCapacity:
    def test_every_partition_of_an_empty_table_is_charged(self, db, make_table):
        name = make_table()
        for consistent, units in ((True, 4.0), (False, 2.0)):
            assert db.ok("Scan", {"TableName": name, "ConsistentRead": consistent, "ReturnConsumedCapacity": "TOTAL"})[
                "ConsumedCapacity"] == {"TableName": name, "CapacityUnits": units}

    def test_sizes_are_summed_before_rounding(self, db, make_table):
        name = make_table()
        for number in range(10):
            db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": str(number)}, "x": {"S": "x" * 5000}}})
        reply = db.ok("Scan", {"TableName": name, "ConsistentRead": True, "ReturnConsumedCapacity": "INDEXES"})
        assert reply["ConsumedCapacity"] == {"TableName": name, "CapacityUnits": 13.0, "Table": {"CapacityUnits": 13.0}}

    def test_indexes_have_an_arm_of_their_own(self, scan, table):
        arms = scan(IndexName="OnG", ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]
        assert arms["Table"] == {"CapacityUnits": 0.0}
        assert arms["GlobalSecondaryIndexes"]["OnG"]["CapacityUnits"] == arms["CapacityUnits"]


class TestMissing:
    def test_table(self, db):
        db.error("Scan", {"TableName": tables.unique()}, "ResourceNotFoundException", "Requested resource not found")
