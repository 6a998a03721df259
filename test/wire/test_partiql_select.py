"""ExecuteStatement with SELECT: keys, conditions, order, pages, indexes, capacity, faults."""

import boto3
import botocore.exceptions
import pytest

from harness import tables
from harness.partiql import in_table
from harness.server import Server

NOT_WELL_FORMED = "Statement wasn't well formed, can't be processed: "


@pytest.fixture(scope="module")
def table(db):
    """pk (S), sk (S); local index by_l KEYS_ONLY; global index on_g INCLUDE x."""
    name = tables.unique("partiql")
    db.ok("CreateTable", {
        "TableName": name, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"} for key in ("pk", "sk", "l", "g")],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        "LocalSecondaryIndexes": [{
            "IndexName": "by_l", "Projection": {"ProjectionType": "KEYS_ONLY"},
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "l", "KeyType": "RANGE"}]}],
        "GlobalSecondaryIndexes": [{
            "IndexName": "on_g", "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]},
            "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}]}],
    })
    tables.wait_active(db, name)
    for pk in "op":
        for sk in "123":
            db.ok("PutItem", {"TableName": name, "Item": {
                "pk": {"S": pk}, "sk": {"S": sk}, "n": {"N": sk}, "l": {"S": f"l{4 - int(sk)}"}, "g": {"S": "g" + sk},
                "x": {"S": "x" + sk}, "m": {"M": {"k": {"L": [{"S": "a"}, {"S": "b"}]}}}}})
    yield name
    tables.drop(db, name)


@pytest.fixture
def run(client, table):
    """The reply to a statement; T in it stands for the table's name."""
    def execute(statement, **more):
        return client.execute_statement(Statement=in_table(statement, table), **more)
    return execute


@pytest.fixture
def keys(run):
    def execute(condition, **more):
        items = run(f"SELECT pk, sk FROM T WHERE {condition}", **more)["Items"]
        return [item["pk"]["S"] + item["sk"]["S"] for item in items]
    return execute


@pytest.fixture
def fault(run):
    def execute(statement, **more):
        with pytest.raises(botocore.exceptions.ClientError) as caught:
            run(statement, **more)
        error = caught.value.response["Error"]
        assert error["Code"] == "ValidationException"
        return error["Message"]
    return execute


class TestKeys:
    @pytest.mark.parametrize("condition, expected", [
        ("pk = 'o'", ["o1", "o2", "o3"]),
        ("pk = 'o' AND sk = '2'", ["o2"]),
        ("'2' = sk and 'o' = \"pk\"", ["o2"]),
        ("pk = 'o' AND sk >= '2'", ["o2", "o3"]),
        ("pk = 'o' AND sk BETWEEN '1' AND '2'", ["o1", "o2"]),
        ("pk = 'o' AND begins_with(sk, '3')", ["o3"]),
        ("pk IN ['o', 'p'] AND sk = '1'", ["o1", "p1"]),
        ("pk IN ('o', 'p') AND n = 2", ["o2", "p2"]),
        ("pk = 'o' AND (sk = '1' OR sk = '3')", ["o1", "o3"]),
        ("pk = 'o' AND sk <> '1'", ["o2", "o3"]),
        ("pk = 'none'", []),
    ])
    def test_queries_in_key_order(self, keys, condition, expected):
        assert keys(condition) == expected

    @pytest.mark.parametrize("condition, expected", [
        ("n = 2", ["o2", "p2"]), ("pk = 'o' OR sk = '1'", ["o1", "o2", "o3", "p1"]), ("pk > 'o' AND sk = '1'", ["p1"]),
    ])
    def test_scans(self, keys, condition, expected):
        assert sorted(keys(condition)) == expected

    def test_order_by(self, keys):
        assert keys("pk = 'o' ORDER BY sk DESC") == ["o3", "o2", "o1"]
        assert keys("pk IN ['o', 'p'] ORDER BY pk DESC, sk ASC") == ["p1", "p2", "p3", "o1", "o2", "o3"]

    def test_order_by_that_cannot_be_served(self, fault):
        assert fault("SELECT sk FROM T ORDER BY sk") == (
            "Must have WHERE clause in the statement when using ORDER BY clause.")
        assert fault("SELECT sk FROM T WHERE pk = 'o' ORDER BY n") == (
            "Attribute n in ORDER BY clause must be part of the primary key")

    def test_overlap_is_refused(self, fault):
        assert fault("SELECT * FROM T WHERE pk IN ['o', 'o']") == (
            "Overlapping conditions with range keys are not supported in where clause")

    def test_parameters(self, keys):
        assert keys("pk = ? AND n IN [?, ?]", Parameters=[{"S": "o"}, {"N": "1"}, {"N": "3"}]) == ["o1", "o3"]


class TestConditions:
    @pytest.mark.parametrize("condition", [
        "NOT none = 'x'", "n != 2", "n NOT IN [2, 3]", "n NOT BETWEEN 2 AND 3", "none IS MISSING", "n IS NOT MISSING",
        "n IS NOT NULL", "n IS NUMERIC", "contains(x, '1')", "size(x) = 2", "attribute_type(n, 'N')",
        "attribute_exists(m.k[1])", "attribute_not_exists(none)", "m.k = ['a', 'b']", "m = {'k': ['a', 'b']}",
        "(n = 1 OR n = 7) = true", "n = 1.0e0 /* one */ -- and no more",
    ])
    def test_holds(self, keys, condition):
        assert keys(f"pk = 'o' AND sk = '1' AND {condition}") == ["o1"]

    @pytest.mark.parametrize("condition", ["none <> 'x'", "none IS NULL", "x < 1", "size(n) > 0", "n = '1'"])
    def test_does_not_hold(self, keys, condition):
        assert keys(f"pk = 'o' AND sk = '1' AND {condition}") == []


class TestColumns:
    def test_nested_paths_come_under_their_last_name(self, run):
        assert run("SELECT m.k[1], n FROM T WHERE pk = 'o' AND sk = '1'")["Items"] == [{"k[1]": {"S": "b"}, "n": {"N": "1"}}]

    def test_missing_columns_are_left_out(self, run):
        assert run("SELECT n, none FROM T WHERE pk = 'o' AND sk = '1'")["Items"] == [{"n": {"N": "1"}}]

    def test_functions_are_no_columns(self, fault):
        assert fault("SELECT COUNT(*) FROM T") == "Unexpected path component at 1:8:5"


class TestPages:
    def test_to_the_end(self, run):
        statement, seen, more = "SELECT * FROM T WHERE pk IN ['o', 'p']", [], {}
        while True:
            page = run(statement, Limit=2, **more)
            assert len(page["Items"]) <= 2
            seen += [item["pk"]["S"] + item["sk"]["S"] for item in page["Items"]]
            if "NextToken" not in page:
                break
            more = {"NextToken": page["NextToken"]}
        assert seen == ["o1", "o2", "o3", "p1", "p2", "p3"]

    def test_last_evaluated_key(self, run):
        page = run("SELECT * FROM T WHERE pk = 'o'", Limit=1)
        assert page["LastEvaluatedKey"] == {"pk": {"S": "o"}, "sk": {"S": "1"}}

    def test_limit_counts_what_is_read(self, run):
        page = run("SELECT * FROM T WHERE pk = 'o' AND n = 3", Limit=2)
        assert page["Items"] == [] and page["NextToken"]
        rest = run("SELECT * FROM T WHERE pk = 'o' AND n = 3", NextToken=page["NextToken"])
        assert [item["sk"]["S"] for item in rest["Items"]] == ["3"]

    def test_a_token_belongs_to_its_statement_and_parameters(self, run, fault):
        statement = "SELECT * FROM T WHERE pk = ?"
        token = run(statement, Parameters=[{"S": "o"}], Limit=1)["NextToken"]
        assert fault(statement, Parameters=[{"S": "p"}], NextToken=token) == "NextToken does not match request"
        assert fault("SELECT * FROM T WHERE pk = 'o'", NextToken=token) == "NextToken does not match request"
        assert fault(statement, Parameters=[{"S": "o"}], NextToken="garbage") == "Invalid NextToken"

    def test_limit_is_at_least_one(self, db, table):
        db.error("ExecuteStatement", {"Statement": f'SELECT * FROM "{table}"', "Limit": 0}, "ValidationException")


class TestIndexes:
    def test_a_query_of_each_kind(self, run, table):
        reply = run("SELECT * FROM T.by_l WHERE pk = 'o'", ReturnConsumedCapacity="INDEXES")
        assert [item["sk"]["S"] for item in reply["Items"]] == ["3", "2", "1"]
        assert reply["ConsumedCapacity"] == {
            "TableName": table, "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.0},
            "LocalSecondaryIndexes": {"by_l": {"CapacityUnits": 0.5}}}
        reply = run("SELECT x FROM T.\"on_g\" WHERE g = 'g2'", ReturnConsumedCapacity="INDEXES")
        assert reply["Items"] == [{"x": {"S": "x2"}}, {"x": {"S": "x2"}}]
        assert reply["ConsumedCapacity"]["GlobalSecondaryIndexes"] == {"on_g": {"CapacityUnits": 0.5}}

    def test_a_local_index_fetches_what_it_lacks(self, run):
        reply = run("SELECT n FROM T.by_l WHERE pk = 'o'", ConsistentRead=True, ReturnConsumedCapacity="INDEXES")
        assert [item["n"]["N"] for item in reply["Items"]] == ["3", "2", "1"]
        assert reply["ConsumedCapacity"]["Table"]["CapacityUnits"] == 3.0

    def test_faults(self, fault):
        assert fault("SELECT * FROM T.none") == "The table does not have the specified index"
        assert fault("SELECT * FROM T.a.b") == "A path may contain at most 2 components in the FROM clause"
        assert fault("SELECT n FROM T.on_g WHERE g = 'g1'") == (
            "One or more parameter values were invalid: Global secondary index on_g does not project [n]")
        assert fault("SELECT x FROM T.on_g WHERE g = 'g1' AND n = 1") == (
            "One or more parameter values were invalid: Secondary index on_g does not project one or more filter "
            "attributes: [n]")
        assert fault("SELECT x FROM T.on_g WHERE g = 'g1'", ConsistentRead=True) == (
            "Strongly consistent read is not supported on Global Secondary Indexes")


class TestCapacity:
    @pytest.mark.parametrize("where, units", [
        ("WHERE pk = 'o' AND sk = '1'", 0.5), ("WHERE pk = 'o'", 0.5), ("WHERE pk IN ['o', 'p']", 1.0), ("", 2.0)])
    def test_as_the_classic_reads(self, run, where, units):
        for consistent, factor in ((False, 1), (True, 2)):
            reply = run(f"SELECT * FROM T {where}", ConsistentRead=consistent, ReturnConsumedCapacity="TOTAL")
            assert reply["ConsumedCapacity"]["CapacityUnits"] == units * factor


class TestFaults:
    @pytest.mark.parametrize("statement, detail", [
        ("SELECT * FROM T WHERE", "Unexpected term"),
        ("SELECT * FROM T WHERE pk = 'o' AND", "Missing right-hand side expression of infix operator"),
        ("SELECT * FROM T WHERE pk = 'o' foo", "Unexpected token after expression"),
        ("SLECT * FROM T", "Expected data manipulation"),
        ("SELECT * FROM T WHERE pk = 'o' # note", ""),
        ("SELECT * FROM T WHERE a.inner = 1", "Invalid path dot component"),
        ("SELECT * FROM T WHERE date = 1", "Unexpected keyword"),
    ])
    def test_syntax(self, fault, statement, detail):
        assert fault(statement) == NOT_WELL_FORMED + detail

    def test_the_statement_comes_before_the_table(self, client):
        def code(statement):
            with pytest.raises(botocore.exceptions.ClientError) as caught:
                client.execute_statement(Statement=statement)
            return caught.value.response["Error"]["Code"]
        assert code("SELECT * FROM none_such WHERE a = 1") == "ResourceNotFoundException"
        assert code("SELECT * FROM none_such WHERE a < true") == "ValidationException"

    def test_number_of_parameters(self, fault):
        assert fault("SELECT * FROM T WHERE pk = ?") == "Number of parameters in request and statement don't match."

    def test_deep_nesting_is_refused_in_time(self, fault):
        assert "Nesting Levels have exceeded supported limits" in fault("SELECT * FROM T WHERE " + "(" * 8000)

    def test_statements_have_a_length(self, db):
        long = "SELECT * FROM T WHERE a = '" + "x" * 8192 + "'"
        message = db.error("ExecuteStatement", {"Statement": long}, "ValidationException")["message"]
        assert "Member must have length less than or equal to 8192" in message

    def test_parameters_are_not_empty(self, db):
        message = db.error("ExecuteStatement", {"Statement": "SELECT * FROM T", "Parameters": []}, "ValidationException")
        assert "'parameters' failed to satisfy constraint" in message["message"]


def test_scans_can_be_forbidden(tmp_path):
    with Server(None, "--no-partiql-scans") as server:
        client = boto3.client("dynamodb", endpoint_url=server.endpoint, region_name="us-east-1",
                              aws_access_key_id="a", aws_secret_access_key="b")
        client.create_table(**tables.definition("only-keys"))
        client.execute_statement(Statement="INSERT INTO \"only-keys\" VALUE {'pk': 'a'}")
        assert client.execute_statement(Statement="SELECT * FROM \"only-keys\" WHERE pk = 'a'")["Items"] == [{"pk": {"S": "a"}}]
        with pytest.raises(botocore.exceptions.ClientError, match="AccessDeniedException"):
            client.execute_statement(Statement='SELECT * FROM "only-keys"')
