"""Local and global secondary indexes: what may be declared, what is in them, and which base writes they refuse."""

import pytest

from harness.indexes import Index, members
from harness.sdk import settle
from harness.tables import definition, unique

OOM = "One or more parameter values were invalid: "
NOT_VALID = "One or more parameter values are not valid. "
EMPTY = "The AttributeValue for a key attribute cannot contain an empty {} value."


def s(text):
    return {"S": text}


def item(pk="p", sk="1", **attributes):
    return {"pk": s(pk), "sk": s(sk), **attributes}


class TestDeclaration:
    @pytest.fixture
    def refused(self, db):
        def check(message, gsi=(), lsi=(), range_key="sk:S", **more):
            request = definition(unique(), "pk:S", range_key, **members("pk:S", range_key, gsi, lsi))
            request.update(more)
            error = db.invalid("CreateTable", request)
            assert message in error["message"]
            db.error("DescribeTable", {"TableName": request["TableName"]}, "ResourceNotFoundException")
        return check

    def test_five_local_and_twenty_global(self, db, make_table):
        gsi = [Index(f"gsi{number}", "a:S", "b:N") for number in range(20)]
        lsi = [Index(f"lsi{number}", "pk:S", "a:S", "KEYS_ONLY") for number in range(5)]
        name = make_table("pk:S", "sk:S", **members("pk:S", "sk:S", gsi, lsi))
        table = db.ok("DescribeTable", {"TableName": name})["Table"]
        assert sorted(index["IndexName"] for index in table["GlobalSecondaryIndexes"]) == sorted(index.name for index in gsi)
        assert sorted(index["IndexName"] for index in table["LocalSecondaryIndexes"]) == sorted(index.name for index in lsi)
        for index in table["GlobalSecondaryIndexes"]:
            assert index["IndexStatus"] == "ACTIVE" and "Backfilling" not in index
            assert index["IndexArn"] == f"{table['TableArn']}/index/{index['IndexName']}"
        for index in table["LocalSecondaryIndexes"]:
            assert "IndexStatus" not in index and "ProvisionedThroughput" not in index
            assert index["Projection"] == {"ProjectionType": "KEYS_ONLY"}
            assert index["IndexArn"] == f"{table['TableArn']}/index/{index['IndexName']}"

    def test_one_local_more(self, refused):
        refused(OOM + "Number of LocalSecondaryIndexes exceeds per-table limit of 5",
                lsi=[Index(f"lsi{number}", "pk:S", "a:S") for number in range(6)])

    def test_one_global_more(self, refused):
        refused(OOM + "GlobalSecondaryIndex count exceeds the per-table limit of 20", gsi=[Index(f"gsi{number}", "a:S") for number in range(21)])

    def test_a_local_index_of_a_table_without_sort_key(self, refused):
        refused(OOM + "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
                lsi=[Index("local", "pk:S", "a:S")], range_key=None)

    def test_a_local_index_needs_a_sort_key(self, refused):
        refused(OOM + "Index KeySchema does not have a range key for index: local", lsi=[Index("local", "pk:S")])

    def test_a_local_index_has_the_tables_hash_key(self, refused):
        refused(OOM + "Index KeySchema does not have the same leading hash key as table KeySchema for index: local. "
                      "index hash key: a, table hash key: pk", lsi=[Index("local", "a:S", "b:S")])

    @pytest.mark.parametrize("gsi, lsi", [
        ([Index("same", "a:S"), Index("same", "b:S")], []), ([], [Index("same", "pk:S", "a:S"), Index("same", "pk:S", "b:S")]),
        ([Index("same", "a:S")], [Index("same", "pk:S", "a:S")])])
    def test_names_are_unique_over_both_kinds(self, refused, gsi, lsi):
        refused(OOM + "Duplicate index name: same", gsi=gsi, lsi=lsi)

    def test_two_indexes_of_one_schema_and_the_tables_own(self, db, make_table):
        gsi = [Index("one", "pk:S", "sk:S"), Index("two", "pk:S", "sk:S", "KEYS_ONLY")]
        name = make_table("pk:S", "sk:S", **members("pk:S", "sk:S", gsi, [Index("own", "pk:S", "sk:S")]))
        db.ok("PutItem", {"TableName": name, "Item": item(x=s("x"))})
        request = {"TableName": name, "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": s("p")}}
        for index, expected in (("one", item(x=s("x"))), ("two", item()), ("own", item(x=s("x")))):
            settle(lambda: db.ok("Query", {**request, "IndexName": index})["Items"], [expected])

    def test_included_attributes(self, refused, db, make_table):
        names = [f"n{number}" for number in range(21)]
        refused("Member must have length less than or equal to 20", gsi=[Index("gsi", "a:S", None, names)])
        refused("", gsi=[Index(f"gsi{number}", "a:S", None, names[:20]) for number in range(5)] + [Index("gsi5", "a:S", None, ["one"])])
        make_table("pk:S", "sk:S", **members("pk:S", "sk:S", [Index(f"gsi{number}", "a:S", None, names[:20]) for number in range(5)]))

    @pytest.mark.parametrize("projection, message", [
        ({}, OOM + "Unknown ProjectionType: null"),
        ({"ProjectionType": "ALL", "NonKeyAttributes": ["x"]}, OOM + "ProjectionType is ALL, but NonKeyAttributes is specified"),
        ({"ProjectionType": "INCLUDE"}, OOM + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified")])
    def test_projections(self, refused, projection, message):
        refused(message, gsi=[Index("gsi", "a:S")], GlobalSecondaryIndexes=[{**Index("gsi", "a:S").definition(), "Projection": projection}])

    def test_a_billing_mode_belongs_to_the_table(self, db, new_name):
        """A member the service does not know is ignored, as everywhere in its protocol."""
        name = new_name()
        request = definition(name, "pk:S", "sk:S", **members("pk:S", "sk:S", [Index("gsi", "a:S")]))
        request["GlobalSecondaryIndexes"][0]["BillingMode"] = "PAY_PER_REQUEST"
        table = db.ok("CreateTable", request)["TableDescription"]
        assert "BillingMode" not in table["GlobalSecondaryIndexes"][0]

    def test_keys_are_scalars(self, db):
        for kind in ("BOOL", "M", "SS"):
            error = db.invalid("CreateTable", definition(unique(), "pk:S", None, **members("pk:S", None, [Index("gsi", f"a:{kind}")])))
            assert "Member must satisfy enum value set: [B, N, S]" in error["message"]


class Reader:
    """A table with two global and two local indexes, and reads that may have to wait for AWS."""

    INDEXES = {"gsi": [Index("all", "g:S", "r:N"), Index("keys", "g:S", "r:N", "KEYS_ONLY")],
               "lsi": [Index("some", "pk:S", "l:S", ["x", "m"]), Index("bare", "pk:S", "l:S", "KEYS_ONLY")]}

    def __init__(self, db, name):
        self.db, self.name = db, name

    def put(self, **attributes):
        self.db.ok("PutItem", {"TableName": self.name, "Item": item(**attributes)})

    def update(self, expression, values=None, sk="1"):
        request = {"TableName": self.name, "Key": item(sk=sk), "UpdateExpression": expression}
        if values:
            request["ExpressionAttributeValues"] = values
        self.db.ok("UpdateItem", request)

    def entries(self, index, **more):
        key, value = ("g", "G") if index in ("all", "keys") else ("pk", "p")
        request = {"TableName": self.name, "IndexName": index, "KeyConditionExpression": f"{key} = :v", "ExpressionAttributeValues": {":v": s(value)}}
        return self.db.ok("Query", {**request, **more})["Items"]

    def holds(self, index, *expected, **more):
        settle(lambda: self.entries(index, **more), list(expected))

    def base(self):
        return self.db.ok("Query", {"TableName": self.name, "KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": {":v": s("p")},
                                    "ConsistentRead": True})["Items"]


@pytest.fixture
def table(db, make_table):
    return Reader(db, make_table("pk:S", "sk:S", **members("pk:S", "sk:S", **Reader.INDEXES)))


FULL = {"g": s("G"), "r": {"N": "5"}, "l": s("L"), "x": s("X"), "y": s("Y"), "m": {"M": {"a": {"L": []}}}}


class TestMaintenance:
    def test_projections(self, table):
        table.put(**FULL)
        table.holds("all", item(**FULL))
        table.holds("keys", item(g=s("G"), r={"N": "5"}))
        table.holds("some", item(l=s("L"), x=s("X"), m=FULL["m"]))
        table.holds("bare", item(l=s("L")))

    @pytest.mark.parametrize("without, gone", [("g", ["all", "keys"]), ("r", ["all", "keys"]), ("l", ["some", "bare"])])
    def test_all_key_attributes_are_needed(self, table, without, gone):
        table.put(**FULL)
        table.put(sk="2", **{name: value for name, value in FULL.items() if name != without})
        for index in ("all", "keys", "some", "bare"):
            settle(lambda: [entry["sk"]["S"] for entry in table.entries(index)], ["1"] if index in gone else ["1", "2"])

    @pytest.mark.parametrize("attribute, indexes", [("g", ["all", "keys"]), ("r", ["all", "keys"]), ("l", ["some", "bare"])])
    def test_removing_one_removes_the_entry(self, table, attribute, indexes):
        table.put(**FULL)
        table.update(f"REMOVE {attribute}")
        for index in ("all", "keys", "some", "bare"):
            settle(lambda: len(table.entries(index)), 0 if index in indexes else 1)
        assert table.base() == [item(**{name: value for name, value in FULL.items() if name != attribute})]

    def test_adding_the_missing_one_makes_the_entry(self, table):
        table.put(g=s("G"))
        table.holds("all")
        table.update("SET r = :r, l = :l", {":r": {"N": "-1.5"}, ":l": s("L")})
        table.holds("all", item(g=s("G"), r={"N": "-1.5"}, l=s("L")))
        table.holds("some", item(l=s("L")))

    def test_a_moved_entry_is_there_once(self, table):
        table.put(**FULL)
        table.update("SET r = :r, l = :l", {":r": {"N": "50"}, ":l": s("A")})
        table.holds("keys", item(g=s("G"), r={"N": "50"}))
        table.holds("bare", item(l=s("A")))
        table.update("SET g = :g", {":g": s("elsewhere")})
        table.holds("keys")
        table.holds("bare", item(l=s("A")))

    def test_overwriting_and_deleting(self, table, db):
        table.put(**FULL)
        table.put(g=s("G"), r={"N": "6"})
        table.holds("all", item(g=s("G"), r={"N": "6"}))
        table.holds("some")
        db.ok("DeleteItem", {"TableName": table.name, "Key": item()})
        table.holds("all")

    def test_a_number_is_a_key_by_its_value(self, table):
        table.put(g=s("G"), r={"N": "10"})
        table.update("SET r = :r", {":r": {"N": "1.0E1"}})
        table.holds("keys", item(g=s("G"), r={"N": "10"}))

    def test_index_keys_need_not_be_unique(self, table):
        for sk in "123":
            table.put(sk=sk, **FULL)
        settle(lambda: sorted(entry["sk"]["S"] for entry in table.entries("keys")), ["1", "2", "3"])
        assert sorted(entry["sk"]["S"] for entry in table.entries("bare", ConsistentRead=True)) == ["1", "2", "3"]

    def test_batches_and_transactions_keep_them(self, table, db):
        table.put(sk="9", **FULL)
        db.ok("BatchWriteItem", {"RequestItems": {table.name: [
            {"PutRequest": {"Item": item(sk="2", **FULL)}}, {"PutRequest": {"Item": item(sk="3", **FULL)}}, {"DeleteRequest": {"Key": item(sk="9")}}]}})
        settle(lambda: sorted(entry["sk"]["S"] for entry in table.entries("all")), ["2", "3"])
        db.ok("TransactWriteItems", {"TransactItems": [
            {"Put": {"TableName": table.name, "Item": item(sk="4", **FULL)}}, {"Delete": {"TableName": table.name, "Key": item(sk="2")}},
            {"Update": {"TableName": table.name, "Key": item(sk="3"), "UpdateExpression": "REMOVE l"}}]})
        settle(lambda: sorted(entry["sk"]["S"] for entry in table.entries("all")), ["3", "4"])
        assert [entry["sk"]["S"] for entry in table.entries("some", ConsistentRead=True)] == ["4"]

    def test_a_local_index_is_current_at_once(self, table):
        for number in range(20):
            table.put(sk=f"{number:02}", l=s(f"{99 - number}"))
            assert [entry["sk"]["S"] for entry in table.entries("bare", ConsistentRead=True)] == [f"{other:02}" for other in range(number, -1, -1)]

    def test_unprojected_attributes(self, table, db):
        table.put(**FULL)
        assert table.entries("bare", ConsistentRead=True, ProjectionExpression="y, x") == [{"x": s("X"), "y": s("Y")}], "fetched from the table"
        assert table.entries("bare", ConsistentRead=True, Select="ALL_ATTRIBUTES") == [item(**FULL)]
        request = {"TableName": table.name, "IndexName": "keys", "KeyConditionExpression": "g = :v", "ExpressionAttributeValues": {":v": s("G")}}
        error = db.invalid("Query", {**request, "ProjectionExpression": "pk, y"})
        assert "project" in error["message"] and "y" in error["message"]
        db.invalid("Query", {**request, "Select": "ALL_ATTRIBUTES"}, OOM + "Select type ALL_ATTRIBUTES is not supported for global "
                   "secondary index keys because its projection type is not ALL")
        db.invalid("Query", {**request, "ConsistentRead": True}, "Consistent reads are not supported on global secondary indexes")

    def test_a_filter_sees_what_the_index_has(self, table):
        """A local index fetches what the filter asks for; the projected item stays the projected item."""
        table.put(**FULL)
        table.put(sk="2", **{**FULL, "x": s("other")})
        more = {"FilterExpression": "x = :x", "ExpressionAttributeValues": {":v": s("p"), ":x": s("X")}, "ConsistentRead": True}
        assert table.entries("some", **more) == [item(l=s("L"), x=s("X"), m=FULL["m"])]

    def test_counts_in_the_description(self, table, db):
        """At AWS these follow within six hours, so there only the members are looked at."""
        table.put(**FULL)
        description = db.ok("DescribeTable", {"TableName": table.name})["Table"]
        for index in description["GlobalSecondaryIndexes"] + description["LocalSecondaryIndexes"]:
            assert {"ItemCount", "IndexSizeBytes"} <= index.keys()


def mismatch(attribute, expected, actual, index):
    return f"{OOM}Type mismatch for Index Key {attribute} Expected: {expected} Actual: {actual} IndexName: {index}"


WRONG_TYPES = [({"BOOL": True}, "BOOL"), ({"NULL": True}, "NULL"), ({"N": "1"}, "N"), ({"B": "YQ=="}, "B"), ({"L": []}, "L"), ({"M": {}}, "M"), ({"SS": ["a"]}, "SS")]


class TestRefusedWrites:
    """A present index key of the wrong type, empty or too long refuses the whole write; the base table stays as it was."""

    BEFORE = item(x=s("before"))

    @pytest.fixture
    def one(self, db, make_table):
        made = Reader(db, make_table("pk:S", "sk:S", **members("pk:S", "sk:S", gsi=[Index("glob", "g:S", "r:N")], lsi=[Index("loc", "pk:S", "l:S")])))
        made.put(x=s("before"))
        return made

    @pytest.mark.parametrize("value, actual", WRONG_TYPES)
    @pytest.mark.parametrize("attribute, index", [("g", "glob"), ("l", "loc")])
    def test_put(self, db, one, attribute, index, value, actual):
        db.invalid("PutItem", {"TableName": one.name, "Item": item(**{attribute: value})}, mismatch(attribute, "S", actual, index))
        assert one.base() == [self.BEFORE]

    def test_update_by_a_computed_value(self, db, one):
        one.put(x=s("before"), n={"N": "7"})
        request = {"TableName": one.name, "Key": item(), "UpdateExpression": "SET g = n"}
        db.invalid("UpdateItem", request, "The update expression attempted to update the secondary index key to unsupported type")
        db.invalid("UpdateItem", {**request, "UpdateExpression": "SET l = n"}, "The update expression attempted to update the secondary index key to unsupported type")
        assert one.base() == [item(x=s("before"), n={"N": "7"})]

    def test_an_upsert_is_refused_too(self, db, one):
        db.invalid("UpdateItem", {"TableName": one.name, "Key": item(sk="new"), "UpdateExpression": "ADD g :n", "ExpressionAttributeValues": {":n": {"N": "1"}}})
        assert one.base() == [self.BEFORE]

    @pytest.mark.parametrize("attribute", ["g", "l"])
    def test_batch(self, db, one, attribute):
        good, bad = ({"PutRequest": {"Item": item(sk="2")}}, {"PutRequest": {"Item": item(sk="3", **{attribute: {"BOOL": True}})}})
        db.invalid("BatchWriteItem", {"RequestItems": {one.name: [good, bad]}})
        assert one.base() == [self.BEFORE], "the whole batch is refused"

    @pytest.mark.parametrize("attribute, index", [("g", "glob"), ("l", "loc")])
    def test_transaction(self, db, one, attribute, index):
        good = {"Put": {"TableName": one.name, "Item": item(sk="2")}}
        bad = {"Put": {"TableName": one.name, "Item": item(sk="3", **{attribute: {"N": "1"}})}}
        error = db.error("TransactWriteItems", {"TransactItems": [good, bad]}, "TransactionCanceledException")
        assert error["CancellationReasons"] == [{"Code": "None"}, {"Code": "ValidationError", "Message": mismatch(attribute, "S", "N", index)}]
        update = {"Update": {"TableName": one.name, "Key": item(), "UpdateExpression": f"SET {attribute} = :v", "ExpressionAttributeValues": {":v": {"N": "1"}}}}
        error = db.error("TransactWriteItems", {"TransactItems": [update, good]}, "TransactionCanceledException")
        assert [reason["Code"] for reason in error["CancellationReasons"]] == ["ValidationError", "None"]
        assert one.base() == [self.BEFORE]

    def test_an_empty_key_refuses_the_whole_transaction(self, db, one):
        bad = {"Put": {"TableName": one.name, "Item": item(sk="3", g=s(""))}}
        db.invalid("TransactWriteItems", {"TransactItems": [bad]})
        assert one.base() == [self.BEFORE]

    @pytest.mark.parametrize("attribute, index", [("g", "glob"), ("l", "loc")])
    def test_empty_values(self, db, one, attribute, index):
        db.invalid("PutItem", {"TableName": one.name, "Item": item(**{attribute: s("")})},
                   f"{NOT_VALID}A value specified for a secondary index key is not supported. {EMPTY.format('string')} IndexName: {index}, IndexKey: {attribute}")
        db.invalid("UpdateItem", {"TableName": one.name, "Key": item(), "UpdateExpression": f"SET {attribute} = :v", "ExpressionAttributeValues": {":v": s("")}},
                   f"{NOT_VALID}The update expression attempted to update a secondary index key to a value that is not supported. {EMPTY.format('string')}")
        db.invalid("BatchWriteItem", {"RequestItems": {one.name: [{"PutRequest": {"Item": item(sk="2", **{attribute: s("")})}}]}})
        assert one.base() == [self.BEFORE]

    @pytest.mark.parametrize("attribute, longest", [("g", 2048), ("l", 1024)])
    def test_too_long(self, db, one, attribute, longest):
        db.ok("PutItem", {"TableName": one.name, "Item": item(sk="2", **{attribute: s("x" * longest)})})
        db.invalid("PutItem", {"TableName": one.name, "Item": item(sk="3", **{attribute: s("x" * (longest + 1))})})
        update = {"TableName": one.name, "Key": item(sk="4"), "UpdateExpression": f"SET {attribute} = :v", "ExpressionAttributeValues": {":v": s("x" * (longest + 1))}}
        db.invalid("UpdateItem", update)
        assert [row["sk"]["S"] for row in one.base()] == ["1", "2"]

    def test_a_wrong_type_counts_though_the_other_key_is_missing(self, db, one):
        """The item would not even be in the index: the type is checked all the same."""
        db.invalid("PutItem", {"TableName": one.name, "Item": item(r=s("no number"))}, mismatch("r", "N", "S", "glob"))

    def test_one_attribute_of_several_indexes(self, db, make_table):
        name = make_table("pk:S", "sk:S", **members("pk:S", "sk:S", gsi=[Index("first", "a:S"), Index("second", "b:S", "a:S")]))
        error = db.invalid("PutItem", {"TableName": name, "Item": item(a={"N": "1"})})
        assert error["message"] in [mismatch("a", "S", "N", index) for index in ("first", "second")]
