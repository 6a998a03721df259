"""Random PartiQL statements against the expression API calls that mean the same: same items, same order, same capacity, same errors.

Reads run on one table with indexes; writes run on two equal tables, one written by PartiQL and one by the item operations, which must
stay equal. Every case is known by its seed: a failure prints the statement and the call beside it.
"""

import random as random_module

import pytest
from botocore.exceptions import ClientError

from harness import tables
from harness.partiql_statements import Expression, KINDS, Statement, attributes, condition, literal, path, plain, quoted, value

PARTITIONS = [f"p{number}" for number in range(6)]
ATTRIBUTES = list(KINDS)


def index(name, keys, projection):
    return {"IndexName": name, "KeySchema": [{"AttributeName": key, "KeyType": role} for key, role in zip(keys, ("HASH", "RANGE"))],
            "Projection": projection}


ALL, KEYS_ONLY = {"ProjectionType": "ALL"}, {"ProjectionType": "KEYS_ONLY"}
SCHEMA = {
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind} for name, kind in
                             (("pk", "S"), ("sk", "N"), ("ls", "S"), ("gh", "S"), ("gr", "N"))],
    "LocalSecondaryIndexes": [index("local-all", ("pk", "ls"), ALL), index("local-keys", ("pk", "ls"), KEYS_ONLY)],
    "GlobalSecondaryIndexes": [index("global-all", ("gh", "gr"), ALL), index("global-keys", ("gh", "gr"), KEYS_ONLY)],
}
# What is read: index name, its keys with their types, and the attributes it has if not all.
TARGETS = {
    None: ("pk", "sk", "N", None),
    "local-all": ("pk", "ls", "S", None),
    "local-keys": ("pk", "ls", "S", ["pk", "sk", "ls"]),
    "global-all": ("gh", "gr", "N", None),
    "global-keys": ("gh", "gr", "N", ["pk", "sk", "gh", "gr"]),
}


def key(random):
    """Of a write: few, so that most items are there when they are updated."""
    return {"pk": {"S": random.choice(PARTITIONS[:3])}, "sk": {"N": str(random.randrange(6))}}


def index_attributes(random):
    item = {}
    if random.random() < 0.7:
        item["ls"] = {"S": random.choice(["a", "ab", "b", "c"])}
    if random.random() < 0.7:
        item["gh"] = {"S": random.choice(["g1", "g2", "g3"])}
    if random.random() < 0.8:
        item["gr"] = {"N": str(random.randrange(6))}
    return item


@pytest.fixture(scope="module")
def filled(db, client):
    name = tables.create(db, "pk:S", "sk:N", **SCHEMA)
    random = random_module.Random(1)
    for partition in PARTITIONS:
        for sort in range(12):
            if random.random() < 0.85:
                client.put_item(TableName=name, Item={
                    "pk": {"S": partition}, "sk": {"N": str(sort)}, **index_attributes(random), **attributes(random)})
    yield name
    tables.drop(db, name)


def outcome(call, **arguments):
    """The reply, or the name and text of the error."""
    try:
        return call(**arguments), None
    except ClientError as error:
        return None, (error.response["Error"]["Code"], error.response["Error"]["Message"])


# --- Reads

class Read:
    """One random SELECT and the Query or Scan that reads the same."""

    def __init__(self, random, table):
        self.random, self.table = random, table
        self.index = random.choice(list(TARGETS))
        self.hash, self.range, self.range_kind, self.has = TARGETS[self.index]
        self.kind = random.choices(["scan", "query", "in"], [3, 6, 1])[0]
        self.consistent = random.random() < 0.3 and not (self.index or "").startswith("global")
        self.reverse = self.kind == "query" and random.random() < 0.25
        self.keys = random.sample([*PARTITIONS, "nobody"] if self.hash == "pk" else ["g1", "g2", "g3", "nobody"],
                                  random.randrange(2, 4) if self.kind == "in" else 1)
        self.range_condition = self.random_range() if self.kind != "scan" and random.random() < 0.6 else None
        self.sort_keys = self.random_sort_keys() if self.kind == "in" and not self.range_condition and random.random() < 0.5 else None
        self.filter = self.random_filter() if random.random() < 0.6 else None
        if self.kind == "scan" and self.filter and random.random() < 0.2:
            # The key or something else: no key condition, whatever it looks like.
            self.filter = ("or", [("cmp", "=", (self.hash,), {"S": self.keys[0]}), self.filter])
        self.columns = self.random_columns() if random.random() < 0.5 else None
        is_get = self.index is None and self.range_condition and self.range_condition[:2] == ("cmp", "=")
        self.limit = random.choice([None, None, 1, 3, 10]) if self.kind != "in" and not is_get else None

    def names(self):
        return [name for name in (self.has or [*ATTRIBUTES, "pk", "sk", "ls", "gh", "gr"])]

    def random_range(self):
        at, pick = (self.range,), self.random.choice
        values = [{"S": text} for text in ("a", "ab", "b", "bb")] if self.range_kind == "S" else [{"N": str(n)} for n in range(8)]
        kind = pick(["cmp", "between", "begins_with"] if self.range_kind == "S" else ["cmp", "between"])
        if kind == "cmp":
            return ("cmp", pick(["=", "<", "<=", ">", ">="]), at, pick(values))
        if kind == "between":
            low, high = sorted(self.random.sample(range(len(values)), 2))
            return ("between", at, values[low], values[high])
        return ("begins_with", at, {"S": "a"})

    def random_sort_keys(self):
        if self.range_kind == "S":
            return [{"S": text} for text in self.random.sample(["a", "ab", "b", "nothing"], 2)]
        return [{"N": str(number)} for number in self.random.sample(range(8), self.random.randrange(1, 4))]

    def random_filter(self):
        # A Query's filter must not name the keys of what it reads; nor must a scan look like a query.
        names = [name for name in self.names() if name not in ((self.hash, self.range) if self.kind != "scan" else (self.hash,))]
        return condition(self.random, names) if names else None

    def random_columns(self):
        # A local index fetches what it does not have; a global one refuses.
        fetches = self.index == "local-keys" and self.random.random() < 0.5
        names = [*ATTRIBUTES, "pk", "sk", "ls"] if fetches else self.names()
        columns = {}
        for name in self.random.sample(names, self.random.randrange(1, min(5, len(names) + 1))):
            at = path(self.random, [name])
            leaf = at[-1] if isinstance(at[-1], str) else f"{at[-2]}[{at[-1]}]"
            columns.setdefault(leaf, at)
        return columns

    def statement(self):
        writer = Statement(self.random)
        columns = "*" if self.columns is None else ", ".join(writer.path(at) for at in self.columns.values())
        text = f"{writer.word('SELECT')} {columns} FROM {quoted(self.table)}"
        if self.index:
            text += f".{quoted(self.index)}"
        parts = [part for part in (self.range_condition, self.filter) if part]
        if self.kind == "query":
            parts.append(("cmp", "=", (self.hash,), {"S": self.keys[0]}))
        elif self.kind == "in":
            values = [{"S": text} for text in self.keys]
            if self.random.random() < 0.3:
                parts.append(("or", [("cmp", "=", (self.hash,), member) for member in values]))
            else:
                parts.append(("in", (self.hash,), values))
            if self.sort_keys:
                parts.append(("in", (self.range,), self.sort_keys))
        self.random.shuffle(parts)
        if parts:
            text += " WHERE " + " AND ".join(writer.condition(part, inner=True) for part in parts)
        if self.reverse:
            text += f" ORDER BY {quoted(self.range)} DESC"
        arguments = writer.arguments(text)
        if self.consistent:
            arguments["ConsistentRead"] = True
        if self.limit:
            arguments["Limit"] = self.limit
        return {**arguments, "ReturnConsumedCapacity": "INDEXES"}

    def calls(self):
        """[(operation, arguments)] that together read the same."""
        keys = [None] if self.kind == "scan" else [(text, sort) for text in self.keys for sort in self.sort_keys or [None]]
        for each in keys:
            expression = Expression()
            call = {"TableName": self.table, "ReturnConsumedCapacity": "INDEXES"}
            if self.index:
                call["IndexName"] = self.index
            if self.consistent:
                call["ConsistentRead"] = True
            if self.limit:
                call["Limit"] = self.limit
            if each is not None:
                parts = [("cmp", "=", (self.hash,), {"S": each[0]})]
                parts += [("cmp", "=", (self.range,), each[1])] if each[1] else [self.range_condition] if self.range_condition else []
                call["KeyConditionExpression"] = " AND ".join(expression.condition(part) for part in parts)
                call["ScanIndexForward"] = not self.reverse
            if self.filter:
                call["FilterExpression"] = expression.condition(self.filter)
            if self.columns is not None:
                call["ProjectionExpression"] = ", ".join(expression.path(at) for at in self.columns.values())
            yield ("scan" if each is None else "query"), {**call, **expression.arguments()}

    def row(self, item):
        """What a SELECT shows of an item that a ProjectionExpression left."""
        if self.columns is None:
            return item
        row = {}
        for leaf, at in self.columns.items():
            found = {"M": item}
            for part in at:
                if isinstance(part, int):  # the projection left one element of the list, wherever it was
                    found = found["L"][0] if found and found.get("L") else None
                else:
                    found = found["M"].get(part) if found and "M" in found else None
            if found is not None:
                row[leaf] = found
        return row


def pages_of_statement(client, arguments):
    while True:
        reply, error = outcome(client.execute_statement, **arguments)
        yield reply, error
        if error or "NextToken" not in reply:
            return
        arguments = {**arguments, "NextToken": reply["NextToken"]}


def pages_of_call(client, operation, arguments):
    while True:
        reply, error = outcome(getattr(client, operation), **arguments)
        yield reply, error
        if error or "LastEvaluatedKey" not in reply:
            return
        arguments = {**arguments, "ExclusiveStartKey": reply["LastEvaluatedKey"]}


def arms(capacities):
    """Units by table and index, added up."""
    total = {}
    for capacity in capacities:
        total["all"] = total.get("all", 0) + capacity["CapacityUnits"]
        total["table"] = total.get("table", 0) + capacity.get("Table", {}).get("CapacityUnits", 0)
        for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
            for name, units in capacity.get(kind, {}).items():
                total[name] = total.get(name, 0) + units["CapacityUnits"]
    return {name: units for name, units in total.items() if units}


def check_read(client, read):
    statement, calls = read.statement(), list(read.calls())
    told = f"\n{statement}\n" + "\n".join(map(str, calls))
    answered = list(pages_of_statement(client, statement))
    native = [page for operation, call in calls for page in pages_of_call(client, operation, call)]
    errors = [error for _, error in native if error]
    if errors or answered[-1][1]:
        assert answered[-1][1] and errors and answered[-1][1][0] == errors[0][0], f"{answered[-1][1]} against {errors}{told}"
        return False
    rows = [plain(item) for reply, _ in answered for item in reply["Items"]]
    expected = [plain(read.row(item)) for reply, _ in native for item in reply["Items"]]
    if read.kind == "in":
        rows, expected = sorted(rows), sorted(expected)
    assert rows == expected, told
    assert arms(reply["ConsumedCapacity"] for reply, _ in answered) == arms(reply["ConsumedCapacity"] for reply, _ in native), told
    if read.kind != "in":  # page by page
        assert [len(reply["Items"]) for reply, _ in answered] == [len(reply["Items"]) for reply, _ in native], told
    return True


@pytest.mark.parametrize("seed", range(10))
def test_selects_read_what_queries_and_scans_read(client, filled, seed):
    random = random_module.Random(seed)
    good = sum(check_read(client, Read(random, filled)) for _ in range(250))
    assert good > 200  # the generator must not drift into errors


def test_pages_end_where_queries_and_scans_end(client, make_table):
    """Pages of 1 MiB, filtered and not, forwards, backwards and of several keys."""
    table = make_table("pk:S", "sk:N")
    for partition in ("a", "b", "c"):
        for sort in range(9):
            client.put_item(TableName=table, Item={"pk": {"S": partition}, "sk": {"N": str(sort)}, "odd": {"N": str(sort % 2)},
                                                   "body": {"S": "x" * (390_000 if partition == "a" else 150_000)}})
    name = quoted(table)
    by_key = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "a"}}}
    cases = [
        (f"SELECT sk FROM {name}", "scan", {}),
        (f"SELECT sk FROM {name} WHERE odd = 1", "scan", {"FilterExpression": "odd = :o", "ExpressionAttributeValues": {":o": {"N": "1"}}}),
        (f"SELECT sk FROM {name} WHERE pk = 'a'", "query", by_key),
        (f"SELECT sk FROM {name} WHERE pk = 'a' ORDER BY sk DESC", "query", {**by_key, "ScanIndexForward": False}),
    ]
    for statement, operation, call in cases:
        answered = [reply for reply, _ in pages_of_statement(client, {"Statement": statement, "ReturnConsumedCapacity": "TOTAL"})]
        native = [reply for reply, _ in pages_of_call(client, operation, {
            "TableName": table, "ReturnConsumedCapacity": "TOTAL", "ProjectionExpression": "sk", **call})]
        assert [(page["Items"], page["ConsumedCapacity"]["CapacityUnits"]) for page in answered] == [
            (page["Items"], page["ConsumedCapacity"]["CapacityUnits"]) for page in native], statement
        assert len(answered) > 2, statement
    several = [reply for reply, _ in pages_of_statement(client, {"Statement": f"SELECT pk, sk FROM {name} WHERE pk IN ['c', 'a', 'b']"})]
    assert sorted((item["pk"]["S"], int(item["sk"]["N"])) for page in several for item in page["Items"]) == [
        (partition, sort) for partition in "abc" for sort in range(9)]
    assert len(several) > 4


# --- Writes

RETURNED = {"ALL OLD": "ALL_OLD", "ALL NEW": "ALL_NEW", "MODIFIED OLD": "UPDATED_OLD", "MODIFIED NEW": "UPDATED_NEW"}
ERRORS = {"DuplicateItemException": "ConditionalCheckFailedException"}


def insert(random, table, native_table, target=None, returns=True):
    item = {**(target or key(random)), **index_attributes(random), **attributes(random)}
    writer = Statement(random)
    text = f"INSERT INTO {quoted(table)} VALUE {{"
    text += ", ".join(f"{literal({'S': name})}: {writer.value(member)}" for name, member in item.items()) + "}"
    return writer.arguments(text), ("put_item", {
        "TableName": native_table, "Item": item, "ConditionExpression": "attribute_not_exists(pk)"})


def where(random, writer, target, condition_tree):
    parts = [("cmp", "=", (name,), member) for name, member in target.items()]
    if condition_tree:
        parts.append(condition_tree)
    random.shuffle(parts)
    return " WHERE " + " AND ".join(writer.condition(part, inner=True) for part in parts)


def assignment(random, name, writer, expression):
    """One change of an attribute: (PartiQL clause, its text, clause of the update expression, its text)."""
    at = path(random, [name], nested=random.random() < 0.5)
    fitting = {"nu": ["plus"], "li": ["append"], "sset": ["set_add", "set_delete"], "nset": ["set_add", "set_delete"]}.get(name, ["value"])
    anything = ["value", "plus", "append", "copy", "set_add", "set_delete"]
    kind = random.choice([*fitting, "value", "remove"]) if random.random() < 0.8 else random.choice(anything)
    if kind == "remove":
        return "REMOVE", writer.path(at), "REMOVE", expression.path(at)
    target = writer.path(at)
    native = expression.path(at)
    if kind == "value":
        item = value(random, KINDS.get(name) if random.random() < 0.8 else None)
        return "SET", f"{target} = {writer.value(item)}", "SET", f"{native} = {expression.value(item)}"
    if kind == "plus":
        amount, sign = {"N": str(random.choice([1, 2.5, 10]))}, random.choice("+-")
        return ("SET", f"{target} = {writer.path(at)} {sign} {writer.value(amount)}",
                "SET", f"{native} = {native} {sign} {expression.value(amount)}")
    if kind == "append":
        more = {"L": [value(random, "N")]}
        return ("SET", f"{target} = list_append({writer.path(at)}, {writer.value(more)})",
                "SET", f"{native} = list_append({native}, {expression.value(more)})")
    if kind == "copy":
        other = path(random, ATTRIBUTES)
        return "SET", f"{target} = {writer.path(other)}", "SET", f"{native} = {expression.path(other)}"
    members = value(random, KINDS[name] if name.endswith("set") else "SS")
    return ("SET", f"{target} = {kind}({writer.path(at)}, {writer.value(members)})",
            "ADD" if kind == "set_add" else "DELETE", f"{native} {expression.value(members)}")


def update(random, table, native_table, target=None, returns=True):
    target = target or key(random)
    tree = condition(random, [*ATTRIBUTES, "ls", "gh", "gr"]) if random.random() < 0.3 else None
    writer, expression = Statement(random), Expression()
    text, clauses = f"UPDATE {quoted(table)}", {}
    for name in random.sample([*ATTRIBUTES, "ls", "gh", "gr"], random.randrange(1, 4)):
        if name in ("ls", "gh", "gr"):
            item = {"N": str(random.randrange(6))} if name == "gr" else {"S": random.choice(["a", "ab", "g1", "g2"])}
            change = ("SET", f"{writer.path((name,))} = {writer.value(item)}", "SET",
                      f"{expression.path((name,))} = {expression.value(item)}")
            if random.random() < 0.3:
                writer.parameters[:] = writer.parameters[:text.count("?")]
                expression.values.popitem()
                change = ("REMOVE", writer.path((name,)), "REMOVE", expression.path((name,)))
        else:
            change = assignment(random, name, writer, expression)
        text += f" {change[0]} {change[1]}"
        clauses.setdefault(change[2], []).append(change[3])
    text += where(random, writer, target, tree)
    returned = random.choice([None, *RETURNED]) if returns else None
    if returned:
        text += f" RETURNING {returned} *"
    check = ("and", [("exists", ("pk",)), tree]) if tree else ("exists", ("pk",))
    return writer.arguments(text), ("update_item", {
        "TableName": native_table, "Key": target, "ReturnValues": RETURNED.get(returned, "NONE"),
        "UpdateExpression": " ".join(f"{clause} {', '.join(parts)}" for clause, parts in clauses.items()),
        "ConditionExpression": expression.condition(check), **expression.arguments()})


def delete(random, table, native_table, target=None, returns=True):
    target = target or key(random)
    tree = condition(random, [*ATTRIBUTES, "ls", "gh", "gr"]) if random.random() < 0.5 else None
    writer, expression = Statement(random), Expression()
    text = f"DELETE FROM {quoted(table)}" + where(random, writer, target, tree)
    returned = returns and random.random() < 0.5
    if returned:
        text += " RETURNING ALL OLD *"
    call = {"TableName": native_table, "Key": target, "ReturnValues": "ALL_OLD" if returned else "NONE"}
    if tree:  # a condition on an item that is not there does not fail
        call["ConditionExpression"] = expression.condition(("or", [("missing", ("pk",)), tree]))
        call.update(expression.arguments())
    return writer.arguments(text), ("delete_item", call)


def check_write(client, statement, operation, call):
    told = f"\n{statement}\n{operation} {call}"
    reply, error = outcome(client.execute_statement, **statement, ReturnConsumedCapacity="INDEXES")
    native, native_error = outcome(getattr(client, operation), **call, ReturnConsumedCapacity="INDEXES")
    if error or native_error:
        assert error and native_error, f"{error} against {native_error}{told}"
        assert ERRORS.get(error[0], error[0]) == native_error[0], f"{error} against {native_error}{told}"
        return False
    returned = reply.get("Items", [])
    assert [plain(item) for item in returned] == [plain(native["Attributes"])] if native.get("Attributes") else not any(returned), told
    assert arms([reply["ConsumedCapacity"]]) == arms([native["ConsumedCapacity"]]), told
    return True


def everything(client, table):
    return sorted(plain(item) for page in client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
                  for item in page["Items"])


@pytest.mark.parametrize("seed", range(6))
def test_writes_change_what_item_operations_change(client, make_table, seed):
    random = random_module.Random(1000 + seed)
    table, native_table = make_table("pk:S", "sk:N", **SCHEMA), make_table("pk:S", "sk:N", **SCHEMA)
    good = 0
    for number in range(300):
        make = random.choices([insert, update, delete], [8, 1, 0] if number < 40 else [4, 10, 3])[0]
        statement, (operation, call) = make(random, table, native_table)
        good += check_write(client, statement, operation, call)
    assert everything(client, table) == everything(client, native_table)
    assert good > 100


# --- Whatever is sent, the server answers as a server should.

def damaged(random, text):
    for _ in range(random.choice([1, 1, 2, 3])):
        at, length = random.randrange(len(text) + 1), random.randrange(1, 10)
        piece = random.choice(["", " ", "(", ")", "[", "]", "<<", "'", '"', ".", ",", "?", "NOT ", " AND ", " OR ", " IN ", "size(", "null", "*", "1e5",
                               text[at:at + length], "\u00e9", " IS MISSING ", "sk", "pk = ", "{'a': 1}", " RETURNING ALL OLD *", " ORDER BY pk"])
        text = text[:at] + piece + text[at + random.choice([0, length]):] or "x"
    return text


@pytest.mark.parametrize("seed", range(4))
def test_damaged_statements_are_answered(client, make_table, seed):
    random = random_module.Random(6000 + seed)
    table = make_table("pk:S", "sk:N", **SCHEMA)
    kinds = [lambda: Read(random, table).statement(), *(lambda make=make: make(random, table, table)[0] for make in (insert, update, delete))]
    answered = {200: 0, 400: 0}
    for _ in range(800):
        statement = random.choice(kinds)()
        statement["Statement"] = damaged(random, statement["Statement"])
        if random.random() < 0.1:
            statement.pop("Parameters", None)
        try:
            client.execute_statement(**statement)
            answered[200] += 1
        except ClientError as error:
            answered[error.response["ResponseMetadata"]["HTTPStatusCode"]] += 1
            assert error.response["Error"]["Code"] in (
                "ValidationException", "ResourceNotFoundException", "ConditionalCheckFailedException", "DuplicateItemException"), statement
            assert error.response["Error"]["Message"], statement
    assert set(answered) == {200, 400} and min(answered.values()) > 10, answered


# --- Batches and transactions

def keys(random, count):
    """That many different keys."""
    every = [{"pk": {"S": partition}, "sk": {"N": str(sort)}} for partition in PARTITIONS for sort in range(12)]
    return random.sample(every, count)


def units(capacities):
    return sum(capacity["CapacityUnits"] for capacity in capacities)


def select_of(random, table, target):
    writer = Statement(random)
    return writer.arguments(f"SELECT * FROM {quoted(table)}" + where(random, writer, target, None))


@pytest.mark.parametrize("seed", range(3))
def test_batches_read_what_batch_get_item_reads(client, filled, seed):
    random = random_module.Random(2000 + seed)
    for _ in range(40):
        wanted = keys(random, random.randrange(1, 26))
        consistent = random.random() < 0.5
        statements = [{**select_of(random, filled, target), "ConsistentRead": consistent} for target in wanted]
        reply = client.batch_execute_statement(Statements=statements, ReturnConsumedCapacity="TOTAL")
        native = client.batch_get_item(RequestItems={filled: {"Keys": wanted, "ConsistentRead": consistent}},
                                       ReturnConsumedCapacity="TOTAL")
        found = {plain({name: item[name] for name in ("pk", "sk")}): plain(item) for item in native["Responses"][filled]}
        assert [plain(member["Item"]) if "Item" in member else None for member in reply["Responses"]] == [
            found.get(plain(target)) for target in wanted], statements
        assert units(reply["ConsumedCapacity"]) == units(native["ConsumedCapacity"]), statements


@pytest.mark.parametrize("seed", range(3))
def test_transactions_read_what_transact_get_items_reads(client, filled, seed):
    random = random_module.Random(3000 + seed)
    for _ in range(25):
        wanted = keys(random, random.randrange(1, 20))
        statements = [select_of(random, filled, target) for target in wanted]
        reply = client.execute_transaction(TransactStatements=statements, ReturnConsumedCapacity="TOTAL")
        native = client.transact_get_items(TransactItems=[{"Get": {"TableName": filled, "Key": target}} for target in wanted],
                                           ReturnConsumedCapacity="TOTAL")
        assert [plain(member.get("Item")) for member in reply["Responses"]] == [
            plain(member.get("Item")) for member in native["Responses"]], statements
        assert units(reply["ConsumedCapacity"]) == units(native["ConsumedCapacity"]), statements


SHORT = {"ConditionalCheckFailed": "ConditionalCheckFailedException", "DuplicateItem": "ConditionalCheckFailedException",
         "ValidationError": "ValidationException"}


@pytest.mark.parametrize("seed", range(3))
def test_batches_write_what_item_operations_write(client, make_table, seed):
    random = random_module.Random(4000 + seed)
    table, native_table = make_table("pk:S", "sk:N", **SCHEMA), make_table("pk:S", "sk:N", **SCHEMA)
    for _ in range(15):
        members = [random.choices([insert, update, delete], [6, 3, 2])[0](random, table, native_table, target, returns=False)
                   for target in keys(random, random.randrange(1, 26))]
        reply = client.batch_execute_statement(Statements=[statement for statement, _ in members], ReturnConsumedCapacity="TOTAL")
        spent = 0
        for response, (statement, (operation, call)) in zip(reply["Responses"], members, strict=True):
            native, error = outcome(getattr(client, operation), **call, ReturnConsumedCapacity="TOTAL")
            told = f"{response} against {error}\n{statement}\n{operation} {call}"
            assert SHORT.get(response.get("Error", {}).get("Code")) == (error and error[0]), told
            spent += native["ConsumedCapacity"]["CapacityUnits"] if native else 0
        if not any("Error" in response for response in reply["Responses"]):
            assert units(reply["ConsumedCapacity"]) == spent
    assert everything(client, table) == everything(client, native_table)


TRANSACTED = {"put_item": "Put", "update_item": "Update", "delete_item": "Delete"}


@pytest.mark.parametrize("seed", range(3))
def test_transactions_write_what_transact_write_items_writes(client, make_table, seed):
    random = random_module.Random(5000 + seed)
    table, native_table = make_table("pk:S", "sk:N", **SCHEMA), make_table("pk:S", "sk:N", **SCHEMA)
    good = 0
    for number in range(60):
        members = [random.choices([insert, update, delete], [9, 1, 1] if number < 20 else [2, 2, 2])[0](
            random, table, native_table, target, returns=False) for target in keys(random, random.randrange(1, 4))]
        for _, (_, call) in members:
            call.pop("ReturnValues", None)
        statements = [statement for statement, _ in members]
        items = [{TRANSACTED[operation]: call} for _, (operation, call) in members]
        told = f"{statements}\n{items}"
        codes, spent = [], []
        for call, arguments in ((client.execute_transaction, {"TransactStatements": statements}),
                                (client.transact_write_items, {"TransactItems": items})):
            try:
                spent.append(units(call(**arguments, ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"]))
                codes.append([])
            except ClientError as error:
                codes.append([reason["Code"] for reason in error.response.get("CancellationReasons", [])] or error.response["Error"]["Code"])
        codes[0] = [code.replace("DuplicateItem", "ConditionalCheckFailed") for code in codes[0]] if isinstance(codes[0], list) else codes[0]
        assert codes[0] == codes[1], told
        if not codes[0]:
            assert spent[0] == spent[1], told
            good += 1
    assert everything(client, table) == everything(client, native_table)
    assert good > 10
