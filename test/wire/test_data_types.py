"""Every data type, kept exact: numbers, sets, documents, names, nesting, sizes to the byte."""

import base64

import pytest

ONE = "1 validation error detected: "
OOM = "One or more parameter values were invalid: "


@pytest.fixture
def refused(db, hash_table, pk):
    """PutItem with attribute `a` of this value is a ValidationException with this message."""
    def check(value, message=None):
        return db.invalid("PutItem", {"TableName": hash_table, "Item": {"pk": pk, "a": value}}, message and ONE + message)
    return check


class TestRoundTrip:
    @pytest.mark.parametrize("value", [
        {"S": "text"}, {"S": ""}, {"S": "nul\0inside"}, {"S": "žluťoučký 🐎"}, {"S": "\u2028\\\"/\t"},
        {"N": "0"}, {"N": "-17.25"},
        {"B": base64.b64encode(bytes(range(256))).decode()}, {"B": ""},
        {"BOOL": True}, {"BOOL": False}, {"NULL": True},
        {"L": []}, {"M": {}}, {"L": [{"S": "a"}, {"N": "1"}, {"L": [{"NULL": True}]}]},
        {"M": {"k.with.dots": {"M": {"k": {"BOOL": True}}}}},
        {"SS": [""]}, {"BS": [""]},
    ])
    def test_comes_back_as_sent(self, put, get, value):
        put(a=value)
        assert get()["a"] == value

    @pytest.mark.parametrize("kind, members, ordered", [
        ("SS", ["b", "a", "B", "", "\u00e9", "aa"], ["", "B", "a", "aa", "b", "\u00e9"]),
        ("NS", ["10", "-1", "9", "0.5", "-20"], ["-20", "-1", "0.5", "9", "10"]),
        ("BS", ["/w==", "AA==", "AAA=", ""], ["", "AA==", "AAA=", "/w=="])])
    def test_sets_come_back_in_order(self, put, get, kind, members, ordered):
        put(a={kind: members}, l={"L": [{kind: members}]})
        assert get()["a"][kind] == get()["l"]["L"][0][kind] == ordered

    def test_an_item_of_only_its_key(self, put, get, pk):
        put()
        assert get() == {"pk": pk}


class TestNumbers:
    @pytest.mark.parametrize("sent, stored", [
        ("1e3", "1000"), ("1.50", "1.5"), ("007", "7"), (".5", "0.5"), ("5.", "5"), ("+5", "5"), ("-0", "0"),
        ("-0.0", "0"), ("1e+2", "100"), ("00042", "42"), ("0.1e126", "1" + "0" * 125), ("1e125", "1" + "0" * 125),
        ("1e-130", "0." + "0" * 129 + "1"), ("-1E-130", "-0." + "0" * 129 + "1"),
        ("9.9999999999999999999999999999999999999E+125", "9" * 38 + "0" * 88),
        ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
        ("0.12345678901234567890123456789012345678", "0.12345678901234567890123456789012345678"),
        ("100000000000000000000000000000000000000000000000000", "1" + "0" * 50), ("0.0e126", "0"),
    ])
    def test_are_printed_in_plain_decimal(self, put, get, sent, stored):
        put(a={"N": sent}, nested={"L": [{"M": {"n": {"N": sent}}}]}, s={"NS": [sent]})
        item = get()
        assert item["a"] == {"N": stored}
        assert item["nested"] == {"L": [{"M": {"n": {"N": stored}}}]}
        assert item["s"] == {"NS": [stored]}

    @pytest.mark.parametrize("text", ["abc", "1e", "++5", "NaN", "Infinity", "1_000", " 1", "1 ", "1.2.3", ".", "-", "0x10", "e5"])
    def test_not_a_number(self, refused, text):
        refused({"N": text}, f"The parameter cannot be converted to a numeric value: {text}")

    def test_an_empty_number(self, refused):
        refused({"N": ""}, "The parameter cannot be converted to a numeric value: ")

    @pytest.mark.parametrize("text", ["123456789012345678901234567890123456789", "1.23456789012345678901234567890123456789"])
    def test_more_than_38_digits(self, refused, text):
        refused({"N": text}, "Attempting to store more than 38 significant digits in a Number")

    @pytest.mark.parametrize("text", ["1e126", "-1e126", "9.9e500"])
    def test_overflow(self, refused, text):
        refused({"N": text}, "Number overflow. Attempting to store a number with magnitude larger than supported range")

    @pytest.mark.parametrize("text", ["1e-131", "-1e-131", "1e-999"])
    def test_underflow(self, refused, text):
        refused({"N": text}, "Number underflow. Attempting to store a number with magnitude smaller than supported range")

    def test_keys_are_compared_by_value(self, db, range_table, pk):
        db.ok("PutItem", {"TableName": range_table, "Item": {"pk": pk, "sk": {"N": "1e3"}, "a": {"S": "x"}}})
        item = db.ok("GetItem", {"TableName": range_table, "Key": {"pk": pk, "sk": {"N": "1000.0"}}, "ConsistentRead": True})
        assert item["Item"] == {"pk": pk, "sk": {"N": "1000"}, "a": {"S": "x"}}


class TestRefusedValues:
    def test_no_type(self, refused):
        refused({}, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")

    def test_two_types(self, refused):
        refused({"S": "a", "N": "1"},
                "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes")

    def test_null_false(self, refused):
        refused({"NULL": False}, OOM + "Null attribute value types must have the value of true")

    @pytest.mark.parametrize("value, message", [
        ({"SS": []}, OOM + "An string set  may not be empty"),
        ({"NS": []}, OOM + "An number set  may not be empty"),
        ({"BS": []}, OOM + "Binary sets should not be empty"),
        ({"SS": ["a", "a"]}, OOM + "Input collection [\"a\", \"a\"] contains duplicates."),
        ({"NS": ["1", "1.0"]}, OOM + "Input collection contains duplicates."),
        ({"BS": ["Yg==", "Yg=="]}, OOM + "Input collection [\"Yg==\",\"Yg==\"]of type BS contains duplicates."),
    ])
    def test_sets(self, refused, value, message):
        refused(value, message)

    def test_nested_values_are_checked_too(self, refused):
        refused({"L": [{"M": {"x": {"SS": []}}}]}, OOM + "An string set  may not be empty")

    def test_an_empty_attribute_name(self, db, hash_table, pk):
        members = db.invalid("PutItem", {"TableName": hash_table, "Item": {"pk": pk, "": {"S": "a"}}})
        assert "Empty attribute name" in members["message"]


class TestNesting:
    @staticmethod
    def nested(levels):
        value = {"S": "leaf"}
        for _ in range(levels - 1):
            value = {"L": [value]}
        return value

    def test_32_levels_are_kept(self, put, get):
        put(a=self.nested(32))
        assert get()["a"] == self.nested(32)

    def test_33_levels_are_refused(self, refused):
        refused(self.nested(33), "Nesting Levels have exceeded supported limits: "
                                 "Attributes in the item have nested levels beyond supported limit")


class TestItemSize:
    LIMIT = 409600

    def test_exactly_the_limit(self, db, hash_table, pk):
        text = "x" * (self.LIMIT - len("pk") - len(pk["S"]) - len("a"))
        reply = db.ok("PutItem", {"TableName": hash_table, "Item": {"pk": pk, "a": {"S": text}},
                                  "ReturnConsumedCapacity": "TOTAL"})
        assert reply["ConsumedCapacity"]["CapacityUnits"] == 400.0

    def test_one_byte_over(self, db, hash_table, pk):
        text = "x" * (self.LIMIT - len("pk") - len(pk["S"]) - len("a") + 1)
        db.invalid("PutItem", {"TableName": hash_table, "Item": {"pk": pk, "a": {"S": text}}},
                   "Item size has exceeded the maximum allowed size")

    # Sizes as in docs/dynamodb.md 3.4: a number is 1 + base-100 digit pairs (+ 1 if negative), a list or
    # map 3 + 1 per element, BOOL and NULL 1, a set the sum of its members.
    @pytest.mark.parametrize("value, size", [
        ({"N": "1"}, 2), ({"N": "12"}, 2), ({"N": "123"}, 3), ({"N": "100"}, 2), ({"N": "1010"}, 3), ({"N": "1.5"}, 3),
        ({"N": "0.15"}, 2), ({"N": "100.5"}, 4), ({"N": "3.14159"}, 5), ({"N": "1" * 38}, 20), ({"N": "1E125"}, 2),
        ({"N": "-42"}, 3), ({"N": "-0"}, 1), ({"BOOL": True}, 1), ({"NULL": True}, 1), ({"S": "é"}, 2), ({"B": "YWJj"}, 3),
        ({"SS": ["ab", "c"]}, 3), ({"NS": ["1", "100"]}, 4), ({"BS": ["YWJj", "YQ=="]}, 4),
        ({"L": []}, 3), ({"L": [{"S": "a"}, {"N": "1"}]}, 8), ({"M": {}}, 3), ({"M": {"ab": {"S": "c"}}}, 7),
    ])
    def test_to_the_byte(self, db, hash_table, pk, value, size):
        """1024 bytes cost one unit and 1025 two, which shows the size of `v` exactly."""
        room = 1024 - len("pk") - len(pk["S"]) - len("v") - size - len("fill")
        for more, units in ((0, 1.0), (1, 2.0)):
            reply = db.ok("PutItem", {
                "TableName": hash_table, "Item": {"pk": pk, "v": value, "fill": {"S": "x" * (room + more)}},
                "ReturnConsumedCapacity": "TOTAL"})
            assert reply["ConsumedCapacity"]["CapacityUnits"] == units
            db.ok("DeleteItem", {"TableName": hash_table, "Key": {"pk": pk}})


class TestKeys:
    def test_types_of_keys(self, db, make_table):
        for kind, low, high in (("S", "a", "b"), ("N", "-1.5", "10"), ("B", "AA==", "/w==")):
            name = make_table(f"h:{kind}", f"r:{kind}")
            for value in (low, high):
                db.ok("PutItem", {"TableName": name, "Item": {"h": {kind: value}, "r": {kind: value}, "v": {"S": value}}})
            for value in (low, high):
                key = {"h": {kind: value}, "r": {kind: value}}
                assert db.ok("GetItem", {"TableName": name, "Key": key})["Item"]["v"] == {"S": value}

    @pytest.mark.parametrize("size, ok", [(2048, True), (2049, False)])
    def test_partition_key_length(self, db, hash_table, size, ok):
        request = {"TableName": hash_table, "Item": {"pk": {"S": "k" * size}}}
        if ok:
            db.ok("PutItem", request)
        else:
            db.invalid("PutItem", request, OOM + "Size of hashkey has exceeded the maximum size limit of2048 bytes")

    def test_sort_key_length(self, db, make_table):
        name = make_table("pk:S", "sk:S")
        db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": "a"}, "sk": {"S": "k" * 1024}}})
        message = OOM + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
        key = {"pk": {"S": "a"}, "sk": {"S": "k" * 1025}}
        db.invalid("PutItem", {"TableName": name, "Item": key}, message)
        db.invalid("GetItem", {"TableName": name, "Key": key}, message)
