"""kill -9 while a global index is built over some thousands of items, with writers at work: the index that comes of it in the
end holds exactly what the table holds."""

import random
import time

from harness import tables
from harness.indexes import Index
from harness.load import LoadThreads
from harness.server import Server
from harness.waiting import wait_until

TABLE, INDEX = "backfilled", Index("by-g", "g:S", "n:N")
ITEMS, WRITERS, ROUNDS = 6000, 4, 5


def fill(db):
    tables.fill(db, TABLE, [item_of(f"k{number}", number) for number in range(ITEMS)])


def item_of(key, number):
    return {"pk": {"S": key}, "g": {"S": f"g{number % 11}"}, "n": {"N": str(number)}, "text": {"S": "x" * (number % 300)}}


def write(connection, rng, _):
    """Changes, moves, takes out or deletes a random item."""
    key = f"k{rng.randrange(ITEMS + 500)}"
    request = {"TableName": TABLE, "Key": {"pk": {"S": key}}}
    kind = rng.randrange(4)
    if kind == 0:
        operation, request = "PutItem", {"TableName": TABLE, "Item": item_of(key, rng.randrange(100000))}
    elif kind == 1:
        operation = "UpdateItem"
        request |= {"UpdateExpression": "SET g = :g, n = :n",
                    "ExpressionAttributeValues": {":g": {"S": "moved"}, ":n": {"N": str(rng.randrange(1000))}}}
    elif kind == 2:
        operation = "UpdateItem"
        request |= {"UpdateExpression": "REMOVE g"}
    else:
        operation = "DeleteItem"
    status, members = connection.call(operation, request)
    assert status == 200, (operation, status, members)


def start_writing(port, seed):
    return LoadThreads(port, WRITERS, seed, write)


def scan(db, **more):
    return tables.scan(db, TABLE, **more)


def index_of(db):
    """The index's description; None if it is gone."""
    indexes = db.ok("DescribeTable", {"TableName": TABLE})["Table"].get("GlobalSecondaryIndexes", [])
    return indexes[0] if indexes else None


def index_state(db):
    """"gone", or the index's status, with " backfilling" behind it while it is."""
    index = index_of(db)
    return index["IndexStatus"] + (" backfilling" if index.get("Backfilling") else "") if index else "gone"


def wait_for(db, state):
    wait_until(lambda: index_state(db) == state, 60, f"the index does not become {state}")


def check(db):
    expected = [item for item in scan(db, ConsistentRead=True) if "g" in item and "n" in item]
    found = scan(db, IndexName=INDEX.name)
    assert len(found) == len(expected)
    assert found == expected
    assert index_of(db)["ItemCount"] == len(expected)


def create_index(db):
    attributes = [{"AttributeName": name, "AttributeType": kind} for name, kind, _ in INDEX.keys]
    db.ok("UpdateTable", {"TableName": TABLE, "AttributeDefinitions": attributes,
                          "GlobalSecondaryIndexUpdates": [{"Create": INDEX.definition()}]})


def delete_index(db):
    db.ok("UpdateTable", {"TableName": TABLE, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": INDEX.name}}]})


def test_a_backfill_survives_kills_under_load(data, client_of):
    rng = random.Random("backfill")
    with Server(data) as server:
        db = client_of(server)
        tables.create(db, name=TABLE)
        fill(db)
    kills_while_backfilling = 0
    for round_number in range(ROUNDS):
        server = Server(data).start()
        db = client_of(server)
        writers = start_writing(server.port, f"killed/{round_number}")
        create_index(db)
        time.sleep(rng.uniform(0, 0.1))  # the moment of the kill is what is random here
        kills_while_backfilling += index_state(db) == "CREATING backfilling"
        server.kill()
        writers.join()
        with Server(data) as survivor:
            db = client_of(survivor)
            writers = start_writing(survivor.port, f"survived/{round_number}")
            wait_for(db, "ACTIVE")
            writers.join()
            check(db)
            delete_index(db)
            wait_for(db, "gone")
    assert kills_while_backfilling > 0, "every backfill was done before it could be interrupted"


def test_a_removal_survives_kills_and_leaves_nothing(data, client_of):
    server = Server(data).start()
    db = client_of(server)
    tables.create(db, name=TABLE)
    fill(db)
    for round_number in range(3):
        create_index(db)
        if round_number:  # else it is given up in the middle
            wait_for(db, "ACTIVE")
        delete_index(db)
        server.kill()
        server = Server(data).start()
        db = client_of(server)
        wait_for(db, "gone")
    create_index(db)
    wait_for(db, "ACTIVE")
    check(db)
    server.stop()
