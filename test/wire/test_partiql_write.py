"""ExecuteStatement with INSERT, UPDATE and DELETE: effect, conditions, RETURNING, capacity, faults."""

import botocore.exceptions
import pytest

from harness import tables
from harness.partiql import in_table


@pytest.fixture
def run(client, hash_table):
    """The items of a reply; T in the statement stands for the table's name."""
    def execute(statement, **more):
        return client.execute_statement(Statement=in_table(statement, hash_table), **more)["Items"]
    return execute


@pytest.fixture
def error(run):
    """(code, message) of a statement that must fail."""
    def execute(statement, **more):
        with pytest.raises(botocore.exceptions.ClientError) as caught:
            run(statement, **more)
        error = caught.value.response["Error"]
        return error["Code"], error["Message"]
    return execute


@pytest.fixture
def key(pk):
    return pk["S"]


FAILED = ("ConditionalCheckFailedException", "The conditional request failed")
NO_KEY = ("ValidationException", "Where clause does not contain a mandatory equality on all key attributes")


class TestInsert:
    def test_every_kind_of_literal(self, run, key, get):
        assert run(f"INSERT INTO T VALUE {{'pk': '{key}', 's': 'it''s', 'n': -1.5e-3, 't': true, 'z': null, "
                   "'l': [1, 'a', []], 'm': {'k': {'x': 1}}, 'ss': <<'a', 'b'>>, 'ns': <<1, 2.50>>}") == []
        assert get() == {
            "pk": {"S": key}, "s": {"S": "it's"}, "n": {"N": "-0.0015"}, "t": {"BOOL": True}, "z": {"NULL": True},
            "l": {"L": [{"N": "1"}, {"S": "a"}, {"L": []}]}, "m": {"M": {"k": {"M": {"x": {"N": "1"}}}}},
            "ss": {"SS": ["a", "b"]}, "ns": {"NS": ["1", "2.5"]}}

    def test_parameters_of_every_type(self, run, key, client, hash_table):
        values = {"b": {"B": b"\x01"}, "bs": {"BS": [b"\x01", b"\x02"]}, "m": {"M": {"a": {"L": [{"N": "1"}]}}},
                  "no": {"BOOL": False}}
        run("insert into T value {'pk': ?, 'b': ?, 'bs': ?, 'm': ?, 'no': ?}",
            Parameters=[{"S": key}, *values.values()])
        item = client.get_item(TableName=hash_table, Key={"pk": {"S": key}}, ConsistentRead=True)["Item"]
        assert item == {"pk": {"S": key}, **values}

    def test_never_overwrites(self, run, error, key, get):
        run(f"INSERT INTO T VALUE {{'pk': '{key}', 'v': 1}}")
        assert error(f"INSERT INTO T VALUE {{'pk': '{key}', 'v': 2}}") == (
            "DuplicateItemException", "Duplicate primary key exists in table")
        assert get()["v"] == {"N": "1"}

    @pytest.mark.parametrize("value, message", [
        ("<<>>", "Empty bags are not supported"),
        ("<<1, 'a'>>", "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"),
        ("<<'a', 'a'>>", "One or more parameter values were invalid: Input collection [a, a] contains duplicates."),
        ("[1, 1e126]", "Number overflow. Attempting to store a number with magnitude larger than supported range under "
                       "root[1]"),
    ])
    def test_literals_that_cannot_be(self, error, key, value, message):
        assert error(f"INSERT INTO T VALUE {{'pk': '{key}', 'x': {value}}}") == ("ValidationException", message)

    def test_keys(self, error):
        assert error("INSERT INTO T VALUE {'x': 1}")[1] == (
            "One or more parameter values were invalid: Missing the key pk in the item")
        assert error("INSERT INTO T VALUE {'pk': 1}")[1] == (
            "One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N")


class TestUpdate:
    def test_set_remove_and_functions(self, run, key, put, get):
        put(n={"N": "1"}, l={"L": [{"N": "1"}, {"N": "2"}]}, ss={"SS": ["a"]}, m={"M": {"x": {"N": "1"}}}, gone={"S": "o"})
        run("UPDATE T SET n = n + 2, c = n SET l = list_append(l, [3]) SET ss = set_add(ss, <<'b'>>) "
            "SET m.y = 'deep' REMOVE gone WHERE pk = ?", Parameters=[{"S": key}])
        run("UPDATE T REMOVE l[1] REMOVE m.x WHERE pk = ?", Parameters=[{"S": key}])
        assert get() == {
            "pk": {"S": key}, "n": {"N": "3"}, "c": {"N": "1"}, "ss": {"SS": ["a", "b"]},
            "l": {"L": [{"N": "1"}, {"N": "3"}]}, "m": {"M": {"y": {"S": "deep"}}}}

    def test_sets_shrink_and_disappear(self, run, key, put, get):
        put(ss={"SS": ["a", "b"]}, one={"NS": ["1"]})
        run(f"UPDATE T SET ss = set_delete(ss, <<'b', 'c'>>), one = set_delete(one, <<1>>) WHERE pk = '{key}'")
        assert get() == {"pk": {"S": key}, "ss": {"SS": ["a"]}}

    def test_from_first(self, run, key, put, get):
        put(a={"N": "1"})
        run(f"FROM T WHERE pk = '{key}' AND a = 1 SET b = 2 REMOVE a")
        assert get() == {"pk": {"S": key}, "b": {"N": "2"}}

    def test_is_no_upsert(self, error, key, get):
        assert error(f"UPDATE T SET x = 1 WHERE pk = '{key}'") == FAILED
        assert get() is None

    def test_the_rest_of_the_where_is_a_condition(self, run, error, key, put, get):
        put(n={"N": "1"})
        assert error(f"UPDATE T SET n = 2 WHERE pk = '{key}' AND n > 5") == FAILED
        run(f"UPDATE T SET n = 2 WHERE pk = '{key}' AND n < 5")
        assert get()["n"] == {"N": "2"}

    def test_the_item_in_the_error(self, db, hash_table, key, put):
        put(n={"N": "1"})
        error = db.error("ExecuteStatement", {
            "Statement": f"UPDATE \"{hash_table}\" SET n = 2 WHERE pk = '{key}' AND n > 5",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}, "ConditionalCheckFailedException")
        assert error["Item"] == {"pk": {"S": key}, "n": {"N": "1"}}

    def test_returning(self, run, key, put):
        put(n={"N": "1"}, keep={"S": "k"})
        where = f"WHERE pk = '{key}' RETURNING"
        assert run(f"UPDATE T SET n = 2 {where} MODIFIED OLD *") == [{"n": {"N": "1"}}]
        assert run(f"UPDATE T SET n = 3 {where} MODIFIED NEW *") == [{"n": {"N": "3"}}]
        assert run(f"UPDATE T SET n = 4 {where} ALL OLD *") == [{"pk": {"S": key}, "n": {"N": "3"}, "keep": {"S": "k"}}]
        assert run(f"UPDATE T SET n = 5 {where} ALL NEW *") == [{"pk": {"S": key}, "n": {"N": "5"}, "keep": {"S": "k"}}]
        assert run(f"UPDATE T REMOVE n {where} MODIFIED NEW *") == []

    @pytest.mark.parametrize("change, message", [
        ("SET t = set_add(ss, <<'x'>>)", "The first argument to SET_ADD must equal the assignment value at 1:{}:7"),
        ("SET n = 'a' + 1", "Incorrect operand type for operator or function; operator or function: +, operand type: S"),
        ("SET pk = 'x'",
         "One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key"),
        ("SET none.x = 1", "The document path provided in the update expression is invalid for update"),
    ])
    def test_faults(self, error, hash_table, key, put, change, message):
        put(ss={"SS": ["a"]})
        column = len(f'UPDATE "{hash_table}" SET t = ') + 1
        assert error(f"UPDATE T {change} WHERE pk = '{key}'") == ("ValidationException", message.format(column))

    @pytest.mark.parametrize("statement", [
        "UPDATE T SET x = 1", "UPDATE T SET x = 1 WHERE n = 1", "UPDATE T SET x = 1 WHERE pk IN ['a']",
        "DELETE FROM T WHERE pk > 'a'", "DELETE FROM T WHERE pk = 'a' OR n = 1"])
    def test_the_key_must_be_named(self, error, statement):
        assert error(statement) == NO_KEY


class TestDelete:
    def test_with_and_without_an_item(self, run, key, put, get):
        put(n={"N": "1"})
        assert run(f"DELETE FROM T WHERE pk = '{key}' AND n = 1 RETURNING ALL OLD *") == [{"pk": {"S": key}, "n": {"N": "1"}}]
        assert get() is None
        assert run(f"DELETE FROM T WHERE pk = '{key}' RETURNING ALL OLD *") == []
        assert run(f"DELETE FROM T WHERE pk = '{key}' AND n = 1") == []

    def test_a_condition_that_fails(self, error, key, put, get):
        put(n={"N": "1"})
        assert error(f"DELETE FROM T WHERE pk = '{key}' AND n = 2") == FAILED
        assert get() is not None

    def test_returning_only_all_old(self, error, key):
        assert error(f"DELETE FROM T WHERE pk = '{key}' RETURNING MODIFIED NEW *")[1] == (
            "Invalid returning clause: RETURNING MODIFIED NEW *. Only RETURNING ALL OLD * is allowed in DELETE statements.")


def test_writes_cost_what_the_classic_ones_cost(client, make_table):
    table = make_table()
    statements = [
        ("INSERT INTO \"{}\" VALUE {{'pk': 'a', 'x': ?}}", [{"S": "x" * 2500}], 3.0),
        ("UPDATE \"{}\" SET y = 1 WHERE pk = 'a'", None, 3.0),
        ("DELETE FROM \"{}\" WHERE pk = 'a'", None, 3.0),
        ("DELETE FROM \"{}\" WHERE pk = 'a'", None, 1.0),
    ]
    for statement, parameters, units in statements:
        more = {"Parameters": parameters} if parameters else {}
        reply = client.execute_statement(Statement=statement.format(table), ReturnConsumedCapacity="TOTAL", **more)
        assert reply["ConsumedCapacity"] == {"TableName": table, "CapacityUnits": units}


def test_indexes_and_names_that_need_quotes(client, make_table):
    table = make_table("a.b-c:S", name=tables.unique("dot.ted"))
    client.execute_statement(Statement=f"INSERT INTO \"{table}\" VALUE {{'a.b-c': 'k', 'select': 1, 'x\"y': 2}}")
    reply = client.execute_statement(
        Statement=f"SELECT \"select\", \"x\"\"y\" FROM \"{table}\" WHERE \"a.b-c\" = 'k'")
    assert reply["Items"] == [{"select": {"N": "1"}, 'x"y': {"N": "2"}}]
    with pytest.raises(botocore.exceptions.ClientError, match="not supported on an index"):
        client.execute_statement(Statement=f"UPDATE \"{table}\".\"i\" SET x = 1 WHERE \"a.b-c\" = 'k'")
