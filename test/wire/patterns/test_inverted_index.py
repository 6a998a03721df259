"""Inverted index: the sort key becomes the index's partition key and the other way round."""

import pytest
from boto3.dynamodb.conditions import Attr, Key

from harness.indexes import Index
from harness.sdk import INVALID, pages, refused, settle

# Songs in playlists: which songs has a playlist, and which playlists have a song.
ROWS = [{"PK": f"LIST#{playlist}", "SK": f"SONG#{song}", "added": playlist * 100 + song}
        for playlist in range(1, 6) for song in range(1, 6) if (playlist + song) % 2 == 0]


def keys_of(row):
    return {"PK": row["PK"], "SK": row["SK"]}


def having(song):
    return [row for row in ROWS if row["SK"] == f"SONG#{song}"]


@pytest.fixture
def playlists(filled):
    return filled(ROWS, gsi=[Index("inverted", "SK:S", "PK:S", "KEYS_ONLY"), Index("inverted-all", "SK:S", "PK:S")])


@pytest.mark.parametrize("song", [1, 2, 5])
def test_both_directions(playlists, song):
    forward = playlists.query(KeyConditionExpression=Key("PK").eq("LIST#1"))["Items"]
    assert forward == [row for row in ROWS if row["PK"] == "LIST#1"]
    read = lambda index: playlists.query(IndexName=index, KeyConditionExpression=Key("SK").eq(f"SONG#{song}"))["Items"]
    settle(lambda: read("inverted"), [keys_of(row) for row in having(song)])
    settle(lambda: read("inverted-all"), having(song))


def test_the_former_partition_key_takes_ranges_in_the_index(playlists):
    read = lambda: playlists.query(IndexName="inverted-all", KeyConditionExpression=Key("SK").eq("SONG#1") & Key("PK").gt("LIST#1"),
                                   ScanIndexForward=False)["Items"]
    settle(read, [row for row in reversed(having(1)) if row["PK"] > "LIST#1"])


def test_pages_carry_each_key_attribute_once(playlists):
    request = {"IndexName": "inverted", "KeyConditionExpression": Key("SK").eq("SONG#3"), "Limit": 1}
    settle(lambda: playlists.query(**{**request, "Limit": 10})["Count"], 3)
    replies = list(pages(playlists.query, **request))
    assert [item for page in replies for item in page["Items"]] == [keys_of(row) for row in having(3)]
    for page in replies[:3]:
        assert page.get("LastEvaluatedKey", page["Items"][-1]) == page["Items"][-1]


def test_what_the_index_does_not_project(playlists):
    with refused(INVALID) as why:
        playlists.query(IndexName="inverted", KeyConditionExpression=Key("SK").eq("SONG#1"), ProjectionExpression="PK, added")
    assert "project" in why.message
    with refused(INVALID, "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global "
                          "secondary index inverted because its projection type is not ALL"):
        playlists.query(IndexName="inverted", KeyConditionExpression=Key("SK").eq("SONG#1"), Select="ALL_ATTRIBUTES")


def test_fetching_the_rest_by_batch(playlists):
    settle(lambda: playlists.query(IndexName="inverted", KeyConditionExpression=Key("SK").eq("SONG#3"))["Count"], 3)
    found = playlists.query(IndexName="inverted", KeyConditionExpression=Key("SK").eq("SONG#3"))["Items"]
    reply = playlists.meta.client.batch_get_item(RequestItems={playlists.name: {"Keys": found}})
    assert sorted(reply["Responses"][playlists.name], key=lambda row: row["PK"]) == having(3)


def test_the_table_keys_are_the_index_keys_so_neither_may_be_filtered(playlists):
    for attribute in ("PK", "SK"):
        with refused(INVALID, f"Filter Expression can only contain non-primary key attributes: Primary key attribute: {attribute}"):
            playlists.query(IndexName="inverted-all", KeyConditionExpression=Key("SK").eq("SONG#1"), FilterExpression=Attr(attribute).ne("x"))


def test_a_prefix_of_the_inverted_partition_key(playlists):
    with refused(INVALID, "Query key condition not supported"):
        playlists.query(IndexName="inverted", KeyConditionExpression=Key("SK").begins_with("SONG#"))
