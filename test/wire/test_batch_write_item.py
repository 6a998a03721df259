"""BatchWriteItem: puts and deletes over tables, one bad member rejects all, capacity and collections, refusals."""

import pytest

from harness import tables
from harness.indexes import Index, members


def put(**item):
    return {"PutRequest": {"Item": item}}


def delete(**key):
    return {"DeleteRequest": {"Key": key}}


@pytest.fixture
def indexed(make_table):
    return make_table("pk:S", "sk:N", **members("pk:S", "sk:N", gsi=[Index("byG", "g:S")],
                                                lsi=[Index("byL", "pk:S", "l:S", "KEYS_ONLY")]))


class TestEffect:
    def test_puts_and_deletes_in_several_tables(self, db, hash_table, range_table, pk, get):
        other = {"S": tables.unique("k")}
        db.ok("PutItem", {"TableName": hash_table, "Item": {"pk": other}})
        assert db.ok("BatchWriteItem", {"RequestItems": {
            hash_table: [put(pk=pk, a={"S": "x"}), delete(pk=other)],
            range_table: [put(pk=pk, sk={"N": "1"})]}}) == {"UnprocessedItems": {}}
        assert get() == {"pk": pk, "a": {"S": "x"}}
        assert db.ok("GetItem", {"TableName": hash_table, "Key": {"pk": other}}) == {}
        assert "Item" in db.ok("GetItem", {"TableName": range_table, "Key": {"pk": pk, "sk": {"N": "1"}}})

    def test_twenty_five(self, db, hash_table):
        prefix = tables.unique("k")
        requests = [put(pk={"S": f"{prefix}{n}"}) for n in range(25)]
        assert db.ok("BatchWriteItem", {"RequestItems": {hash_table: requests}}) == {"UnprocessedItems": {}}


class TestMetrics:
    def test_capacity_and_collections(self, db, indexed):
        reply = db.ok("BatchWriteItem", {
            "ReturnConsumedCapacity": "INDEXES", "ReturnItemCollectionMetrics": "SIZE",
            "RequestItems": {indexed: [
                put(pk={"S": "a"}, sk={"N": "1"}, g={"S": "g"}, l={"S": "l"}),
                put(pk={"S": "a"}, sk={"N": "2"}, v={"S": "x" * 1500}),
                delete(pk={"S": "b"}, sk={"N": "1"})]}})
        assert reply["ConsumedCapacity"] == [{
            "TableName": indexed, "CapacityUnits": 6.0, "Table": {"CapacityUnits": 4.0},
            "LocalSecondaryIndexes": {"byL": {"CapacityUnits": 1.0}},
            "GlobalSecondaryIndexes": {"byG": {"CapacityUnits": 1.0}}}]
        collections = reply["ItemCollectionMetrics"][indexed]
        assert [entry["ItemCollectionKey"] for entry in collections] == [{"pk": {"S": "a"}}, {"pk": {"S": "b"}}]
        assert all(entry["SizeEstimateRangeGB"] == [0.0, 1.0] for entry in collections)

    def test_no_collections_without_local_indexes(self, db, hash_table, pk):
        reply = db.ok("BatchWriteItem", {"ReturnItemCollectionMetrics": "SIZE", "RequestItems": {hash_table: [put(pk=pk)]}})
        assert reply == {"UnprocessedItems": {}}


class TestRefusals:
    def test_nothing_asked(self, db):
        db.invalid("BatchWriteItem", {"RequestItems": {}}, "The requestItems parameter is required for BatchWriteItem")

    def test_too_many(self, db, hash_table, range_table):
        message = db.error("BatchWriteItem", {"RequestItems": {hash_table: [put(pk={"S": str(n)}) for n in range(26)]}},
                           "ValidationException")["message"]
        assert message.startswith(f"1 validation error detected: Value '{{{hash_table}=[")
        assert message.endswith("]}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: [Member "
                                "must have length less than or equal to 25, Member must have length greater than or equal to 1]")
        db.invalid("BatchWriteItem", {"RequestItems": {
            hash_table: [put(pk={"S": str(n)}) for n in range(13)],
            range_table: [put(pk={"S": str(n)}, sk={"N": "1"}) for n in range(13)]}},
            "Too many items requested for the BatchWriteItem call")

    CAPACITY = ("Value 'BOGUS' at 'returnConsumedCapacity' failed to satisfy constraint: "
                "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]")
    METRICS = "Value 'BOGUS' at 'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]"

    @pytest.mark.parametrize("name", ["bad!name", "ab"])
    def test_ill_formed_table_names_show_the_map(self, db, name):
        message = db.invalid("BatchWriteItem", {"RequestItems": {name: [put(pk={"S": "x"})]}})["message"]
        assert message.startswith(f"1 validation error detected: Value '{{{name}=[WriteRequest(putRequest=PutRequest(item={{pk=")
        assert message.endswith(")]}' at 'requestItems' failed to satisfy constraint: Map keys must satisfy constraint: [Member must have "
                                "length less than or equal to 255, Member must have length greater than or equal to 3, Member must satisfy "
                                "regular expression pattern: [a-zA-Z0-9_.-]+]")

    def test_an_empty_list(self, db, hash_table):
        db.invalid("BatchWriteItem", {"RequestItems": {hash_table: []}},
                   f"1 validation error detected: Value '{{{hash_table}=[]}}' at 'requestItems' failed to satisfy constraint: Map value must "
                   "satisfy constraint: [Member must have length less than or equal to 25, Member must have length greater than or equal to 1]")

    @pytest.mark.parametrize("name", ["bad!name", "no-such-table"])
    def test_unknown_enums_come_without_the_map(self, db, name):
        request = {"RequestItems": {name: [put(pk={"S": "x"})]}, "ReturnConsumedCapacity": "BOGUS"}
        db.invalid("BatchWriteItem", request, f"1 validation error detected: {self.CAPACITY}")
        db.invalid("BatchWriteItem", {**request, "ReturnItemCollectionMetrics": "BOGUS"},
                   f"2 validation errors detected: {self.CAPACITY}; {self.METRICS}")

    def test_duplicates_by_value(self, db, range_table, pk):
        db.invalid("BatchWriteItem", {"RequestItems": {range_table: [put(pk=pk, sk={"N": "1"}), delete(pk=pk, sk={"N": "1.0"})]}},
                   "Provided list of item keys contains duplicates")

    @pytest.mark.parametrize("bad, message", [
        (put(pk={"N": "1"}, sk={"N": "1"}), "The provided key element does not match the schema"),
        (put(pk={"S": "a"}), "The provided key element does not match the schema"),
        (delete(pk={"S": "a"}), "The provided key element does not match the schema"),
        (put(pk={"S": ""}, sk={"N": "1"}), "One or more parameter values are not valid. The AttributeValue for a key attribute "
                                           "cannot contain an empty string value. Key: pk"),
        (put(pk={"S": "a"}, sk={"N": "1"}, v={"SS": []}), "One or more parameter values were invalid: An string set  may not be empty"),
        (put(pk={"S": "a"}, sk={"N": "1"}, v={"S": "x" * 409_600}), "Item size has exceeded the maximum allowed size"),
        (put(pk={"S": "a"}, sk={"N": "1"}, g={"N": "1"}),
         "One or more parameter values were invalid: Type mismatch for Index Key g Expected: S Actual: N IndexName: byG"),
    ], ids=["type", "missing", "short", "empty", "value", "size", "index"])
    def test_one_bad_member_rejects_all(self, db, hash_table, indexed, pk, get, bad, message):
        db.invalid("BatchWriteItem", {"RequestItems": {hash_table: [put(pk=pk)], indexed: [bad]}}, message)
        assert get() is None

    def test_missing_table(self, db, hash_table, pk, get):
        db.error("BatchWriteItem", {"RequestItems": {hash_table: [put(pk=pk)], tables.unique(): [put(pk=pk)]}},
                 "ResourceNotFoundException", "Requested resource not found")
        assert get() is None
