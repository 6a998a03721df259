"""Transactions and kill -9: a client token outlives the process, and no transaction is ever found half done."""

import threading

from harness import tables
from harness.raw import RawClient
from harness.server import Server

TABLE = "transactions"


def both(number):
    return [{"Put": {"TableName": TABLE, "Item": {"pk": {"S": name}, "n": {"N": str(number)}}}} for name in "ab"]


def number_of(db, name):
    item = db.ok("GetItem", {"TableName": TABLE, "Key": {"pk": {"S": name}}, "ConsistentRead": True}).get("Item")
    return int(item["n"]["N"]) if item else 0


def test_a_token_survives_kill(data, client_of):
    add = [{"Update": {"TableName": TABLE, "Key": {"pk": {"S": "a"}}, "UpdateExpression": "ADD n :one",
                       "ExpressionAttributeValues": {":one": {"N": "1"}}}}]
    server = Server(data)
    server.start()
    db = client_of(server)
    tables.create(db, name=TABLE)
    db.ok("TransactWriteItems", {"TransactItems": add, "ClientRequestToken": "token"})
    server.kill()
    with Server(data) as again:
        db = client_of(again)
        db.ok("TransactWriteItems", {"TransactItems": add, "ClientRequestToken": "token"})
        assert number_of(db, "a") == 1
        db.error("TransactWriteItems", {"TransactItems": both(7), "ClientRequestToken": "token"},
                 "IdempotentParameterMismatchException")
        db.ok("TransactWriteItems", {"TransactItems": add, "ClientRequestToken": "another"})
        assert number_of(db, "a") == 2


def test_no_half_transaction_after_kill(data, client_of):
    last = 0
    for _ in range(6):
        server = Server(data)
        server.start()
        db = client_of(server)
        if last == 0:
            tables.create(db, name=TABLE)
        acknowledged = threading.Semaphore(0)
        done = [last]

        def write(endpoint, start, done=done, acknowledged=acknowledged):
            client = RawClient(endpoint)
            number = start
            try:
                while True:
                    number += 1
                    if client.post("TransactWriteItems", {"TransactItems": both(number)}).status != 200:
                        return
                    done[0] = number
                    acknowledged.release()
            except OSError:
                return
            except Exception:  # the connection ends in one of http.client's ways
                return
            finally:
                client.close()
        writer = threading.Thread(target=write, args=(server.endpoint, last))
        writer.start()
        for _ in range(20):
            assert acknowledged.acquire(timeout=60)
        server.kill()
        writer.join()
        with Server(data) as again:
            db = client_of(again)
            found = {number_of(db, name) for name in "ab"}
            assert len(found) == 1, "half of a transaction"
            last = found.pop()
            assert done[0] <= last <= done[0] + 1, "an acknowledged transaction is gone"
