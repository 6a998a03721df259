"""All ten operations through Amazon's clients: what they return, what they cost, pages, batches and transactions."""

import pytest

from harness import indexes, tables
from harness.dax import assert_same, canonical, comparable, dax_only, in_order, outcome
from harness.indexes import Index


GSI, LSI = Index("byColor", "color:S", "grade:N"), Index("byGrade", "pk:S", "grade:N", ["note"])


def item(pk, sk, **attributes):
    return {"pk": {"S": pk}, "sk": {"N": str(sk)}, **attributes}


def key(pk, sk):
    return item(pk, sk)


def box(pk, sk, color="red", grade=1, **more):
    return item(pk, sk, color={"S": color}, grade={"N": str(grade)}, **more)


@pytest.fixture(scope="module")
def indexed(db):
    """A table with an index of each kind."""
    name = tables.create(db, "pk:S", "sk:N", **indexes.members("pk:S", "sk:N", [GSI], [LSI]))
    yield name
    tables.drop(db, name)


@pytest.fixture
def fresh(make_table):
    """Such a table of the test's own: what it reads nobody has cached."""
    return make_table("pk:S", "sk:N", **indexes.members("pk:S", "sk:N", [GSI], [LSI]))


@pytest.fixture
def twins(db, dax):
    """Two partitions for the same requests, one by each client: [(client, pk), …]."""
    return [(db, tables.unique("api")), (dax, tables.unique("dax"))]


def by_both(twins, make):
    """What both clients say to make(pk), with their keys made the same; asserts that it is the same."""
    found = []
    for client, pk in twins:
        operation, request = make(pk)
        found.append(renamed(outcome(client, operation, request), pk))
    assert found[0] == found[1]
    return found[1]


def renamed(value, pk):
    if isinstance(value, (tuple, list)):
        return type(value)(renamed(each, pk) for each in value)
    if isinstance(value, dict):
        return {name: renamed(each, pk) for name, each in value.items()}
    return value.replace(pk, "PK") if isinstance(value, str) else value


# --- one after another


@pytest.mark.parametrize("returned", ["NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"])
def test_return_values_of_put_and_delete(twins, indexed, returned):
    """PutItem and DeleteItem know two of them, and say so of the others."""
    for attributes in ({"a": {"N": "1"}}, {"b": {"S": "x"}}):  # first there is nothing, then something
        by_both(twins, lambda pk: ("PutItem", {"TableName": indexed, "Item": item(pk, 1, **attributes), "ReturnValues": returned}))
    for _ in range(2):
        by_both(twins, lambda pk: ("DeleteItem", {"TableName": indexed, "Key": key(pk, 1), "ReturnValues": returned}))


def test_an_items_life(dax, db, indexed):
    pk = tables.unique("life")
    read = {"TableName": indexed, "Key": key(pk, 1)}
    assert dax.ok("GetItem", read) == {}
    assert dax.ok("PutItem", {"TableName": indexed, "Item": box(pk, 1)}) == {}
    assert dax.ok("GetItem", read)["Item"] == box(pk, 1)
    update = {"TableName": indexed, "Key": key(pk, 1), "UpdateExpression": "ADD grade :one", "ExpressionAttributeValues": {":one": {"N": "1"}},
              "ReturnValues": "UPDATED_NEW"}
    assert dax.ok("UpdateItem", update) == {"Attributes": {"grade": {"N": "2"}}}
    assert dax.ok("GetItem", read)["Item"] == db.ok("GetItem", read)["Item"] == box(pk, 1, grade=2)
    condition = {"ConditionExpression": "grade = :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}
    dax.error("DeleteItem", {**read, **condition}, "ConditionalCheckFailedException", "The conditional request failed")
    assert dax.ok("GetItem", read)["Item"] == box(pk, 1, grade=2)
    assert dax.ok("DeleteItem", {**read, "ReturnValues": "ALL_OLD"}) == {"Attributes": box(pk, 1, grade=2)}
    assert dax.ok("GetItem", read) == db.ok("GetItem", read) == {}


# --- what it costs


CAPACITY = [None, "NONE", "TOTAL", "INDEXES"]


def asking(how, metrics=False):
    more = {"ReturnConsumedCapacity": how} if how else {}
    return {**more, "ReturnItemCollectionMetrics": "SIZE"} if metrics else more


@pytest.mark.parametrize("how", CAPACITY)
def test_capacity_and_metrics_of_writes(twins, indexed, how):
    more = asking(how, metrics=True)
    big = {"S": "x" * 3000}
    by_both(twins, lambda pk: ("PutItem", {"TableName": indexed, "Item": box(pk, 1, text=big), **more}))
    by_both(twins, lambda pk: ("PutItem", {"TableName": indexed, "Item": box(pk, 1, color="blue"), **more}))
    update = {"UpdateExpression": "SET grade = grade + :one, t = :t", "ExpressionAttributeValues": {":one": {"N": "1"}, ":t": big}}
    by_both(twins, lambda pk: ("UpdateItem", {"TableName": indexed, "Key": key(pk, 1), **update, **more}))
    by_both(twins, lambda pk: ("BatchWriteItem", {"RequestItems": {indexed: [
        {"PutRequest": {"Item": box(pk, 2)}}, {"DeleteRequest": {"Key": key(pk, 1)}}]}, **more}))
    status, answer = by_both(twins, lambda pk: ("TransactWriteItems", {"TransactItems": [
        {"Put": {"TableName": indexed, "Item": box(pk, 3)}}, {"Delete": {"TableName": indexed, "Key": key(pk, 2)}}], **more}))
    assert status == "ok" and ("ConsumedCapacity" in answer) == (how in ("TOTAL", "INDEXES"))
    by_both(twins, lambda pk: ("DeleteItem", {"TableName": indexed, "Key": key(pk, 3), **more}))


@pytest.mark.parametrize("how", CAPACITY)
def test_capacity_of_reads(dax, db, fresh, how):
    pk, more = tables.unique("cost"), asking(how)
    tables.fill(db, fresh, [box(pk, number, pk, text={"S": "x" * 5000}) for number in range(3)])
    every = {"KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": {"S": pk}}}
    by_color = {"KeyConditionExpression": "color = :pk", "ExpressionAttributeValues": every["ExpressionAttributeValues"], "IndexName": "byColor"}
    requests = [
        ("GetItem", {"TableName": fresh, "Key": key(pk, 0)}), ("GetItem", {"TableName": fresh, "Key": key(pk, 9)}),
        ("GetItem", {"TableName": fresh, "Key": key(pk, 1), "ConsistentRead": True}),
        ("GetItem", {"TableName": fresh, "Key": key(pk, 0), "ProjectionExpression": "grade"}),
        ("Query", {"TableName": fresh, **every}), ("Query", {"TableName": fresh, **every, "ConsistentRead": True}),
        ("Query", {"TableName": fresh, **by_color}), ("Query", {"TableName": fresh, **every, "IndexName": "byGrade"}),
        ("Query", {"TableName": fresh, **every, "IndexName": "byGrade", "ConsistentRead": True, "Select": "ALL_ATTRIBUTES"}),
        ("Query", {"TableName": fresh, **every, "Select": "COUNT"}), ("Scan", {"TableName": fresh, "IndexName": "byColor"}),
        ("Scan", {"TableName": fresh}), ("Scan", {"TableName": fresh, "ConsistentRead": True, "Select": "COUNT"}),
        ("BatchGetItem", {"RequestItems": {fresh: {"Keys": [key(pk, 2), key(pk, 8)]}}}),
        ("BatchGetItem", {"RequestItems": {fresh: {"Keys": [key(pk, 1), key(pk, 2)], "ConsistentRead": True}}}),
        ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": fresh, "Key": key(pk, number)}} for number in (0, 1, 7)]}),
    ]
    for operation, request in requests:
        status, answer = assert_same(dax, db, operation, {**request, **more})
        assert status == "ok" and ("ConsumedCapacity" in answer) == (how in ("TOTAL", "INDEXES")), operation


def test_select(dax, db, fresh):
    pk = tables.unique("select")
    tables.fill(db, fresh, [box(pk, number, pk) for number in range(4)])
    query = {"TableName": fresh, "KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": {"S": pk}}}
    for index in (None, "byGrade"):
        more = {"IndexName": index} if index else {}
        for select in ("ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "COUNT", "SPECIFIC_ATTRIBUTES"):
            assert_same(dax, db, "Query", {**query, **more, "Select": select})
            assert_same(dax, db, "Query", {**query, **more, "Select": select, "ProjectionExpression": "grade"})
            assert_same(dax, db, "Scan", {"TableName": fresh, **more, "Select": select})


# --- pages


def pages_of(client, operation, request):
    """All pages by following LastEvaluatedKey, each as the client shows it."""
    found, start = [], {}
    while True:
        page = comparable(client.ok(operation, {**request, **start}))
        found.append(page)
        if "LastEvaluatedKey" not in page:
            return found
        assert len(found) < 100
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


@pytest.fixture(scope="module")
def filled(db):
    """A table with 23 boxes of three colours, which nobody changes: its pages stay in the query cache."""
    name = tables.create(db, "pk:S", "sk:N", **indexes.members("pk:S", "sk:N", [GSI], [LSI]))
    tables.fill(db, name, [box("a", number, f"color-{number % 3}", number % 5 - 2, note={"S": "n" * number}) for number in range(23)])
    yield name
    tables.drop(db, name)


@pytest.mark.parametrize("limit", [1, 7, 23, 100])
@pytest.mark.parametrize("index", [None, "byColor", "byGrade"])
def test_pages_of_queries(dax, db, filled, index, limit):
    name, value = ("color", "color-1") if index == "byColor" else ("pk", "a")
    for is_forward in (True, False):
        for more in ({}, {"FilterExpression": "size(note) > :ten"}, {"ProjectionExpression": "grade, sk"}):
            request = {"TableName": filled, "Limit": limit, "ScanIndexForward": is_forward, "KeyConditionExpression": f"{name} = :value", **more,
                       "ExpressionAttributeValues": {":value": {"S": value}, **({":ten": {"N": "10"}} if "FilterExpression" in more else {})}}
            request.update({"IndexName": index} if index else {})
            assert pages_of(dax, "Query", request) == pages_of(db, "Query", request)


@pytest.mark.parametrize("index", [None, "byColor", "byGrade"])
def test_pages_of_scans(dax, db, filled, index):
    request = {"TableName": filled, "Limit": 6, **({"IndexName": index} if index else {})}
    assert pages_of(dax, "Scan", request) == pages_of(db, "Scan", request)
    segments = []
    for segment in range(4):
        part = {**request, "Segment": segment, "TotalSegments": 4}
        pages = pages_of(dax, "Scan", part)
        assert pages == pages_of(db, "Scan", part)
        segments += [each for page in pages for each in page["Items"]]
    assert in_order(segments) == in_order([each for page in pages_of(db, "Scan", request) for each in page["Items"]])


@pytest.mark.parametrize("hash_kind, range_kind", [("N", None), ("B", None), ("S", "B"), ("B", "N"), ("N", "S")])
def test_pages_by_every_kind_of_key(dax, db, make_table, hash_kind, range_kind):
    value = {"S": lambda number: {"S": f"s{number}"}, "N": lambda number: {"N": str(number - 2.5)}, "B": lambda number: {"B": "AA%02d" % number}}
    table = make_table(f"h:{hash_kind}", f"r:{range_kind}" if range_kind else None)
    items = [{"h": value[hash_kind](number)} for number in range(5)]
    if range_kind:
        items = [{**each, "r": value[range_kind](number)} for each in items for number in range(3)]
    tables.fill(db, table, items)
    assert pages_of(dax, "Scan", {"TableName": table, "Limit": 2}) == pages_of(db, "Scan", {"TableName": table, "Limit": 2})
    if range_kind:
        request = {"TableName": table, "Limit": 1, "KeyConditionExpression": "h = :h", "ExpressionAttributeValues": {":h": items[0]["h"]}}
        assert pages_of(dax, "Query", request) == pages_of(db, "Query", request)


def test_a_page_ends_at_a_megabyte(dax, db, make_table):
    table = make_table("pk:S", "sk:N")
    for number in range(4):
        db.ok("PutItem", {"TableName": table, "Item": item("a", number, text={"S": "é" * 150_000})})
    request = {"TableName": table, "KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": {"S": "a"}}}
    pages = pages_of(dax, "Query", request)
    assert len(pages) == 2 and pages == pages_of(db, "Query", request)


# --- batches


def test_batches_of_two_tables(dax, db, make_table):
    first, second = make_table("pk:S", "sk:N"), make_table("id:N")
    puts = {first: [{"PutRequest": {"Item": box("a", number)}} for number in range(12)],
            second: [{"PutRequest": {"Item": {"id": {"N": str(number)}, **({"v": {"N": "1"}} if number else {})}}} for number in range(13)]}
    assert comparable(dax.ok("BatchWriteItem", {"RequestItems": puts})) == {}
    keys = {first: {"Keys": [key("a", number) for number in range(20)]},
            second: {"Keys": [{"id": {"N": str(number)}} for number in range(20)], "ProjectionExpression": "v"}}
    for _ in range(2):
        status, answer = assert_same(dax, db, "BatchGetItem", {"RequestItems": keys})
        assert (status, len(answer["Responses"][first]), len(answer["Responses"][second])) == ("ok", 12, 13)
    changes = {first: [{"DeleteRequest": {"Key": key("a", 0)}}, {"PutRequest": {"Item": box("a", 1, "green")}}],
               second: [{"DeleteRequest": {"Key": {"id": {"N": "0"}}}}, {"DeleteRequest": {"Key": {"id": {"N": "77"}}}}]}
    assert comparable(dax.ok("BatchWriteItem", {"RequestItems": changes})) == {}
    assert_same(dax, db, "BatchGetItem", {"RequestItems": keys})
    assert dax.ok("GetItem", {"TableName": first, "Key": key("a", 1)})["Item"] == box("a", 1, "green")
    assert dax.ok("GetItem", {"TableName": first, "Key": key("a", 0)}) == {}


def test_a_hundred_keys(dax, db, indexed):
    pk = tables.unique("hundred")
    for start in range(0, 100, 25):
        puts = [{"PutRequest": {"Item": box(pk, number)}} for number in range(start, start + 25)]
        assert comparable(dax.ok("BatchWriteItem", {"RequestItems": {indexed: puts}})) == {}
    request = {"RequestItems": {indexed: {"Keys": [key(pk, number) for number in range(100)]}}}
    for _ in range(2):
        assert len(dax.ok("BatchGetItem", request)["Responses"][indexed]) == 100


def test_unprocessed_keys_come_back(dax, db, make_table):
    """More than 16 MB: DynamoDB gives what fits, and the keys of the rest."""
    table = make_table("pk:S", "sk:N")
    for number in range(45):
        db.ok("PutItem", {"TableName": table, "Item": item("a", number, text={"S": "x" * 390_000})})
    keys, found = [key("a", number) for number in range(45)], []
    for _ in range(5):
        answer = dax.ok("BatchGetItem", {"RequestItems": {table: {"Keys": keys, "ConsistentRead": True}}})
        found += [int(each["sk"]["N"]) for each in canonical(answer["Responses"].get(table, []))]
        unprocessed = (answer.get("UnprocessedKeys") or {}).get(table)
        if not unprocessed:
            break
        keys = canonical(unprocessed["Keys"])
    assert sorted(found) == list(range(45))


# --- transactions


def test_transactions(dax, db, indexed, make_table):
    other, pk = make_table("id:N"), tables.unique("transact")
    request = {"TransactItems": [
        {"Put": {"TableName": indexed, "Item": box(pk, 1), "ConditionExpression": "attribute_not_exists(pk)"}},
        {"Update": {"TableName": other, "Key": {"id": {"N": "1"}}, "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}},
        {"ConditionCheck": {"TableName": indexed, "Key": key(pk, 9), "ConditionExpression": "attribute_not_exists(pk)"}},
        {"Delete": {"TableName": other, "Key": {"id": {"N": "2"}}}}], "ClientRequestToken": tables.unique()}
    for _ in range(2):  # the second is the first, by its token
        assert comparable(dax.ok("TransactWriteItems", request)) == {}
    reads = [{"Get": {"TableName": indexed, "Key": key(pk, 1)}}, {"Get": {"TableName": other, "Key": {"id": {"N": "1"}}, "ProjectionExpression": "n"}},
             {"Get": {"TableName": other, "Key": {"id": {"N": "2"}}}}]
    status, answer = assert_same(dax, db, "TransactGetItems", {"TransactItems": reads})
    assert (status, answer) == ("ok", {"Responses": [{"Item": box(pk, 1)}, {"Item": {"n": {"N": "1"}}}, {}]})
    changed = {**request, "TransactItems": request["TransactItems"][:1]}
    assert dax.error("TransactWriteItems", changed).code == "IdempotentParameterMismatchException"


def test_a_transaction_of_a_hundred(dax, db, make_table):
    table = make_table()
    puts = [{"Put": {"TableName": table, "Item": {"pk": {"S": str(number)}}}} for number in range(101)]
    dax.ok("TransactWriteItems", {"TransactItems": puts[:100]})
    assert db.ok("Scan", {"TableName": table})["Count"] == 100
    assert outcome(dax, "TransactWriteItems", {"TransactItems": puts})[0] == "ValidationException"


@dax_only
def test_why_a_transaction_was_cancelled(dax, db, indexed):
    pk = tables.unique("cancelled")
    db.ok("PutItem", {"TableName": indexed, "Item": box(pk, 1, note={"L": [{"N": "1.5"}]})})
    wrong = {"ConditionExpression": "color = :c", "ExpressionAttributeValues": {":c": {"S": "blue"}}}
    request = {"TransactItems": [
        {"Put": {"TableName": indexed, "Item": box(pk, 2)}},
        {"ConditionCheck": {"TableName": indexed, "Key": key(pk, 1), **wrong, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
        {"Delete": {"TableName": indexed, "Key": key(pk, 3), "ConditionExpression": "attribute_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
        {"Update": {"TableName": indexed, "Key": key(pk, 4), "UpdateExpression": "SET color = :c", "ConditionExpression": "grade = :c",
                    "ExpressionAttributeValues": {":c": {"S": "x"}}}}]}
    expected = db.error("TransactWriteItems", request, "TransactionCanceledException")
    error = dax.error("TransactWriteItems", request, "TransactionCanceledException", expected.get("message", expected.get("Message")))
    assert [{name: value for name, value in reason.items() if value is not None} for reason in canonical(error.reasons)] == canonical(
        expected["CancellationReasons"])
    assert dax.ok("GetItem", {"TableName": indexed, "Key": key(pk, 2)}) == {}


# --- errors


def errors(table):
    """Requests that DynamoDB refuses and these clients let through."""
    pk = {"pk": {"S": "errors"}, "sk": {"N": "1"}}
    update = {"TableName": table, "Key": pk, "UpdateExpression": "SET a = :v"}
    query = {"TableName": table, "KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": {":v": {"S": "x"}}}
    put = {"TableName": table, "Item": {**pk, "big": {"S": "x" * 409_600}}}
    deep = {"N": "1"}
    for _ in range(33):
        deep = {"L": [deep]}
    return {
        "an item that is too large": ("PutItem", put),
        "an item that is too deep": ("PutItem", {"TableName": table, "Item": {**pk, "deep": deep}}),
        "an item that grows too large": ("UpdateItem", {**update, "ExpressionAttributeValues": {":v": {"S": "x" * 409_600}}}),
        "a key of another type": ("PutItem", {"TableName": table, "Item": {**pk, "grade": {"S": "not a number"}}}),
        "an empty key of an index": ("PutItem", {"TableName": table, "Item": {**pk, "color": {"S": ""}}}),
        "an empty key": ("GetItem", {"TableName": table, "Key": {"pk": {"S": ""}, "sk": {"N": "1"}}}),
        "a long key": ("GetItem", {"TableName": table, "Key": {"pk": {"S": "x" * 2049}, "sk": {"N": "1"}}}),
        "a number that is too large": ("PutItem", {"TableName": table, "Item": {**pk, "n": {"N": "1e126"}}}),
        "a number that is too small": ("PutItem", {"TableName": table, "Item": {**pk, "n": {"N": "1e-131"}}}),
        "a number of 39 digits": ("PutItem", {"TableName": table, "Item": {**pk, "n": {"N": "1" * 39}}}),
        "a set with a value twice": ("PutItem", {"TableName": table, "Item": {**pk, "set": {"NS": ["1", "1.0"]}}}),
        "an index that is not there": ("Query", {**query, "IndexName": "nope"}),
        "a scan of an index that is not there": ("Scan", {"TableName": table, "IndexName": "nope"}),
        "a consistent read of a global index": ("Scan", {"TableName": table, "IndexName": "byColor", "ConsistentRead": True}),
        "no key condition": ("Query", {"TableName": table}),
        "a segment out of range": ("Scan", {"TableName": table, "Segment": 5, "TotalSegments": 5}),
        "a segment without a total": ("Scan", {"TableName": table, "Segment": 0}),
        "a filter on the key": ("Query", {**query, "FilterExpression": "sk = :v"}),
        "all attributes of a global index of keys": ("Query", {**query, "IndexName": "byGrade", "Select": "ALL_PROJECTED_ATTRIBUTES", "ProjectionExpression": "color"}),
        "a start key elsewhere": ("Query", {**query, "ExclusiveStartKey": {"pk": {"S": "other"}, "sk": {"N": "1"}}}),
        "a put twice in a batch": ("BatchWriteItem", {"RequestItems": {table: [{"PutRequest": {"Item": pk}}, {"PutRequest": {"Item": pk}}]}}),
        "a key twice in a batch": ("BatchGetItem", {"RequestItems": {table: {"Keys": [pk, pk]}}}),
        "101 keys": ("BatchGetItem", {"RequestItems": {table: {"Keys": [{"pk": {"S": "x"}, "sk": {"N": str(n)}} for n in range(101)]}}}),
        "values that mean nothing to a set": ("UpdateItem", {**update, "UpdateExpression": "ADD a :v", "ExpressionAttributeValues": {":v": {"BOOL": True}}}),
    }


@pytest.mark.parametrize("what", errors(""))
def test_what_dynamodb_refuses(dax, db, indexed, what):
    operation, request = errors(indexed)[what]
    status, _ = assert_same(dax, db, operation, request)
    assert status != "ok"


@pytest.mark.parametrize("operation", ["GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan", "BatchGetItem", "BatchWriteItem",
                                       "TransactGetItems", "TransactWriteItems"])
def test_a_table_that_is_not_there(dax, operation, new_name):
    table, pk = new_name(), {"pk": {"S": "x"}}
    request = {
        "PutItem": {"TableName": table, "Item": pk}, "Scan": {"TableName": table},
        "Query": {"TableName": table, "KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": {":v": {"S": "x"}}},
        "BatchGetItem": {"RequestItems": {table: {"Keys": [pk]}}}, "BatchWriteItem": {"RequestItems": {table: [{"PutRequest": {"Item": pk}}]}},
        "TransactGetItems": {"TransactItems": [{"Get": {"TableName": table, "Key": pk}}]},
        "TransactWriteItems": {"TransactItems": [{"Put": {"TableName": table, "Item": pk}}]},
    }.get(operation, {"TableName": table, "Key": pk})
    error = dax.error(operation, request, "ResourceNotFoundException")
    assert "not found" in error.message or "non-existent" in error.message


@dax_only
def test_what_an_error_carries(dax, indexed):
    error = dax.error("PutItem", {"TableName": indexed, "Item": item("errors", 1), "ConditionExpression": "attribute_exists(nope)"})
    assert (error.code, error.message, error.status) == ("ConditionalCheckFailedException", "The conditional request failed", 400)
    assert error.request_id


def test_a_table_that_goes_and_comes(dax, db, new_name):
    """A client keeps a table's key schema for a minute; what it gets meanwhile is DynamoDB's answer."""
    table = tables.create(db, "pk:S", name=new_name())
    dax.ok("PutItem", {"TableName": table, "Item": {"pk": {"S": "a"}}})
    tables.drop(db, table)
    dax.error("PutItem", {"TableName": table, "Item": {"pk": {"S": "a"}}}, "ResourceNotFoundException")
    tables.create(db, "pk:S", name=table)
    dax.ok("PutItem", {"TableName": table, "Item": {"pk": {"S": "b"}}})
    assert dax.ok("Scan", {"TableName": table, "ConsistentRead": True})["Count"] == 1
