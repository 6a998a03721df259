"""Query: key conditions, filters, projections, indexes, paging, capacity, and what is refused."""

import pytest

from harness import tables

OOM = "One or more parameter values were invalid: "
LOCAL = [
    {"IndexName": "ByA", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "a", "KeyType": "RANGE"}],
     "Projection": {"ProjectionType": "KEYS_ONLY"}},
]
GLOBAL = [
    {"IndexName": "OnG", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "a", "KeyType": "RANGE"}],
     "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]}},
    {"IndexName": "Multi", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "a", "KeyType": "HASH"},
                                         {"AttributeName": "sk", "KeyType": "RANGE"}],
     "Projection": {"ProjectionType": "ALL"}},
]
DEFINITIONS = [{"AttributeName": name, "AttributeType": kind} for name, kind in (("pk", "S"), ("sk", "N"), ("a", "S"), ("g", "S"))]


@pytest.fixture(scope="module")
def table(db):
    """pk (S), sk (N); local ByA, global OnG and Multi. Tests take fresh keys."""
    name = tables.create(db, "pk:S", "sk:N", AttributeDefinitions=DEFINITIONS, LocalSecondaryIndexes=LOCAL,
                         GlobalSecondaryIndexes=GLOBAL)
    yield name
    tables.drop(db, name)


@pytest.fixture
def fill(db, table, pk):
    """Stores items under this test's pk; `a` counts down as `sk` counts up, and all have one `g` of their own."""
    def store(*numbers, **more):
        for number in numbers:
            db.ok("PutItem", {"TableName": table, "Item": {
                "pk": pk, "sk": {"N": str(number)}, "a": {"S": f"{500 - int(float(number)):03}"}, "g": pk,
                "x": {"S": f"x{number}"}, "y": {"N": str(number)}, **more}})
    return store


@pytest.fixture
def query(db, table, pk):
    """A Query on this test's pk."""
    def run(condition="pk = :pk", values=None, **more):
        return db.ok("Query", {"TableName": table, "KeyConditionExpression": condition,
                               "ExpressionAttributeValues": {":pk": pk, **(values or {})}, **more})
    return run


@pytest.fixture
def refused(db, table, pk):
    def run(message, condition="pk = :pk", values=None, **more):
        db.invalid("Query", {"TableName": table, "KeyConditionExpression": condition,
                             "ExpressionAttributeValues": {":pk": pk, **(values or {})}, **more}, message)
    return run


def sort_keys(reply):
    return [item["sk"]["N"] for item in reply["Items"]]


def all_pages(run, **more):
    pages, start = [], {}
    while True:
        pages.append(run(**more, **start))
        if "LastEvaluatedKey" not in pages[-1]:
            return pages
        start = {"ExclusiveStartKey": pages[-1]["LastEvaluatedKey"]}


class TestKeyCondition:
    def test_items_come_in_sort_order(self, fill, query):
        fill("10", "-3", "2.5", "0")
        reply = query()
        assert sort_keys(reply) == ["-3", "0", "2.5", "10"]
        assert (reply["Count"], reply["ScannedCount"]) == (4, 4)
        assert sort_keys(query(ScanIndexForward=False)) == ["10", "2.5", "0", "-3"]

    def test_an_empty_partition(self, query):
        assert query() == {"Items": [], "Count": 0, "ScannedCount": 0}

    @pytest.mark.parametrize("condition, expected", [
        ("sk = :v", ["3"]), ("sk < :v", ["1", "2"]), ("sk <= :v", ["1", "2", "3"]), ("sk > :v", ["4", "5"]),
        (":v <= sk", ["3", "4", "5"]), ("sk BETWEEN :v AND :w", ["3", "4"])])
    def test_operators(self, fill, query, condition, expected):
        fill(1, 2, 3, 4, 5)
        values = {":v": {"N": "3"}}
        if ":w" in condition:
            values[":w"] = {"N": "4.9"}
        assert sort_keys(query(f"{condition} AND pk = :pk", values)) == expected

    def test_begins_with(self, fill, query):
        fill(1, 99, 100)
        assert sort_keys(query("pk = :pk AND begins_with(a, :v)", {":v": {"S": "40"}}, IndexName="ByA")) == ["100", "99"]

    @pytest.mark.parametrize("condition, message", [
        ("sk = :v", "Query condition missed key schema element: pk"),
        ("pk = :v", OOM + "Condition parameter type does not match schema type"),
        ("pk = :pk AND y = :v", "Query condition missed key schema element: sk"),
        ("pk > :pk", "Query key condition not supported"),
        ("pk = :pk OR sk = :v", "Invalid operator used in KeyConditionExpression: OR"),
        ("pk = :pk AND sk <> :v", "Invalid operator used in KeyConditionExpression: <>"),
        ("pk = :pk AND sk > :v AND sk < :v",
         "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"),
        ("pk = :pk AND sk > :v AND y = :v",
         "The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)"),
        ("pk.x = :pk", "KeyConditionExpressions cannot have conditions on nested attributes")])
    def test_refused(self, db, table, pk, condition, message):
        values = {name: value for name, value in ((":pk", pk), (":v", {"N": "1"})) if name in condition}
        db.invalid("Query", {"TableName": table, "KeyConditionExpression": condition, "ExpressionAttributeValues": values}, message)

    def test_an_empty_expression(self, refused):
        refused("Invalid KeyConditionExpression: The expression can not be empty;", "")

    def test_there_must_be_one(self, db, table):
        db.invalid("Query", {"TableName": table},
                   "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")

    def test_an_empty_key_value(self, db, table):
        db.invalid("Query", {"TableName": table, "KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": {":v": {"S": ""}}},
                   "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
                   "empty string value. Key: pk")


class TestLegacy:
    def conditions(self, pk, **more):
        return {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [pk]}, **more}

    def test_key_conditions_and_filter(self, db, table, fill, pk):
        fill(1, 2, 3, 4)
        reply = db.ok("Query", {
            "TableName": table, "AttributesToGet": ["sk"],
            "KeyConditions": self.conditions(pk, sk={"ComparisonOperator": "LT", "AttributeValueList": [{"N": "4"}]}),
            "QueryFilter": {"y": {"ComparisonOperator": "NE", "AttributeValueList": [{"N": "2"}]},
                            "x": {"ComparisonOperator": "NULL"}}, "ConditionalOperator": "OR"})
        assert reply == {"Items": [{"sk": {"N": "1"}}, {"sk": {"N": "3"}}], "Count": 2, "ScannedCount": 3}

    def test_key_conditions_go_with_expressions(self, db, table, fill, pk):
        fill(1, 2, 3)
        reply = db.ok("Query", {
            "TableName": table, "KeyConditions": self.conditions(pk), "FilterExpression": "#y > :v", "ProjectionExpression": "sk",
            "ExpressionAttributeNames": {"#y": "y"}, "ExpressionAttributeValues": {":v": {"N": "1"}}})
        assert reply == {"Items": [{"sk": {"N": "2"}}, {"sk": {"N": "3"}}], "Count": 2, "ScannedCount": 3}
        db.invalid("Query", {"TableName": table, "KeyConditions": self.conditions(pk), "FilterExpression": "attribute_exists(pk)"},
                   "Filter Expression can only contain non-primary key attributes: Primary key attribute: pk")

    def test_key_conditions_count_as_legacy_beside_their_own_kind_only(self, db, table, pk):
        mixed = "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {%s} " \
                "Expression parameters: {%s}"
        filters = {name: {"ComparisonOperator": "NOT_NULL"} for name in ("x", "y")}
        legacy = {"TableName": table, "KeyConditions": self.conditions(pk), "AttributesToGet": ["sk"], "QueryFilter": filters,
                  "ConditionalOperator": "OR"}
        db.invalid("Query", {**legacy, "FilterExpression": "attribute_exists(x)"},
                   mixed % ("AttributesToGet, QueryFilter, ConditionalOperator", "FilterExpression"))
        db.invalid("Query", {**legacy, "FilterExpression": "attribute_exists(x)", "KeyConditionExpression": "pk = sk"},
                   mixed % ("AttributesToGet, QueryFilter, ConditionalOperator, KeyConditions", "FilterExpression, KeyConditionExpression"))

    def test_an_unknown_conditional_operator_comes_before_select(self, db, table, pk):
        filters = {name: {"ComparisonOperator": "NULL"} for name in ("x", "y")}
        db.invalid("Query", {"TableName": table, "KeyConditions": self.conditions(pk), "QueryFilter": filters, "ConditionalOperator": "XOR",
                             "Select": "BOGUS"}, "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]")

    def test_refused(self, db, table, pk):
        request = {"TableName": table, "KeyConditions": self.conditions(pk)}
        db.invalid("Query", {**request, "QueryFilter": {"pk": {"ComparisonOperator": "NOT_NULL"}}},
                   "QueryFilter can only contain non-primary key attributes: Primary key attribute: pk")
        db.invalid("Query", {**request, "KeyConditions": self.conditions(pk, sk={
            "ComparisonOperator": "CONTAINS", "AttributeValueList": [{"N": "1"}]})},
            "Attempted conditional constraint is not an indexable operation")


class TestFilter:
    def test_counts(self, fill, query):
        fill(1, 2, 3)
        reply = query(values={":y": {"N": "1"}}, FilterExpression="y > :y")
        assert sort_keys(reply) == ["2", "3"]
        assert (reply["Count"], reply["ScannedCount"]) == (2, 3)

    def test_pages_may_be_empty(self, fill, query, pk):
        fill(1, 2, 3)
        assert query(values={":y": {"N": "1"}}, FilterExpression="y > :y", Limit=1) == {
            "Items": [], "Count": 0, "ScannedCount": 1, "LastEvaluatedKey": {"pk": pk, "sk": {"N": "1"}}}

    def test_keys_are_refused(self, refused):
        refused("Filter Expression can only contain non-primary key attributes: Primary key attribute: sk",
                FilterExpression="y = sk")
        refused("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: g",
                FilterExpression="attribute_exists(g[0])")

    def test_table_keys_may_be_filtered_on_an_index(self, fill, query):
        fill(1, 2)
        assert sort_keys(query("g = :pk", {":s": {"N": "2"}}, IndexName="OnG", FilterExpression="sk = :s")) == ["2"]


class TestSelect:
    def test_count(self, fill, query):
        fill(1, 2)
        assert query(Select="COUNT") == {"Count": 2, "ScannedCount": 2}

    def test_projection(self, fill, query):
        fill(1)
        assert query(ProjectionExpression="x", Select="SPECIFIC_ATTRIBUTES")["Items"] == [{"x": {"S": "x1"}}]

    @pytest.mark.parametrize("more, message", [
        ({"Select": "SPECIFIC_ATTRIBUTES"},
         "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"),
        ({"Select": "ALL_ATTRIBUTES", "ProjectionExpression": "x"},
         "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES"),
        ({"Select": "COUNT", "ProjectionExpression": "x"},
         "Cannot specify the ProjectionExpression when choosing to get only the Count"),
        ({"Select": "ALL_PROJECTED_ATTRIBUTES"},
         "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")])
    def test_refused(self, refused, more, message):
        refused("1 validation error detected: " + message, **more)


class TestIndexes:
    def test_local_index(self, fill, query, pk):
        fill(1, 2)
        reply = query(IndexName="ByA", ConsistentRead=True)
        assert reply["Items"] == [{"pk": pk, "sk": {"N": "2"}, "a": {"S": "498"}}, {"pk": pk, "sk": {"N": "1"}, "a": {"S": "499"}}]

    def test_local_index_fetches_from_the_table(self, db, table, fill, query):
        fill(1, 2)
        reply = query(IndexName="ByA", ProjectionExpression="x", ConsistentRead=True, ReturnConsumedCapacity="INDEXES")
        assert reply["Items"] == [{"x": {"S": "x2"}}, {"x": {"S": "x1"}}]
        assert reply["ConsumedCapacity"] == {
            "TableName": table, "CapacityUnits": 3.0, "Table": {"CapacityUnits": 2.0},
            "LocalSecondaryIndexes": {"ByA": {"CapacityUnits": 1.0}}}
        assert query(IndexName="ByA", Select="ALL_ATTRIBUTES")["Items"][0]["y"] == {"N": "2"}

    def test_global_index(self, table, fill, query, pk):
        fill(1)
        reply = query("g = :pk", IndexName="OnG", ReturnConsumedCapacity="INDEXES")
        assert reply["Items"] == [{"pk": pk, "sk": {"N": "1"}, "a": {"S": "499"}, "g": pk, "x": {"S": "x1"}}]
        assert reply["ConsumedCapacity"] == {
            "TableName": table, "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.0},
            "GlobalSecondaryIndexes": {"OnG": {"CapacityUnits": 0.5}}}

    def test_items_without_the_key_are_not_in_it(self, db, table, query, pk):
        db.ok("PutItem", {"TableName": table, "Item": {"pk": pk, "sk": {"N": "1"}, "g": pk}})
        assert query("g = :pk", IndexName="OnG")["Count"] == 0

    def test_global_index_refuses_what_it_does_not_have(self, refused):
        index = {"condition": "g = :pk", "IndexName": "OnG"}
        refused(OOM + "Global secondary index OnG does not project [y]", **index, ProjectionExpression="x, y")
        refused(OOM + "Select type ALL_ATTRIBUTES is not supported for global secondary index OnG because its projection "
                "type is not ALL", **index, Select="ALL_ATTRIBUTES")
        refused("Consistent reads are not supported on global secondary indexes", **index, ConsistentRead=True)
        refused("The table does not have the specified index: None", IndexName="None")

    def test_keys_of_several_attributes(self, fill, query, refused, pk):
        fill(1, 2)
        reply = query("g = :pk AND a = :a AND sk >= :s", {":a": {"S": "498"}, ":s": {"N": "0"}}, IndexName="Multi", Limit=1)
        assert sort_keys(reply) == ["2"]
        assert reply["LastEvaluatedKey"] == {"pk": pk, "sk": {"N": "2"}, "a": {"S": "498"}, "g": pk}
        refused("Query condition missed key schema element: a", "g = :pk", IndexName="Multi")


class TestPaging:
    @pytest.mark.parametrize("index", [{}, {"IndexName": "ByA"}, {"condition": "g = :pk", "IndexName": "OnG"}])
    @pytest.mark.parametrize("forward", [True, False])
    def test_pages_make_up_the_whole(self, fill, query, index, forward):
        fill(*range(1, 11))
        whole = query(**index, ScanIndexForward=forward)["Items"]
        pages = all_pages(query, **index, ScanIndexForward=forward, Limit=3)
        assert [item for page in pages for item in page["Items"]] == whole
        assert [page["Count"] for page in pages][:3] == [3, 3, 3]

    def test_equal_index_keys_keep_their_order_across_pages(self, fill, query):
        fill(*range(1, 8), a={"S": "same"})
        whole = query("g = :pk", IndexName="OnG")["Items"]
        pages = all_pages(query, condition="g = :pk", IndexName="OnG", Limit=2)
        assert [item for page in pages for item in page["Items"]] == whole
        assert len(whole) == 7

    def test_one_megabyte(self, fill, query):
        fill(*range(1, 25), x={"S": "x" * 50_000})
        pages = all_pages(query)
        assert [page["Count"] for page in pages] == [21, 3]

    def test_the_start_key_need_not_exist(self, fill, query, pk):
        fill(1, 3)
        assert sort_keys(query(ExclusiveStartKey={"pk": pk, "sk": {"N": "2"}})) == ["3"]

    def test_a_whole_key_is_one_page(self, fill, query):
        fill(1)
        assert "LastEvaluatedKey" not in query("pk = :pk AND sk = :s", {":s": {"N": "1"}}, Limit=1)

    def test_start_keys_that_do_not_fit(self, refused, pk):
        one = {"N": "1"}
        refused("The provided starting key is invalid", ExclusiveStartKey={"pk": pk})
        refused("The provided starting key is invalid", IndexName="ByA", ExclusiveStartKey={"pk": pk, "sk": one})
        refused("The provided key element does not match the schema", ExclusiveStartKey={"pk": pk, "sk": {"S": "1"}})
        refused("The parameter cannot be converted to a numeric value: x",
                ExclusiveStartKey={"pk": pk, "sk": {"N": "x"}})
        refused("The provided starting key is outside query boundaries based on provided conditions",
                ExclusiveStartKey={"pk": {"S": "other"}, "sk": one})
        refused("The provided starting key does not match the range key predicate", "pk = :pk AND sk > :s", {":s": one},
                ExclusiveStartKey={"pk": pk, "sk": one})
        refused("The query can return at most one row and cannot be restarted", "pk = :pk AND sk = :s", {":s": one},
                ExclusiveStartKey={"pk": pk, "sk": one})

    def test_a_hash_table_cannot_be_restarted(self, db, hash_table):
        db.invalid("Query", {"TableName": hash_table, "KeyConditionExpression": "pk = :p", "ExclusiveStartKey": {"pk": {"S": "p"}},
                             "ExpressionAttributeValues": {":p": {"S": "p"}}},
                   "The provided exclusive start key is invalid: ExclusiveStartKey: {pk=AttributeValue: {S:p}}")

    def test_limit(self, refused):
        refused("1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value "
                "greater than or equal to 1", Limit=0)

    def test_boto3_paginator(self, client, table, fill, pk):
        fill(*range(1, 8))
        pages = client.get_paginator("query").paginate(
            TableName=table, KeyConditionExpression="pk = :pk", ExpressionAttributeValues={":pk": pk},
            PaginationConfig={"PageSize": 2})
        assert [item["sk"]["N"] for page in pages for item in page["Items"]] == [str(n) for n in range(1, 8)]


class TestCapacity:
    def test_sizes_are_summed_before_rounding(self, table, fill, query):
        fill(1, 2, 3, x={"S": "x" * 3000})
        for consistent, units in ((True, 3.0), (False, 1.5)):
            reply = query(ConsistentRead=consistent, ReturnConsumedCapacity="TOTAL", ProjectionExpression="y")
            assert reply["ConsumedCapacity"] == {"TableName": table, "CapacityUnits": units}

    def test_nothing_found_is_charged(self, table, query):
        assert query(ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"] == {
            "TableName": table, "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.5}}


class TestMissing:
    def test_table(self, db):
        db.error("Query", {"TableName": tables.unique(), "KeyConditionExpression": "pk = :p",
                           "ExpressionAttributeValues": {":p": {"S": "p"}}},
                 "ResourceNotFoundException", "Requested resource not found")
