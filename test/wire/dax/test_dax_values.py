"""Every attribute type by every operation, every type of key, and numbers however they are written."""

import base64

import pytest

from harness.dax import assert_same, canonical, in_order


def binary(data):
    return base64.b64encode(data).decode()


EVERY_TYPE = {
    "s": {"S": "héllo \U0001F600 \0 \"quoted\""}, "empty": {"S": ""},
    "n": {"N": "5"}, "zero": {"N": "0"}, "negative": {"N": "-17"}, "fraction": {"N": "0.1"}, "exact": {"N": "123.456"},
    "safe": {"N": "9007199254740991"}, "unsafe": {"N": "-9007199254740993"}, "past_64_bits": {"N": "18446744073709551616"},
    "long": {"N": "12345678901234567890123456789012345678"}, "longest": {"N": "-1.2345678901234567890123456789012345678"},
    "tiny": {"N": "1E-130"}, "huge": {"N": "9.9999999999999999999999999999999999999E+125"}, "small": {"N": "-0.0000001"},
    "b": {"B": binary(bytes(range(256)))}, "no_bytes": {"B": ""},
    "yes": {"BOOL": True}, "no": {"BOOL": False}, "nothing": {"NULL": True},
    "list": {"L": [{"N": "1"}, {"S": "two"}, {"L": []}, {"M": {"three": {"B": binary(b"3")}}}, {"NULL": True}, {"SS": ["x"]}]},
    "map": {"M": {"a": {"M": {"b": {"L": [{"M": {"c": {"BOOL": False}}}]}}}, "with.dot": {"N": "1.50"}, "B": {"S": "no blob"}}},
    "no_list": {"L": []}, "no_map": {"M": {}},
    "strings": {"SS": ["b", "a", "ü"]}, "numbers": {"NS": ["1", "-2.5", "1e20", "100000000000000000000000"]},
    "blobs": {"BS": [binary(b"\0"), binary(b"\xff\xff"), binary(b"a")]},
}
# Amazon's clients sort names as JavaScript does, by UTF-16: an emoji before U+FFFD. A node must not sort them again.
NAMES = ["\U0001F600", "\ufffd", "Z", "a", "A", "é", "dotted.name", "with space", "0", "-", "size", "_attrListId2", "x" * 300]


def key_of(item):
    return {"pk": item["pk"], "sk": item["sk"]}


def by_every_read(client, table, key, **more):
    """What each read finds of the only item of a table."""
    condition = {"KeyConditionExpression": "pk = :pk AND sk = :sk", "ExpressionAttributeValues": {":pk": key["pk"], ":sk": key["sk"]}}
    found = [
        client.ok("GetItem", {"TableName": table, "Key": key, **more})["Item"],
        *client.ok("Query", {"TableName": table, **condition, **more})["Items"],
        *client.ok("Scan", {"TableName": table, **more})["Items"],
        *client.ok("BatchGetItem", {"RequestItems": {table: {"Keys": [key], **more}}})["Responses"][table],
        client.ok("TransactGetItems", {"TransactItems": [{"Get": {"TableName": table, "Key": key}}]})["Responses"][0]["Item"],
    ]
    return list(map(canonical, found))


def assert_everywhere(dax, db, table, item):
    """Around the caches, into them and out of them; and DynamoDB has the same."""
    expected = canonical(item)
    for options in ({"ConsistentRead": True}, {}, {}):
        assert by_every_read(dax, table, key_of(item), **options) == [expected] * 5
    assert canonical(db.ok("GetItem", {"TableName": table, "Key": key_of(item), "ConsistentRead": True})["Item"]) == expected


WRITES = {
    "PutItem": lambda table, item: ("PutItem", {"TableName": table, "Item": item}),
    "BatchWriteItem": lambda table, item: ("BatchWriteItem", {"RequestItems": {table: [{"PutRequest": {"Item": item}}]}}),
    "TransactWriteItems": lambda table, item: ("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": table, "Item": item}}]}),
    "UpdateItem": lambda table, item: ("UpdateItem", update_to(table, item)),
}


def update_to(table, item):
    """An update that makes this item of none."""
    rest = [(name, value) for name, value in item.items() if name not in ("pk", "sk")]
    return {"TableName": table, "Key": key_of(item), "UpdateExpression": "SET " + ", ".join(f"#n{i} = :v{i}" for i in range(len(rest))),
            "ExpressionAttributeNames": {f"#n{i}": name for i, (name, _) in enumerate(rest)},
            "ExpressionAttributeValues": {f":v{i}": value for i, (_, value) in enumerate(rest)}}


@pytest.mark.parametrize("write", WRITES)
def test_every_type_written_through_dax(dax, db, make_table, write):
    table, item = make_table("pk:S", "sk:N"), {"pk": {"S": "all"}, "sk": {"N": "-1.5"}, **EVERY_TYPE}
    dax.ok(*WRITES[write](table, item))
    assert_everywhere(dax, db, table, item)
    # And as what was there before.
    bare = key_of(item)
    old = dax.ok("PutItem", {"TableName": table, "Item": bare, "ReturnValues": "ALL_OLD"})["Attributes"]
    assert canonical(old) == canonical(item)
    assert canonical(dax.ok("GetItem", {"TableName": table, "Key": bare})["Item"]) == canonical(bare)
    old = dax.ok("DeleteItem", {"TableName": table, "Key": bare, "ReturnValues": "ALL_OLD"})["Attributes"]
    assert canonical(old) == canonical(bare)
    assert "Item" not in dax.ok("GetItem", {"TableName": table, "Key": bare})


def test_every_type_read_from_the_table(dax, db, make_table):
    """The node finds names that no client has told it."""
    table, item = make_table("pk:S", "sk:N"), {"pk": {"S": "all"}, "sk": {"N": "0"}, **EVERY_TYPE, "only here": {"N": "1"}}
    db.ok("PutItem", {"TableName": table, "Item": item})
    assert_everywhere(dax, db, table, item)


@pytest.mark.parametrize("is_through_dax", [True, False])
def test_names_in_their_order(dax, db, make_table, is_through_dax):
    table = make_table("pk:S", "sk:N")
    item = {"pk": {"S": "names"}, "sk": {"N": "1"}, **{name: {"S": f"of {name}"} for name in NAMES}}
    (dax if is_through_dax else db).ok("PutItem", {"TableName": table, "Item": item})
    assert_everywhere(dax, db, table, item)


def test_names_before_and_after_the_keys(dax, db, make_table):
    """An item travels without its keys, wherever they would sort."""
    table = make_table("m:S", "n:N")
    for rest in ({}, {"a": {"N": "1"}}, {"mm": {"N": "1"}}, {"z": {"N": "1"}}, {"a": {"N": "1"}, "mm": {"S": ""}, "z": {"NULL": True}}):
        item = {"m": {"S": "k"}, "n": {"N": str(len(rest))}, **rest}
        dax.ok("PutItem", {"TableName": table, "Item": item})
        request = {"TableName": table, "Key": {"m": item["m"], "n": item["n"]}}
        assert dax.ok("GetItem", request)["Item"] == db.ok("GetItem", request)["Item"] == item
        assert dax.ok("GetItem", {**request, "ConsistentRead": True})["Item"] == item


# Each row is one number in several spellings.
SPELLINGS = [
    ["1", "1.0", "1e0", "10e-1", "0.1e1", "1.000"], ["0", "0.0", "0e5"], ["-17", "-17.0", "-1.7e1", "-170e-1"], ["0.001", "1e-3", "1E-3", ".001"],
    ["12345.678", "1234567.8e-2", "12345.6780"], ["100000000000000000000", "1e20", "1.0e20", "10000000000000000000e1"],
    ["9007199254740993", "9007199254740993.0"], ["-9223372036854775808", "-9.223372036854775808e18"],
    ["12345678901234567890123456789012345678"], ["-0.12345678901234567890123456789012345678"],
    ["1e125", "10e124"], ["-1e125"], ["1e-130"], ["-1e-130"], ["0.5"], ["999"], ["1000"], ["-999.9"],
]
STRINGS = ["a", "b c", "é\U0001F600", "\0", "x" * 300, "-1"]
BLOBS = [b"\0", b"\xff" * 30, b"abc", b"abc\0", bytes(range(256))]


def values_of(kind):
    """Values of a key, each in all its spellings."""
    if kind == "N":
        return [[{"N": text} for text in row] for row in SPELLINGS]
    if kind == "S":
        return [[{"S": text}] for text in STRINGS]
    return [[{"B": binary(data)}] for data in BLOBS]


@pytest.mark.parametrize("hash_kind", ["S", "N", "B"])
@pytest.mark.parametrize("range_kind", [None, "S", "N", "B"])
def test_keys(dax, db, make_table, hash_kind, range_kind):
    table = make_table(f"h:{hash_kind}", f"r:{range_kind}" if range_kind else None)
    keys = [[{"h": value} for value in row] for row in values_of(hash_kind)]
    if range_kind:  # all sort keys below the first hash key, and two below each other
        first = keys[0][0]["h"]
        keys = [[{"h": first, "r": value} for value in row] for row in values_of(range_kind)] + [
            [{**key, "r": row[-1]} for key in spellings] for spellings in keys[1:] for row in values_of(range_kind)[:2]]
    for index, spellings in enumerate(keys):
        dax.ok("PutItem", {"TableName": table, "Item": {**spellings[0], "is": {"S": str(index)}}})
    for index, spellings in enumerate(keys):
        for key in spellings:
            expected = canonical({**key, "is": {"S": str(index)}})
            for options in ({"ConsistentRead": True}, {}, {}):
                found = dax.ok("GetItem", {"TableName": table, "Key": key, **options})
                assert canonical(found.get("Item")) == expected, (key, options)
            assert canonical(db.ok("GetItem", {"TableName": table, "Key": key})["Item"]) == expected
    assert_same(dax, db, "Scan", {"TableName": table})
    if range_kind:
        request = {"TableName": table, "KeyConditionExpression": "h = :h", "ExpressionAttributeValues": {":h": keys[0][0]["h"]}}
        for is_forward in (True, False):
            assert_same(dax, db, "Query", {**request, "ScanIndexForward": is_forward})
    # Written under one spelling, removed under another: the cache has one entry for both.
    for spellings in keys:
        dax.ok("DeleteItem", {"TableName": table, "Key": spellings[-1]})
        for key in (spellings[0], spellings[-1]):
            assert "Item" not in dax.ok("GetItem", {"TableName": table, "Key": key}), key
    assert db.ok("Scan", {"TableName": table})["Count"] == 0


def test_keys_in_batches_and_transactions(dax, db, make_table):
    table = make_table("h:N", "r:N")
    items = [{"h": {"N": "1.50"}, "r": row[-1], "is": {"S": str(index)}} for index, row in enumerate(values_of("N"))]
    dax.ok("BatchWriteItem", {"RequestItems": {table: [{"PutRequest": {"Item": item}} for item in items]}})
    keys = [{"h": {"N": "1.5"}, "r": row[0]} for row in values_of("N")]
    expected = [canonical({**key, "is": item["is"]}) for key, item in zip(keys, items)]
    for _ in range(2):
        found = dax.ok("BatchGetItem", {"RequestItems": {table: {"Keys": keys}}})["Responses"][table]
        assert in_order(canonical(found)) == in_order(expected)
    found = dax.ok("TransactGetItems", {"TransactItems": [{"Get": {"TableName": table, "Key": key}} for key in keys]})["Responses"]
    assert [canonical(each["Item"]) for each in found] == expected
    for key in keys:  # together the clients take some of them for the same key
        dax.ok("TransactWriteItems", {"TransactItems": [{"Delete": {"TableName": table, "Key": key}}]})
    assert db.ok("Scan", {"TableName": table})["Count"] == 0
