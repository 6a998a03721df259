"""Sends the same requests to two servers and tells where their answers disagree.

Compared are status, error type, message and result, after what may differ has been taken out: the order of sets and of a
Scan, request ids, names in messages. After every write the items it touched are read from both; if they differ they are
deleted from both, so that one disagreement does not show up again and again.
"""

import decimal
import json
import re

from differential_requests import DEFINITIONS, HASH_TABLE, RANGE_TABLE

WRITES = {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems", "ExecuteStatement"}


def canonical_number(text):
    """By value: the jar prints nested numbers as they came."""
    try:
        number = decimal.Decimal(text).normalize(decimal.Context(prec=60))
        return "0" if number == 0 else str(number)
    except (decimal.InvalidOperation, TypeError):
        return text


def canonical_value(value):
    if not isinstance(value, dict) or len(value) != 1:
        return value
    (kind, content), = value.items()
    if kind == "NS" and isinstance(content, list):
        return {kind: sorted(canonical_number(number) for number in content)}
    if kind in ("SS", "BS") and isinstance(content, list):
        return {kind: sorted(content)}
    if kind == "N":
        return {kind: canonical_number(content)}
    if kind == "L":
        return {kind: [canonical_value(element) for element in content]}
    if kind == "M":
        return {kind: {name: canonical_value(element) for name, element in sorted(content.items())}}
    return value


def canonical_item(item):
    return {name: canonical_value(value) for name, value in sorted(item.items())}


def has_order(operation, request):
    """Only a Query has one, and not among entries of an index whose keys are equal."""
    return operation == "Query" and request.get("IndexName") is None


def only_removes(request):
    """An update that cannot create an item, or a transaction that holds one."""
    actions = request.get("TransactItems")
    if isinstance(actions, list):
        return any(only_removes(action["Update"]) for action in actions if "Update" in action)
    text = request.get("UpdateExpression")
    if isinstance(text, str):
        return not re.search(r"\b(?:SET|ADD)\b", text, re.I)
    updates = request.get("AttributeUpdates")
    return isinstance(updates, dict) and all(isinstance(one, dict) and one.get("Action") == "DELETE" for one in updates.values())


def canonical_result(operation, request, body):
    """What of a reply is the answer, in a form that can be compared."""
    result = {}
    for member in ("Item", "Attributes", "LastEvaluatedKey"):
        if body.get(member):  # one that is empty is left out by some
            result[member] = canonical_item(body[member])
    for member in ("Count", "ScannedCount"):
        if member in body:
            result[member] = body[member]
    if "Items" in body:
        items = [json.dumps(canonical_item(item), sort_keys=True) for item in body["Items"]]
        result["Items"] = items if has_order(operation, request) else sorted(items)
    if "Responses" in body:
        responses = body["Responses"]
        if isinstance(responses, dict):
            result["Responses"] = {table: sorted(json.dumps(canonical_item(item), sort_keys=True) for item in items)
                                   for table, items in sorted(responses.items())}
        else:
            result["Responses"] = [canonical_item(one.get("Item", {})) for one in responses]
    return json.dumps(result, sort_keys=True)


def normal_message(message):
    """A message without the names and values it quotes, so that it is the same for every request of its kind."""
    message = re.sub(r"(?s)\[(?:validation error|Member must).*", "[…]", message)
    message = re.sub(r"'[^']*'", "'…'", message)
    message = re.sub(r"[:#]\w+", "@", message)
    message = re.sub(r"\{[^{}]*\}", "{…}", message)
    message = re.sub(r"\[[^\[\]]*\]", "[…]", message)
    message = re.sub(r"\b(?:attribute|attribute name|key|name|Attribute|operator|function|AttributeName|KeySchema)\b[:=]? ?\S*", "~", message)
    return re.sub(r"\d+", "9", message)[:300]


class Answer:
    def __init__(self, operation, request, reply):
        self.status = reply.status
        try:
            body = json.loads(reply.plain() or b"{}")
        except ValueError:
            body = {"__type": "#NotJson", "message": reply.body[:80].decode(errors="replace")}
        self.is_ok = reply.status == 200
        self.type = body.get("__type", "").split("#")[-1]
        self.message = body.get("message", body.get("Message", "")) or ""
        self.result = canonical_result(operation, request, body) if self.is_ok else ""
        reasons = body.get("CancellationReasons")
        if reasons:
            self.message = "cancelled: " + ", ".join(reason.get("Code", "?") for reason in reasons)

    def kind(self):
        return "ok" if self.is_ok else f"{self.type}: {normal_message(self.message)}"

    def __repr__(self):
        return f"{self.status} {self.result}" if self.is_ok else f"{self.status} {self.type}: {self.message}"


class Disagreement:
    def __init__(self, operation, request, ours, theirs):
        self.operation, self.request, self.ours, self.theirs = operation, request, ours, theirs
        same_kind = ours.kind() == theirs.kind()
        result = "another result" + (" of only removing" if operation in ("UpdateItem", "TransactWriteItems") and only_removes(request) else "")
        if request.get("IndexName") == "global":
            result += " of a global index"
        self.ours_kind = result if same_kind else ours.kind()
        self.theirs_kind = result if same_kind else theirs.kind()

    def signature(self):
        return self.operation, self.ours_kind, self.theirs_kind

    def __str__(self):
        return (f"{self.operation} {json.dumps(self.request, ensure_ascii=False)}\n    ours:   {self.ours!r}\n"
                f"    theirs: {self.theirs!r}\n    as: {self.signature()}")


class Pair:
    """Two servers with the same tables; `ours` is the one under test."""

    def __init__(self, ours, theirs):
        self.ours, self.theirs = ours, theirs
        for client in (ours, theirs):
            for definition in DEFINITIONS:
                client.ok("CreateTable", definition)

    def compare(self, operation, request):
        """A Disagreement, or None."""
        answers = [Answer(operation, request, client.post(operation, request)) for client in (self.ours, self.theirs)]
        ours, theirs = answers
        is_same = (ours.is_ok == theirs.is_ok and ours.type == theirs.type and ours.result == theirs.result
                   and (ours.is_ok or normal_message(ours.message) == normal_message(theirs.message)))
        found = None if is_same else Disagreement(operation, request, ours, theirs)
        # A peer that fails may have written all the same.
        if operation in WRITES and (found or ours.is_ok or theirs.is_ok):
            left_over = self.settle()
            if left_over and found is None:
                return Disagreement(operation, request, *left_over)
        return found

    def settle(self):
        """Makes the tables the same again. The first pair of items that was not, as answers to a Scan."""
        different = None
        for table in (HASH_TABLE, RANGE_TABLE):
            replies = [Answer("Scan", {}, client.post("Scan", {"TableName": table, "ConsistentRead": True}))
                       for client in (self.ours, self.theirs)]
            if replies[0].result == replies[1].result:
                continue
            different = different or replies
            for client, reply in zip((self.ours, self.theirs), replies):
                for text in json.loads(reply.result).get("Items", []):
                    item = json.loads(text)
                    key = {name: item[name] for name in ("pk", "sk") if name in item and (name == "pk" or table == RANGE_TABLE)}
                    client.post("DeleteItem", {"TableName": table, "Key": key})
        return different
