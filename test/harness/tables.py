"""Short ways to make, fill and read tables in tests."""

import uuid

from harness.waiting import poll_until, wait_until


def unique(prefix="t"):
    return f"{prefix}-{uuid.uuid4().hex[:16]}"


def definition(name, hash_key="pk:S", range_key=None, **more):
    """The CreateTable request of an on-demand table; keys are written `name:type`."""
    keys = [key.split(":") for key in (hash_key, range_key) if key]
    request = {
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": kind} for key, kind in keys],
        "KeySchema": [{"AttributeName": key, "KeyType": role} for (key, _), role in zip(keys, ("HASH", "RANGE"))],
        "BillingMode": "PAY_PER_REQUEST",
    }
    request.update(more)
    return request


def wait_active(db, name, seconds=60):
    """DescribeTable until the table is ACTIVE: there is no event for this on the wire, here or at AWS."""
    return poll_until(lambda: db.ok("DescribeTable", {"TableName": name})["Table"], lambda table: table["TableStatus"] == "ACTIVE", seconds)


def wait_gone(db, name, seconds=60):
    wait_until(lambda: db.post("DescribeTable", {"TableName": name}).status != 200, seconds, f"{name} is not gone")


def create(db, hash_key="pk:S", range_key=None, name=None, **more):
    name = name or unique()
    db.ok("CreateTable", definition(name, hash_key, range_key, **more))
    wait_active(db, name)
    return name


def drop(db, name):
    reply = db.post("DeleteTable", {"TableName": name})
    if reply.status == 200:
        wait_gone(db, name)


def fill(db, name, items):
    for start in range(0, len(items), 25):
        puts = [{"PutRequest": {"Item": item}} for item in items[start:start + 25]]
        assert not db.ok("BatchWriteItem", {"RequestItems": {name: puts}})["UnprocessedItems"]


def scan(db, name, **more):
    """All items, page by page, in the order of pk."""
    items, start = [], {}
    while True:
        page = db.ok("Scan", {"TableName": name, **more, **start})
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            return sorted(items, key=lambda item: item["pk"]["S"])
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
