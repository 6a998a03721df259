"""Random PartiQL conditions, paths and values, each with the expression that means the same.

A condition is a small tree of tuples; `Expression` writes it as a condition expression with its names and values, `Statement` as
PartiQL with its parameters. Deterministic: everything comes from the Random that is passed in.
"""

import base64
import json

# Attributes of the items and what they usually hold; any of them may be missing or hold something else.
KINDS = {"st": "S", "nu": "N", "fl": "BOOL", "ni": "NULL", "li": "L", "ma": "M", "sset": "SS", "nset": "NS", "bi": "B"}
WORDS = ["a", "ab", "abc", "b", "it's", "Ünï", "x y", "zz;"]
NESTED = ("k1", "k2", "deep")
COMPARED = ("=", "<>", "<", "<=", ">", ">=")


def scalar(random, kind):
    if kind == "S":
        return {"S": random.choice(WORDS)}
    if kind == "N":
        return {"N": str(random.choice([-5, 0, 1, 2, 3, 7, 10, 100, 2.5, -0.25]))}
    if kind == "B":
        return {"B": random.choice([b"\x00\x01", b"\xff", b"bytes"])}
    if kind == "BOOL":
        return {"BOOL": random.random() < 0.5}
    return {"NULL": True}


def value(random, kind=None, depth=0):
    kind = kind or random.choice(list(KINDS.values()))
    if kind == "L":
        return {"L": [value(random, None if depth == 0 else "N", depth + 1) for _ in range(random.randrange(4))]}
    if kind == "M":
        keys = random.sample(NESTED, random.randrange(1, 4))
        return {"M": {key: value(random, random.choice(["S", "N", "L", "M"]) if depth == 0 else "N", depth + 1) for key in keys}}
    if kind == "SS":
        return {"SS": random.sample(WORDS, random.randrange(1, 4))}
    if kind == "NS":
        return {"NS": random.sample(["1", "2", "3", "7", "2.5"], random.randrange(1, 4))}
    return scalar(random, kind)


def attributes(random):
    """Some attributes of an item besides its keys."""
    item = {}
    for name, kind in KINDS.items():
        if random.random() < 0.65:
            item[name] = value(random, kind if random.random() < 0.85 else None)
    if random.random() < 0.15:
        item["st"] = {"S": "long " * random.choice([300, 900, 2500])}  # over 1 and 4 KB: capacity must differ
    return item


def path(random, names, nested=True):
    """A tuple of names and indexes."""
    name = random.choice(names)
    if nested and name == "ma" and random.random() < 0.6:
        return (name, random.choice(NESTED)) + ((random.choice(NESTED),) if random.random() < 0.3 else ())
    if nested and name == "li" and random.random() < 0.6:
        return (name, random.randrange(3))
    return (name,)


def condition(random, names, depth=0):
    """A random condition over these attributes."""
    if depth < 3 and random.random() < (0.5 if depth == 0 else 0.3):
        kind = random.choice(["and", "or", "not"])
        if kind == "not":
            return ("not", condition(random, names, depth + 1))
        return (kind, [condition(random, names, depth + 1) for _ in range(random.randrange(2, 4))])
    at = path(random, names)
    kind = random.choice(["cmp", "cmp", "cmp", "between", "in", "begins_with", "contains", "type", "size", "missing", "null", "paths"])
    if kind == "cmp":
        operator = random.choice(COMPARED)
        wanted = random.choice(["S", "N", "B"]) if operator not in ("=", "<>") else None
        return ("cmp", operator, at, value(random, KINDS.get(at[0]) if wanted is None and random.random() < 0.6 else wanted))
    if kind == "between":
        ends = sorted([scalar(random, "N"), scalar(random, "N")], key=lambda v: float(v["N"])) if random.random() < 0.5 else sorted(
            [scalar(random, "S"), scalar(random, "S")], key=lambda v: v["S"].encode())
        return ("between", at, ends[0], ends[1])
    if kind == "in":
        return ("in", at, [value(random, random.choice(["S", "N", "BOOL", "NULL"])) for _ in range(random.randrange(1, 5))])
    if kind == "begins_with":
        return ("begins_with", at, {"S": random.choice(WORDS)[:random.randrange(1, 3)]})
    if kind == "contains":
        return ("contains", at, scalar(random, random.choice(["S", "N"])))
    if kind == "type":
        return ("type", at, random.choice(list(KINDS.values())))
    if kind == "size":
        return ("size", random.choice(COMPARED), at, {"N": str(random.randrange(6))})
    if kind == "paths":
        other = path(random, names)
        return ("paths", random.choice(COMPARED), at, other) if other != at else ("missing", at)
    return (kind, at)


class Expression:
    """Condition expressions, with aliases for every name and value."""

    def __init__(self):
        self.names, self.values = {}, {}

    def path(self, at):
        text = ""
        for part in at:
            if isinstance(part, int):
                text += f"[{part}]"
                continue
            alias = f"#{part}"
            self.names[alias] = part
            text += f".{alias}" if text else alias
        return text

    def value(self, item):
        alias = f":v{len(self.values)}"
        self.values[alias] = item
        return alias

    def condition(self, node, inner=False):
        """`inner`: put parentheses around whatever needs them."""
        kind = node[0]
        if kind in ("and", "or"):
            text = f" {kind.upper()} ".join(self.condition(child, inner=True) for child in node[1])
            return f"({text})" if inner else text
        if kind == "not":
            return f"NOT ({self.condition(node[1])})"
        if kind in ("cmp", "paths", "size") and node[1] == "<>":
            # In PartiQL nothing differs from an attribute that is not there; in expressions everything does.
            there = [f"attribute_exists({self.path(at)})" for at in node[2:] if isinstance(at, tuple)]
            left = f"size({self.path(node[2])})" if kind == "size" else self.path(node[2])
            right = self.path(node[3]) if kind == "paths" else self.value(node[3])
            text = " AND ".join([*there, f"{left} <> {right}"])
            return f"({text})" if inner else text
        if kind == "cmp":
            return f"{self.path(node[2])} {node[1]} {self.value(node[3])}"
        if kind == "paths":
            return f"{self.path(node[2])} {node[1]} {self.path(node[3])}"
        if kind == "size":
            return f"size({self.path(node[2])}) {node[1]} {self.value(node[3])}"
        if kind == "between":
            return f"{self.path(node[1])} BETWEEN {self.value(node[2])} AND {self.value(node[3])}"
        if kind == "in":
            return f"{self.path(node[1])} IN ({', '.join(self.value(item) for item in node[2])})"
        if kind == "type":
            return f"attribute_type({self.path(node[1])}, {self.value({'S': node[2]})})"
        if kind == "missing":
            return f"attribute_not_exists({self.path(node[1])})"
        if kind == "exists":
            return f"attribute_exists({self.path(node[1])})"
        if kind == "null":
            return f"attribute_type({self.path(node[1])}, {self.value({'S': 'NULL'})})"
        return f"{kind}({self.path(node[1])}, {self.value(node[2])})"

    def arguments(self):
        members = {}
        if self.names:
            members["ExpressionAttributeNames"] = self.names
        if self.values:
            members["ExpressionAttributeValues"] = self.values
        return members


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def literal(item):
    """The value as PartiQL writes it; None where there is no way to."""
    (kind, content), = item.items()
    if kind == "S":
        return "'" + content.replace("'", "''") + "'"
    if kind == "N":
        return content
    if kind == "BOOL":
        return "true" if content else "false"
    if kind == "NULL":
        return "null"
    if kind in ("SS", "NS"):
        return "<<" + ", ".join(literal({kind[0]: member}) for member in content) + ">>"
    if kind == "L":
        members = [literal(member) for member in content]
        return None if None in members else "[" + ", ".join(members) + "]"
    if kind == "M":
        members = {name: literal(member) for name, member in content.items()}
        if None in members.values():
            return None
        return "{" + ", ".join(f"{literal({'S': name})}: {member}" for name, member in members.items()) + "}"
    return None


class Statement:
    """PartiQL text, written from left to right, with its parameters in order."""

    def __init__(self, random):
        self.random, self.parameters = random, []

    def path(self, at):
        text = ""
        for part in at:
            if isinstance(part, int):
                text += f"[{part}]"
            else:
                name = quoted(part) if self.random.random() < 0.7 else part
                text += f".{name}" if text else name
        return text

    def value(self, item):
        text = literal(item) if self.random.random() < 0.6 else None
        if text is None or len(text) > 1000:  # a statement has 8192 characters
            self.parameters.append(item)
            return "?"
        return text

    def word(self, text):
        return text if self.random.random() < 0.8 else text.lower()

    def condition(self, node, inner=False):
        kind = node[0]
        if kind in ("and", "or"):
            text = f" {self.word(kind.upper())} ".join(self.condition(child, inner=True) for child in node[1])
            return f"({text})" if inner else text
        if kind == "not":
            child = node[1]
            if child[0] in ("between", "in") and self.random.random() < 0.5:
                return self.condition((f"not {child[0]}", *child[1:]))
            if child[0] in ("missing", "null") and self.random.random() < 0.5:
                return f"{self.path(child[1])} {self.word('IS NOT')} {child[0].upper()}"
            return f"{self.word('NOT')} ({self.condition(child)})"
        if kind == "cmp":
            if self.random.random() < 0.2 and node[1] in ("=", "<>"):
                return f"{self.value(node[3])} {node[1]} {self.path(node[2])}"
            return f"{self.path(node[2])} {node[1]} {self.value(node[3])}"
        if kind == "paths":
            return f"{self.path(node[2])}{node[1]}{self.path(node[3])}"
        if kind == "size":
            return f"{self.word('size')}({self.path(node[2])}) {node[1]} {self.value(node[3])}"
        if kind in ("between", "not between"):
            return f"{self.path(node[1])} {self.word(kind.upper())} {self.value(node[2])} AND {self.value(node[3])}"
        if kind in ("in", "not in"):
            at, opening = self.path(node[1]), self.random.choice(["[]", "()"])
            return f"{at} {self.word(kind.upper())} {opening[0]}{', '.join(self.value(item) for item in node[2])}{opening[1]}"
        if kind == "type":
            return f"attribute_type({self.path(node[1])}, '{node[2]}')"
        if kind in ("missing", "null"):
            return f"{self.path(node[1])} {self.word('IS')} {self.word(kind.upper())}"
        if kind == "exists":
            return f"{self.path(node[1])} IS NOT MISSING"
        return f"{kind}({self.path(node[1])}, {self.value(node[2])})"

    def arguments(self, text):
        members = {"Statement": text}
        if self.parameters:
            members["Parameters"] = self.parameters
        return members


def plain(item):
    """An item so that equal ones compare equal: sets sorted, binaries as text."""
    def fold(node):
        if isinstance(node, bytes):
            return "b64:" + base64.b64encode(node).decode()
        if isinstance(node, dict):
            return {name: sorted(map(fold, inner)) if name in ("SS", "NS", "BS") and isinstance(inner, list) else fold(inner)
                    for name, inner in node.items()}
        return [fold(inner) for inner in node] if isinstance(node, list) else node
    return json.dumps(fold(item), sort_keys=True)
