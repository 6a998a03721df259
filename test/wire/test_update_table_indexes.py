"""UpdateTable: global indexes made, changed and removed on a live table."""

import pytest

from harness.indexes import Index, members
from harness.tables import wait_active
from harness.waiting import poll_until

OOM = "One or more parameter values were invalid: "
ONE_AT_A_TIME = "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
FIVE = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}


def definitions(*attributes):
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in (text.split(":") for text in attributes)]


def create(index, *attributes, **more):
    return {"AttributeDefinitions": definitions(*attributes),
            "GlobalSecondaryIndexUpdates": [{"Create": {**index.definition(), **more}}]}


def delete(name):
    return {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": name}}]}


def wait_settled(db, name, seconds=60):
    """DescribeTable until no index is on its way in or out, as SDK users have to."""
    def described():
        table = wait_active(db, name)
        return table, {index["IndexName"]: index for index in table.get("GlobalSecondaryIndexes", [])}

    return poll_until(described, lambda found: all(index["IndexStatus"] == "ACTIVE" for index in found[1].values()), seconds, pause=0.05)


@pytest.fixture
def update(db):
    def change(name, request):
        db.ok("UpdateTable", {"TableName": name, **request})
        return wait_settled(db, name)
    return change


@pytest.fixture
def query(db):
    """The pk of every entry under one hash key of an index."""
    def read(name, index, value, attribute="g"):
        pages, start = [], {}
        while True:
            page = db.ok("Query", {"TableName": name, "IndexName": index, "KeyConditionExpression": "#g = :g",
                                   "ExpressionAttributeNames": {"#g": attribute}, "ExpressionAttributeValues": {":g": value}, **start})
            pages += page["Items"]
            if "LastEvaluatedKey" not in page:
                return pages
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    return read


class TestCreation:
    def test_states_and_description(self, db, make_table):
        name = make_table()
        reply = db.ok("UpdateTable", {"TableName": name, **create(Index("idx", "g:S"), "g:S")})["TableDescription"]
        assert reply["TableStatus"] == "UPDATING"
        (index,) = reply["GlobalSecondaryIndexes"]
        assert index["IndexStatus"] == "CREATING" and index["Backfilling"] is False
        table, indexes = wait_settled(db, name)
        index = indexes["idx"]
        assert "Backfilling" not in index
        assert index["KeySchema"] == [{"AttributeName": "g", "KeyType": "HASH"}]
        assert index["Projection"] == {"ProjectionType": "ALL"}
        assert index["IndexArn"] == f"{table['TableArn']}/index/idx"
        assert (index["ItemCount"], index["IndexSizeBytes"]) == (0, 0)
        assert table["AttributeDefinitions"] == definitions("pk:S", "g:S")

    def test_existing_items_are_entered(self, db, make_table, update, query):
        name = make_table()
        for number in range(30):
            db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": f"k{number}"}, "g": {"S": f"g{number % 3}"}, "x": {"S": "y"}}})
        _, indexes = update(name, create(Index("idx", "g:S", projection="KEYS_ONLY"), "g:S"))
        assert indexes["idx"]["ItemCount"] == 30
        assert indexes["idx"]["IndexSizeBytes"] == sum(len(f"pkk{n}gg0") for n in range(30))
        found = query(name, "idx", {"S": "g1"})
        assert sorted(item["pk"]["S"] for item in found) == sorted(f"k{n}" for n in range(1, 30, 3))
        assert all(set(item) == {"pk", "g"} for item in found)

    def test_items_without_proper_keys_are_skipped(self, db, make_table, update, query):
        name = make_table()
        for number, g in enumerate([{"S": "in"}, {"N": "1"}, {"S": ""}, {"NULL": True}, {"S": "x" * 2049}, None]):
            item = {"pk": {"S": f"k{number}"}, **({"g": g} if g else {})}
            db.ok("PutItem", {"TableName": name, "Item": item})
        _, indexes = update(name, create(Index("idx", "g:S"), "g:S"))
        assert indexes["idx"]["ItemCount"] == 1
        assert [item["pk"]["S"] for item in query(name, "idx", {"S": "in"})] == ["k0"]

    def test_later_writes_are_kept(self, db, make_table, update, query):
        name = make_table()
        update(name, create(Index("idx", "g:S", "n:N"), "g:S", "n:N"))
        for n in (3, 1, 2):
            db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": f"k{n}"}, "g": {"S": "a"}, "n": {"N": str(n)}}})
        assert [item["pk"]["S"] for item in query(name, "idx", {"S": "a"})] == ["k1", "k2", "k3"]
        db.invalid("PutItem", {"TableName": name, "Item": {"pk": {"S": "k"}, "g": {"N": "1"}}},
                   OOM + "Type mismatch for Index Key g Expected: S Actual: N IndexName: idx")

    def test_multi_attribute_keys(self, db, make_table, update):
        name = make_table()
        db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": "k"}, "a": {"S": "1"}, "b": {"N": "2"}, "c": {"S": "3"}}})
        _, indexes = update(name, create(Index("idx", "a:S,b:N", "c:S"), "a:S", "b:N", "c:S"))
        assert indexes["idx"]["ItemCount"] == 1

    def test_provisioned_tables_need_throughput(self, db, make_table, update):
        name = make_table(BillingMode="PROVISIONED", ProvisionedThroughput=FIVE)
        db.invalid("UpdateTable", {"TableName": name, **create(Index("idx", "g:S"), "g:S")},
                   OOM + "ProvisionedThroughput must be specified for index: idx")
        _, indexes = update(name, create(Index("idx", "g:S"), "g:S", ProvisionedThroughput=FIVE))
        assert indexes["idx"]["ProvisionedThroughput"]["ReadCapacityUnits"] == 5

    def test_backfill_of_some_thousands(self, db, make_table, update, query):
        name = make_table()
        for start in range(0, 2000, 25):
            items = [{"pk": {"S": f"k{n}"}, "g": {"S": f"g{n % 7}"}} for n in range(start, start + 25)]
            db.ok("BatchWriteItem", {"RequestItems": {name: [{"PutRequest": {"Item": item}} for item in items]}})
        _, indexes = update(name, create(Index("idx", "g:S"), "g:S"))
        assert indexes["idx"]["ItemCount"] == 2000
        assert len(query(name, "idx", {"S": "g3"})) == len(range(3, 2000, 7))


class TestDefinitions:
    def test_keys_must_be_defined_even_if_known(self, db, make_table):
        name = make_table()
        db.invalid("UpdateTable", {"TableName": name, **create(Index("idx", "g:S", "pk:S"), "g:S")},
                   OOM + "Some index key attributes are not defined in AttributeDefinitions. Keys: [g, pk], AttributeDefinitions: [g]")
        request = create(Index("idx", "g:S"))
        del request["AttributeDefinitions"]
        db.invalid("UpdateTable", {"TableName": name, **request})

    def test_unused_ones_are_ignored(self, make_table, update):
        table, _ = update(make_table(), create(Index("idx", "g:S"), "unused:N", "g:S", "pk:N"))
        assert table["AttributeDefinitions"] == definitions("pk:S", "g:S")

    def test_types_cannot_change(self, db, make_table):
        name = make_table(**members("pk:S", gsi=[Index("first", "g:S")]))
        db.invalid("UpdateTable", {"TableName": name, **create(Index("second", "g:N"), "g:N")},
                   OOM + "Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. "
                   "Existing schema: Schema:[SchemaElement: key{g:S:HASH}] New schema: Schema:[SchemaElement: key{g:N:HASH}]")

    def test_removal_prunes_them(self, make_table, update):
        name = make_table(**members("pk:S", gsi=[Index("one", "g:S", "n:N"), Index("two", "g:S")]))
        table, _ = update(name, delete("one"))
        assert table["AttributeDefinitions"] == definitions("pk:S", "g:S")
        table, _ = update(name, delete("two"))
        assert table["AttributeDefinitions"] == definitions("pk:S")


class TestRemoval:
    def test_states(self, db, make_table):
        name = make_table(**members("pk:S", gsi=[Index("idx", "g:S")]))
        db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": "a"}, "g": {"S": "x"}}})
        reply = db.ok("UpdateTable", {"TableName": name, **delete("idx")})["TableDescription"]
        assert reply["GlobalSecondaryIndexes"][0]["IndexStatus"] == "DELETING"
        table, indexes = wait_settled(db, name)
        assert not indexes and "GlobalSecondaryIndexes" not in table
        db.invalid("Query", {"TableName": name, "IndexName": "idx", "KeyConditionExpression": "g = :g",
                             "ExpressionAttributeValues": {":g": {"S": "x"}}})
        db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": "a"}, "g": {"N": "1"}}})

    def test_the_same_name_again_is_another_index(self, db, make_table, update, query):
        name = make_table(**members("pk:S", gsi=[Index("idx", "g:S")]))
        db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": "a"}, "g": {"S": "x"}, "h": {"S": "y"}}})
        update(name, delete("idx"))
        _, indexes = update(name, create(Index("idx", "h:S"), "h:S"))
        assert indexes["idx"]["ItemCount"] == 1
        assert len(query(name, "idx", {"S": "y"}, "h")) == 1


class TestRefused:
    def test_names(self, db, make_table):
        name = make_table(**members("pk:S", gsi=[Index("idx", "g:S")]))
        reply = db.invalid("UpdateTable", {"TableName": name, **create(Index("idx", "g:S"), "g:S")})
        assert "already exists" in reply["message"]
        db.error("UpdateTable", {"TableName": name, **delete("missing")}, "ResourceNotFoundException")

    def test_a_local_index_cannot_be_removed(self, db, make_table):
        name = make_table("pk:S", "sk:S", **members("pk:S", "sk:S", lsi=[Index("local", "pk:S", "t:S")]))
        db.error("UpdateTable", {"TableName": name, **delete("local")}, "ResourceNotFoundException")

    def test_several_at_once(self, db, make_table):
        name = make_table(**members("pk:S", gsi=[Index("one", "g:S"), Index("two", "g:S")]))
        both = [{"Delete": {"IndexName": "one"}}, {"Delete": {"IndexName": "two"}}]
        db.error("UpdateTable", {"TableName": name, "GlobalSecondaryIndexUpdates": both}, "LimitExceededException", ONE_AT_A_TIME)
        db.invalid("UpdateTable", {"TableName": name, "GlobalSecondaryIndexUpdates": both[:1] * 2},
                   OOM + "Only one global secondary index update per index is allowed simultaneously. Index: one")

    def test_several_kinds_in_one_entry(self, db, make_table):
        name = make_table(**members("pk:S", gsi=[Index("one", "g:S")]))
        request = create(Index("two", "g:S"), "g:S")
        request["GlobalSecondaryIndexUpdates"][0]["Delete"] = {"IndexName": "one"}
        assert "one" in db.invalid("UpdateTable", {"TableName": name, **request})["message"].lower()
        assert [index["IndexName"] for index in db.ok("DescribeTable", {"TableName": name})["Table"]["GlobalSecondaryIndexes"]] == ["one"]

    def test_two_new_ones(self, db, make_table):
        request = create(Index("one", "g:S"), "g:S")
        request["GlobalSecondaryIndexUpdates"] += create(Index("two", "g:S"), "g:S")["GlobalSecondaryIndexUpdates"]
        db.error("UpdateTable", {"TableName": make_table(), **request}, "LimitExceededException", ONE_AT_A_TIME)

    def test_an_empty_entry(self, db, make_table):
        db.invalid("UpdateTable", {"TableName": make_table(), "GlobalSecondaryIndexUpdates": [{}]},
                   OOM + "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                   "GlobalSecondaryIndexUpdate.Delete must not be null")

    def test_more_than_twenty(self, db, make_table):
        name = make_table(**members("pk:S", gsi=[Index(f"idx{n}", "g:S") for n in range(20)]))
        db.invalid("UpdateTable", {"TableName": name, **create(Index("one-more", "g:S"), "g:S")},
                   OOM + "GlobalSecondaryIndex count exceeds the per-table limit of 20")
