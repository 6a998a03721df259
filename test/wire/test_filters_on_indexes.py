"""A filter on an attribute that an index does not project: a Query is refused, a Scan does not find the attribute."""

import pytest

from harness import tables

INDEXES = ["global", "local"]


def refusal(index, names):
    return f"One or more parameter values were invalid: Secondary index {index} does not project one or more filter attributes: [{names}]"


@pytest.fixture(scope="module")
def table(db):
    def keys(hash_key, range_key):
        return [{"AttributeName": hash_key, "KeyType": "HASH"}, {"AttributeName": range_key, "KeyType": "RANGE"}]

    name = tables.create(
        db, AttributeDefinitions=[{"AttributeName": a, "AttributeType": "S"} for a in ("pk", "sk", "when_")], KeySchema=keys("pk", "sk"),
        GlobalSecondaryIndexes=[{"IndexName": "global", "KeySchema": keys("pk", "when_"),
                                 "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["inside"]}}],
        LocalSecondaryIndexes=[{"IndexName": "local", "KeySchema": keys("pk", "when_"),
                                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["inside"]}}])
    tables.fill(db, name, [{"pk": {"S": "p"}, "sk": {"S": str(i)}, "when_": {"S": str(i)}, "inside": {"N": str(i)}, "cls": {"N": str(i)},
                            "extra": {"S": "o"}} for i in range(4)])
    yield name
    tables.drop(db, name)


def query(table, index, **more):
    values = {":p": {"S": "p"}, **more.pop("values", {})}
    return {"TableName": table, "IndexName": index, "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": values, **more}


@pytest.mark.parametrize("index", INDEXES)
class TestQuery:
    @pytest.mark.parametrize("filter_, values", [("cls > :v", {":v": {"N": "1"}}), ("attribute_not_exists(cls)", {}), ("attribute_exists(cls.x)", {})])
    def test_an_expression_is_refused(self, db, table, index, filter_, values):
        db.invalid("Query", query(table, index, FilterExpression=filter_, values=values), refusal(index, "cls"))

    def test_each_name_is_told_once(self, db, table, index):
        filter_ = "attribute_exists(cls) AND (attribute_exists(extra) OR attribute_not_exists(cls))"
        message = db.invalid("Query", query(table, index, FilterExpression=filter_))["message"]
        assert message in (refusal(index, "cls, extra"), refusal(index, "extra, cls"))

    def test_a_query_filter_is_refused(self, db, table, index):
        db.invalid("Query", {
            "TableName": table, "IndexName": index, "KeyConditions": {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "p"}]}},
            "QueryFilter": {"cls": {"ComparisonOperator": "NOT_NULL"}}}, refusal(index, "cls"))

    def test_partiql_is_refused_in_the_same_words(self, db, table, index):
        db.invalid("ExecuteStatement", {"Statement": f'SELECT * FROM "{table}"."{index}" WHERE pk = \'p\' AND cls = 1'}, refusal(index, "cls"))

    def test_what_is_projected_filters(self, db, table, index):
        reply = db.ok("Query", query(table, index, FilterExpression="inside > :v AND sk < :s", values={":v": {"N": "1"}, ":s": {"S": "3"}}))
        assert [item["sk"]["S"] for item in reply["Items"]] == ["2"]


@pytest.mark.parametrize("index", INDEXES)
class TestScan:
    @pytest.mark.parametrize("filter_, count", [("attribute_exists(cls)", 0), ("attribute_not_exists(cls)", 4), ("attribute_exists(inside)", 4)])
    def test_the_attribute_is_not_found(self, db, table, index, filter_, count):
        reply = db.ok("Scan", {"TableName": table, "IndexName": index, "FilterExpression": filter_})
        assert (reply["Count"], reply["ScannedCount"]) == (count, 4)
        where = {"attribute_exists(cls)": "cls IS NOT MISSING", "attribute_not_exists(cls)": "cls IS MISSING"}.get(filter_, "inside IS NOT MISSING")
        assert len(db.ok("ExecuteStatement", {"Statement": f'SELECT * FROM "{table}"."{index}" WHERE {where}'})["Items"]) == count


def test_a_filter_sees_the_entry_also_where_items_are_fetched(db, table):
    request = {"TableName": table, "IndexName": "local", "Select": "ALL_ATTRIBUTES", "FilterExpression": "attribute_not_exists(cls)"}
    reply = db.ok("Scan", request)
    assert reply["Count"] == 4 and all(item["cls"] for item in reply["Items"])


def test_an_index_that_projects_all_has_nothing_to_refuse(db, make_table):
    name = make_table(
        AttributeDefinitions=[{"AttributeName": a, "AttributeType": "S"} for a in ("pk", "when_")],
        GlobalSecondaryIndexes=[{"IndexName": "all", "KeySchema": [{"AttributeName": "when_", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}])
    db.ok("Query", {"TableName": name, "IndexName": "all", "KeyConditionExpression": "when_ = :p", "FilterExpression": "attribute_exists(cls)",
                    "ExpressionAttributeValues": {":p": {"S": "p"}}})
