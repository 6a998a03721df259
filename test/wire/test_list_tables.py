"""ListTables: order, pages, limits."""

import pytest

from harness import tables


@pytest.fixture(scope="module")
def region(raw_client):
    """A region of its own, so that nobody else's tables are listed."""
    client = raw_client(region="sa-east-1")
    names = ["Zebra-1", "alpha.2", "alpha_1", "beta", "beta-2"]
    for name in names:
        tables.create(client, name=name)
    yield client, sorted(names)
    for name in names:
        tables.drop(client, name)


def test_ordered_by_bytes(region):
    client, names = region
    assert client.ok("ListTables", {}) == {"TableNames": names}


def test_pages(region):
    client, names = region
    seen, start = [], None
    while True:
        request = {"Limit": 2, **({"ExclusiveStartTableName": start} if start else {})}
        page = client.ok("ListTables", request)
        seen += page["TableNames"]
        start = page.get("LastEvaluatedTableName")
        if start is None:
            break
        assert start == page["TableNames"][-1]
    assert seen == names


def test_the_start_need_not_exist(region):
    client, names = region
    listed = client.ok("ListTables", {"ExclusiveStartTableName": "alpha_0"})["TableNames"]
    assert listed == [name for name in names if name > "alpha_0"]


@pytest.mark.parametrize("limit, rule", [(0, "greater than or equal to 1"), (101, "less than or equal to 100")])
def test_limits(db, limit, rule):
    db.invalid("ListTables", {"Limit": limit}, f"1 validation error detected: Value '{limit}' at 'limit' failed to "
                                               f"satisfy constraint: Member must have value {rule}")


def test_boto3_paginator(client, hash_table):
    pages = client.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 1})
    assert hash_table in [name for page in pages for name in page["TableNames"]]
