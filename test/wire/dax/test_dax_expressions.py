"""Expressions as Amazon's clients compile them, and as DynamoDB reads them when they are written: the same, one by one."""

import pytest

from harness import tables
from harness.dax import assert_same, canonical, outcome


ITEM = {
    "pk": {"S": "e"}, "sk": {"N": "1"}, "s": {"S": "hello"}, "blank": {"S": ""}, "n": {"N": "5"}, "m1": {"N": "-1.5"}, "b": {"B": "AAEC"},
    "t": {"BOOL": True}, "f": {"BOOL": False}, "z": {"NULL": True},
    "l": {"L": [{"N": "1"}, {"S": "two"}, {"L": [{"N": "3"}, {"N": "4"}]}, {"M": {"x": {"M": {"y": {"L": [{"N": "10"}, {"N": "20"}]}}}}}]},
    "m": {"M": {"a": {"M": {"b": {"L": [{"M": {"c": {"S": "deep"}}}]}}}, "dot.ted": {"N": "7"}, "s": {"S": "in a map"}}},
    "ss": {"SS": ["a", "b"]}, "ns": {"NS": ["1", "2.5"]}, "bs": {"BS": ["AA==", "AQ=="]},
    "a.b": {"S": "not a path"}, "size": {"S": "a reserved word"},
}
OTHER = {"pk": {"S": "e"}, "sk": {"N": "2"}, "s": {"S": "world"}, "n": {"N": "6"}}
HELLO, FIVE, SIX = {":v": {"S": "hello"}}, {":v": {"N": "5"}}, {":v": {"N": "6"}}

# Expression, names, values.
CONDITIONS = [
    ("s = :v", {}, HELLO), ("s <> :v", {}, HELLO), ("n < :v", {}, SIX), ("n <= :v", {}, FIVE), ("n > :v", {}, FIVE), ("n >= :v", {}, FIVE),
    ("n < :v", {}, FIVE), (":v < n", {}, FIVE), ("n = :v", {}, {":v": {"N": "5.0"}}), ("m1 < :v", {}, {":v": {"N": "-1e0"}}),
    ("b = :v", {}, {":v": {"B": "AAEC"}}), ("b > :v", {}, {":v": {"B": "AAE="}}), ("t = :v", {}, {":v": {"BOOL": True}}),
    ("z = :v", {}, {":v": {"NULL": True}}), ("l = :v", {}, {":v": ITEM["l"]}), ("m = :v", {}, {":v": ITEM["m"]}),
    ("ss = :v", {}, {":v": {"SS": ["b", "a"]}}), ("ns = :v", {}, {":v": {"NS": ["2.50", "1"]}}), ("bs = :v", {}, {":v": {"BS": ["AQ==", "AA=="]}}),
    ("blank = :v", {}, {":v": {"S": ""}}), ("s = n", {}, {}), ("n = l[0]", {}, {}),
    ("n BETWEEN :a AND :b", {}, {":a": {"N": "4"}, ":b": {"N": "5"}}), ("n BETWEEN :a AND :b", {}, {":a": {"N": "5.5"}, ":b": {"N": "7"}}),
    ("s IN (:a, :b, s)", {}, {":a": {"S": "x"}, ":b": {"S": "y"}}), ("s IN (:a)", {}, {":a": {"S": "world"}}),
    ("n IN (" + ", ".join(f":v{i}" for i in range(30)) + ")", {}, {f":v{i}": {"N": str(i)} for i in range(30)}),
    ("attribute_exists(s)", {}, {}), ("attribute_exists(nope)", {}, {}), ("attribute_not_exists(b)", {}, {}), ("attribute_not_exists(l[9])", {}, {}),
    ("attribute_exists(m.a.b[0].c)", {}, {}), ("attribute_exists(#x.#y)", {"#x": "m", "#y": "dot.ted"}, {}), ("attribute_exists(#x)", {"#x": "a.b"}, {}),
    *[("attribute_type(%s, :v)" % name, {}, {":v": {"S": kind}}) for name, kind in zip(
        ("s", "n", "b", "t", "z", "l", "m", "ss", "ns", "bs"), ("S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"))],
    ("attribute_type(s, :v)", {}, {":v": {"S": "N"}}),
    ("begins_with(s, :v)", {}, {":v": {"S": "hel"}}), ("begins_with(b, :v)", {}, {":v": {"B": "AAE="}}), ("begins_with(s, s)", {}, {}),
    ("contains(s, :v)", {}, {":v": {"S": "ell"}}), ("contains(ss, :v)", {}, {":v": {"S": "b"}}), ("contains(ns, :v)", {}, {":v": {"N": "2.50"}}),
    ("contains(l, :v)", {}, {":v": {"S": "two"}}), ("contains(bs, :v)", {}, {":v": {"B": "AQ=="}}), ("contains(l[2], l[0])", {}, {}),
    ("size(s) = :v", {}, FIVE), ("size(l) > size(m)", {}, {}), ("size(b) < :v AND size(ss) = size(ns)", {}, FIVE), ("size(#s) > :v", {"#s": "size"}, FIVE),
    ("s = :v AND n = :w", {}, {**HELLO, ":w": {"N": "5"}}), ("s = :v AND NOT n = :w", {}, {**HELLO, ":w": {"N": "5"}}),
    ("s = :v OR n = :w AND t = :w", {}, {**HELLO, ":w": {"N": "6"}}), ("(s = :v OR n = :w) AND t = :w", {}, {**HELLO, ":w": {"N": "6"}}),
    ("NOT (s = :v OR NOT n = :v)", {}, HELLO), ("NOT NOT s = :v", {}, HELLO), ("s = :v AND s = :v AND s = :v", {}, HELLO),
    ("l[3].x.y[1] = :v", {}, {":v": {"N": "20"}}), ("l[2][1] = :v", {}, {":v": {"N": "4"}}), ("m.a.b[0].c = :v", {}, {":v": {"S": "deep"}}),
    ("#m.#s = :v", {"#m": "m", "#s": "s"}, {":v": {"S": "in a map"}}), ("#ab = :v", {"#ab": "a.b"}, {":v": {"S": "not a path"}}),
    # What DynamoDB refuses.
    ("begins_with(s, :v)", {}, FIVE), ("attribute_type(s, :v)", {}, {":v": {"S": "X"}}), ("size(:v) = :v", {}, FIVE),
    ("n BETWEEN :a AND :b", {}, {":a": {"N": "9"}, ":b": {"N": "5"}}), ("n BETWEEN :a AND :b", {}, {":a": {"N": "9"}, ":b": {"S": "5"}}),
    ("n < :v", {}, {":v": {"BOOL": True}}), ("contains(s, s)", {}, {}), ("s = s", {}, {}),
]


def named(index):
    return f"{index:02}: {CONDITIONS[index][0][:40]}"


def parts(expression, names, values, member):
    request = {member: expression}
    if names:
        request["ExpressionAttributeNames"] = names
    if values:
        request["ExpressionAttributeValues"] = values
    return request


@pytest.fixture(scope="module")
def table(db):
    name = tables.create(db, "pk:S", "sk:N")
    tables.fill(db, name, [ITEM, OTHER])
    yield name
    tables.drop(db, name)


@pytest.mark.parametrize("index", range(len(CONDITIONS)), ids=named)
def test_conditions_and_filters(dax, db, table, index):
    expression, names, values = CONDITIONS[index]
    assert_same(dax, db, "Scan", {"TableName": table, **parts(expression, names, values, "FilterExpression")})
    query = parts(expression, names, {**values, ":pk": ITEM["pk"]}, "FilterExpression")
    assert_same(dax, db, "Query", {"TableName": table, "KeyConditionExpression": "pk = :pk", **query})
    for item in (ITEM, OTHER):
        condition = parts(expression, names, values, "ConditionExpression")
        assert_same(dax, db, "PutItem", {"TableName": table, "Item": item, **condition})
    check = {"TableName": table, "Key": {"pk": ITEM["pk"], "sk": ITEM["sk"]}, **parts(expression, names, values, "ConditionExpression")}
    assert_same(dax, db, "TransactWriteItems", {"TransactItems": [{"ConditionCheck": check}]})


KEY_CONDITIONS = [
    ("pk = :p", {}), ("pk = :p AND sk = :a", {}), ("pk = :p AND sk < :a", {}), ("pk = :p AND sk <= :a", {}), ("pk = :p AND sk > :a", {}),
    ("pk = :p AND sk >= :a", {}), ("pk = :p AND sk BETWEEN :a AND :b", {}), ("sk > :a AND pk = :p", {}), (":p = pk AND :a < sk", {}),
    ("#p = :p AND #s = :b", {"#p": "pk", "#s": "sk"}),
    # What DynamoDB refuses.
    ("sk = :a", {}), ("pk > :p", {}), ("pk = :p AND sk <> :a", {}), ("pk = :p OR sk = :a", {}), ("pk = :p AND s = :a", {}), ("pk = :a", {}),
    ("pk = :p AND begins_with(sk, :a)", {}), ("pk = :p AND sk = :p", {}), ("pk = :p AND sk BETWEEN :b AND :a", {}), ("pk = :p AND NOT sk = :a", {}),
]


@pytest.mark.parametrize("condition, names", KEY_CONDITIONS)
def test_key_conditions(dax, db, table, condition, names):
    values = {":p": ITEM["pk"], ":a": {"N": "1"}, ":b": {"N": "2"}}
    used = {name: value for name, value in values.items() if name in condition}
    assert_same(dax, db, "Query", {"TableName": table, **parts(condition, names, used, "KeyConditionExpression")})


@pytest.mark.parametrize("condition", ["p = :p AND begins_with(s, :a)", "p = :p AND s BETWEEN :a AND :b", "p = :p AND s >= :b"])
def test_key_conditions_on_strings(dax, db, make_table, condition):
    table = make_table("p:B", "s:S")
    tables.fill(db, table, [{"p": {"B": "AAE="}, "s": {"S": text}} for text in ("", "a", "ab", "b", "ba", "é") if text])
    values = {":p": {"B": "AAE="}, ":a": {"S": "a"}, ":b": {"S": "b"}}
    used = {name: value for name, value in values.items() if name in condition}
    status, answer = assert_same(dax, db, "Query", {"TableName": table, **parts(condition, {}, used, "KeyConditionExpression")})
    assert status == "ok" and answer["Count"] > 0


# Expression, names, values; what happens to ITEM.
ONE, LIST = {"N": "1"}, {"L": [{"S": "new"}, {"N": "1"}]}
UPDATES = [
    ("SET s = :v", {}, {":v": {"S": "new"}}), ("SET s = :v, n = :w, extra = :v", {}, {":v": {"S": "new"}, ":w": ONE}), ("SET n = n + :v", {}, {":v": {"N": "0.5"}}),
    ("SET n = n - :v", {}, {":v": ONE}), ("SET n = :v - n", {}, {":v": ONE}), ("SET n = n + n", {}, {}), ("SET c = if_not_exists(c, :v) + :w", {}, {":v": {"N": "0"}, ":w": ONE}),
    ("SET n = if_not_exists(n, :v)", {}, {":v": ONE}), ("SET l = list_append(l, :v)", {}, {":v": LIST}), ("SET l = list_append(:v, l)", {}, {":v": LIST}),
    ("SET nl = list_append(if_not_exists(nl, :e), :v)", {}, {":v": LIST, ":e": {"L": []}}), ("SET l[0] = :v, l[9] = :v", {}, {":v": ONE}),
    ("SET l[2][1] = l[2][0] + :v", {}, {":v": ONE}), ("SET l[3].x.y[0] = :v", {}, {":v": {"NULL": True}}), ("SET m.a.b[0].c = m.s", {}, {}),
    ("SET #m.#d = :v", {"#m": "m", "#d": "dot.ted"}, {":v": {"SS": ["x"]}}), ("SET #d = :v", {"#d": "dot.ted"}, {":v": {"M": {}}}),
    ("SET s = n, n = s", {}, {}), ("REMOVE s", {}, {}), ("REMOVE s, l[1], m.a, nope", {}, {}), ("REMOVE l[0], l[1], l[2]", {}, {}),
    ("ADD n :v", {}, {":v": {"N": "-6"}}), ("ADD fresh :v", {}, {":v": {"N": "3"}}), ("ADD ss :v, ns :w, bs :x", {}, {":v": {"SS": ["c"]}, ":w": {"NS": ["1.0", "9"]}, ":x": {"BS": ["Ag=="]}}),
    ("ADD fresh :v", {}, {":v": {"SS": ["c"]}}), ("ADD m.cnt :v", {}, {":v": ONE}), ("DELETE ss :v", {}, {":v": {"SS": ["a", "q"]}}), ("DELETE ss :v", {}, {":v": {"SS": ["a", "b"]}}),
    ("SET s = :v REMOVE n ADD ns :w DELETE ss :x", {}, {":v": {"S": "all"}, ":w": {"NS": ["7"]}, ":x": {"SS": ["b"]}}), ("DELETE ss :x SET l[1] = :x REMOVE l[0]", {}, {":x": {"SS": ["b"]}}),
    ("SET t = :v", {}, {":v": {"BOOL": True}}), (None, {}, {}),
    # What DynamoDB refuses.
    ("SET s = s + :v", {}, {":v": ONE}), ("SET nope = nope2", {}, {}), ("SET pk = :v", {}, {":v": {"S": "x"}}), ("SET m.a = :v, m.a.b = :v", {}, {":v": ONE}),
    ("SET s = :v REMOVE s", {}, {":v": ONE}), ("SET nope.x = :v", {}, {":v": ONE}), ("ADD s :v", {}, {":v": ONE}), ("ADD n :v", {}, {":v": {"S": "x"}}),
    ("DELETE n :v", {}, {":v": {"NS": ["1"]}}), ("DELETE ss :v", {}, {":v": {"S": "a"}}), ("SET l = list_append(s, :v)", {}, {":v": LIST}), ("REMOVE sk", {}, {}),
]


def named_update(index):
    return f"{index:02}: {UPDATES[index][0]}"


@pytest.mark.parametrize("index", range(len(UPDATES)), ids=named_update)
def test_updates(dax, db, table, index):
    """With every ReturnValues: the reply, the item in the table, and the item in the cache. Also where there is no item yet."""
    expression, names, values = UPDATES[index]
    update = parts(expression, names, values, "UpdateExpression") if expression else {}
    keys = {client: {"pk": {"S": f"update-{number}-{dax.kind}"}, "sk": {"N": str(index)}} for number, client in enumerate((db, dax))}
    for start in (ITEM, None):
        for returned in ("NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"):
            found = []
            for client, key in keys.items():
                db.ok("DeleteItem", {"TableName": table, "Key": key})
                if start:
                    db.ok("PutItem", {"TableName": table, "Item": {**start, **key}})
                said = outcome(client, "UpdateItem", {"TableName": table, "Key": key, **update, "ReturnValues": returned})
                stored = db.ok("GetItem", {"TableName": table, "Key": key, "ConsistentRead": True}).get("Item")
                if client is dax and said[0] == "ok":
                    assert canonical(dax.ok("GetItem", {"TableName": table, "Key": key}).get("Item")) == canonical(stored)
                found.append((without_key(said), without_key(canonical(stored))))
            assert found[0] == found[1], returned
    for key in keys.values():
        db.ok("DeleteItem", {"TableName": table, "Key": key})


def without_key(value):
    """The twins differ in their pk, which some answers show."""
    if isinstance(value, tuple):
        return tuple(map(without_key, value))
    if isinstance(value, dict):
        return {name: without_key(each) for name, each in value.items() if name != "pk"}
    return value


PROJECTIONS = [
    ("s", {}), ("s, n, nope", {}), ("nope", {}), ("pk, sk", {}), ("m.a.b[0].c, m.s", {}), ("l[0], l[2], l[3].x.y[1]", {}), ("l[3], l[1]", {}), ("l[7]", {}),
    ("#m.#d, #ab, #size", {"#m": "m", "#d": "dot.ted", "#ab": "a.b", "#size": "size"}), ("ss, ns, bs, b, t, f, z, blank", {}), ("pk, m, l", {}), ("l[2][1], l[2][0]", {}),
    # What DynamoDB refuses.
    ("m, m.a", {}), ("s, s", {}), ("l[0], l", {}),
]


@pytest.mark.parametrize("projection, names", PROJECTIONS)
def test_projections(dax, db, table, projection, names):
    what = parts(projection, names, {}, "ProjectionExpression")
    key, missing = ({"pk": ITEM["pk"], "sk": {"N": text}} for text in ("1", "3"))
    for more in ({}, {"ConsistentRead": True}):
        for which in (key, missing):
            assert_same(dax, db, "GetItem", {"TableName": table, "Key": which, **what, **more})
        assert_same(dax, db, "BatchGetItem", {"RequestItems": {table: {"Keys": [key, missing], **what, **more}}})
        condition = {"KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": ITEM["pk"]}}
        assert_same(dax, db, "Query", {"TableName": table, **condition, **what, **more})
        assert_same(dax, db, "Scan", {"TableName": table, **what, **more})
    gets = [{"Get": {"TableName": table, "Key": which, **what}} for which in (key, missing)]
    assert_same(dax, db, "TransactGetItems", {"TransactItems": gets})


def value_is(operator, *values):
    return {"ComparisonOperator": operator, **({"AttributeValueList": list(values)} if values else {})}


LEGACY_FILTERS = [
    {"s": value_is("EQ", {"S": "hello"})}, {"s": value_is("NE", {"S": "hello"})}, {"n": value_is("LE", {"N": "5"})}, {"n": value_is("LT", {"N": "5"})},
    {"n": value_is("GE", {"N": "6"})}, {"n": value_is("GT", {"N": "5"})}, {"t": value_is("NOT_NULL")}, {"t": value_is("NULL")}, {"ss": value_is("CONTAINS", {"S": "a"})},
    {"s": value_is("NOT_CONTAINS", {"S": "ell"})}, {"s": value_is("BEGINS_WITH", {"S": "he"})}, {"n": value_is("IN", {"N": "4"}, {"N": "6"})},
    {"n": value_is("BETWEEN", {"N": "5"}, {"N": "5.5"})}, {"s": value_is("EQ", {"S": "hello"}), "n": value_is("EQ", {"N": "6"})},
]


@pytest.mark.parametrize("index", range(len(LEGACY_FILTERS)))
def test_legacy_filters(dax, db, table, index):
    conditions = LEGACY_FILTERS[index]
    keys = {"pk": value_is("EQ", ITEM["pk"]), "sk": value_is("GE", {"N": "1"})}
    either = [{}, {"ConditionalOperator": "OR"}] if len(conditions) > 1 else [{}]
    for operator in either:
        assert_same(dax, db, "Scan", {"TableName": table, "ScanFilter": conditions, **operator})
        assert_same(dax, db, "Query", {"TableName": table, "KeyConditions": keys, "QueryFilter": conditions, **operator})
        assert_same(dax, db, "PutItem", {"TableName": table, "Item": ITEM, "Expected": conditions, **operator})


def test_the_other_legacy_members(dax, db, table):
    key = {"pk": ITEM["pk"], "sk": ITEM["sk"]}
    assert_same(dax, db, "GetItem", {"TableName": table, "Key": key, "AttributesToGet": ["s", "l", "nope"]})
    assert_same(dax, db, "Scan", {"TableName": table, "AttributesToGet": ["s", "pk"]})
    assert_same(dax, db, "BatchGetItem", {"RequestItems": {table: {"Keys": [key], "AttributesToGet": ["n"]}}})
    keys = {"pk": value_is("EQ", ITEM["pk"]), "sk": value_is("BETWEEN", {"N": "2"}, {"N": "3"})}
    assert_same(dax, db, "Query", {"TableName": table, "KeyConditions": keys, "AttributesToGet": ["s"]})
    for expected in ({"s": {"Value": {"S": "hello"}}}, {"s": {"Value": {"S": "x"}}}, {"s": {"Exists": False}}, {"nope": {"Exists": False}}):
        assert_same(dax, db, "PutItem", {"TableName": table, "Item": ITEM, "Expected": expected})
    updates = {"s": {"Action": "PUT", "Value": {"S": "new"}}, "n": {"Action": "ADD", "Value": {"N": "2"}}, "z": {"Action": "DELETE"},
               "ss": {"Action": "DELETE", "Value": {"SS": ["a"]}}, "plain": {"Value": {"N": "1"}}}
    found = []
    for number, client in enumerate((db, dax)):
        own = {"pk": {"S": f"legacy-{number}-{dax.kind}"}, "sk": {"N": "1"}}
        db.ok("PutItem", {"TableName": table, "Item": {**ITEM, **own}})
        said = outcome(client, "UpdateItem", {"TableName": table, "Key": own, "AttributeUpdates": updates, "ReturnValues": "ALL_NEW"})
        found.append(without_key(said))
        db.ok("DeleteItem", {"TableName": table, "Key": own})
    assert found[0] == found[1]
    assert found[0][0] == "ok"
