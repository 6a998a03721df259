"""UpdateItem and secondary index keys: what the request alone shows to be wrong is told before the item is read."""

import pytest

from harness.indexes import Index, members

OOM = "One or more parameter values were invalid: "
UNSUPPORTED = "The update expression attempted to update the secondary index key to unsupported type"
NOT_SCALAR = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: "
WRONG_TYPES = [({"BOOL": True}, "BOOL"), ({"NULL": True}, "NULL"), ({"N": "1"}, "N"), ({"B": "YQ=="}, "B"), ({"L": []}, "L"), ({"M": {}}, "M"), ({"SS": ["a"]}, "SS")]
KEY = {"pk": {"S": "p"}, "sk": {"S": "1"}}
BEFORE = {**KEY, "x": {"S": "before"}, "n": {"N": "7"}}


def mismatch(attribute, expected, actual, index):
    return f"{OOM}Type mismatch for Index Key {attribute} Expected: {expected} Actual: {actual} IndexName: {index}"


@pytest.fixture
def name(db, make_table):
    made = make_table("pk:S", "sk:S", **members("pk:S", "sk:S", gsi=[Index("glob", "g:S", "r:N")], lsi=[Index("loc", "pk:S", "l:S")]))
    db.ok("PutItem", {"TableName": made, "Item": BEFORE})
    return made


@pytest.fixture
def refused(db, name):
    """The update must fail with this text, and change nothing."""
    def check(message, **request):
        db.invalid("UpdateItem", {"TableName": name, "Key": KEY, **request}, message)
        assert db.ok("GetItem", {"TableName": name, "Key": KEY, "ConsistentRead": True})["Item"] == BEFORE
    return check


@pytest.mark.parametrize("value, actual", WRONG_TYPES)
@pytest.mark.parametrize("attribute, index", [("g", "glob"), ("l", "loc")])
def test_a_given_value_of_the_wrong_type(refused, attribute, index, value, actual):
    refused(mismatch(attribute, "S", actual, index), UpdateExpression=f"SET {attribute} = :v, x = :x",
            ExpressionAttributeValues={":v": value, ":x": {"S": "after"}})


def test_adding_a_number_to_a_text_key(refused):
    refused(mismatch("g", "S", "N", "glob"), UpdateExpression="ADD g :v", ExpressionAttributeValues={":v": {"N": "1"}})


def test_the_type_is_told_before_the_condition_fails(refused):
    refused(mismatch("g", "S", "N", "glob"), UpdateExpression="SET g = :v", ConditionExpression="attribute_exists(nothing)",
            ExpressionAttributeValues={":v": {"N": "1"}})


def test_legacy_updates(refused):
    refused(mismatch("g", "S", "N", "glob"), AttributeUpdates={"g": {"Value": {"N": "1"}, "Action": "PUT"}})


@pytest.mark.parametrize("attribute", ["g", "l"])
def test_a_value_from_the_item(refused, attribute):
    refused(UNSUPPORTED, UpdateExpression=f"SET {attribute} = n")


@pytest.mark.parametrize("expression, key", [("SET g.a = :v", "g"), ("SET l[0] = :v", "l"), ("SET r.a.b = :v", "r"), ("ADD r.a :v", "r"), ("SET y = g[1], x = :v", "g")])
def test_paths_below_an_index_key(refused, expression, key):
    refused(NOT_SCALAR + key, UpdateExpression=expression, ExpressionAttributeValues={":v": {"N": "1"}})


def test_removing_below_an_index_key(refused):
    refused(NOT_SCALAR + "g", UpdateExpression="REMOVE g.a")


@pytest.mark.parametrize("expression", ["g.a", "x, l[0]"])
def test_reading_below_an_index_key(db, name, expression):
    db.invalid("GetItem", {"TableName": name, "Key": KEY, "ProjectionExpression": expression}, NOT_SCALAR + ("g" if "g" in expression else "l"))


def test_a_transactional_update_reports_it_as_its_reason(db, name):
    update = {"TableName": name, "Key": KEY, "UpdateExpression": "SET g = :v", "ExpressionAttributeValues": {":v": {"N": "1"}}}
    error = db.error("TransactWriteItems", {"TransactItems": [{"Update": update}]}, "TransactionCanceledException")
    assert [reason["Code"] for reason in error["CancellationReasons"]] == ["ValidationError"]


@pytest.mark.parametrize("action", [
    {"Put": {"Item": {**KEY, "g": {"S": ""}}}},
    {"Update": {"Key": KEY, "UpdateExpression": "SET g = :v", "ExpressionAttributeValues": {":v": {"S": ""}}}}])
def test_an_empty_index_key_refuses_the_whole_transaction(db, name, action):
    ((kind, request),) = action.items()
    db.invalid("TransactWriteItems", {"TransactItems": [{kind: {"TableName": name, **request}}]})
