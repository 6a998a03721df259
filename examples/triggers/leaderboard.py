"""A leaderboard, totals and an audit log, kept by a trigger on a table of scores.

Scores (player S, points N; stream with both images) is what players write. For each of its changes, one transaction on the
table Leaderboard (pk S, sk S) does all of:

    pk=audit#<player>  sk=<sequence number>            what changed; also the mark that this change was taken
    pk=totals          sk=all                          players, points and changes, counted
    pk=rank            sk=<points, highest first>#<player>    one row per player, in the order of the board

A trigger delivers at least once, in the order of each player's changes. The transaction puts the audit row only if it is not
there, so a change that comes again is recognised and left alone: everything is counted exactly once.
"""

import os

import boto3
from botocore.exceptions import ClientError

TABLE = os.environ.get("LEADERBOARD_TABLE", "Leaderboard")
HIGHEST = 10**12  # points are below; the rows of the board sort by how much is missing

# The server tells its handlers where it is; newer SDKs look at this variable by themselves.
client = boto3.client("dynamodb", endpoint_url=os.environ.get("AWS_ENDPOINT_URL_DYNAMODB"))


def rank_key(player, points):
    return {"pk": {"S": "rank"}, "sk": {"S": f"{HIGHEST - points:013d}#{player}"}}


def points_of(image):
    return int(image["points"]["N"]) if image else None


def transaction_for(record):
    change = record["dynamodb"]
    player = change["Keys"]["player"]["S"]
    old, new = points_of(change.get("OldImage")), points_of(change.get("NewImage"))
    audit = {"pk": {"S": f"audit#{player}"}, "sk": {"S": change["SequenceNumber"]}, "event": {"S": record["eventName"]},
             "old": {"N": str(old)} if old is not None else {"NULL": True},
             "new": {"N": str(new)} if new is not None else {"NULL": True}}
    actions = [
        {"Put": {"TableName": TABLE, "Item": audit, "ConditionExpression": "attribute_not_exists(pk)"}},
        {"Update": {"TableName": TABLE, "Key": {"pk": {"S": "totals"}, "sk": {"S": "all"}},
                    "UpdateExpression": "ADD players :players, points :points, changes :one",
                    "ExpressionAttributeValues": {":players": {"N": str((new is not None) - (old is not None))},
                                                  ":points": {"N": str((new or 0) - (old or 0))}, ":one": {"N": "1"}}}},
    ]
    if old is not None and old != new:
        actions.append({"Delete": {"TableName": TABLE, "Key": rank_key(player, old)}})
    if new is not None:
        actions.append({"Put": {"TableName": TABLE, "Item": {**rank_key(player, new), "player": {"S": player}, "points": {"N": str(new)}}}})
    return actions


def was_taken_before(error):
    reasons = error.response.get("CancellationReasons", [])
    return bool(reasons) and reasons[0].get("Code") == "ConditionalCheckFailed"


def apply(record):
    try:
        client.transact_write_items(TransactItems=transaction_for(record))
    except ClientError as error:
        if not was_taken_before(error):
            raise


def handler(event, context):
    """Takes the records in order; the first that fails, and all behind it, will come again."""
    for record in event["Records"]:
        try:
            apply(record)
        except Exception as error:  # reported, so that what was done before it is not done again
            print(f"{context.aws_request_id}: {error}")
            return {"batchItemFailures": [{"itemIdentifier": record["dynamodb"]["SequenceNumber"]}]}
    return {"batchItemFailures": []}


def top(count):
    """The best players: [(rank, player, points), …]."""
    rows = client.query(TableName=TABLE, KeyConditionExpression="pk = :rank", Limit=count,
                        ExpressionAttributeValues={":rank": {"S": "rank"}})["Items"]
    return [(number, row["player"]["S"], int(row["points"]["N"])) for number, row in enumerate(rows, start=1)]


def rank_of(player, points):
    """How many are better, and one."""
    rank, request = 1, {"TableName": TABLE, "KeyConditionExpression": "pk = :rank AND sk < :sk", "Select": "COUNT",
                        "ExpressionAttributeValues": {":rank": {"S": "rank"}, ":sk": rank_key(player, points)["sk"]}}
    for page in client.get_paginator("query").paginate(**request):
        rank += page["Count"]
    return rank
