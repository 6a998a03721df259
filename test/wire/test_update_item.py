"""UpdateItem: every clause, upserts, returned values, conditions, capacity, legacy updates, refusals."""

import pytest

ONE = "1 validation error detected: "
OOM = "One or more parameter values were invalid: "
PATH_ERROR = "The document path provided in the update expression is invalid for update"
OPERAND_ERROR = "An operand in the update expression has an incorrect data type"


@pytest.fixture
def request_of(hash_table, pk):
    def make(expression=None, values=None, names=None, **more):
        request = {"TableName": hash_table, "Key": {"pk": pk}, **more}
        if expression is not None:
            request["UpdateExpression"] = expression
        if values:
            request["ExpressionAttributeValues"] = {f":{name}": value for name, value in values.items()}
        if names:
            request["ExpressionAttributeNames"] = {f"#{alias}": name for alias, name in names.items()}
        return request
    return make


@pytest.fixture
def update(db, request_of):
    def run(expression=None, values=None, names=None, **more):
        return db.ok("UpdateItem", request_of(expression, values, names, **more))
    return run


@pytest.fixture
def refused(db, request_of):
    def check(message, expression=None, values=None, names=None, **more):
        return db.invalid("UpdateItem", request_of(expression, values, names, **more), message)
    return check


def numbers(*items):
    return {"L": [{"N": str(item)} for item in items]}


class TestSet:
    def test_sets_and_keeps_the_rest(self, put, get, update, pk):
        put(a={"S": "old"}, b={"S": "kept"})
        assert update("SET a = :v", {"v": {"S": "new"}}) == {}
        assert get() == {"pk": pk, "a": {"S": "new"}, "b": {"S": "kept"}}

    def test_right_hand_sides_see_the_old_item(self, put, get, update):
        put(a={"S": "old"})
        update("SET a = :v, b = a", {"v": {"S": "new"}})
        assert get()["b"] == {"S": "old"}

    @pytest.mark.parametrize("expression, result", [
        ("SET n = n + :v", "13"), ("SET n = n - :v", "7"), ("SET n = :v - n", "-7"), ("SET n = if_not_exists(x, :v) + n", "13"),
        ("SET n = (n + :v)", "13"), ("set n=n+:v", "13"), ("SET n = if_not_exists(n, :v)", "10"),
        ("SET n = if_not_exists(x, if_not_exists(y, :v))", "3")])
    def test_arithmetic(self, put, get, update, expression, result):
        put(n={"N": "10"})
        update(expression, {"v": {"N": "3"}})
        assert get()["n"] == {"N": result}

    def test_arithmetic_is_exact(self, put, get, update):
        put(n={"N": "0.1"})
        update("SET n = n + :v", {"v": {"N": "0.2"}})
        assert get()["n"] == {"N": "0.3"}

    @pytest.mark.parametrize("old, add", [("1e50", "1"), ("9e125", "9e125")])
    def test_sums_that_do_not_fit(self, put, refused, old, add):
        put(n={"N": old})
        refused("Number overflow. Attempting to store a number with magnitude larger than supported range",
                "SET n = n + :v", {"v": {"N": add}})

    @pytest.mark.parametrize("expression, result", [
        ("SET l = list_append(l, :v)", numbers(1, 2, 9)), ("SET l = list_append(:v, l)", numbers(9, 1, 2)),
        ("SET l = list_append(if_not_exists(x, :v), l)", numbers(9, 1, 2)), ("SET l[0] = :v", {"L": [numbers(9), {"N": "2"}]}),
        ("SET l[100] = :v", {"L": [{"N": "1"}, {"N": "2"}, numbers(9)]})])
    def test_lists(self, put, get, update, expression, result):
        put(l=numbers(1, 2))
        update(expression, {"v": numbers(9)})
        assert get()["l"] == result

    def test_appends_past_the_end_keep_index_order(self, put, get, update):
        put(l=numbers(1))
        update("SET l[9] = :b, l[5] = :a", {"a": {"N": "2"}, "b": {"N": "3"}})
        assert get()["l"] == numbers(1, 2, 3)

    def test_nested(self, put, get, update):
        put(m={"M": {"a": {"M": {"b": {"S": "old"}}}}})
        update("SET m.a.b = :v, m.#new = :v", {"v": {"S": "new"}}, {"new": "with.dot"})
        assert get()["m"] == {"M": {"a": {"M": {"b": {"S": "new"}}}, "with.dot": {"S": "new"}}}

    @pytest.mark.parametrize("expression", ["SET a.b = :v", "SET a[0] = :v", "SET nowhere.b = :v", "SET m.x.y = :v"])
    def test_a_path_that_does_not_lead_there(self, put, refused, expression):
        put(a={"S": "text"}, m={"M": {}})
        refused(PATH_ERROR, expression, {"v": {"S": "x"}})

    def test_reading_a_missing_attribute(self, put, refused):
        put()
        refused("The provided expression refers to an attribute that does not exist in the item", "SET a = b")

    def test_operand_types(self, put, refused):
        put(s={"S": "text"}, l=numbers(1))
        refused(OPERAND_ERROR, "SET s = s + :v", {"v": {"N": "1"}})
        refused(OPERAND_ERROR, "SET l = list_append(l, s)")


class TestRemove:
    def test_attributes_and_nested_ones(self, put, get, update, pk):
        put(a={"S": "x"}, m={"M": {"a": {"S": "x"}}})
        update("REMOVE a, m.a, nowhere")
        assert get() == {"pk": pk, "m": {"M": {}}}

    def test_indexes_mean_the_original_list(self, put, get, update):
        put(l=numbers(0, 1, 2, 3))
        update("REMOVE l[1], l[2], l[50]")
        assert get()["l"] == numbers(0, 3)

    def test_a_missing_parent(self, put, refused):
        put()
        refused(PATH_ERROR, "REMOVE nowhere.a")


class TestAdd:
    def test_numbers(self, put, get, update):
        put(n={"N": "5"})
        update("ADD n :v, fresh :v", {"v": {"N": "-7"}})
        assert (get()["n"], get()["fresh"]) == ({"N": "-2"}, {"N": "-7"})

    @pytest.mark.parametrize("kind, old, add, result", [
        ("SS", ["a", "b"], ["b", "c"], ["a", "b", "c"]), ("NS", ["1", "2"], ["2.0", "3"], ["1", "2", "3"]),
        ("BS", ["YQ=="], ["Yg=="], ["YQ==", "Yg=="])])
    def test_sets(self, put, get, update, kind, old, add, result):
        put(s={kind: old})
        update("ADD s :v, fresh :v", {"v": {kind: add}})
        assert sorted(get()["s"][kind]) == result
        assert len(get()["fresh"][kind]) == len(add)

    def test_a_clash_with_the_item(self, put, refused):
        put(s={"S": "text"})
        refused(OPERAND_ERROR, "ADD s :v", {"v": {"N": "1"}})

    @pytest.mark.parametrize("value, kind", [({"S": "a"}, "STRING"), ({"L": []}, "LIST"), ({"M": {}}, "MAP"),
                                             ({"BOOL": True}, "BOOLEAN"), ({"NULL": True}, "NULL"), ({"B": "YQ=="}, "BINARY")])
    def test_types_that_cannot_be_added(self, refused, value, kind):
        refused(ONE + "Invalid UpdateExpression: Incorrect operand type for operator or function; operator: ADD, "
                f"operand type: {kind}", "ADD a :v", {"v": value})


class TestDelete:
    def test_elements(self, put, get, update):
        put(s={"SS": ["a", "b", "c"]}, n={"NS": ["1", "2"]})
        update("DELETE s :s, n :n, nowhere :s", {"s": {"SS": ["b", "x"]}, "n": {"NS": ["1.0"]}})
        assert (sorted(get()["s"]["SS"]), get()["n"]) == (["a", "c"], {"NS": ["2"]})

    def test_an_emptied_set_disappears(self, put, get, update, pk):
        put(s={"SS": ["a"]})
        update("DELETE s :v", {"v": {"SS": ["a"]}})
        assert get() == {"pk": pk}

    def test_another_type_of_set(self, put, refused):
        put(s={"SS": ["a"]})
        refused(OPERAND_ERROR, "DELETE s :v", {"v": {"NS": ["1"]}})


class TestUpsert:
    @pytest.mark.parametrize("expression", ["SET a = :v", "ADD a :v"])
    def test_set_and_add_create(self, get, update, pk, expression):
        update(expression, {"v": {"N": "1"}})
        assert get() == {"pk": pk, "a": {"N": "1"}}

    def test_no_expression_creates_a_key_only_item(self, get, update, pk):
        update()
        assert get() == {"pk": pk}

    @pytest.mark.parametrize("expression, values", [("REMOVE a", None), ("DELETE a :v", {"v": {"SS": ["x"]}}), ("REMOVE a.b", None)])
    def test_remove_and_delete_create_nothing(self, get, update, expression, values):
        update(expression, values)
        assert get() is None

    def test_the_condition_sees_the_absent_item(self, db, get, request_of):
        db.error("UpdateItem", request_of("SET a = :v", {"v": {"N": "1"}}, ConditionExpression="attribute_exists(pk)"),
                 "ConditionalCheckFailedException")
        assert get() is None


class TestReturnValues:
    @pytest.fixture(autouse=True)
    def stored(self, put):
        put(a={"S": "old"}, m={"M": {"x": {"S": "old"}, "y": {"S": "kept"}}}, l=numbers(0, 1, 2))

    def returned(self, update, mode, expression="SET a = :v, m.x = :v", values=None):
        return update(expression, values or {"v": {"S": "new"}}, ReturnValues=mode)

    def test_all_old(self, update, pk):
        attributes = self.returned(update, "ALL_OLD")["Attributes"]
        assert (attributes["pk"], attributes["a"]) == (pk, {"S": "old"})

    def test_all_new(self, update, pk):
        attributes = self.returned(update, "ALL_NEW")["Attributes"]
        assert attributes["pk"] == pk
        assert (attributes["a"], attributes["m"]["M"]["x"], attributes["m"]["M"]["y"]) == (
            {"S": "new"}, {"S": "new"}, {"S": "kept"})

    def test_updated_old(self, update):
        assert self.returned(update, "UPDATED_OLD")["Attributes"] == {"a": {"S": "old"}, "m": {"M": {"x": {"S": "old"}}}}

    def test_updated_new(self, update):
        assert self.returned(update, "UPDATED_NEW")["Attributes"] == {"a": {"S": "new"}, "m": {"M": {"x": {"S": "new"}}}}

    def test_the_same_value_counts_as_updated(self, update):
        assert update("SET a = :v", {"v": {"S": "old"}}, ReturnValues="UPDATED_NEW") == {"Attributes": {"a": {"S": "old"}}}

    def test_nothing_to_report(self, update):
        assert update("REMOVE a", ReturnValues="UPDATED_NEW") == {}
        assert update("SET fresh = :v", {"v": {"N": "1"}}, ReturnValues="UPDATED_OLD") == {}

    def test_updated_new_looks_at_the_written_index(self, update):
        assert update("SET l[100] = :v", {"v": {"N": "3"}}, ReturnValues="UPDATED_NEW") == {}
        assert update("REMOVE l[1]", ReturnValues="UPDATED_NEW") == {"Attributes": {"l": numbers(2)}}

    def test_all_old_of_a_new_item(self, db, hash_table):
        assert db.ok("UpdateItem", {"TableName": hash_table, "Key": {"pk": {"S": "update-all-old"}}, "ReturnValues": "ALL_OLD"}) == {}
        db.ok("DeleteItem", {"TableName": hash_table, "Key": {"pk": {"S": "update-all-old"}}})


class TestConditions:
    def test_optimistic_locking(self, db, put, update, request_of, get):
        put(version={"N": "1"})
        values = {"old": {"N": "1"}, "one": {"N": "1"}}
        update("ADD version :one", values, ConditionExpression="version = :old")
        db.error("UpdateItem", request_of("ADD version :one", values, ConditionExpression="version = :old"),
                 "ConditionalCheckFailedException", "The conditional request failed")
        assert get()["version"] == {"N": "2"}

    def test_the_failing_item_is_returned_on_request(self, db, put, request_of, pk):
        put(a={"S": "old"})
        members = db.error("UpdateItem", request_of("SET b = :v", {"v": {"N": "1"}}, ConditionExpression="attribute_exists(b)",
                                                    ReturnValuesOnConditionCheckFailure="ALL_OLD"),
                           "ConditionalCheckFailedException")
        assert members["Item"] == {"pk": pk, "a": {"S": "old"}}

    def test_expected(self, db, put, get, request_of):
        put(a={"N": "1"})
        updates = {"a": {"Action": "ADD", "Value": {"N": "1"}}}
        db.ok("UpdateItem", request_of(AttributeUpdates=updates, Expected={"a": {"Value": {"N": "1"}}}))
        db.error("UpdateItem", request_of(AttributeUpdates=updates, Expected={"a": {"Value": {"N": "1"}}}),
                 "ConditionalCheckFailedException")
        assert get()["a"] == {"N": "2"}


class TestLegacyUpdates:
    def test_put_is_the_default(self, put, get, update):
        put(a={"S": "old"})
        update(AttributeUpdates={"a": {"Value": {"S": "new"}}, "dotted.name": {"Action": "PUT", "Value": {"N": "1"}}})
        assert (get()["a"], get()["dotted.name"]) == ({"S": "new"}, {"N": "1"})

    def test_delete(self, put, get, update, pk):
        put(a={"S": "x"}, s={"SS": ["a", "b"]})
        update(AttributeUpdates={"a": {"Action": "DELETE"}, "s": {"Action": "DELETE", "Value": {"SS": ["a"]}}})
        assert get() == {"pk": pk, "s": {"SS": ["b"]}}

    def test_add_numbers_sets_and_lists(self, put, get, update):
        put(n={"N": "1"}, l=numbers(1))
        update(AttributeUpdates={"n": {"Action": "ADD", "Value": {"N": "2"}}, "l": {"Action": "ADD", "Value": numbers(2)}})
        assert (get()["n"], get()["l"]) == ({"N": "3"}, numbers(1, 2))

    def test_empty_updates_create_a_key_only_item(self, get, update, pk):
        update(AttributeUpdates={})
        assert get() == {"pk": pk}

    @pytest.mark.parametrize("change, message", [
        ({"Action": "PUT"}, "Only DELETE action is allowed when no attribute value is specified"),
        ({"Action": "DELETE", "Value": {"S": "a"}}, "DELETE action with value is not supported for the type S"),
        ({"Action": "ADD", "Value": {"S": "a"}}, "ADD action is not supported for the type S")])
    def test_errors(self, refused, change, message):
        refused(ONE + OOM + message, AttributeUpdates={"a": change})

    def test_a_clash_with_the_item(self, put, refused):
        put(a={"S": "text"})
        refused("Type mismatch for attribute to update", AttributeUpdates={"a": {"Action": "ADD", "Value": {"N": "1"}}})

    def test_never_mixed_with_expressions(self, refused):
        refused(ONE + "Can not use both expression and non-expression parameters in the same request: "
                "Non-expression parameters: {AttributeUpdates} Expression parameters: {UpdateExpression}",
                "REMOVE a", AttributeUpdates={"a": {"Action": "DELETE"}})


class TestCapacity:
    @pytest.mark.parametrize("old, new, units", [(10, 10, 1.0), (3000, 10, 3.0), (10, 3000, 3.0)])
    def test_the_larger_of_old_and_new(self, put, update, old, new, units):
        put(a={"S": "x" * old})
        reply = update("SET a = :v", {"v": {"S": "x" * new}}, ReturnConsumedCapacity="TOTAL")
        assert reply["ConsumedCapacity"]["CapacityUnits"] == units

    def test_a_new_item(self, hash_table, update):
        assert update(ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"] == {
            "TableName": hash_table, "CapacityUnits": 1.0, "Table": {"CapacityUnits": 1.0}}


class TestItemSize:
    """UpdateItem measures max(item, item - keys + 3 + 19 per value-writing action) against 409,600 bytes."""

    def test_the_limit(self, put, update, refused, pk):
        keys = len("pk") + len(pk["S"])
        assert keys < 19 + 3
        largest = 409600 - len("a") - 3 - 19
        put()
        update("SET a = :v", {"v": {"S": "x" * largest}})
        refused("Item size to update has exceeded the maximum allowed size", "SET a = :v", {"v": {"S": "x" * (largest + 1)}})


class TestRefused:
    @pytest.mark.parametrize("expression, message", [
        ("", "The expression can not be empty;"),
        ("SET a = :v SET b = :v", 'The "SET" section can only be used once in an update expression;'),
        ("SET a = :v, a = :v", "Two document paths overlap with each other; must remove or rewrite one of these paths; "
                               "path one: [a], path two: [a]"),
        ("SET a = :v REMOVE a.b", "Two document paths overlap with each other; must remove or rewrite one of these "
                                  "paths; path one: [a], path two: [a, b]"),
        ("SET a.b = :v, a[0] = :v", "Two document paths conflict with each other; must remove or rewrite one of these "
                                    "paths; path one: [a, b], path two: [a, [0]]"),
        ("SET name = :v", "Attribute name is a reserved keyword; reserved keyword: name"),
        ("SET a = nonsense(:v)", "Invalid function name; function: nonsense"),
        ("SET a = :v + b + :v", 'Syntax error; token: "+", near: "b + :v"'),
        ("SET _123 = :v", 'Syntax error; token: "_", near: "SET _123"'),
        ("INVALID SYNTAX HERE", 'Syntax error; token: "INVALID", near: "INVALID SYNTAX"'),
        ("SET a = #x, b = :v", "An expression attribute name used in the document path is not defined; attribute name: #x"),
        ("SET a = :x, b = :v", "An expression attribute value used in expression is not defined; attribute value: :x"),
        ("SET a = list_append(list_append(b, c), d)",
         "The function is not allowed to be used this way in an expression; function: list_append"),
        ("SET a = if_not_exists(b)", "Incorrect number of operands for operator or function; operator or function: "
                                     "if_not_exists, number of operands: 1"),
        ("SET a = if_not_exists(:v, :v)", "Operator or function requires a document path; operator or function: if_not_exists"),
    ])
    def test_expressions(self, refused, expression, message):
        refused(f"{ONE}Invalid UpdateExpression: {message}", expression, {"v": {"N": "1"}})

    def test_key_attributes(self, refused):
        refused(OOM + "Cannot update attribute pk. This attribute is part of the key", "SET pk = :v", {"v": {"S": "x"}})
        refused(OOM + "Cannot update attribute pk. This attribute is part of the key", "REMOVE pk")

    def test_values_without_an_expression(self, refused):
        refused(ONE + "ExpressionAttributeValues can only be specified when using expressions", values={"v": {"S": "x"}})

    def test_unused_names_and_values(self, refused):
        refused(ONE + "Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}",
                "SET a = :v", {"v": {"S": "x"}, "w": {"S": "y"}})
        refused(ONE + "Value provided in ExpressionAttributeNames unused in expressions: keys: {#n}", "REMOVE a", names={"n": "x"})

    def test_bad_values(self, refused):
        refused(ONE + OOM + "An string set  may not be empty", "SET a = :v", {"v": {"SS": []}})

    def test_empty_names_and_values(self, refused, request_of, db):
        refused(ONE + "ExpressionAttributeValues must not be empty", "REMOVE a", ExpressionAttributeValues={})
        refused(ONE + "ExpressionAttributeNames must not be empty", "REMOVE a", ExpressionAttributeNames={})

    def test_key_and_table(self, db, hash_table, request_of):
        db.invalid("UpdateItem", {"TableName": hash_table, "Key": {"x": {"S": "a"}}}, "The provided key element does not match the schema")
        db.error("UpdateItem", {"TableName": "no-such-table", "Key": {"pk": {"S": "a"}}},
                 "ResourceNotFoundException", "Requested resource not found")


class TestWithBoto3:
    def test_counter(self, dynamodb, hash_table, pk):
        table = dynamodb.Table(hash_table)
        for expected in range(1, 6):
            reply = table.update_item(Key={"pk": pk["S"]}, UpdateExpression="ADD hits :one",
                                      ExpressionAttributeValues={":one": 1}, ReturnValues="UPDATED_NEW")
            assert reply["Attributes"] == {"hits": expected}
