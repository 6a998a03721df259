"""Atomic counters: if_not_exists and ADD, many writers, no increment lost, no number given twice."""

from decimal import Decimal

import pytest
from botocore.exceptions import ClientError

from harness.sdk import CONDITION_FAILED, INVALID, code_of, insist, race, refused

SET_UP = "SET hits = if_not_exists(hits, :zero) + :one"


@pytest.fixture
def counters(table):
    return table(range_key=None)


def hits(table, key="page"):
    return table.get_item(Key={"PK": key}, ConsistentRead=True).get("Item", {}).get("hits")


def bump(table, expression=SET_UP, key="page", **values):
    values = {":one": 1, **({":zero": 0} if ":zero" in expression else {}), **values}
    return insist(lambda: table.meta.client.update_item(
        TableName=table.name, Key={"PK": key}, UpdateExpression=expression, ExpressionAttributeValues=values, ReturnValues="UPDATED_NEW"))


@pytest.mark.parametrize("expression", [SET_UP, "ADD hits :one"])
def test_the_first_use_makes_the_counter(counters, expression):
    assert [bump(counters, expression)["Attributes"] for _ in range(3)] == [{"hits": 1}, {"hits": 2}, {"hits": 3}]
    assert counters.get_item(Key={"PK": "page"}, ConsistentRead=True)["Item"] == {"PK": "page", "hits": 3}


def test_a_start_value_is_used_once(counters):
    expression = "SET hits = if_not_exists(hits, :zero) + :one"
    values = {":zero": 1000}
    assert bump(counters, expression, **values)["Attributes"] == {"hits": 1001}
    assert bump(counters, expression, **values)["Attributes"] == {"hits": 1002}


def test_several_counters_in_one_write(counters):
    expression = "SET hits = if_not_exists(hits, :zero) + :one, misses = if_not_exists(misses, :zero) - :one ADD uses :one"
    bump(counters, expression)
    assert bump(counters, expression)["Attributes"] == {"hits": 2, "misses": -2, "uses": 2}


def test_a_counter_inside_a_map(counters):
    counters.put_item(Item={"PK": "page", "by_day": {}})
    for _ in range(2):
        reply = counters.update_item(Key={"PK": "page"}, UpdateExpression="SET by_day.#d = if_not_exists(by_day.#d, :zero) + :one",
                                     ExpressionAttributeNames={"#d": "2026-01-01"}, ExpressionAttributeValues={":zero": 0, ":one": 1},
                                     ReturnValues="UPDATED_NEW")
    assert reply["Attributes"] == {"by_day": {"2026-01-01": 2}}


def test_sums_are_exact(counters):
    for _ in range(10):
        bump(counters, "ADD hits :one", **{":one": Decimal("0.1")})
    assert hits(counters) == Decimal(1)
    bump(counters, "ADD hits :one", **{":one": Decimal("12345678901234567890123456789012345678")})
    assert hits(counters) == Decimal("12345678901234567890123456789012345679")


@pytest.mark.parametrize("expression", [SET_UP, "ADD hits :one"])
def test_in_a_race_every_number_is_given_once(counters, expression):
    threads, each = 6, 40
    given = race(threads, lambda _: [int(bump(counters, expression)["Attributes"]["hits"]) for _ in range(each)])
    assert sorted(number for mine in given for number in mine) == list(range(1, threads * each + 1))
    assert all(mine == sorted(mine) for mine in given), "each writer sees the counter rise"
    assert hits(counters) == threads * each


def test_a_limit_is_never_passed(counters):
    threads, limit = 6, 25

    def take(_):
        taken = 0
        while True:
            try:
                insist(lambda: counters.meta.client.update_item(
                    TableName=counters.name, Key={"PK": "seats"}, UpdateExpression=SET_UP,
                    ConditionExpression="attribute_not_exists(hits) OR hits < :limit",
                    ExpressionAttributeValues={":zero": 0, ":one": 1, ":limit": limit}))
                taken += 1
            except ClientError as error:
                assert code_of(error) == CONDITION_FAILED
                return taken

    assert sum(race(threads, take)) == limit
    assert hits(counters, "seats") == limit


def test_single_writes_and_transactions_on_one_counter(counters):
    threads, each = 6, 20
    client = counters.meta.client

    def work(number):
        for turn in range(each):
            if number % 2:
                bump(counters)
                continue
            update = {"TableName": counters.name, "Key": {"PK": "page"}, "UpdateExpression": SET_UP, "ExpressionAttributeValues": {":zero": 0, ":one": 1}}
            log = {"TableName": counters.name, "Item": {"PK": f"log-{number}-{turn}"}}
            insist(lambda: client.transact_write_items(TransactItems=[{"Update": update}, {"Put": log}]))

    race(threads, work)
    assert hits(counters) == threads * each
    assert counters.scan(Select="COUNT", ConsistentRead=True)["Count"] == 1 + threads // 2 * each


class TestMisuse:
    def test_adding_to_nothing(self, counters):
        with refused(INVALID, "The provided expression refers to an attribute that does not exist in the item"):
            bump(counters, "SET hits = hits + :one")
        assert hits(counters) is None

    def test_adding_to_text(self, counters):
        counters.put_item(Item={"PK": "page", "hits": "many"})
        for expression in ("SET hits = hits + :one", "ADD hits :one"):
            with refused(INVALID, "An operand in the update expression has an incorrect data type"):
                bump(counters, expression)
        assert hits(counters) == "many"

    @pytest.mark.parametrize("word", ["count", "Counter", "VIEWS", "total"])
    def test_reserved_words(self, counters, word):
        request = {"Key": {"PK": "page"}, "ExpressionAttributeValues": {":one": 1}, "ReturnValues": "UPDATED_NEW"}
        with refused(INVALID, f"1 validation error detected: Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: {word}"):
            counters.update_item(UpdateExpression=f"ADD {word} :one", **request)
        reply = counters.update_item(UpdateExpression="ADD #w :one", ExpressionAttributeNames={"#w": word}, **request)
        assert reply["Attributes"] == {word: 1}

    def test_the_old_value_is_not_seen_twice(self, counters):
        """Right-hand sides read the item as it was, so one path cannot be counted twice in one write."""
        with refused(INVALID) as why:
            bump(counters, "SET hits = if_not_exists(hits, :zero) + :one ADD hits :one")
        assert why.message == ("1 validation error detected: Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of "
                               "these paths; path one: [hits], path two: [hits]")
