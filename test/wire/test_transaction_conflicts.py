"""--transaction-conflicts fail: what meets an item of a transaction under way is refused as on AWS, and nothing of it is done. Without the
option requests wait for their turn, and nobody is refused."""

import collections
import threading

import pytest

from harness import tables
from harness.raw import RawClient
from harness.server import Server

TABLE, THREADS, TRIES = "conflicts", 8, 60
ADD = {"UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}
KEYS = [{"pk": {"S": name}} for name in "ab"]
ONGOING = "Transaction is ongoing for the item"


def transaction():
    return "TransactWriteItems", {"TransactItems": [{"Update": {"TableName": TABLE, "Key": key, **ADD}} for key in KEYS]}


def single():
    return "UpdateItem", {"TableName": TABLE, "Key": KEYS[0], **ADD}


def reading():
    return "TransactGetItems", {"TransactItems": [{"Get": {"TableName": TABLE, "Key": key}} for key in KEYS]}


def batch():
    return "BatchWriteItem", {"RequestItems": {TABLE: [{"PutRequest": {"Item": {"pk": {"S": "c"}}}}]}}


def outcome_of(reply):
    """"ok", or what it was refused with, checked to be worded as on AWS."""
    if reply.status == 200:
        return "ok"
    body = reply.json
    assert reply.status == 400, body
    kind = body["__type"].split("#")[1]
    if kind == "TransactionCanceledException":
        reasons = body["CancellationReasons"]
        assert len(reasons) == len(KEYS)
        conflicts = [reason for reason in reasons if reason["Code"] != "None"]
        assert conflicts == [{"Code": "TransactionConflict", "Message": ONGOING}]
        return "cancelled"
    assert (kind, body["message"]) == ("TransactionConflictException", ONGOING)
    return "refused"


@pytest.fixture(params=["fail", "wait"])
def conflicts(request, data):
    with Server(data, "--transaction-conflicts", request.param) as server:
        db = RawClient(server.endpoint)
        tables.create(db, name=TABLE)
        yield request.param, server, db
        db.close()


def run(server, requests):
    """Each of the requests by several clients at once: by operation, how often each outcome came."""
    outcomes = {request()[0]: collections.Counter() for request in requests}
    problems = []

    def work(request):
        client = RawClient(server.endpoint)
        try:
            for _ in range(TRIES):
                operation, body = request()
                outcomes[operation][outcome_of(client.post(operation, body))] += 1
        except Exception as problem:  # told by the test's own thread
            problems.append(problem)
        finally:
            client.close()

    threads = [threading.Thread(target=work, args=(request,)) for request in requests for _ in range(THREADS // len(requests))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems, problems
    return outcomes


def numbers(db):
    items = [db.ok("GetItem", {"TableName": TABLE, "Key": key, "ConsistentRead": True})["Item"] for key in KEYS]
    return [int(item["n"]["N"]) for item in items]


def test_transactions_that_meet_each_other(conflicts):
    mode, server, db = conflicts
    found = run(server, [transaction])["TransactWriteItems"]
    assert numbers(db) == [found["ok"]] * 2
    assert (found["cancelled"] > 0) == (mode == "fail"), found
    assert found["refused"] == 0


def test_single_writes_that_meet_a_transaction(conflicts):
    mode, server, db = conflicts
    found = run(server, [transaction, single, reading, batch])
    of_both, of_one = found["TransactWriteItems"]["ok"], found["UpdateItem"]["ok"]
    assert numbers(db) == [of_both + of_one, of_both]
    refused = found["UpdateItem"]["refused"] + found["TransactGetItems"]["cancelled"]
    assert (refused > 0) == (mode == "fail"), found
    assert found["BatchWriteItem"] == {"ok": 2 * TRIES}, "its item is in no transaction"
