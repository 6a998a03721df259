"""The same random requests through DAX and to DynamoDB, on twin tables: the same answers, errors and costs.

Every write goes through DAX, so what its item cache has is what the table has; only what a hit costs may differ. The query cache
is off, for it is stale by design.
"""

import os
import random

import pytest

from harness import indexes, tables
from harness.dax import KINDS, IS_PLAIN, DaxServer, outcome
from harness.indexes import Index
from harness.raw import RawClient


SEED = os.environ.get("ARMATURE_SEED", "1")
REQUESTS = 1500
KEYS = [("a", "1"), ("a", "2"), ("a", "-0.5"), ("b", "1"), ("b", "1e2"), ("c", "0")]
NAMES = ["n", "m", "s", "l", "bag", "doc", "extra"]  # none reserved: DAX cannot tell whether a name was written as #name


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    options = [] if IS_PLAIN else ["--dax-query-ttl-millis", 0]
    with DaxServer(tmp_path_factory.mktemp("differential") / "data", *options) as running:
        yield running


class Requests:
    """Requests on the table T: valid ones mostly, and such as DynamoDB itself refuses."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.names, self.values, self.operands = {}, {}, 0

    def one(self):
        make = self.rng.choices(
            [self.get, self.put, self.update, self.delete, self.query, self.scan, self.batch_get, self.batch_write, self.transact_get,
             self.transact_write], [20, 16, 24, 6, 12, 6, 6, 4, 3, 6])[0]
        self.names, self.values = {}, {}
        operation, request = make()
        if self.rng.random() < 0.4:
            request["ReturnConsumedCapacity"] = self.rng.choice(["TOTAL", "INDEXES", "NONE"])
        return operation, request

    def with_expressions(self, request):
        if self.names:
            request["ExpressionAttributeNames"] = self.names
        if self.values:
            request["ExpressionAttributeValues"] = self.values
        self.names, self.values = {}, {}
        return request

    # --- values

    def key(self):
        hash_key, range_key = self.rng.choice(KEYS)
        return {"pk": {"S": hash_key}, "sk": {"N": range_key}}

    def number(self):
        rng = self.rng
        digits = rng.choice([str(rng.randrange(-9, 100)), f"{rng.uniform(-5, 5):.3f}", f"{rng.randrange(1, 99)}e{rng.randrange(-9, 30)}",
                             str(rng.getrandbits(rng.choice([33, 63, 64, 100])))])
        return {"N": digits}

    def value(self, depth=0):
        rng = self.rng
        kind = rng.randrange(8 if depth < 3 else 6)
        if kind < 2:
            return self.number()
        if kind == 2:
            return {"S": rng.choice(["", "x", "hello", "é\U0001F600", "x" * rng.choice([100, 3000])])}
        if kind == 3:
            return rng.choice([{"BOOL": True}, {"BOOL": False}, {"NULL": True}])
        if kind == 4:
            return {"B": rng.choice(["", "AA==", "AAEC", "//8="])}
        if kind == 5:
            return self.set()
        if kind == 6:
            return {"L": [self.value(depth + 1) for _ in range(rng.randrange(4))]}
        return {"M": {name: self.value(depth + 1) for name in rng.sample(["a", "b", "c.d", "n"], rng.randrange(4))}}

    def set(self):
        rng = self.rng
        return rng.choice([{"SS": rng.sample(["a", "b", "c", "ü"], rng.randrange(1, 4))}, {"NS": rng.sample(["1", "2.5", "-3", "1e10"], rng.randrange(1, 4))},
                           {"BS": rng.sample(["AA==", "AQ==", "Ag=="], rng.randrange(1, 3))}])

    def item(self):
        rng = self.rng
        item = {**self.key(), **{name: self.value() for name in rng.sample(NAMES, rng.randrange(len(NAMES)))}}
        if rng.random() < 0.6:
            item["color"] = {"S": rng.choice(["red", "blue"])}
        if rng.random() < 0.6:
            item["n"] = self.number()
        return item

    # --- expressions

    def operand(self, value=None):
        name = f":v{self.operands}"
        self.operands += 1
        self.values[name] = value or self.value()
        return name

    def path(self, is_target=False):
        """Of an attribute, or below one. What is to be changed is mostly none of the keys, and there."""
        rng = self.rng
        is_likely = is_target and rng.random() < 0.8
        path = rng.choice(NAMES[1:] + ["#o"] if is_likely else NAMES + ["pk", "color", "#o", "#o"])
        if "#o" in path:
            self.names["#o"] = rng.choice(NAMES[1:])
        if path in ("pk", "color", "n") and rng.random() < 0.9:
            return path
        for _ in range(0 if is_likely else rng.choice([0, 0, 0, 1, 1, 2])):
            path += rng.choice(["[0]", "[1]", "[3]", ".a", ".b", ".n", ".#cd"])
        if "#cd" in path:
            self.names["#cd"] = "c.d"
        return path

    def condition(self, depth=0):
        rng = self.rng
        kind = rng.randrange(12 if depth < 2 else 9)
        if kind < 3:
            return f"{self.path()} {rng.choice(['=', '<>', '<', '<=', '>', '>='])} {self.operand()}"
        if kind == 3:
            return f"{rng.choice(['attribute_exists', 'attribute_not_exists'])}({self.path()})"
        if kind == 4:
            return f"attribute_type({self.path()}, {self.operand({'S': rng.choice(['S', 'N', 'B', 'L', 'M', 'SS', 'NULL', 'BOOL'])})})"
        if kind == 5:
            return f"{rng.choice(['begins_with', 'contains'])}({self.path()}, {self.operand(rng.choice([{'S': 'h'}, {'S': 'a'}, {'B': 'AA=='}, self.number()]))})"
        if kind == 6:
            return f"size({self.path()}) {rng.choice(['<', '>', '='])} {self.operand(self.number())}"
        if kind == 7:
            low = self.number()
            return f"{self.path()} BETWEEN {self.operand(low)} AND {self.operand(rng.choice([low, {'N': '1e37'}, self.number()]))}"
        if kind == 8:
            return f"{self.path()} IN ({', '.join(self.operand() for _ in range(rng.randrange(1, 4)))})"
        if kind == 9:
            return f"NOT {self.condition(depth + 1)}"
        return f"({self.condition(depth + 1)}) {rng.choice(['AND', 'OR'])} ({self.condition(depth + 1)})"

    def action(self):
        rng, path = self.rng, self.path(is_target=True)
        kind = rng.randrange(8)
        if kind < 2:
            return "SET", f"{path} = {self.operand()}"
        if kind == 2:
            return "SET", f"{path} = {rng.choice(['n', 'n', None]) or self.path()} {rng.choice('+-')} {self.operand(self.number())}"
        if kind == 3:
            return "SET", f"{path} = if_not_exists({self.path()}, {self.operand()})"
        if kind == 4:
            return "SET", f"{path} = list_append(if_not_exists({path}, {self.operand({'L': []})}), {self.operand({'L': [self.value(2)]})})"
        if kind == 5:
            return "REMOVE", path
        if kind == 6:
            return "ADD", f"{path} {self.operand(rng.choice([self.number(), self.set()]))}"
        return "DELETE", f"{path} {self.operand(self.set())}"

    def update_expression(self):
        clauses = {}
        for _ in range(self.rng.choice([1, 1, 1, 2, 3])):
            word, text = self.action()
            clauses.setdefault(word, []).append(text)
        return " ".join(f"{word} {', '.join(texts)}" for word, texts in clauses.items())

    def maybe(self, request, member, make, chance=0.3):
        if self.rng.random() < chance:
            request[member] = make()

    def projection(self):
        return ", ".join(dict.fromkeys(self.path() for _ in range(self.rng.randrange(1, 4))))

    def consistency(self, request):
        self.maybe(request, "ConsistentRead", lambda: True, 0.4)

    # --- operations

    def get(self):
        request = {"TableName": "T", "Key": self.key()}
        self.maybe(request, "ProjectionExpression", self.projection)
        self.consistency(request)
        return "GetItem", self.with_expressions(request)

    def writes(self, request, returned=("NONE", "ALL_OLD")):
        self.maybe(request, "ConditionExpression", self.condition)
        self.maybe(request, "ReturnValues", lambda: self.rng.choice(returned), 0.5)
        self.maybe(request, "ReturnItemCollectionMetrics", lambda: "SIZE", 0.1)
        return self.with_expressions(request)

    def put(self):
        return "PutItem", self.writes({"TableName": "T", "Item": self.item()})

    def delete(self):
        return "DeleteItem", self.writes({"TableName": "T", "Key": self.key()})

    def update(self):
        request = {"TableName": "T", "Key": self.key(), "UpdateExpression": self.update_expression()}
        return "UpdateItem", self.writes(request, ("NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"))

    def pages(self, request):
        rng = self.rng
        self.maybe(request, "FilterExpression", self.condition)
        self.maybe(request, "ProjectionExpression", self.projection)
        self.maybe(request, "Limit", lambda: rng.randrange(1, 4), 0.4)
        if "ProjectionExpression" not in request:
            self.maybe(request, "Select", lambda: rng.choice(["COUNT", "ALL_ATTRIBUTES"]), 0.2)
        self.consistency(request)
        return self.with_expressions(request)

    def query(self):
        rng = self.rng
        request = {"TableName": "T"}
        index = rng.choice([None, None, "byColor", "byN"])
        if index:
            request["IndexName"] = index
        hash_name, hash_value = ("color", rng.choice(["red", "blue"])) if index == "byColor" else ("pk", rng.choice("abc"))
        condition = f"{hash_name} = {self.operand({'S': hash_value})}"
        if rng.random() < 0.5:
            range_name = "n" if index else "sk"
            condition += rng.choice([f" AND {range_name} > {self.operand(self.number())}",
                                     f" AND {range_name} BETWEEN {self.operand({'N': '-1'})} AND {self.operand({'N': '1e3'})}"])
        request["KeyConditionExpression"] = condition
        # Values of the alternative that was not chosen would be refused for being unused.
        self.values = {name: value for name, value in self.values.items() if name in condition.split()}
        self.maybe(request, "ScanIndexForward", lambda: rng.random() < 0.5, 0.5)
        if not index:
            self.maybe(request, "ExclusiveStartKey", lambda: {"pk": {"S": hash_value}, "sk": {"N": rng.choice(["1", "-0.5", "50"])}}, 0.2)
        return "Query", self.pages(request)

    def scan(self):
        request = {"TableName": "T"}
        self.maybe(request, "IndexName", lambda: self.rng.choice(["byColor", "byN"]), 0.4)
        return "Scan", self.pages(request)

    def batch_get(self):
        keys = [self.key() for _ in range(self.rng.randrange(1, 5))]
        if self.rng.random() < 0.9:
            keys = list({str(key): key for key in keys}.values())
        table = {"Keys": keys}
        self.maybe(table, "ProjectionExpression", self.projection)
        self.consistency(table)
        return "BatchGetItem", {"RequestItems": {"T": self.with_expressions(table)}}

    def batch_write(self):
        rng, writes = self.rng, {}
        for _ in range(rng.randrange(1, 5)):
            item = self.item()
            write = {"PutRequest": {"Item": item}} if rng.random() < 0.7 else {"DeleteRequest": {"Key": {"pk": item["pk"], "sk": item["sk"]}}}
            writes[str((item["pk"], item["sk"])) + (str(len(writes)) if rng.random() < 0.05 else "")] = write
        return "BatchWriteItem", {"RequestItems": {"T": list(writes.values())}}

    def transact_get(self):
        gets = []
        for key in self.some_keys():
            get = {"TableName": "T", "Key": key}
            self.maybe(get, "ProjectionExpression", self.projection)
            gets.append({"Get": self.with_expressions(get)})
        return "TransactGetItems", {"TransactItems": gets}

    def some_keys(self):
        """At most one of a hash key: these clients take different numbers below one for the same key, and refuse."""
        keys = [self.key() for _ in range(self.rng.randrange(1, 5))]
        return list({key["pk"]["S"]: key for key in keys}.values())

    def transact_write(self):
        actions = []
        for key in self.some_keys():
            kind = self.rng.randrange(4)
            action = {"TableName": "T", "Key": key}
            if kind == 0:
                action["Item"] = {**self.item(), **action.pop("Key")}
            if kind == 1:
                action["UpdateExpression"] = self.update_expression()
            self.maybe(action, "ConditionExpression", self.condition, 1 if kind == 3 else 0.3)
            self.maybe(action, "ReturnValuesOnConditionCheckFailure", lambda: "ALL_OLD", 0.3)
            actions.append({("Put", "Update", "Delete", "ConditionCheck")[kind]: self.with_expressions(action)})
        return "TransactWriteItems", {"TransactItems": actions}


def named(value, table):
    """A request for a table in place of T."""
    if isinstance(value, dict):
        return {table if name == "T" else name: table if name == "TableName" else named(each, table) for name, each in value.items()}
    return [named(each, table) for each in value] if isinstance(value, list) else value


def costs_nothing(answer):
    """Whether all that this read tells of its costs is nothing: what it found was cached."""
    told = answer.get("ConsumedCapacity", [])
    return all(each["CapacityUnits"] == 0 for each in (told if isinstance(told, list) else [told]))


def compare(operation, request, said, expected):
    if said == expected:
        return
    # BatchGetItem's cost is that of the items that were not cached.
    may_be_hit = operation in ("GetItem", "BatchGetItem") and "ConsistentRead" not in str(request) and "ConsumedCapacity" in str(said)
    what = f"{operation} {request}:\n{str(said)[:3000]}\nbut DynamoDB:\n{str(expected)[:3000]}"
    assert may_be_hit and said[0] == expected[0] == "ok", what
    bare = [{name: value for name, value in each[1].items() if name != "ConsumedCapacity"} for each in (said, expected)]
    assert bare[0] == bare[1], what
    assert operation == "BatchGetItem" or costs_nothing(said[1]), what


def neutral(value, table):
    if isinstance(value, (list, tuple)):
        return type(value)(neutral(each, table) for each in value)
    if isinstance(value, dict):
        return {name.replace(table, "T"): neutral(each, table) for name, each in value.items()}
    return value.replace(table, "T") if isinstance(value, str) else value


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_answers(node, server, kind):
    db, dax = RawClient(server.endpoint), node.open(kind, server.dax)
    more = indexes.members("pk:S", "sk:N", [Index("byColor", "color:S", "n:N")], [Index("byN", "pk:S", "n:N", ["s", "l"])])
    own, twin = (tables.create(db, "pk:S", "sk:N", **more) for _ in range(2))
    requests, answered = Requests(f"{SEED}/{kind}"), {}
    for number in range(REQUESTS):
        operation, request = requests.one()
        expected = neutral(outcome(db, operation, named(request, twin)), twin)
        said = neutral(outcome(dax, operation, named(request, own)), own)
        compare(operation, request, said, expected)
        answered[operation, expected[0]] = answered.get((operation, expected[0]), 0) + 1
        if number % 100 == 0:
            assert everything(db, own) == everything(db, twin)
    assert everything(db, own) == everything(db, twin)
    assert len({operation for operation, status in answered if status == "ok"}) == 10, answered
    db.close()
    dax.close()


def everything(db, table):
    return sorted(db.ok("Scan", {"TableName": table, "ConsistentRead": True})["Items"], key=str)
