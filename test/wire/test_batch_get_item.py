"""BatchGetItem: several tables, per-table options, the 16 MB of a reply, capacity, refusals."""

import pytest

from harness import tables


def keys(*names):
    return [{"pk": {"S": name}} for name in names]


class TestEffect:
    def test_every_table_is_answered(self, db, hash_table, range_table, pk, put):
        put(a={"S": "x"})
        reply = db.ok("BatchGetItem", {"RequestItems": {
            hash_table: {"Keys": [{"pk": pk}, {"pk": {"S": "not there"}}]},
            range_table: {"Keys": [{"pk": pk, "sk": {"N": "1"}}]}}})
        assert reply == {"Responses": {hash_table: [{"pk": pk, "a": {"S": "x"}}], range_table: []}, "UnprocessedKeys": {}}

    def test_options_are_per_table(self, db, hash_table, range_table, pk, put):
        put(a={"S": "x"}, b={"S": "y"})
        db.ok("PutItem", {"TableName": range_table, "Item": {"pk": pk, "sk": {"N": "1"}, "a": {"S": "z"}}})
        reply = db.ok("BatchGetItem", {"RequestItems": {
            hash_table: {"Keys": [{"pk": pk}], "ProjectionExpression": "#a", "ExpressionAttributeNames": {"#a": "a"}},
            range_table: {"Keys": [{"pk": pk, "sk": {"N": "1"}}], "ConsistentRead": True}}})
        assert reply["Responses"] == {hash_table: [{"a": {"S": "x"}}],
                                      range_table: [{"pk": pk, "sk": {"N": "1"}, "a": {"S": "z"}}]}

    def test_legacy_attributes(self, db, hash_table, pk, put):
        put(a={"S": "x"}, b={"S": "y"})
        reply = db.ok("BatchGetItem", {"RequestItems": {hash_table: {"Keys": [{"pk": pk}], "AttributesToGet": ["b"]}}})
        assert reply["Responses"][hash_table] == [{"b": {"S": "y"}}]

    def test_a_full_reply_leaves_the_rest(self, db, make_table):
        table = make_table()
        names = [f"k{n}" for n in range(50)]
        for name in names:
            db.ok("PutItem", {"TableName": table, "Item": {"pk": {"S": name}, "v": {"S": "x" * 390_000}}})
        wanted = {table: {"Keys": keys(*names), "ConsistentRead": True, "ProjectionExpression": "#p",
                          "ExpressionAttributeNames": {"#p": "pk"}}}
        seen, rounds = [], 0
        while wanted:
            reply = db.ok("BatchGetItem", {"RequestItems": wanted})
            seen += [item["pk"]["S"] for item in reply["Responses"][table]]
            rounds += 1
            if wanted := reply["UnprocessedKeys"]:
                assert {name: value for name, value in wanted[table].items() if name != "Keys"} == {
                    "ConsistentRead": True, "ProjectionExpression": "#p", "ExpressionAttributeNames": {"#p": "pk"}}
        assert sorted(seen) == sorted(names)
        assert rounds == 2


class TestCapacity:
    def test_per_table(self, db, hash_table, range_table, pk, put):
        put(a={"S": "x" * 5000})
        reply = db.ok("BatchGetItem", {"ReturnConsumedCapacity": "TOTAL", "RequestItems": {
            hash_table: {"Keys": [{"pk": pk}, {"pk": {"S": "none"}}], "ConsistentRead": True},
            range_table: {"Keys": [{"pk": pk, "sk": {"N": "1"}}]}}})
        assert {entry["TableName"]: entry["CapacityUnits"] for entry in reply["ConsumedCapacity"]} == {
            hash_table: 3.0, range_table: 0.5}


class TestRefusals:
    def test_nothing_asked(self, db):
        db.invalid("BatchGetItem", {"RequestItems": {}},
                   "1 validation error detected: Value at 'RequestItems' failed to satisfy constraint: "
                   "Member must have length greater than or equal to 1")

    NAMES = ("at 'requestItems' failed to satisfy constraint: Map keys must satisfy constraint: [Member must have length less than or "
             "equal to 255, Member must have length greater than or equal to 3, Member must satisfy regular expression pattern: "
             "[a-zA-Z0-9_.-]+]")

    @pytest.mark.parametrize("name", ["bad!name", "ab"])
    def test_ill_formed_table_names_show_the_map_as_json(self, db, name):
        db.invalid("BatchGetItem", {"RequestItems": {name: {"Keys": [{"pk": {"S": "a"}}], "ConsistentRead": True}}},
                   f"1 validation error detected: Value '{{\"{name}\":{{\"Keys\":[{{\"pk\":{{\"S\":\"a\"}}}}],\"ConsistentRead\":true}}}}' " + self.NAMES)

    def test_they_come_before_an_unknown_enum(self, db):
        db.invalid("BatchGetItem", {"RequestItems": {"bad!name": {"Keys": [{"pk": {"S": "a"}}]}}, "ReturnConsumedCapacity": "BOGUS"},
                   "2 validation errors detected: Value '{\"bad!name\":{\"Keys\":[{\"pk\":{\"S\":\"a\"}}]}}' " + self.NAMES + "; Value 'BOGUS' at "
                   "'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]")

    def test_too_many(self, db, hash_table, range_table):
        db.invalid("BatchGetItem", {"RequestItems": {hash_table: {"Keys": keys(*map(str, range(101)))}}},
                   f"1 validation error detected: Value at 'RequestItems.{hash_table}.member.Keys' failed to satisfy "
                   "constraint: Member must have length less than or equal to 100")
        db.invalid("BatchGetItem", {"RequestItems": {
            hash_table: {"Keys": keys(*map(str, range(60)))},
            range_table: {"Keys": [{"pk": {"S": "a"}, "sk": {"N": str(n)}} for n in range(41)]}}},
            "Too many items requested for the BatchGetItem call")

    def test_duplicates(self, db, hash_table):
        db.invalid("BatchGetItem", {"RequestItems": {hash_table: {"Keys": keys("a", "b", "a")}}},
                   "Provided list of item keys contains duplicates")

    def test_styles_do_not_mix_across_tables(self, db, hash_table, range_table, pk):
        db.invalid("BatchGetItem", {"RequestItems": {
            hash_table: {"Keys": [{"pk": pk}], "AttributesToGet": ["a"]},
            range_table: {"Keys": [{"pk": pk, "sk": {"N": "1"}}], "ProjectionExpression": "a"}}},
            "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
            "{AttributesToGet} Expression parameters: {ProjectionExpression}")

    def test_wrong_key(self, db, hash_table):
        db.invalid("BatchGetItem", {"RequestItems": {hash_table: {"Keys": [{"pk": {"N": "1"}}]}}},
                   "The provided key element does not match the schema")

    def test_missing_table(self, db, hash_table, pk):
        db.error("BatchGetItem", {"RequestItems": {hash_table: {"Keys": [{"pk": pk}]},
                                                   tables.unique(): {"Keys": [{"pk": pk}]}}},
                 "ResourceNotFoundException", "Requested resource not found")
