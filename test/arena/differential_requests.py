"""Random requests, from a seed: every item API, expressions and their older forms, PartiQL, indexes, and mistakes.

Few keys and few attribute names, so that requests meet each other's items; values of every type, at their edges now and
then. A mistake is a good request with one thing broken. The same seed gives the same requests, whoever answers them.
"""

import base64
import json
import random

HASH_TABLE, RANGE_TABLE = "Differential.Hash", "Differential_Range"
KEYS = ["a", "b", "c"]
SORTS = ["-1", "0", "1", "2.5", "10"]
ATTRIBUTES = ["n", "s", "t", "l", "m", "sset", "gs", "gn", "ls"]
THROUGHPUT = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}


def attributes(*pairs):
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in pairs]


def schema(*names):
    return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"))]


DEFINITIONS = [
    {"TableName": HASH_TABLE, "AttributeDefinitions": attributes(("pk", "S")), "KeySchema": schema("pk"),
     "ProvisionedThroughput": THROUGHPUT},
    {"TableName": RANGE_TABLE,
     "AttributeDefinitions": attributes(("pk", "S"), ("sk", "N"), ("gs", "S"), ("gn", "N"), ("ls", "S")),
     "KeySchema": schema("pk", "sk"), "ProvisionedThroughput": THROUGHPUT,
     "LocalSecondaryIndexes": [{"IndexName": "local", "KeySchema": schema("pk", "ls"),
                                "Projection": {"ProjectionType": "ALL"}}],
     "GlobalSecondaryIndexes": [{"IndexName": "global", "KeySchema": schema("gs", "gn"),
                                 "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["n", "m"]},
                                 "ProvisionedThroughput": THROUGHPUT}]},
]


class Requests:
    def __init__(self, seed):
        self.random = random.Random(seed)

    # --- values

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def number(self):
        if self.chance(85):
            return str(self.pick(0, 1, 2, 3, 7, -1, 10, 2.5))
        return self.pick("1e3", "-0", "00012", "1.10", "1E-130", "9.9999999999999999999999999999999999999E+125", "1e126",
                         "1e-131", "12345678901234567890123456789012345678", "123456789012345678901234567890123456789",
                         "", "abc", "0x10", "1_0", " 1", "NaN", "Infinity")

    def text(self):
        return self.pick("", "a", "ab", "b", "abc", "ä", "\U0001f600", "x" * 40) if self.chance(60) else self.pick(*KEYS)

    def binary(self):
        return base64.b64encode(self.pick(b"a", b"\x00\xff", b"abc", b"")).decode()

    def value(self, depth=0):
        kind = self.random.randrange(12 if depth < 3 else 6)
        if kind < 2:
            return {"S": self.text()}
        if kind < 4:
            return {"N": self.number()}
        if kind == 4:
            return {"B": self.binary()}
        if kind == 5:
            return self.pick({"BOOL": True}, {"BOOL": False}, {"NULL": True})
        if kind == 6:
            return {"SS": [self.pick("a", "b", "c", "d") for _ in range(self.random.randrange(1, 4))]}
        if kind == 7:
            return {"NS": [self.number() for _ in range(self.random.randrange(1, 4))]}
        if kind == 8:
            return {"BS": [self.binary() for _ in range(self.random.randrange(1, 3))]}
        if kind == 9:
            return {"L": [self.value(depth + 1) for _ in range(self.random.randrange(4))]}
        if kind == 10:
            return {"M": {self.pick("a", "b", "c"): self.value(depth + 1) for _ in range(self.random.randrange(3))}}
        return {"SS": []} if self.chance(20) else {"S": self.text()}

    def tame(self):
        """A value that no check refuses."""
        return self.pick({"S": "a"}, {"S": "ab"}, {"N": "1"}, {"N": "2.5"}, {"BOOL": True}, {"NULL": True}, {"SS": ["a", "b"]},
                         {"NS": ["1", "2"]}, {"L": [{"S": "a"}, {"N": "1"}]}, {"M": {"a": {"N": "1"}, "b": {"L": [{"S": "x"}]}}})

    def table(self):
        return self.pick(HASH_TABLE, RANGE_TABLE)

    def key(self, table):
        key = {"pk": {"S": self.pick(*KEYS)}}
        if table == RANGE_TABLE:
            key["sk"] = {"N": self.pick(*SORTS)}
        return key

    def item(self, table):
        item = self.key(table)
        for _ in range(self.random.randrange(5)):
            name = self.pick(*ATTRIBUTES)
            item[name] = self.value() if self.chance(30) else self.tame()
        if table == RANGE_TABLE and self.chance(80):  # mostly what the indexes can hold
            item["gs"], item["gn"] = {"S": self.pick("x", "y")}, {"N": self.pick("1", "2", "3")}
            if self.chance(50):
                item["ls"] = {"S": self.pick("p", "q")}
            else:
                item.pop("ls", None)
        return item

    # --- expressions

    def name(self, names):
        name = self.pick(*ATTRIBUTES, "pk", "absent", *self.pick([], [], ["size"]))
        if self.chance(30):
            names["#" + name] = name
            return "#" + name
        return name

    def path(self, names):
        path = self.name(names)
        while self.chance(25):
            path += self.pick(".a", ".b", "[0]", "[1]", ".n")
        return path

    def operand(self, names, values):
        placeholder = f":v{len(values)}"
        values[placeholder] = self.value() if self.chance(15) else self.tame()
        return placeholder

    def condition(self, names, values, depth=0):
        kind = self.random.randrange(12 if depth < 2 else 8)
        path, operand = self.path(names), lambda: self.operand(names, values)
        if kind == 0:
            return f"attribute_exists({path})"
        if kind == 1:
            return f"attribute_not_exists({path})"
        if kind == 2:
            values[":type"] = {"S": self.pick("S", "N", "L", "M", "SS", "BOOL", "X")}
            return f"attribute_type({path}, :type)"
        if kind == 3:
            return f"{self.pick('begins_with', 'contains')}({path}, {operand()})"
        if kind == 4:
            return f"size({path}) {self.pick('=', '<', '>=')} {operand()}"
        if kind == 5:
            return f"{path} {self.pick('=', '<>', '<', '<=', '>', '>=')} {operand()}"
        if kind == 6:
            return f"{path} BETWEEN {operand()} AND {operand()}"
        if kind == 7:
            return f"{path} IN ({', '.join(operand() for _ in range(self.random.randrange(1, 4)))})"
        if kind == 8:
            return f"NOT {self.condition(names, values, depth + 1)}"
        if kind == 9:
            return f"({self.condition(names, values, depth + 1)})"
        word = self.pick("AND", "OR")
        return f"{self.condition(names, values, depth + 1)} {word} {self.condition(names, values, depth + 1)}"

    def update(self, names, values):
        clauses = []
        targets = iter(self.random.sample(ATTRIBUTES, len(ATTRIBUTES)))

        def target():
            path = next(targets)
            return path + self.pick(".a", ".b", "[0]", "[2]") if self.chance(20) else path

        def right():
            path, operand = self.path(names), lambda: self.operand(names, values)
            kind = self.random.randrange(6)
            return (operand() if kind < 2 else path if kind == 2 else f"{path} {self.pick('+', '-')} {operand()}" if kind == 3
                    else f"if_not_exists({path}, {operand()})" if kind == 4 else f"list_append({path}, {operand()})")

        for keyword in self.random.sample(["SET", "REMOVE", "ADD", "DELETE"], self.random.randrange(1, 4)):
            actions = []
            for _ in range(self.random.randrange(1, 3)):
                actions.append(f"{target()} = {right()}" if keyword == "SET" else target() if keyword == "REMOVE"
                               else f"{target()} {self.operand(names, values)}")
            clauses.append(f"{keyword} {', '.join(actions)}")
        return " ".join(clauses)

    def with_expressions(self, request, **expressions):
        names, values = {}, {}
        for member, make in expressions.items():
            request[member] = make(names, values)
        if names:
            request["ExpressionAttributeNames"] = names
        if values:
            request["ExpressionAttributeValues"] = values
        return request

    def projection(self, names, _values):
        return ", ".join(self.path(names) for _ in range(self.random.randrange(1, 4)))

    # --- older parameters

    def legacy_condition(self):
        operator = self.pick("EQ", "NE", "LT", "LE", "GT", "GE", "NULL", "NOT_NULL", "CONTAINS", "NOT_CONTAINS",
                             "BEGINS_WITH", "IN", "BETWEEN")
        count = {"NULL": 0, "NOT_NULL": 0, "BETWEEN": 2, "IN": self.random.randrange(1, 3)}.get(operator, 1)
        if self.chance(5):
            count += 1
        condition = {"ComparisonOperator": operator}
        if count:
            condition["AttributeValueList"] = [self.value() if self.chance(15) else self.tame() for _ in range(count)]
        return condition

    def legacy_conditions(self):
        return {self.pick(*ATTRIBUTES): self.legacy_condition() for _ in range(self.random.randrange(1, 3))}

    def legacy_expected(self):
        if self.chance(50):
            return self.legacy_conditions()
        return {self.pick(*ATTRIBUTES): self.pick({"Exists": False}, {"Value": self.tame()}, {"Exists": True, "Value": self.tame()})}

    def legacy_updates(self):
        updates = {}
        for _ in range(self.random.randrange(1, 3)):
            action = self.pick("PUT", "ADD", "DELETE", None)
            update = {} if action is None else {"Action": action}
            if action != "DELETE" or self.chance(50):
                update["Value"] = self.value() if self.chance(20) else self.tame()
            updates[self.pick(*ATTRIBUTES)] = update
        return updates

    # --- operations

    def put_item(self):
        table = self.table()
        request = {"TableName": table, "Item": self.item(table)}
        if self.chance(20):
            request["ReturnValues"] = self.pick("ALL_OLD", "NONE", "ALL_NEW")
        return "PutItem", self.guarded(request)

    def guarded(self, request):
        if self.chance(30):
            return self.with_expressions(request, ConditionExpression=self.condition)
        if self.chance(10):
            request["Expected"] = self.legacy_expected()
            if self.chance(20):
                request["ConditionalOperator"] = self.pick("AND", "OR")
        return request

    def delete_item(self):
        table = self.table()
        request = {"TableName": table, "Key": self.key(table)}
        if self.chance(30):
            request["ReturnValues"] = self.pick("ALL_OLD", "NONE", "UPDATED_NEW")
        return "DeleteItem", self.guarded(request)

    def get_item(self):
        table = self.table()
        request = {"TableName": table, "Key": self.key(table), "ConsistentRead": True}
        if self.chance(40):
            self.with_expressions(request, ProjectionExpression=self.projection)
        elif self.chance(20):
            request["AttributesToGet"] = [self.pick(*ATTRIBUTES) for _ in range(self.random.randrange(1, 3))]
        return "GetItem", request

    def update_item(self):
        table = self.table()
        request = {"TableName": table, "Key": self.key(table)}
        if self.chance(20):
            request["AttributeUpdates"] = self.legacy_updates()
            if self.chance(30):
                request["Expected"] = self.legacy_expected()
        elif self.chance(30):
            self.with_expressions(request, UpdateExpression=self.update, ConditionExpression=self.condition)
        else:
            self.with_expressions(request, UpdateExpression=self.update)
        if self.chance(50):
            request["ReturnValues"] = self.pick("ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW", "NONE")
        return "UpdateItem", request

    def query(self):
        index = self.pick(None, None, "local", "global")
        hash_key, sort = {None: ("pk", "sk"), "local": ("pk", "ls"), "global": ("gs", "gn")}[index]
        value = {"S": self.pick(*KEYS) if hash_key == "pk" else self.pick("x", "y")}
        request = {"TableName": RANGE_TABLE}
        if index:
            request["IndexName"] = index
        if self.chance(30):
            request["ScanIndexForward"] = False
        if self.chance(15):
            request["Select"] = self.pick("COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES")
        sort_value = {"S": self.pick("p", "q")} if sort == "ls" else {"N": self.pick(*SORTS)}
        if self.chance(20):
            request["KeyConditions"] = {hash_key: {"ComparisonOperator": "EQ", "AttributeValueList": [value]}}
            if self.chance(50):
                request["KeyConditions"][sort] = {"ComparisonOperator": self.pick("EQ", "LT", "GE"),
                                                  "AttributeValueList": [sort_value]}
            if self.chance(30):
                request["QueryFilter"] = self.legacy_conditions()
            return "Query", request

        def key_condition(names, values):
            values[":h"] = value
            text = f"{hash_key} = :h"
            if self.chance(60):
                values[":s"] = sort_value
                text += self.pick(f" AND {sort} = :s", f" AND {sort} >= :s", f" AND {sort} < :s", f" AND {sort} BETWEEN :s AND :s",
                                  f" AND begins_with({sort}, :s)", f" AND {sort} <> :s")
            return text

        expressions = {"KeyConditionExpression": key_condition}
        if self.chance(30):
            expressions["FilterExpression"] = self.condition
        if self.chance(20):
            expressions["ProjectionExpression"] = self.projection
        return "Query", self.with_expressions(request, **expressions)

    def scan(self):
        request = {"TableName": self.table()}
        if request["TableName"] == RANGE_TABLE and self.chance(30):
            request["IndexName"] = self.pick("local", "global", "none")
        if self.chance(20):
            request["ScanFilter"] = self.legacy_conditions()
            if self.chance(30):
                request["ConditionalOperator"] = self.pick("AND", "OR")
            return "Scan", request
        expressions = {}
        if self.chance(60):
            expressions["FilterExpression"] = self.condition
        if self.chance(20):
            expressions["ProjectionExpression"] = self.projection
        return "Scan", self.with_expressions(request, **expressions)

    def batch_get(self):
        asked = {}
        for table in self.random.sample([HASH_TABLE, RANGE_TABLE], self.random.randrange(1, 3)):
            asked[table] = {"Keys": [self.key(table) for _ in range(self.random.randrange(1, 4))]}
        return "BatchGetItem", {"RequestItems": asked}

    def batch_write(self):
        asked = {}
        for table in self.random.sample([HASH_TABLE, RANGE_TABLE], self.random.randrange(1, 3)):
            asked[table] = [{"PutRequest": {"Item": self.item(table)}} if self.chance(60) else
                            {"DeleteRequest": {"Key": self.key(table)}} for _ in range(self.random.randrange(1, 4))]
        return "BatchWriteItem", {"RequestItems": asked}

    def transact_write(self):
        actions = []
        for _ in range(self.random.randrange(1, 4)):
            table = self.table()
            kind = self.pick("Put", "Update", "Delete", "ConditionCheck")
            action = {"TableName": table}
            if kind == "Put":
                action["Item"] = self.item(table)
            else:
                action["Key"] = self.key(table)
            expressions = {}
            if kind == "Update":
                expressions["UpdateExpression"] = self.update
            if kind == "ConditionCheck" or self.chance(30):
                expressions["ConditionExpression"] = self.condition
            actions.append({kind: self.with_expressions(action, **expressions)})
        return "TransactWriteItems", {"TransactItems": actions}

    def transact_get(self):
        return "TransactGetItems", {"TransactItems": [
            {"Get": {"TableName": table, "Key": self.key(table)}} for table in
            (self.table() for _ in range(self.random.randrange(1, 4)))]}

    def statement(self):
        table = self.pick(HASH_TABLE, RANGE_TABLE)
        where = f"pk = '{self.pick(*KEYS)}'" + (f" AND sk = {self.pick(*SORTS)}" if table == RANGE_TABLE else "")
        more = self.pick("n > 1", "contains(s, 'a')", "begins_with(t, 'a')", "attribute_type(n, 'N')")
        text = self.pick(
            f'SELECT * FROM "{table}" WHERE {where}', f'SELECT n, m.a FROM "{table}" WHERE {where}',
            f'UPDATE "{table}" SET n = {self.pick("1", "n + 1", chr(39) + "x" + chr(39))} WHERE {where}',
            f'UPDATE "{table}" REMOVE s WHERE {where}', f'DELETE FROM "{table}" WHERE {where}',
            f"SELECT * FROM \"{table}\" WHERE pk = 'a' AND {more}")
        return "ExecuteStatement", {"Statement": text}

    # --- one broken thing

    def spoil(self, operation, request):
        request = json.loads(json.dumps(request))
        kind = self.random.randrange(9)
        members = [name for name in request if name != "TableName"]
        if kind == 0 and members:
            del request[self.pick(*members)]
        elif kind == 1:
            request["TableName"] = self.pick("Missing.Table", "x", "", "a" * 256, "bad name")
        elif kind == 2 and members:
            request[self.pick(*members)] = self.pick(None, 1, "text", [], {}, True)
        elif kind == 3:
            request.setdefault("ExpressionAttributeValues", {})[":unused"] = {"S": "x"}
        elif kind == 4:
            request.setdefault("ExpressionAttributeNames", {})["#unused"] = "x"
        elif kind == 5:
            for member in ("ConditionExpression", "FilterExpression", "UpdateExpression", "ProjectionExpression",
                           "KeyConditionExpression"):
                if member in request and isinstance(request[member], str):
                    at = self.random.randrange(len(request[member]) + 1)
                    request[member] = request[member][:at] + self.pick(" ", "(", ")", ",", "=", "size", ":nope", "#nope", "&") + request[member][at:]
        elif kind == 6 and isinstance(request.get("Key"), dict):
            request["Key"]["extra"] = {"S": "x"}
        elif kind == 7 and isinstance(request.get("Item"), dict):
            request["Item"]["pk"] = self.pick({"N": "1"}, {"S": ""}, {"L": []}, {}, {"S": "a", "N": "1"}, {"Z": "x"})
        else:
            request["ReturnConsumedCapacity"] = self.pick("SOME", "", 5)
        return operation, request

    def next(self):
        makers = [(self.put_item, 22), (self.update_item, 24), (self.get_item, 8), (self.delete_item, 6), (self.query, 12),
                  (self.scan, 10), (self.batch_get, 4), (self.batch_write, 5), (self.transact_write, 5), (self.transact_get, 2),
                  (self.statement, 2)]
        make = self.random.choices([maker for maker, _ in makers], [weight for _, weight in makers])[0]
        operation, request = make()
        return self.spoil(operation, request) if self.chance(12) else (operation, request)
