"""Global indexes with several attributes per key: one to four of each role, conditions, order, pages."""

import itertools

import pytest

from harness import tables
from harness.indexes import Index, members
from harness.sdk import settle

VALUES = {"h1": ["a", "b"], "h2": [1, 2], "r1": ["x", "y", "yy"], "r2": [-1, 2, 10], "r3": ["k", "l"]}
TYPES = {"h1": "S", "h2": "N", "r1": "S", "r2": "N", "r3": "S"}


def attribute(name, value):
    return {TYPES[name]: str(value)}


ROWS = [dict(zip(VALUES, row)) for row in itertools.product(*VALUES.values())]


def to_item(number, row):
    return {"pk": {"S": f"{number:03}"}, **{name: attribute(name, value) for name, value in row.items()}}


def from_item(item):
    return {name: int(item[name]["N"]) if kind == "N" else item[name]["S"] for name, kind in TYPES.items()}


def chosen(**wanted):
    """The rows of one hash key that satisfy the predicates, in the order of the range attributes."""
    rows = [row for row in ROWS if row["h1"] == "a" and row["h2"] == 2 and all(test(row[name]) for name, test in wanted.items())]
    return sorted(rows, key=lambda row: (row["r1"], row["r2"], row["r3"]))


@pytest.fixture(scope="module")
def name(db):
    made = tables.create(db, "pk:S", **members("pk:S", gsi=[Index("multi", "h1:S,h2:N", "r1:S,r2:N,r3:S"), Index("hashes", "h1:S,h2:N")]))
    items = [{"PutRequest": {"Item": to_item(number, row)}} for number, row in enumerate(ROWS)]
    for start in range(0, len(items), 25):
        assert db.ok("BatchWriteItem", {"RequestItems": {made: items[start:start + 25]}})["UnprocessedItems"] == {}
    yield made
    tables.drop(db, made)


@pytest.fixture
def query(db, name):
    def run(condition, values, operation=db.ok, index="multi", **more):
        request = {"TableName": name, "IndexName": index, "KeyConditionExpression": condition,
                   "ExpressionAttributeValues": {f":{key}": attribute(key.split("_")[0], value) for key, value in values.items()}}
        return operation("Query", {**request, **more})
    return run


HASH = "h1 = :h1 AND h2 = :h2"
AT = {"h1": "a", "h2": 2}


class TestConditions:
    @pytest.mark.parametrize("condition, values, expected", [
        ("", {}, chosen()),
        (" AND r1 = :r1", {"r1": "y"}, chosen(r1=lambda value: value == "y")),
        (" AND begins_with(r1, :r1)", {"r1": "y"}, chosen(r1=lambda value: value.startswith("y"))),
        (" AND r1 > :r1", {"r1": "x"}, chosen(r1=lambda value: value > "x")),
        (" AND r1 <= :r1", {"r1": "y"}, chosen(r1=lambda value: value <= "y")),
        (" AND r1 = :r1 AND r2 < :r2", {"r1": "y", "r2": 10}, chosen(r1=lambda value: value == "y", r2=lambda value: value < 10)),
        (" AND r1 = :r1 AND r2 BETWEEN :r2_low AND :r2_high", {"r1": "y", "r2_low": -1, "r2_high": 2}, chosen(r1=lambda value: value == "y", r2=lambda value: value < 3)),
        (" AND r1 = :r1 AND r2 = :r2", {"r1": "yy", "r2": 10}, chosen(r1=lambda value: value == "yy", r2=lambda value: value == 10)),
        (" AND r1 = :r1 AND r2 = :r2 AND r3 >= :r3", {"r1": "yy", "r2": 10, "r3": "l"},
         chosen(r1=lambda value: value == "yy", r2=lambda value: value == 10, r3=lambda value: value >= "l")),
        (" AND r1 = :r1 AND r2 = :r2 AND r3 = :r3", {"r1": "x", "r2": -1, "r3": "k"},
         chosen(r1=lambda value: value == "x", r2=lambda value: value == -1, r3=lambda value: value == "k"))])
    @pytest.mark.parametrize("forward", [True, False])
    def test_left_to_right(self, query, condition, values, expected, forward):
        assert expected, "the case must find something"
        read = lambda: [from_item(item) for item in query(HASH + condition, {**AT, **values}, ScanIndexForward=forward)["Items"]]
        settle(read, expected if forward else expected[::-1])

    def test_the_order_of_the_clauses_is_free(self, query):
        expected = chosen(r1=lambda value: value == "y", r2=lambda value: value == 2)
        for clauses in itertools.permutations(("h1 = :h1", "h2 = :h2", "r1 = :r1", "r2 = :r2")):
            reply = query(" AND ".join(clauses), {**AT, "r1": "y", "r2": 2})
            assert [from_item(item) for item in reply["Items"]] == expected

    def test_hash_attributes_alone(self, query):
        assert query(HASH, AT, index="hashes")["Count"] == len(chosen())

    @pytest.mark.parametrize("condition, values", [
        ("h1 = :h1", {"h1": "a"}), ("h2 = :h2", {"h2": 2}), ("h1 = :h1 AND h2 > :h2", AT), ("h1 = :h1 AND r1 = :r1", {"h1": "a", "r1": "x"}),
        (HASH + " AND r2 = :r2", {**AT, "r2": 2}), (HASH + " AND r1 = :r1 AND r3 = :r3", {**AT, "r1": "x", "r3": "k"}),
        (HASH + " AND r1 > :r1 AND r2 = :r2", {**AT, "r1": "x", "r2": 2}), (HASH + " AND begins_with(r1, :r1) AND r2 > :r2", {**AT, "r1": "x", "r2": 2}),
        (HASH + " AND r3 = :r3", {**AT, "r3": "k"})])
    def test_refused(self, db, query, condition, values):
        query(condition, values, operation=db.invalid)

    @pytest.mark.parametrize("condition, values, missing, last", [
        (" AND r2 = :r2", {"r2": 2}, "r1", "r2"),
        (" AND r1 = :r1 AND r3 = :r3", {"r1": "x", "r3": "k"}, "r2", "r3"),
        (" AND r3 = :r3 AND r1 > :r1 AND r2 = :r2", {"r1": "x", "r2": 2, "r3": "k"}, "r1", "r3"),
        (" AND begins_with(r1, :r1) AND r2 > :r2", {"r1": "x", "r2": 2}, "r1", "r2"),
        (" AND r3 = :r3", {"r3": "k"}, "r1, r2", "r3")])
    def test_a_gap_is_named(self, db, query, condition, values, missing, last):
        error = query(HASH + condition, {**AT, **values}, operation=db.invalid)
        assert error["message"] == (f"RANGE key attributes {missing} must have equality conditions specified in the query because a condition "
                                    f"is present on key attribute {last}")

    @pytest.mark.parametrize("key", list(TYPES))
    def test_no_key_attribute_in_a_filter(self, db, query, key):
        error = query(HASH, AT, operation=db.invalid, FilterExpression=f"attribute_exists({key})")
        assert error["message"] == f"Filter Expression can only contain non-primary key attributes: Primary key attribute: {key}"

    def test_a_value_of_another_type(self, db, query):
        error = query(HASH + " AND r1 = :r2", {**AT, "r2": 1}, operation=db.invalid)
        assert error["message"] == "One or more parameter values were invalid: Condition parameter type does not match schema type"


class TestPartiql:
    REFUSED = "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys."

    @pytest.mark.parametrize("rest", ["WHERE h1 = 'a' AND h2 = 2", "WHERE h1 = 5", "WHERE pk = 'x'", "", "WHERE h1 = 'a' AND h2 = 2 ORDER BY r1 DESC"])
    @pytest.mark.parametrize("index", ["multi", "hashes"])
    def test_is_refused_whatever_it_says(self, db, name, index, rest):
        db.invalid("ExecuteStatement", {"Statement": f'SELECT * FROM "{name}"."{index}" {rest}'}, self.REFUSED)

    def test_in_a_batch_it_is_one_members_fault(self, db, name):
        reply = db.ok("BatchExecuteStatement", {"Statements": [
            {"Statement": f'SELECT * FROM "{name}"."multi" WHERE h1 = \'a\' AND h2 = 2'}, {"Statement": f'SELECT * FROM "{name}" WHERE pk = \'001\''}]})
        assert reply["Responses"][0]["Error"] == {"Code": "ValidationError", "Message": self.REFUSED}
        assert reply["Responses"][1]["Item"]["pk"] == {"S": "001"}

    @pytest.mark.parametrize("rest, parameters, message", [
        ("WHERE", [], "Statement wasn't well formed, can't be processed: Unexpected term"),
        ("WHERE h1 = 1e99999999999", [], "Statement wasn't well formed, can't be processed: "),
        ("WHERE h1 = ?", [{"N": "1e99999999999"}], "The parameter cannot be converted to a numeric value: 1e99999999999")])
    def test_what_cannot_be_read_is_told_before(self, db, name, rest, parameters, message):
        request = {"Statement": f'SELECT * FROM "{name}"."multi" {rest}', **({"Parameters": parameters} if parameters else {})}
        db.invalid("ExecuteStatement", request, message)


class TestPages:
    @pytest.mark.parametrize("forward", [True, False])
    @pytest.mark.parametrize("size", [1, 4, 7])
    def test_every_entry_once(self, query, size, forward):
        settle(lambda: query(HASH, AT)["Count"], len(chosen()))
        found, more = [], {}
        while True:
            page = query(HASH, AT, Limit=size, ScanIndexForward=forward, **more)
            found += page["Items"]
            if "LastEvaluatedKey" not in page:
                break
            assert page["LastEvaluatedKey"] == page["Items"][-1], "pk and all five key attributes, nothing else is in the item"
            more = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
        assert [from_item(item) for item in found] == (chosen() if forward else chosen()[::-1])

    @pytest.mark.parametrize("without", ["pk", *TYPES])
    def test_the_start_must_be_whole(self, db, query, without):
        start = to_item(0, chosen()[0])
        del start[without]
        error = query(HASH, AT, operation=db.invalid, ExclusiveStartKey=start)
        assert error["message"] == "The provided starting key is invalid"


class TestMembership:
    @pytest.mark.parametrize("without", list(TYPES))
    def test_every_attribute_is_needed(self, db, make_table, without):
        made = make_table("pk:S", **members("pk:S", gsi=[Index("multi", "h1:S,h2:N", "r1:S,r2:N,r3:S")]))
        db.ok("PutItem", {"TableName": made, "Item": to_item(1, ROWS[0])})
        item = to_item(2, ROWS[0])
        del item[without]
        db.ok("PutItem", {"TableName": made, "Item": item})
        read = lambda: [item["pk"]["S"] for item in db.ok("Scan", {"TableName": made, "IndexName": "multi"})["Items"]]
        settle(read, ["001"])
        db.ok("UpdateItem", {"TableName": made, "Key": {"pk": {"S": "001"}}, "UpdateExpression": f"REMOVE {without}"})
        settle(read, [])

    @pytest.mark.parametrize("key", list(TYPES))
    def test_every_attribute_is_checked(self, db, make_table, key):
        made = make_table("pk:S", **members("pk:S", gsi=[Index("multi", "h1:S,h2:N", "r1:S,r2:N,r3:S")]))
        db.invalid("PutItem", {"TableName": made, "Item": {"pk": {"S": "1"}, key: {"BOOL": True}}},
                   f"One or more parameter values were invalid: Type mismatch for Index Key {key} Expected: {TYPES[key]} Actual: BOOL IndexName: multi")
        assert db.ok("Scan", {"TableName": made, "ConsistentRead": True})["Count"] == 0

    def test_neighbouring_values_do_not_run_together(self, db, make_table):
        """("ab", "c") and ("a", "bc") are different keys."""
        made = make_table("pk:S", **members("pk:S", gsi=[Index("pair", "a:S,b:S", "c:S,d:S")]))
        rows = [("ab", "c", "x", "yz"), ("a", "bc", "x", "yz"), ("ab", "c", "xy", "z"), ("ab", "c", "x", "y"), ("ab", "c", "x\u0000", "a")]
        for number, row in enumerate(rows):
            db.ok("PutItem", {"TableName": made, "Item": {"pk": {"S": str(number)}, **{name: {"S": value} for name, value in zip("abcd", row)}}})
        read = lambda condition, **values: [item["pk"]["S"] for item in db.ok("Query", {
            "TableName": made, "IndexName": "pair", "KeyConditionExpression": condition,
            "ExpressionAttributeValues": {f":{name}": {"S": value} for name, value in values.items()}})["Items"]]
        settle(lambda: read("a = :a AND b = :b", a="ab", b="c"), ["3", "0", "4", "2"])
        settle(lambda: read("a = :a AND b = :b", a="a", b="bc"), ["1"])
        settle(lambda: read("a = :a AND b = :b AND c = :c", a="ab", b="c", c="x"), ["3", "0"])
        settle(lambda: read("a = :a AND b = :b AND c = :c AND begins_with(d, :d)", a="ab", b="c", c="x", d="y"), ["3", "0"])


class TestDeclaration:
    def test_four_and_four(self, db, make_table):
        made = make_table("pk:S", **members("pk:S", gsi=[Index("eight", "a:S,b:N,c:B,d:S", "e:S,f:N,g:B,h:S")]))
        (index,) = db.ok("DescribeTable", {"TableName": made})["Table"]["GlobalSecondaryIndexes"]
        assert [(key["AttributeName"], key["KeyType"]) for key in index["KeySchema"]] == [
            *((name, "HASH") for name in "abcd"), *((name, "RANGE") for name in "efgh")]
        item = {"pk": {"S": "1"}, "a": {"S": "a"}, "b": {"N": "2"}, "c": {"B": "YQ=="}, "d": {"S": "d"}, "e": {"S": "e"}, "f": {"N": "1"}, "g": {"B": "/w=="}, "h": {"S": "h"}}
        db.ok("PutItem", {"TableName": made, "Item": item})
        condition = " AND ".join(f"{name} = :{name}" for name in "abcdefgh")
        read = lambda: db.ok("Query", {"TableName": made, "IndexName": "eight", "KeyConditionExpression": condition,
                                       "ExpressionAttributeValues": {f":{name}": item[name] for name in "abcdefgh"}})["Items"]
        settle(read, [item])

    @pytest.mark.parametrize("keys", [
        [("a", "HASH"), ("b", "HASH"), ("c", "HASH"), ("d", "HASH"), ("e", "HASH")],
        [("a", "HASH"), ("b", "RANGE"), ("c", "RANGE"), ("d", "RANGE"), ("e", "RANGE"), ("f", "RANGE")],
        [("a", "RANGE")], [("a", "HASH"), ("b", "RANGE"), ("c", "HASH")], [("a", "HASH"), ("a", "HASH")], [("a", "HASH"), ("b", "HASH"), ("a", "RANGE")]])
    def test_refused(self, db, keys):
        names = sorted({name for name, _ in keys})
        index = Index("several", ",".join(f"{name}:S" for name in names))
        request = tables.definition(tables.unique(), "pk:S", None, **members("pk:S", None, [index]))
        request["GlobalSecondaryIndexes"][0]["KeySchema"] = [{"AttributeName": name, "KeyType": role} for name, role in keys]
        db.invalid("CreateTable", request)
        db.error("DescribeTable", {"TableName": request["TableName"]}, "ResourceNotFoundException")

    def test_tables_and_local_indexes_stay_with_two(self, db):
        request = tables.definition(tables.unique(), "pk:S", "sk:S")
        request["AttributeDefinitions"].append({"AttributeName": "a", "AttributeType": "S"})
        request["KeySchema"].append({"AttributeName": "a", "KeyType": "RANGE"})
        assert "Member must have length less than or equal to 2" in db.invalid("CreateTable", request)["message"]
        request = tables.definition(tables.unique(), "pk:S", "sk:S", **members("pk:S", "sk:S", lsi=[Index("local", "pk:S", "a:S,b:S")]))
        db.invalid("CreateTable", request)
