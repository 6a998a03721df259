"""Tables of the pattern tests: one per test, with the indexes the pattern is about."""

import pytest

from harness import indexes


@pytest.fixture
def table(make_table, dynamodb):
    """A factory of boto3 tables with indexes, PK and SK unless told otherwise."""
    def make(hash_key="PK:S", range_key="SK:S", gsi=(), lsi=()):
        more = indexes.members(hash_key, range_key, gsi, lsi)
        return dynamodb.Table(make_table(hash_key, range_key, **more))
    return make


def fill(table, items):
    with table.batch_writer() as batch:
        for item in items:
            batch.put_item(Item=item)


@pytest.fixture
def filled(table):
    """A factory of tables that already hold these items."""
    def make(items, **shape):
        made = table(**shape)
        fill(made, items)
        return made
    return make
