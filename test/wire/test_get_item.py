"""GetItem: projections, consistency, capacity, and what is refused."""

import pytest

OOM = "One or more parameter values were invalid: "
DOCUMENT = {
    "m": {"M": {"x": {"S": "mx"}, "y": {"L": [{"S": "y0"}, {"S": "y1"}, {"S": "y2"}]}}},
    "l": {"L": [{"M": {"a": {"N": "1"}, "b": {"N": "2"}}}, {"S": "l1"}, {"S": "l2"}]},
    "plain": {"S": "p"}, "dotted.name": {"S": "d"},
}


@pytest.fixture
def projected(put, get, pk):
    put(**DOCUMENT)

    def read(expression, **names):
        more = {"ProjectionExpression": expression}
        if names:
            more["ExpressionAttributeNames"] = {f"#{alias}": name for alias, name in names.items()}
        return get(**more)
    return read


class TestReading:
    def test_a_missing_item_has_no_item_member(self, db, hash_table, pk):
        assert db.ok("GetItem", {"TableName": hash_table, "Key": {"pk": pk}}) == {}

    @pytest.mark.parametrize("consistent", [True, False])
    def test_an_acknowledged_write_is_read(self, db, hash_table, put, pk, consistent):
        put(a={"S": "x"})
        reply = db.ok("GetItem", {"TableName": hash_table, "Key": {"pk": pk}, "ConsistentRead": consistent})
        assert reply == {"Item": {"pk": pk, "a": {"S": "x"}}}

    def test_sort_keys_are_apart(self, db, range_table, pk):
        for number in ("-1", "0", "0.5", "10", "9"):
            db.ok("PutItem", {"TableName": range_table, "Item": {"pk": pk, "sk": {"N": number}, "v": {"S": number}}})
        for number in ("-1", "0", "0.5", "10", "9"):
            reply = db.ok("GetItem", {"TableName": range_table, "Key": {"pk": pk, "sk": {"N": number}}})
            assert reply["Item"]["v"] == {"S": number}


class TestProjection:
    def test_keys_are_not_added(self, projected):
        assert projected("plain") == {"plain": {"S": "p"}}

    def test_nested_paths_keep_their_structure(self, projected):
        assert projected("m.x") == {"m": {"M": {"x": {"S": "mx"}}}}
        assert projected("m.y[0]") == {"m": {"M": {"y": {"L": [{"S": "y0"}]}}}}

    def test_list_elements_are_compacted_in_index_order(self, projected):
        assert projected("m.y[2], m.y[0]") == {"m": {"M": {"y": {"L": [{"S": "y0"}, {"S": "y2"}]}}}}

    def test_paths_into_one_element_merge(self, projected):
        assert projected("l[0].a, l[0].b") == {"l": {"L": [{"M": {"a": {"N": "1"}, "b": {"N": "2"}}}]}}

    def test_a_dot_in_an_alias_is_literal(self, projected):
        assert projected("#d", d="dotted.name") == {"dotted.name": {"S": "d"}}

    def test_nothing_matched_on_an_existing_item(self, projected):
        assert projected("nowhere, m.nowhere, l[9]") == {}

    def test_nothing_matched_on_a_missing_item(self, db, hash_table, pk):
        assert db.ok("GetItem", {"TableName": hash_table, "Key": {"pk": pk}, "ProjectionExpression": "a"}) == {}

    @pytest.mark.parametrize("expression, message", [
        ("", "Invalid ProjectionExpression: The expression can not be empty;"),
        ("a, a", "Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one "
                 "of these paths; path one: [a], path two: [a]"),
        ("a, a.b", "Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite "
                   "one of these paths; path one: [a], path two: [a, b]"),
        ("a.b, a[1]", "Invalid ProjectionExpression: Two document paths conflict with each other; must remove or "
                      "rewrite one of these paths; path one: [a, b], path two: [a, [1]]"),
        ("name", "Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: name"),
        ("a, Status", "Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: Status"),
        ("#x", "Invalid ProjectionExpression: An expression attribute name used in the document path is not defined; "
               "attribute name: #x"),
        ("!!! INVALID !!!", 'Invalid ProjectionExpression: Syntax error; token: "!", near: "!!"'),
        (".".join(["a"] * 33), "Invalid ProjectionExpression: The document path has too many nesting levels; nesting levels: 33"),
        ("a[99999999999999]", "Invalid ProjectionExpression: List index is not within the allowable range; index: [99999999999999]"),
        ("a" * 4097, "Invalid ProjectionExpression: Expression size has exceeded the maximum allowed size; expression size: 4097"),
    ])
    def test_errors_even_when_nothing_is_there(self, db, hash_table, pk, expression, message):
        db.invalid("GetItem", {"TableName": hash_table, "Key": {"pk": pk}, "ProjectionExpression": expression}, message)

    def test_unused_names(self, db, hash_table, pk):
        db.invalid("GetItem", {"TableName": hash_table, "Key": {"pk": pk}, "ProjectionExpression": "a",
                               "ExpressionAttributeNames": {"#b": "b"}},
                   "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b}")

    def test_names_without_an_expression(self, db, hash_table, pk):
        db.invalid("GetItem", {"TableName": hash_table, "Key": {"pk": pk}, "ExpressionAttributeNames": {"#b": "b"}},
                   "ExpressionAttributeNames can only be specified when using expressions")

    def test_bad_alias(self, db, hash_table, pk):
        db.invalid("GetItem", {"TableName": hash_table, "Key": {"pk": pk}, "ProjectionExpression": "a",
                               "ExpressionAttributeNames": {"b": "b"}},
                   'ExpressionAttributeNames contains invalid key: Syntax error; key: "b"')

    def test_attributes_to_get(self, put, get):
        put(**DOCUMENT)
        assert get(AttributesToGet=["plain", "dotted.name"]) == {"plain": {"S": "p"}, "dotted.name": {"S": "d"}}

    def test_attributes_to_get_errors(self, db, hash_table, pk):
        request = {"TableName": hash_table, "Key": {"pk": pk}}
        db.invalid("GetItem", {**request, "AttributesToGet": ["a", "a"]}, OOM + "Duplicate value in attribute name: a")
        db.invalid("GetItem", {**request, "AttributesToGet": []},
                   "1 validation error detected: Value '[]' at 'attributesToGet' failed to satisfy constraint: "
                   "Member must have length greater than or equal to 1")
        db.invalid("GetItem", {**request, "AttributesToGet": ["a"], "ProjectionExpression": "a"},
                   "Can not use both expression and non-expression parameters in the same request: "
                   "Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}")


class TestCapacity:
    @pytest.mark.parametrize("size, units", [(100, 1.0), (4096, 1.0), (4097, 2.0), (9000, 3.0)])
    def test_units_by_size(self, db, hash_table, put, pk, size, units):
        put(a={"S": "x" * (size - len("pk") - len(pk["S"]) - len("a"))})
        for consistent, factor in ((True, 1.0), (False, 0.5)):
            reply = db.ok("GetItem", {"TableName": hash_table, "Key": {"pk": pk}, "ConsistentRead": consistent,
                                      "ReturnConsumedCapacity": "TOTAL", "ProjectionExpression": "nothing"})
            assert reply["ConsumedCapacity"] == {"TableName": hash_table, "CapacityUnits": units * factor}

    def test_a_missing_item_is_charged(self, db, hash_table, pk):
        for consistent, units in ((True, 1.0), (False, 0.5)):
            reply = db.ok("GetItem", {"TableName": hash_table, "Key": {"pk": pk}, "ConsistentRead": consistent,
                                      "ReturnConsumedCapacity": "INDEXES"})
            assert reply == {"ConsumedCapacity": {"TableName": hash_table, "CapacityUnits": units,
                                                  "Table": {"CapacityUnits": units}}}


class TestRefused:
    @pytest.mark.parametrize("key", [
        {}, {"other": {"S": "a"}}, {"pk": {"N": "1"}}, {"pk": {"S": "a"}, "sk": {"N": "1"}}])
    def test_a_key_that_does_not_fit(self, db, hash_table, key):
        db.invalid("GetItem", {"TableName": hash_table, "Key": key}, "The provided key element does not match the schema")

    def test_an_empty_key_value(self, db, hash_table):
        db.invalid("GetItem", {"TableName": hash_table, "Key": {"pk": {"S": ""}}},
                   "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain "
                   "an empty string value. Key: pk")

    def test_an_overlong_key(self, db, hash_table):
        db.invalid("GetItem", {"TableName": hash_table, "Key": {"pk": {"S": "x" * 2049}}},
                   OOM + "Size of hashkey has exceeded the maximum size limit of2048 bytes")

    def test_unknown_table(self, db):
        db.error("GetItem", {"TableName": "no-such-table", "Key": {"pk": {"S": "a"}}},
                 "ResourceNotFoundException", "Requested resource not found")

    def test_expressions_are_checked_before_the_table(self, db):
        db.invalid("GetItem", {"TableName": "no-such-table", "Key": {"pk": {"S": "a"}}, "ProjectionExpression": "a,a"})

    def test_missing_key_member(self, db, hash_table):
        db.invalid("GetItem", {"TableName": hash_table}, "1 validation error detected: Value null at 'key' failed to "
                                                         "satisfy constraint: Member must not be null")

    def test_with_boto3(self, client):
        with pytest.raises(client.exceptions.ResourceNotFoundException):
            client.get_item(TableName="no-such-table", Key={"pk": {"S": "a"}})
