"""Pagination loops: LastEvaluatedKey into ExclusiveStartKey, for tables and indexes, both ways, by count and by size."""

import json

import pytest
from boto3.dynamodb.conditions import Attr, Key

from harness.indexes import Index
from harness.sdk import INVALID, all_items, pages, refused, settle

COUNT = 23
ROWS = [{"PK": "p", "SK": number, "colour": ("red", "green", "blue")[number % 3], "weight": number // 5, "owner": "o"} for number in range(COUNT)]
OTHER = [{"PK": other, "SK": number, "weight": number, "owner": "x"} for other in ("o", "q") for number in range(4)]
OUTSIDE = "The provided starting key is outside query boundaries based on provided conditions"


@pytest.fixture
def rows(filled):
    return filled(ROWS + OTHER, range_key="SK:N", gsi=[Index("by-weight", "owner:S", "weight:N")], lsi=[Index("local", "PK:S", "weight:N", "KEYS_ONLY")])


def whole(**more):
    return {"KeyConditionExpression": Key("PK").eq("p"), **more}


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("size", [1, 2, 5, 22, 23, 24, 1000])
def test_every_page_size_gives_everything_once(rows, size, forward):
    replies = list(pages(rows.query, **whole(Limit=size, ScanIndexForward=forward)))
    assert [item for page in replies for item in page["Items"]] == (ROWS if forward else ROWS[::-1])
    # The page after the last full one may be empty: the server is free to say "there may be more".
    assert len(replies) in (-(-COUNT // size), COUNT // size + 1)
    for page in replies:
        assert page["Count"] == page["ScannedCount"] == len(page["Items"]) <= size
    for page in replies[:-1]:
        assert page["LastEvaluatedKey"] == {"PK": "p", "SK": page["Items"][-1]["SK"]}


def test_filtered_pages_count_what_was_read(rows):
    replies = list(pages(rows.query, **whole(Limit=4, FilterExpression=Attr("colour").eq("red") & Attr("weight").gte(2))))
    found = [item for page in replies for item in page["Items"]]
    assert found == [row for row in ROWS if row["colour"] == "red" and row["weight"] >= 2]
    assert sum(page["ScannedCount"] for page in replies) == COUNT
    assert replies[0]["Items"] == [] and replies[0]["Count"] == 0 and replies[0]["ScannedCount"] == 4
    assert replies[0]["LastEvaluatedKey"] == {"PK": "p", "SK": 3}, "the last item read, though it was filtered out"


def test_counting_in_pages(rows):
    replies = list(pages(rows.query, **whole(Limit=10, Select="COUNT")))
    assert sum(page["Count"] for page in replies) == COUNT
    assert all("Items" not in page for page in replies)


def test_a_range_in_pages(rows):
    request = {"KeyConditionExpression": Key("PK").eq("p") & Key("SK").between(5, 15), "Limit": 3}
    assert all_items(rows.query, **request) == ROWS[5:16]
    assert all_items(rows.query, **request, ScanIndexForward=False) == ROWS[15:4:-1]


def test_the_key_need_not_be_projected(rows):
    found = all_items(rows.query, **whole(Limit=5, ProjectionExpression="colour"))
    assert found == [{"colour": row["colour"]} for row in ROWS]


def test_a_cursor_survives_json(rows, client):
    """Applications hand the key to browsers and back."""
    found, cursor = [], None
    while True:
        request = {"TableName": rows.name, "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "p"}}, "Limit": 6}
        if cursor:
            request["ExclusiveStartKey"] = json.loads(cursor)
        page = client.query(**request)
        found += [int(item["SK"]["N"]) for item in page["Items"]]
        if "LastEvaluatedKey" not in page:
            break
        cursor = json.dumps(page["LastEvaluatedKey"])
    assert found == list(range(COUNT))


def test_the_sdks_own_paginators(rows, client):
    query = client.get_paginator("query").paginate(TableName=rows.name, KeyConditionExpression="PK = :p", ExpressionAttributeValues={":p": {"S": "p"}},
                                                   PaginationConfig={"PageSize": 4})
    assert [int(item["SK"]["N"]) for page in query for item in page["Items"]] == list(range(COUNT))
    scan = client.get_paginator("scan").paginate(TableName=rows.name, PaginationConfig={"PageSize": 4})
    assert sum(page["Count"] for page in scan) == COUNT + len(OTHER)


def test_rows_that_come_and_go_between_pages(rows):
    first = rows.query(**whole(Limit=5))
    rows.delete_item(Key=first["LastEvaluatedKey"])
    rows.delete_item(Key={"PK": "p", "SK": 5})
    rows.put_item(Item={"PK": "p", "SK": 1, "new": True})
    second = rows.query(**whole(Limit=5, ExclusiveStartKey=first["LastEvaluatedKey"]))
    assert second["Items"] == ROWS[6:11], "the key is a place, not an item"


@pytest.mark.parametrize("start, forward, expected", [(-5, True, ROWS), (100, False, ROWS[::-1]), (100, True, []), (-5, False, []), (10.5, True, ROWS[11:]), (10.5, False, ROWS[10::-1])])
def test_a_start_that_never_existed(rows, client, start, forward, expected):
    page = client.query(TableName=rows.name, KeyConditionExpression="PK = :p", ExpressionAttributeValues={":p": {"S": "p"}}, ScanIndexForward=forward,
                        ExclusiveStartKey={"PK": {"S": "p"}, "SK": {"N": str(start)}})
    assert [int(item["SK"]["N"]) for item in page["Items"]] == [row["SK"] for row in expected]


class TestScan:
    @pytest.mark.parametrize("size", [1, 4, 31, 100])
    def test_every_item_once(self, rows, size):
        replies = list(pages(rows.scan, Limit=size))
        found = [(item["PK"], int(item["SK"])) for page in replies for item in page["Items"]]
        assert sorted(found) == sorted((row["PK"], row["SK"]) for row in ROWS + OTHER)
        for page in replies[:-1]:
            assert page["LastEvaluatedKey"] == {name: page["Items"][-1][name] for name in ("PK", "SK")}

    def test_a_partition_stays_in_order(self, rows):
        found = [item for item in all_items(rows.scan, Limit=7) if item["PK"] == "p"]
        assert found == ROWS

    @pytest.mark.parametrize("segments", [1, 3, 10])
    def test_segments_share_the_table(self, rows, segments):
        found = [all_items(rows.scan, Segment=segment, TotalSegments=segments, Limit=3) for segment in range(segments)]
        assert sorted((item["PK"], item["SK"]) for part in found for item in part) == sorted((row["PK"], row["SK"]) for row in ROWS + OTHER)

    def test_an_index_is_scanned_in_pages(self, rows):
        settle(lambda: rows.scan(IndexName="by-weight", Select="COUNT")["Count"], COUNT + len(OTHER))
        found = all_items(rows.scan, IndexName="by-weight", Limit=4)
        assert sorted((item["PK"], item["SK"]) for item in found) == sorted((row["PK"], row["SK"]) for row in ROWS + OTHER)


class TestIndexes:
    KEYS = {"by-weight": ("owner", "weight", "PK", "SK"), "local": ("PK", "weight", "SK")}

    @pytest.mark.parametrize("forward", [True, False])
    @pytest.mark.parametrize("size", [1, 2, 5, 7])
    @pytest.mark.parametrize("index, key", [("by-weight", Key("owner").eq("o")), ("local", Key("PK").eq("p"))])
    def test_ties_are_neither_lost_nor_repeated(self, rows, index, key, size, forward):
        request = {"IndexName": index, "KeyConditionExpression": key, "ScanIndexForward": forward}
        settle(lambda: rows.query(**request)["Count"], COUNT)
        replies = list(pages(rows.query, **request, Limit=size))
        found = [item for page in replies for item in page["Items"]]
        assert sorted(int(item["SK"]) for item in found) == list(range(COUNT))
        weights = [int(item["weight"]) for item in found]
        assert weights == sorted(weights, reverse=not forward)
        for page in replies[:-1]:
            assert page["LastEvaluatedKey"] == {name: page["Items"][-1][name] for name in self.KEYS[index]}


class TestPagesOfAMegabyte:
    """Items of about 100 KB, so that a page ends after eleven of them."""

    @pytest.fixture
    def large(self, filled):
        return filled([{"PK": "p", "SK": number, "body": "x" * 100_000} for number in range(25)], range_key="SK:N")

    @pytest.mark.parametrize("forward", [True, False])
    def test_a_page_ends_once_a_megabyte_was_read(self, large, forward):
        replies = list(pages(large.query, **whole(ScanIndexForward=forward)))
        assert [len(page["Items"]) for page in replies] == [11, 11, 3]
        found = [int(item["SK"]) for page in replies for item in page["Items"]]
        assert found == (list(range(25)) if forward else list(range(24, -1, -1)))

    def test_a_filter_does_not_make_pages_longer(self, large):
        replies = list(pages(large.query, **whole(FilterExpression=Attr("SK2").exists())))
        assert [(page["Count"], page["ScannedCount"]) for page in replies] == [(0, 11), (0, 11), (0, 3)]
        assert replies[0]["LastEvaluatedKey"] == {"PK": "p", "SK": 10}

    def test_a_projection_does_not_either(self, large):
        replies = list(pages(large.query, **whole(ProjectionExpression="SK")))
        assert [page["Count"] for page in replies] == [11, 11, 3]

    def test_nor_does_counting(self, large):
        assert [page["Count"] for page in pages(large.query, **whole(Select="COUNT"))] == [11, 11, 3]

    def test_a_scan_has_the_same_bound(self, large):
        assert [page["Count"] for page in pages(large.scan)] == [11, 11, 3]


class TestMisuse:
    @pytest.mark.parametrize("start", [{"PK": "p"}, {"PK": "p", "SK": 1, "colour": "red"}, {"PK": "p", "weight": 1}])
    def test_a_start_of_the_wrong_shape(self, rows, start):
        with refused(INVALID, "The provided starting key is invalid"):
            rows.query(**whole(ExclusiveStartKey=start))

    def test_a_start_in_another_partition(self, rows):
        with refused(INVALID, OUTSIDE):
            rows.query(**whole(ExclusiveStartKey={"PK": "q", "SK": 1}))

    def test_a_start_outside_the_range(self, rows):
        with refused(INVALID, "The provided starting key does not match the range key predicate"):
            rows.query(KeyConditionExpression=Key("PK").eq("p") & Key("SK").gt(10), ExclusiveStartKey={"PK": "p", "SK": 3})

    def test_the_tables_key_as_the_start_of_an_index(self, rows):
        with refused(INVALID, "The provided starting key is invalid"):
            rows.query(IndexName="by-weight", KeyConditionExpression=Key("owner").eq("o"), ExclusiveStartKey={"PK": "p", "SK": 1})

    def test_a_start_of_another_segment(self, rows):
        start = {"PK": "p", "SK": 5}
        mine = [number for number in range(8) if any(item["PK"] == "p" for item in all_items(rows.scan, Segment=number, TotalSegments=8))]
        assert len(mine) == 1
        other = (mine[0] + 1) % 8
        with refused(INVALID, "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct "
                              f"Segment. TotalSegments: 8 Segment: {other}"):
            rows.scan(Segment=other, TotalSegments=8, ExclusiveStartKey=start)

    def test_no_limit_of_zero(self, db, rows):
        request = {"TableName": rows.name, "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "p"}}, "Limit": 0}
        db.invalid("Query", request, "1 validation error detected: Value at 'Limit' failed to satisfy constraint: "
                                     "Member must have value greater than or equal to 1")
        db.invalid("Scan", {"TableName": rows.name, "Limit": 0}, "1 validation error detected: Value at 'Limit' failed to satisfy "
                                                                 "constraint: Member must have value greater than or equal to 1")
