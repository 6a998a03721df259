"""Random writes against a plain model: every index holds what it should, every query finds it, every charge is right."""

import random

import pytest

from harness.index_model import IndexModel, number_size, ordering
from harness.indexes import Index, members
from harness.sdk import race, settle

GSI = [Index("all", "g:S", "r:N"), Index("keys", "r:N", None, "KEYS_ONLY"), Index("some", "g:S", "l:S", ["x"]),
       Index("several", "g:S,r:N", "l:S,w:S", ["y"]), Index("inverted", "sk:S", "pk:S")]
LSI = [Index("local", "pk:S", "l:S", "KEYS_ONLY"), Index("local-some", "pk:S", "r:N", ["y"])]
OPTIONAL = "grlxyw"
CHOICES = {
    "pk": ["A", "B"], "sk": ["a", "ab", "b", "\u0000", "a\u0000", "é", "z"], "g": ["a", "ab", "a\u0000b", "b"], "l": ["a", "ab", "a\u0000b", "b"],
    "w": ["a", "b"], "r": ["-10", "-1", "0", "1", "1.5", "2", "10", "100"], "x": ["p", "p" * 900, "q" * 1500], "y": ["p", "q", "s" * 2500]}
COMPARISONS = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}


def canonical(items):
    return sorted(sorted((name, *value.items()) for name, value in item.items()) for item in items)


class Chance:
    """Random items, updates and conditions from one seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def value(self, name):
        return {"N" if name == "r" else "S": self.random.choice(CHOICES[name])}

    def key(self):
        return {"pk": self.value("pk"), "sk": self.value("sk")}

    def item(self):
        return {**self.key(), **{name: self.value(name) for name in OPTIONAL if self.random.random() < 0.7}}

    def update(self, old, key):
        """(the item afterwards, the members of the request)."""
        sets, removes = {}, []
        while not sets and not removes:
            for name in OPTIONAL:
                what = self.random.random()
                if what < 0.3:
                    sets[name] = self.value(name)
                elif what < 0.5:
                    removes.append(name)
        new = {name: value for name, value in {**(old or key), **sets}.items() if name not in removes}
        expression = "SET " + ", ".join(f"{name} = :{name}" for name in sets) if sets else ""
        expression += " REMOVE " + ", ".join(removes) if removes else ""
        request = {"Key": key, "UpdateExpression": expression}
        if sets:
            request["ExpressionAttributeValues"] = {f":{name}": value for name, value in sets.items()}
        return (new if sets or old else None), request

    def change(self, model, kinds=("put", "update", "delete")):
        """(key, old item, new item, kind, the members of the request) of one write."""
        key, kind = self.key(), self.random.choice(kinds)
        old = model.get(key) if model else None
        if kind == "put":
            new = {**self.item(), **key}
            request = {"Item": new}
        elif kind == "update":
            new, request = self.update(old, key)
        else:
            new, request = None, {"Key": key}
        return IndexModel.key(key), old, new, kind, request

    def changes(self, model, most, kinds):
        """Several writes of different items."""
        found = {}
        for _ in range(self.random.randint(1, most)):
            change = self.change(model, kinds)
            found.setdefault(change[0], change)
        return list(found.values())

    def condition(self, entries, hash_keys, range_keys):
        """(expression, values, the entries that satisfy it) for the hash key of the first entry."""
        clauses, values, wanted = [f"{name} = :{name}" for name in hash_keys], {f":{name}": entries[0][name] for name in hash_keys}, entries
        for name in range_keys:
            what, pivot = self.random.random(), self.random.choice(entries)[name]
            if what < 0.5:
                break
            values[f":{name}"] = pivot
            if what < 0.7:
                clauses.append(f"{name} = :{name}")
                wanted = [entry for entry in wanted if entry[name] == pivot]
                continue
            if what < 0.8 and "S" in pivot:
                values[f":{name}"] = {"S": pivot["S"][:1]}
                clauses.append(f"begins_with({name}, :{name})")
                wanted = [entry for entry in wanted if entry[name]["S"].startswith(pivot["S"][:1])]
            elif what < 0.9:
                low, high = sorted((pivot, self.random.choice(entries)[name]), key=ordering)
                values.update({f":{name}": low, f":{name}2": high})
                clauses.append(f"{name} BETWEEN :{name} AND :{name}2")
                wanted = [entry for entry in wanted if ordering(low) <= ordering(entry[name]) <= ordering(high)]
            else:
                operator = self.random.choice(list(COMPARISONS))
                clauses.append(f"{name} {operator} :{name}")
                wanted = [entry for entry in wanted if COMPARISONS[operator](ordering(entry[name]), ordering(pivot))]
            break
        self.random.shuffle(clauses)
        return " AND ".join(clauses), values, wanted


class Checked:
    """A table and its model; every write goes to both, every read is compared."""

    def __init__(self, db, name, seed):
        self.db, self.name, self.chance, self.model = db, name, Chance(seed), IndexModel(GSI + LSI)

    def compare_charges(self, consumed, expected):
        found = {None: consumed["Table"]["CapacityUnits"]}
        for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
            found.update({name: units["CapacityUnits"] for name, units in consumed.get(kind, {}).items()})
        assert found == expected
        assert consumed["CapacityUnits"] == sum(expected.values())

    def single(self):
        key, old, new, kind, request = self.chance.change(self.model)
        operation = {"put": "PutItem", "update": "UpdateItem", "delete": "DeleteItem"}[kind]
        reply = self.db.ok(operation, {"TableName": self.name, "ReturnConsumedCapacity": "INDEXES", **request})
        self.model.set(key, new)
        self.compare_charges(reply["ConsumedCapacity"], self.model.charge(old, new))

    def batch(self):
        charges, requests = {}, []
        for key, old, new, kind, request in self.chance.changes(self.model, 8, ("put", "delete")):
            requests.append({"PutRequest" if kind == "put" else "DeleteRequest": request})
            self.model.charge(old, new, charges)
            self.model.set(key, new)
        reply = self.db.ok("BatchWriteItem", {"RequestItems": {self.name: requests}, "ReturnConsumedCapacity": "INDEXES"})
        self.compare_charges(reply["ConsumedCapacity"][0], charges)

    def transaction(self):
        charges, changes = {}, self.chance.changes(self.model, 6, ("put", "update", "delete"))
        for _, old, new, _, _ in changes:
            self.model.charge(old, new, charges, factor=2)
        request = {"TransactItems": [{kind.capitalize(): {"TableName": self.name, **action}} for _, _, _, kind, action in changes]}
        if self.chance.random.random() < 0.3:
            self.cancelled(request, {change[0] for change in changes})
            return
        reply = self.db.ok("TransactWriteItems", {**request, "ReturnConsumedCapacity": "INDEXES"})
        for key, _, new, _, _ in changes:
            self.model.set(key, new)
        self.compare_charges(reply["ConsumedCapacity"][0], charges)

    def cancelled(self, request, taken):
        """The same with a check that fails: nothing may happen."""
        key = self.chance.key()
        while IndexModel.key(key) in taken:
            key = self.chance.key()
        condition = "attribute_not_exists(pk)" if self.model.get(key) else "attribute_exists(pk)"
        check = {"ConditionCheck": {"TableName": self.name, "Key": key, "ConditionExpression": condition}}
        error = self.db.error("TransactWriteItems", {"TransactItems": [*request["TransactItems"], check]}, "TransactionCanceledException")
        assert [reason["Code"] for reason in error["CancellationReasons"]] == ["None"] * len(request["TransactItems"]) + ["ConditionalCheckFailed"]

    def read(self, operation, request):
        items = []
        while True:
            page = self.db.ok(operation, request)
            items += page["Items"]
            if "LastEvaluatedKey" not in page:
                return items
            request = {**request, "ExclusiveStartKey": page["LastEvaluatedKey"]}

    def compare_reads(self):
        for name in (None, *self.model.indexes):
            self.compare_scan(name)
            keys = self.model.indexes[name].keys if name else [("pk", "S", "HASH"), ("sk", "S", "RANGE")]
            hash_keys = [attribute for attribute, _, role in keys if role == "HASH"]
            groups = {}
            for entry in self.model.entries(name):
                groups.setdefault(tuple(ordering(entry[attribute]) for attribute in hash_keys), []).append(entry)
            for entries in groups.values():
                self.compare_query(name, entries, hash_keys, [attribute for attribute, _, role in keys if role == "RANGE"])

    def compare_scan(self, name):
        segments, index = self.chance.random.choice([1, 3]), {"IndexName": name} if name else {}
        settle(lambda: canonical(item for segment in range(segments) for item in self.read("Scan", {
            "TableName": self.name, **index, "Segment": segment, "TotalSegments": segments, "Limit": 3})), canonical(self.model.entries(name)))

    def compare_query(self, name, entries, hash_keys, range_keys):
        expression, values, wanted = self.chance.condition(entries, hash_keys, range_keys)
        request = {"TableName": self.name, "KeyConditionExpression": expression, "ExpressionAttributeValues": values,
                   "ScanIndexForward": self.chance.random.random() < 0.5, "Limit": self.chance.random.choice([1, 2, 3, 50])}
        if name:
            request["IndexName"] = name
        found = self.read("Query", request)
        assert canonical(found) == canonical(wanted), request
        order = [[ordering(item[attribute]) for attribute in range_keys] for item in found]
        assert order == sorted(order, reverse=not request["ScanIndexForward"]), request


@pytest.fixture
def indexed(make_table):
    return make_table("pk:S", "sk:S", **members("pk:S", "sk:S", GSI, LSI))


@pytest.mark.parametrize("seed", range(6))
def test_one_writer(db, indexed, seed):
    table = Checked(db, indexed, seed)
    for step in range(150):
        table.chance.random.choice([table.single, table.single, table.single, table.batch, table.transaction])()
        if step % 15 == 14:
            table.compare_reads()


def test_several_writers_leave_indexes_that_agree_with_the_table(raw_client, indexed):
    """Nobody knows the order of their writes, but whatever the table holds, each index holds its part of it."""
    def write(number):
        client, chance = raw_client(), Chance(1000 + number)
        for _ in range(150):
            what = chance.random.random()
            if what < 0.6:
                _, _, _, kind, request = chance.change(None)
                reply = client.post({"put": "PutItem", "update": "UpdateItem", "delete": "DeleteItem"}[kind], {"TableName": indexed, **request})
            elif what < 0.8:
                requests = [{"PutRequest" if kind == "put" else "DeleteRequest": request} for _, _, _, kind, request in chance.changes(None, 5, ("put", "delete"))]
                reply = client.post("BatchWriteItem", {"RequestItems": {indexed: requests}})
            else:
                actions = [{kind.capitalize(): {"TableName": indexed, **request}} for _, _, _, kind, request in chance.changes(None, 4, ("put", "update", "delete"))]
                reply = client.post("TransactWriteItems", {"TransactItems": actions})
            assert reply.status == 200 or "TransactionConflict" in reply.body.decode(), reply
        client.close()

    race(4, write)
    table = Checked(raw_client(), indexed, 0)
    for item in table.read("Scan", {"TableName": indexed, "ConsistentRead": True}):
        table.model.set(IndexModel.key(item), item)
    assert table.model.items, "something is left"
    table.compare_reads()


@pytest.mark.parametrize("text, bytes_", [
    ("1", 2), ("12", 2), ("123", 3), ("100", 2), ("1010", 3), ("1.5", 3), ("0.15", 2), ("100.5", 4), ("3.14159", 5), ("1E125", 2), ("-42", 3), ("-0", 1)])
def test_the_models_own_sizes(text, bytes_):
    assert number_size(text) == bytes_
