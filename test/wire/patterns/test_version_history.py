"""Version history: v0 is the current state, v1, v2, … what it was; both change in one transaction."""

import pytest
from boto3.dynamodb.conditions import Key
from botocore.exceptions import ClientError

from harness.sdk import CANCELLED, code_of, is_conflict, race, refused


def save(table, document, content, seen):
    """Writes version seen + 1, if `seen` is still the latest."""
    version = seen + 1
    head = {"TableName": table.name, "Key": {"PK": document, "SK": "v0000"},
            "UpdateExpression": "SET latest = :new, content = :content",
            "ConditionExpression": "latest = :seen" if seen else "attribute_not_exists(latest)",
            "ExpressionAttributeValues": {":new": version, ":content": content, **({":seen": seen} if seen else {})}}
    copy = {"TableName": table.name, "Item": {"PK": document, "SK": f"v{version:04}", "content": content},
            "ConditionExpression": "attribute_not_exists(SK)"}
    table.meta.client.transact_write_items(TransactItems=[{"Update": head}, {"Put": copy}])


@pytest.fixture
def documents(table):
    made = table()
    for number in range(12):
        save(made, "DOC#a", f"text {number + 1}", number)
    save(made, "DOC#b", "other", 0)
    return made


def read(table, document, **more):
    return table.query(KeyConditionExpression=Key("PK").eq(document) & Key("SK").gt("v0000"), ConsistentRead=True, **more)["Items"]


def test_the_current_state_is_one_read(documents):
    reply = documents.get_item(Key={"PK": "DOC#a", "SK": "v0000"}, ConsistentRead=True)
    assert reply["Item"] == {"PK": "DOC#a", "SK": "v0000", "latest": 12, "content": "text 12"}


def test_the_whole_history_in_order(documents):
    assert [item["content"] for item in read(documents, "DOC#a")] == [f"text {number}" for number in range(1, 13)]


def test_the_last_three_versions(documents):
    assert [item["SK"] for item in read(documents, "DOC#a", ScanIndexForward=False, Limit=3)] == ["v0012", "v0011", "v0010"]


def test_one_version(documents):
    assert documents.get_item(Key={"PK": "DOC#a", "SK": "v0007"})["Item"]["content"] == "text 7"
    assert "Item" not in documents.get_item(Key={"PK": "DOC#a", "SK": "v0013"})


def test_a_stale_save_changes_nothing(documents):
    with refused(CANCELLED, "Transaction cancelled, please refer cancellation reasons for specific reasons "
                            "[ConditionalCheckFailed, ConditionalCheckFailed]") as why:
        save(documents, "DOC#a", "late", 11)
    assert why.codes == ["ConditionalCheckFailed", "ConditionalCheckFailed"], "all conditions are evaluated"
    assert len(read(documents, "DOC#a")) == 12
    assert read(documents, "DOC#a")[-1]["content"] == "text 12"


def test_reverting_is_a_new_version(documents):
    old = documents.get_item(Key={"PK": "DOC#a", "SK": "v0003"})["Item"]
    save(documents, "DOC#a", old["content"], 12)
    assert [item["content"] for item in read(documents, "DOC#a", ScanIndexForward=False, Limit=2)] == ["text 3", "text 12"]


def test_unpadded_versions_sort_as_text(filled):
    table = filled([{"PK": "DOC#a", "SK": f"v{number}"} for number in (1, 2, 9, 10, 11)])
    assert [item["SK"] for item in table.query(KeyConditionExpression=Key("PK").eq("DOC#a"))["Items"]] == ["v1", "v10", "v11", "v2", "v9"]


def test_writers_in_a_race_leave_no_gap(table):
    documents, rounds, writers = table(), 5, 4

    def write(number):
        won = []
        while len(won) < rounds:
            head = documents.meta.client.get_item(TableName=documents.name, Key={"PK": "DOC#r", "SK": "v0000"}, ConsistentRead=True).get("Item", {})
            seen = int(head.get("latest", 0))
            try:
                save(documents, "DOC#r", f"{number}/{len(won)}", seen)
                won.append(seen + 1)
            except ClientError as error:
                codes = {reason["Code"] for reason in error.response.get("CancellationReasons", [])}
                assert is_conflict(error) or (code_of(error) == CANCELLED and "ConditionalCheckFailed" in codes), error
        return won

    won = race(writers, write)
    total = rounds * writers
    assert sorted(version for mine in won for version in mine) == list(range(1, total + 1)), "every version has one author"
    history = read(documents, "DOC#r")
    assert [item["SK"] for item in history] == [f"v{version:04}" for version in range(1, total + 1)]
    by_version = {version: f"{number}/{turn}" for number, mine in enumerate(won) for turn, version in enumerate(mine)}
    assert [item["content"] for item in history] == [by_version[version] for version in range(1, total + 1)]
    assert documents.get_item(Key={"PK": "DOC#r", "SK": "v0000"}, ConsistentRead=True)["Item"]["content"] == history[-1]["content"]
