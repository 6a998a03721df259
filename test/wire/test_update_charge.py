"""What an UpdateExpression itself amounts to is limited to 400 KB, clause by clause, before its condition is looked at."""

import pytest

LIMIT = 409600
TOO_LARGE = "Item size to update has exceeded the maximum allowed size"
STATEMENT = 3
PATH_X = 1 + 14 + 1  # a path of one element with a name of one byte, where it is read

# clause with one value :v: what it is charged besides that value
CLAUSES = {
    "SET x = :v": 19 + 1,
    "SET wide = :v": 19 + 4,
    "SET m.abc = :v": 19 + 1 + 4 + 3,
    "SET l[10] = :v": 19 + 1 + 4 + 2,
    "SET m.l[3].b = :v": 19 + 1 + 4 + 1 + 4 + 1 + 4 + 1,
    "SET x = if_not_exists(x, :v)": 19 + 1 + 39 + PATH_X,
    "SET x = if_not_exists(m.abc, :v)": 19 + 1 + 39 + (1 + 14 + 1 + 14 + 3),
    "SET x = :v REMOVE y": 19 + 1 + 1 + 1,
    "SET x = :v REMOVE l[2], m.abc": 19 + 1 + (1 + 1 + 4 + 1) + (1 + 1 + 4 + 3),
    "SET x = :v, y = z": 19 + 1 + 19 + 1 + PATH_X,
    "SET x = :v, y = m.abc": 19 + 1 + 19 + 1 + (1 + 14 + 1 + 14 + 3),
    "SET x = :v, n = n + :one": 19 + 1 + 19 + 1 + 34 + PATH_X + 2,
    "SET x = :v, n = n - :one": 19 + 1 + 19 + 1 + 37 + PATH_X + 2,
    "SET x = :v ADD n :one": 19 + 1 + 19 + 1 + 2,
    "SET x = :v ADD t :set": 19 + 1 + 19 + 1 + 4,
    "SET x = :v DELETE t :set": 19 + 1 + 1 + 1,
    "SET x = :v, l = list_append(l, :list)": 19 + 1 + 19 + 1 + 37 + PATH_X + (3 + 1 + 2),
}
VALUES = {":one": {"N": "1"}, ":set": {"SS": ["ab", "cd"]}, ":list": {"L": [{"S": "ab"}]}}


def request(hash_table, pk, expression, size, **more):
    values = {name: value for name, value in VALUES.items() if name in expression}
    return {"TableName": hash_table, "Key": {"pk": pk}, "UpdateExpression": expression,
            "ExpressionAttributeValues": {":v": {"S": "x" * size}, **values}, **more}


@pytest.mark.parametrize("expression", CLAUSES)
def test_a_clause_is_charged_to_the_byte(db, hash_table, pk, expression):
    """A condition that fails shows which side of the limit it is, whatever the finished item would be."""
    room = LIMIT - STATEMENT - CLAUSES[expression]
    never = {"ConditionExpression": "attribute_exists(nothing)"}
    db.invalid("UpdateItem", request(hash_table, pk, expression, room + 1, **never), TOO_LARGE)
    db.error("UpdateItem", request(hash_table, pk, expression, room, **never), "ConditionalCheckFailedException")


def test_the_charge_alone_decides_on_a_new_item(db, hash_table, pk, get):
    room = LIMIT - STATEMENT - 19 - 1
    key = len("pk") + len(pk["S"])
    assert key <= STATEMENT + 19
    db.invalid("UpdateItem", request(hash_table, pk, "SET x = :v", room + 1), TOO_LARGE)
    assert get() is None
    db.ok("UpdateItem", request(hash_table, pk, "SET x = :v", room))
    assert len(get()["x"]["S"]) == room


def test_it_is_checked_before_the_condition(db, hash_table, pk):
    never = request(hash_table, pk, "SET x = :v", LIMIT - 22, ConditionExpression="attribute_exists(nothing)")
    db.invalid("UpdateItem", never, TOO_LARGE)
    fits = request(hash_table, pk, "SET x = :v", LIMIT - 23, ConditionExpression="attribute_exists(nothing)")
    db.error("UpdateItem", fits, "ConditionalCheckFailedException")


def test_a_value_counts_at_every_use(db, hash_table, pk):
    half = (LIMIT - STATEMENT - 2 * 20) // 2
    db.invalid("UpdateItem", request(hash_table, pk, "SET x = :v, y = :v", half + 1), TOO_LARGE)
    db.ok("UpdateItem", request(hash_table, pk, "SET x = :v, y = :v", half - 20))


def test_an_alias_counts_as_the_name_it_stands_for(db, hash_table, pk):
    more = {"ExpressionAttributeNames": {"#a-rather-long-alias".replace("-", "_"): "x"}}
    room = LIMIT - STATEMENT - 20
    db.ok("UpdateItem", request(hash_table, pk, "SET #a_rather_long_alias = :v", room, **more))
    db.invalid("UpdateItem", request(hash_table, pk, "SET #a_rather_long_alias = :v", room + 1, **more), TOO_LARGE)


def test_what_the_update_does_not_touch_counts_for_the_finished_item_only(db, hash_table, pk, put, get):
    put(untouched={"S": "u" * 1000})
    db.invalid("UpdateItem", request(hash_table, pk, "SET x = :v", LIMIT - 23), TOO_LARGE)  # finished: too large
    finished = len("pk") + len(pk["S"]) + len("untouched") + 1000 + 1
    db.ok("UpdateItem", request(hash_table, pk, "SET x = :v", LIMIT - finished))
    assert len(get()["x"]["S"]) == LIMIT - finished


@pytest.mark.parametrize("how", ["AttributeUpdates", "transaction", "PartiQL"])
def test_others_are_held_to_the_finished_item(db, hash_table, pk, get, how):
    room = LIMIT - len("pk") - len(pk["S"]) - 1
    value = {"S": "x" * room}
    if how == "AttributeUpdates":
        db.ok("UpdateItem", {"TableName": hash_table, "Key": {"pk": pk}, "AttributeUpdates": {"x": {"Value": value}}})
    elif how == "transaction":
        db.ok("TransactWriteItems", {"TransactItems": [{"Update": request(hash_table, pk, "SET x = :v", room)}]})
    else:
        db.ok("PutItem", {"TableName": hash_table, "Item": {"pk": pk}})
        db.ok("ExecuteStatement", {"Statement": f'UPDATE "{hash_table}" SET x = ? WHERE pk = ?', "Parameters": [value, pk]})
    assert get()["x"] == value
