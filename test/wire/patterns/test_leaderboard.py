"""Leaderboard: an index by game and score, the best first; ranks, ties, moving up."""

import random
from decimal import Decimal

import pytest
from boto3.dynamodb.conditions import Key

from harness.indexes import Index
from harness.sdk import INVALID, all_items, insist, race, refused, settle

SCORES = {"ann": 900, "bob": 75, "cid": 1000, "dan": 75, "eve": Decimal("75.5"), "fay": -10, "gus": 0, "hal": 10000}
RANKED = ["hal", "cid", "ann", "eve", "bob/dan", "gus", "fay"]


@pytest.fixture
def scores(filled):
    rows = [{"PK": player, "SK": "chess", "game": "chess", "score": score} for player, score in SCORES.items()]
    rows += [{"PK": "ann", "SK": "go", "game": "go", "score": 5}, {"PK": "zoe", "SK": "chess", "game": "chess"}]
    return filled(rows, gsi=[Index("board", "game:S", "score:N", "KEYS_ONLY")])


def board(table, **more):
    return all_items(table.query, IndexName="board", KeyConditionExpression=Key("game").eq("chess"), ScanIndexForward=False, **more)


def names(items):
    return [item["PK"] for item in items]


def without_ties(found):
    return ["bob/dan" if name == "bob" else name for name in found if name != "dan"]


def rank(table, score):
    better = table.query(IndexName="board", KeyConditionExpression=Key("game").eq("chess") & Key("score").gt(score), Select="COUNT")
    assert "Items" not in better
    return better["Count"] + 1


def test_the_best_first_by_value(scores):
    settle(lambda: without_ties(names(board(scores))), RANKED)


def test_the_top_three(scores):
    read = lambda: scores.query(IndexName="board", KeyConditionExpression=Key("game").eq("chess"), ScanIndexForward=False, Limit=3)["Items"]
    settle(read, [{"PK": name, "SK": "chess", "game": "chess", "score": SCORES[name]} for name in RANKED[:3]])


@pytest.mark.parametrize("size", [1, 2, 5])
def test_ties_are_stable_across_pages(scores, size):
    settle(lambda: len(board(scores)), len(SCORES))
    whole = board(scores)
    assert board(scores, Limit=size) == whole
    forward = all_items(scores.query, IndexName="board", KeyConditionExpression=Key("game").eq("chess"), Limit=size)
    assert forward == whole[::-1]


def test_many_players_with_one_score(filled):
    tied = filled([{"PK": f"p{number:03}", "SK": "chess", "game": "chess", "score": 7} for number in range(60)],
                  gsi=[Index("board", "game:S", "score:N", "KEYS_ONLY")])
    settle(lambda: len(board(tied)), 60)
    for size in (1, 7, 59):
        found = names(board(tied, Limit=size))
        assert len(found) == 60 and len(set(found)) == 60, "nobody twice, nobody missing"


@pytest.mark.parametrize("name, expected", [("hal", 1), ("ann", 3), ("bob", 5), ("dan", 5), ("gus", 7), ("fay", 8)])
def test_rank(scores, name, expected):
    settle(lambda: rank(scores, SCORES[name]), expected)


def test_the_players_around_one(scores):
    key = Key("game").eq("chess")
    above = lambda: names(scores.query(IndexName="board", KeyConditionExpression=key & Key("score").gt(SCORES["eve"]), Limit=2)["Items"])
    settle(above, ["ann", "cid"])
    below = lambda: names(scores.query(IndexName="board", KeyConditionExpression=key & Key("score").lt(0), ScanIndexForward=False)["Items"])
    settle(below, ["fay"])


def test_a_new_score_moves_the_player(scores):
    scores.update_item(Key={"PK": "fay", "SK": "chess"}, UpdateExpression="ADD score :won", ExpressionAttributeValues={":won": 20000})
    settle(lambda: names(board(scores))[0], "fay")
    assert len(board(scores)) == len(SCORES), "moved, not copied"


def test_a_high_score_only_rises(scores):
    def submit(score):
        scores.update_item(Key={"PK": "ann", "SK": "chess"}, UpdateExpression="SET score = :s", ExpressionAttributeValues={":s": score},
                           ConditionExpression="attribute_not_exists(score) OR score < :s")
    submit(901)
    with refused("ConditionalCheckFailedException"):
        submit(901)
    settle(lambda: rank(scores, 900), 4)


def test_a_player_without_a_score_is_not_ranked(scores):
    assert "zoe" not in names(board(scores))


def test_a_score_as_text_is_refused(scores):
    with refused(INVALID, "One or more parameter values were invalid: Type mismatch for Index Key score Expected: N Actual: S IndexName: board"):
        scores.put_item(Item={"PK": "max", "SK": "chess", "game": "chess", "score": "100"})


def test_games_in_a_race_end_with_the_right_board(table):
    scores = table(gsi=[Index("board", "game:S", "score:N", "KEYS_ONLY")])
    client, players, threads, games = scores.meta.client, 10, 4, 50

    def play(number):
        chance, won = random.Random(number), [0] * players
        for _ in range(games):
            player, points = chance.randrange(players), chance.randrange(1, 100)
            insist(lambda: client.update_item(
                TableName=scores.name, Key={"PK": f"p{player}", "SK": "chess"}, UpdateExpression="SET game = :g ADD score :p",
                ExpressionAttributeValues={":g": "chess", ":p": points}))
            won[player] += points
        return won

    totals = [sum(column) for column in zip(*race(threads, play))]
    expected = sorted(total for total in totals if total)
    read = lambda: [int(item["score"]) for item in board(scores)][::-1]
    settle(read, expected)
    assert {item["PK"]: int(item["score"]) for item in board(scores)} == {f"p{player}": total for player, total in enumerate(totals) if total}
