"""What indexes cost: per changed entry on writes, per index on reads; and item-collection metrics."""

import pytest

from harness.indexes import Index, members

KB = 1000  # texts of this many bytes stay well inside one kibibyte with their keys


def s(text):
    return {"S": text}


def item(pk="p", sk="1", **attributes):
    return {"pk": s(pk), "sk": s(sk), **attributes}


def arms(consumed):
    """(table, {index: units}) of one ConsumedCapacity, after checking that the total is their sum."""
    indexes = {}
    for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        for name, units in consumed.get(kind, {}).items():
            indexes[name] = units["CapacityUnits"]
        assert consumed.get(kind) != {}, "an empty map is left out"
    table = consumed["Table"]["CapacityUnits"]
    assert consumed["CapacityUnits"] == table + sum(indexes.values())
    return table, indexes


class Table:
    """ALL and KEYS_ONLY over g, a local index over l that includes x."""

    def __init__(self, db, name):
        self.db, self.name = db, name

    def write(self, operation, **request):
        reply = self.db.ok(operation, {"TableName": self.name, "ReturnConsumedCapacity": "INDEXES", **request})
        assert reply["ConsumedCapacity"]["TableName"] == self.name
        return arms(reply["ConsumedCapacity"])

    def put(self, **attributes):
        return self.write("PutItem", Item=item(**attributes))

    def update(self, expression, **values):
        values = {f":{name}": value for name, value in values.items()}
        return self.write("UpdateItem", Key=item(), UpdateExpression=expression, **({"ExpressionAttributeValues": values} if values else {}))

    def delete(self, **key):
        return self.write("DeleteItem", Key=item(**key))

    def query(self, index, condition, value, **more):
        request = {"TableName": self.name, "KeyConditionExpression": condition, "ExpressionAttributeValues": {":v": s(value)}, "ReturnConsumedCapacity": "INDEXES"}
        if index:
            request["IndexName"] = index
        return self.db.ok("Query", {**request, **more})


@pytest.fixture
def table(db, make_table):
    return Table(db, make_table("pk:S", "sk:S", **members(
        "pk:S", "sk:S", gsi=[Index("all", "g:S"), Index("keys", "g:S", None, "KEYS_ONLY")], lsi=[Index("local", "pk:S", "l:S", ["x"])])))


class TestWrites:
    def test_an_item_in_no_index(self, table):
        assert table.put(x=s("x")) == (1.0, {})
        assert table.put(x=s("y")) == (1.0, {})
        assert table.delete() == (1.0, {})

    def test_entering(self, table):
        assert table.put(g=s("G"), l=s("L")) == (1.0, {"all": 1.0, "keys": 1.0, "local": 1.0})

    def test_each_entry_by_its_projected_size(self, table):
        assert table.put(g=s("G"), l=s("L"), x=s("x" * 2 * KB), y=s("y" * 3 * KB)) == (5.0, {"all": 5.0, "keys": 1.0, "local": 2.0})

    def test_leaving(self, table):
        table.put(g=s("G"), l=s("L"), x=s("x" * 2 * KB))
        assert table.delete() == (2.0, {"all": 2.0, "keys": 1.0, "local": 2.0})
        assert table.delete() == (1.0, {}), "a missing item costs the table one unit"

    def test_leaving_by_losing_the_key(self, table):
        table.put(g=s("G"), l=s("L"), x=s("x" * 2 * KB))
        assert table.update("REMOVE g") == (2.0, {"all": 2.0, "keys": 1.0})
        assert table.update("REMOVE l") == (2.0, {"local": 2.0})

    def test_an_unchanged_entry_is_free_and_not_mentioned(self, table):
        table.put(g=s("G"), l=s("L"), x=s("x"), y=s("y"))
        assert table.update("SET y = :v", v=s("z")) == (1.0, {"all": 1.0}), "y is projected into one index only"
        assert table.update("SET x = :v", v=s("z")) == (1.0, {"all": 1.0, "local": 1.0})

    def test_an_identical_overwrite_costs_the_table_only(self, table):
        table.put(g=s("G"), l=s("L"), x=s("x" * 2 * KB))
        assert table.put(g=s("G"), l=s("L"), x=s("x" * 2 * KB)) == (2.0, {})
        assert table.update("SET x = x") == (2.0, {})

    def test_the_order_of_a_set_is_no_change(self, table):
        table.put(g=s("G"), l=s("L"), x={"SS": ["a", "b", "c"]})
        assert table.put(g=s("G"), l=s("L"), x={"SS": ["c", "a", "b"]}) == (1.0, {})

    def test_a_number_written_differently_is_no_change(self, table):
        table.put(g=s("G"), l=s("L"), x={"N": "100"})
        assert table.put(g=s("G"), l=s("L"), x={"N": "1.00E2"}) == (1.0, {})

    @pytest.mark.parametrize("old, new", [(3, 1), (1, 3)])
    def test_changed_content_costs_the_larger(self, table, old, new):
        table.put(g=s("G"), l=s("L"), x=s("x" * old * KB))
        assert table.put(g=s("G"), l=s("L"), x=s("z" * new * KB)) == (3.0, {"all": 3.0, "local": 3.0})

    def test_a_moved_entry_costs_both_places(self, table):
        table.put(g=s("G"), l=s("L"), x=s("x" * 2 * KB))
        assert table.update("SET g = :v", v=s("H")) == (2.0, {"all": 4.0, "keys": 2.0})
        assert table.update("SET l = :v", v=s("M")) == (2.0, {"all": 2.0, "local": 4.0})
        assert table.put(g=s("I"), l=s("N")) == (2.0, {"all": 3.0, "keys": 2.0, "local": 3.0})

    def test_total_only(self, table):
        reply = table.db.ok("PutItem", {"TableName": table.name, "Item": item(g=s("G"), l=s("L")), "ReturnConsumedCapacity": "TOTAL"})
        assert reply["ConsumedCapacity"] == {"TableName": table.name, "CapacityUnits": 4.0}

    def test_nothing_is_reported_unasked(self, table):
        assert table.db.ok("PutItem", {"TableName": table.name, "Item": item(g=s("G"))}) == {}

    def test_a_batch_sums_up(self, table):
        table.put(sk="9", g=s("G"))
        reply = table.db.ok("BatchWriteItem", {"ReturnConsumedCapacity": "INDEXES", "RequestItems": {table.name: [
            {"PutRequest": {"Item": item(sk="1", g=s("G"), l=s("L"))}}, {"PutRequest": {"Item": item(sk="2", l=s("L"), x=s("x" * 2 * KB))}},
            {"PutRequest": {"Item": item(sk="3")}}, {"DeleteRequest": {"Key": item(sk="9")}}]}})
        (consumed,) = reply["ConsumedCapacity"]
        assert consumed["TableName"] == table.name
        assert arms(consumed) == (5.0, {"all": 2.0, "keys": 2.0, "local": 3.0})

    def test_a_transaction_doubles_the_table_not_the_indexes(self, table):
        table.put(sk="2", g=s("G"), x=s("x" * 2 * KB))
        reply = table.db.ok("TransactWriteItems", {"ReturnConsumedCapacity": "INDEXES", "TransactItems": [
            {"Put": {"TableName": table.name, "Item": item(sk="1", g=s("G"), l=s("L"))}},
            {"Update": {"TableName": table.name, "Key": item(sk="2"), "UpdateExpression": "SET g = :g", "ExpressionAttributeValues": {":g": s("H")}}},
            {"ConditionCheck": {"TableName": table.name, "Key": item(sk="3"), "ConditionExpression": "attribute_not_exists(pk)"}}]})
        (consumed,) = reply["ConsumedCapacity"]
        assert arms(consumed) == (2.0 + 4.0 + 2.0, {"all": 1.0 + 4.0, "keys": 1.0 + 2.0, "local": 1.0})
        assert consumed["WriteCapacityUnits"] == consumed["CapacityUnits"]
        assert consumed["Table"]["WriteCapacityUnits"] == 8.0
        assert consumed["GlobalSecondaryIndexes"]["all"]["WriteCapacityUnits"] == 5.0


class TestReads:
    @pytest.fixture
    def rows(self, table):
        for number in range(10):
            table.put(sk=f"{number}", g=s("G"), l=s(f"L{number}"), x=s("x" * 100), y=s("y" * KB))
        return table

    @pytest.mark.parametrize("index, condition, value, table_units, index_units", [
        (None, "pk = :v", "p", 1.5, None), ("all", "g = :v", "G", 0.0, 1.5), ("keys", "g = :v", "G", 0.0, 0.5), ("local", "pk = :v", "p", 0.0, 0.5)])
    def test_the_index_pays_for_its_own_entries(self, rows, index, condition, value, table_units, index_units):
        reply = rows.query(index, condition, value)
        assert reply["Count"] == 10
        assert arms(reply["ConsumedCapacity"]) == (table_units, {index: index_units} if index else {})

    def test_consistent_reads_of_a_local_index_cost_twice(self, rows):
        assert arms(rows.query("local", "pk = :v", "p", ConsistentRead=True)["ConsumedCapacity"]) == (0.0, {"local": 1.0})

    @pytest.mark.parametrize("more", [{"ProjectionExpression": "y"}, {"Select": "ALL_ATTRIBUTES"}])
    @pytest.mark.parametrize("consistent", [False, True])
    def test_fetching_from_the_table_costs_a_read_per_row(self, rows, more, consistent):
        reply = rows.query("local", "pk = :v", "p", ConsistentRead=consistent, **more)
        assert reply["Count"] == 10 and all("y" in found for found in reply["Items"])
        factor = 1.0 if consistent else 0.5
        assert arms(reply["ConsumedCapacity"]) == (10 * factor, {"local": factor})

    def test_fetched_items_are_rounded_one_by_one(self, table):
        for number in range(3):
            table.put(sk=f"{number}", l=s("L"), y=s("y" * 5000))
        assert arms(table.query("local", "pk = :v", "p", ProjectionExpression="y")["ConsumedCapacity"]) == (3.0, {"local": 0.5})

    def test_what_is_projected_needs_no_fetch(self, rows):
        reply = rows.query("local", "pk = :v", "p", ProjectionExpression="x, l, sk")
        assert arms(reply["ConsumedCapacity"]) == (0.0, {"local": 0.5})

    def test_nothing_found_costs_the_least(self, rows):
        assert arms(rows.query("all", "g = :v", "none")["ConsumedCapacity"]) == (0.0, {"all": 0.5})
        assert arms(rows.query("local", "pk = :v", "none", ConsistentRead=True)["ConsumedCapacity"]) == (0.0, {"local": 1.0})

    def test_a_filter_pays_for_what_it_threw_away(self, rows):
        reply = rows.query("all", "g = :v", "G", FilterExpression="attribute_not_exists(y)")
        assert reply["Count"] == 0 and reply["ScannedCount"] == 10
        assert arms(reply["ConsumedCapacity"]) == (0.0, {"all": 1.5})

    def test_pages_pay_for_themselves(self, rows):
        reply = rows.query("all", "g = :v", "G", Limit=3)
        assert arms(reply["ConsumedCapacity"]) == (0.0, {"all": 0.5})


class TestItemCollections:
    METRICS = {"ItemCollectionKey": {"pk": s("p")}, "SizeEstimateRangeGB": [0.0, 1.0]}

    @pytest.mark.parametrize("operation, request_", [
        ("PutItem", {"Item": item(l=s("L"))}), ("UpdateItem", {"Key": item(), "UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": s("x")}}),
        ("DeleteItem", {"Key": item()})])
    def test_single_writes(self, table, operation, request_):
        reply = table.db.ok(operation, {"TableName": table.name, "ReturnItemCollectionMetrics": "SIZE", **request_})
        assert reply["ItemCollectionMetrics"] == self.METRICS
        assert "ItemCollectionMetrics" not in table.db.ok(operation, {"TableName": table.name, "ReturnItemCollectionMetrics": "NONE", **request_})
        assert "ItemCollectionMetrics" not in table.db.ok(operation, {"TableName": table.name, **request_})

    def test_a_batch(self, table):
        reply = table.db.ok("BatchWriteItem", {"ReturnItemCollectionMetrics": "SIZE", "RequestItems": {table.name: [
            {"PutRequest": {"Item": item("p")}}, {"PutRequest": {"Item": item("q")}}, {"DeleteRequest": {"Key": item("r")}}]}})
        found = sorted(reply["ItemCollectionMetrics"][table.name], key=lambda entry: entry["ItemCollectionKey"]["pk"]["S"])
        assert found == [{**self.METRICS, "ItemCollectionKey": {"pk": s(key)}} for key in "pqr"]

    def test_a_transaction(self, table):
        reply = table.db.ok("TransactWriteItems", {"ReturnItemCollectionMetrics": "SIZE", "TransactItems": [
            {"Put": {"TableName": table.name, "Item": item("p")}}, {"Delete": {"TableName": table.name, "Key": item("q")}}]})
        found = sorted(reply["ItemCollectionMetrics"][table.name], key=lambda entry: entry["ItemCollectionKey"]["pk"]["S"])
        assert found == [{**self.METRICS, "ItemCollectionKey": {"pk": s(key)}} for key in "pq"]

    def test_tables_with_global_indexes_only_have_none(self, db, make_table):
        name = make_table("pk:S", "sk:S", **members("pk:S", "sk:S", gsi=[Index("all", "g:S")]))
        assert db.ok("PutItem", {"TableName": name, "Item": item(g=s("G")), "ReturnItemCollectionMetrics": "SIZE"}) == {}
        reply = db.ok("BatchWriteItem", {"RequestItems": {name: [{"PutRequest": {"Item": item()}}]}, "ReturnItemCollectionMetrics": "SIZE"})
        assert not reply.get("ItemCollectionMetrics")
        reply = db.ok("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": name, "Item": item()}}], "ReturnItemCollectionMetrics": "SIZE"})
        assert not reply.get("ItemCollectionMetrics")

    def test_an_unknown_wish(self, table):
        table.db.invalid("PutItem", {"TableName": table.name, "Item": item(), "ReturnItemCollectionMetrics": "ALL"},
                         "1 validation error detected: ReturnItemCollectionMetrics can only be SIZE or NONE")
