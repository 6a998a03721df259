"""Where other servers answer differently, looked into once: who is right, and why we think so.

An entry matches a disagreement by peer, operation and the kinds of the two answers (regular expressions, whole), and by what the request
holds, if `request` says (a regular expression, anywhere in its JSON). `right` is
"ours", "theirs" (then it is a bug of ours, and the entry says which) or "unknown". What docs/dynamodb.md says wins over any peer: none
of them is Amazon's service. A disagreement that no entry matches fails the run.
"""

import json
import re

KNOWN = []


def known(peer, operation, ours, theirs, right, why, request=""):
    KNOWN.append((re.compile(peer), re.compile(operation), re.compile(ours, re.S), re.compile(theirs, re.S), right, why,
                  re.compile(request, re.S)))


def find(peer, disagreement):
    operation, ours, theirs = disagreement.signature()
    for entry in KNOWN:
        if (entry[0].fullmatch(peer) and entry[1].fullmatch(operation) and entry[2].fullmatch(ours)
                and entry[3].fullmatch(theirs) and entry[6].search(json.dumps(disagreement.request))):
            return entry
    return None


ANY = r".*"
VALIDATION = r"ValidationException: .*"
LOCAL, DYNALITE, BOTH = "dynamodb-local", "dynalite", "dynamodb-local|dynalite"

# --- both

known(BOTH, ANY, VALIDATION, VALIDATION, "ours",
      "Texts, and which of several faults is told first. The jar is of 2018, dynalite follows captures of before 2020; docs/dynamodb.md rests on newer ones.")
known(BOTH, "ExecuteStatement", ANY, r"UnknownOperationException: .*", "ours", "Neither knows PartiQL.")
known(BOTH, "UpdateItem|TransactWriteItems", "another result of only removing", "another result of only removing", "ours",
      "An update of only REMOVE or DELETE does not create a missing item (docs/dynamodb.md 5.5); both peers do.")
known(BOTH, "UpdateItem|TransactWriteItems", r"ok|TransactionCanceledException: .*", r"ValidationException: The document path provided .*", "ours",
      "REMOVE of a path in a missing item is ignored (docs/dynamodb.md 5.5); both peers refuse it.")
known(BOTH, ANY, VALIDATION, r"ConditionalCheckFailedException: .*", "ours",
      "Faults of the request are told before the condition is looked at; the peers look at the item first.")
known(BOTH, "Query|Scan", r"ValidationException: .*does not project.*", "ok", "ours",
      "Attributes that a global index does not project cannot be asked of it, nor filtered by in a Query of either kind (docs/dynamodb.md 8.2).")
known(BOTH, ANY, r"ResourceNotFoundException: .*", r"(?:ValidationException|ResourceNotFoundException): .*", "unknown",
      "Names of tables that are too short or long: which fault is told first depends on the operation.")

# --- DynamoDB Local

known(LOCAL, ANY, r"ConditionalCheckFailedException: .*|ok|TransactionCanceledException: .*",
      r"ValidationException: .*(?:may not contain|Invalid ~ type|Type mismatch for Index Key).*", "ours",
      "Empty strings and binaries are allowed outside of keys since 2020; the jar is older.")
known(LOCAL, "Scan", "ok", r"ValidationException: .*does not project one or more filter.*", "ours",
      "The filter of a Scan sees an attribute that is not projected as missing; that of a Query is refused by both.")
known(LOCAL, "Query|Scan", "another result of a global index", "another result of a global index", "ours",
      "The same: the jar's filter looks at the whole item.")
known(LOCAL, ANY, r"SerializationException: .*", ANY, "ours",
      "JSON of the wrong type is a SerializationException at AWS; the jar converts it, or fails.")
known(LOCAL, ANY, ANY, r"InternalFailure: .*|InternalServerError: .*", "ours", "A failure of the jar.")
known(LOCAL, ANY, r"ValidationException: .*(?:enum value set|reserved keyword|length less|length greater).*", ANY, "ours",
      "The jar does not check enumerations it has no use for, lengths, nor some reserved words.")
known(LOCAL, "UpdateItem", r"ValidationException: .*(?:Index Key|secondary index|Key attributes must be scalars).*", "ok", "ours",
      "Keys of indexes have their type also in updates that compute or nest them.")
known(LOCAL, "Query|Scan", r"ValidationException: .*Select type ALL_ATTRIBUTES is not supported.*", "ok", "ours",
      "ALL_ATTRIBUTES needs an ALL projection (docs/dynamodb.md 8.2).")
known(LOCAL, ANY, r"ValidationException: .*ComparisonOperator \w+ is not valid for .*", "ok", "unknown",
      "Which types the older operators take: the guide lists them, the jar takes more.")
known(BOTH, ANY, VALIDATION, r"ResourceNotFoundException: .*", "ours", "Expressions are looked at before the table (docs/dynamodb.md 1.4).")
known(LOCAL, "TransactWriteItems", VALIDATION, r"TransactionCanceledException: .*", "ours",
      "Two actions on one item are refused before any is looked at.")
known(LOCAL, "TransactWriteItems", r"TransactionCanceledException: .*ValidationError.*", ANY, "ours",
      "A fault of one action that depends on the item cancels the transaction.")
known(LOCAL, "TransactWriteItems", r"TransactionCanceledException: .*", r"TransactionCanceledException: .*", "ours",
      "As above: which action has which reason.")

known(LOCAL, "PutItem", r"ConditionalCheckFailedException: .*", r"ValidationException: Type mismatch .*", "unknown",
      "Whether an index key of the wrong type or a condition that fails is told first.")
known(LOCAL, "UpdateItem|TransactWriteItems", r"ValidationException: The provided expression refers to .*", "ok", "unknown",
      "SET a = pk on a missing item: whether a key attribute of the request counts as there is not recorded.")

# --- dynalite

known(DYNALITE, "Transact.*", ANY, r"UnknownOperationException: .*", "ours", "dynalite has no transactions.")
known(DYNALITE, ANY, VALIDATION, "ok", "ours",
      "Checks that dynalite does not make: ReturnValues of DeleteItem, ConditionalOperator of one condition, operand types.")
known(DYNALITE, "Scan|Query", "ok", r"ValidationException: .*ComparisonOperator \w+ is not valid for [LM] .*", "ours",
      "EQ and NE take lists and maps since there are any.")
known(DYNALITE, ANY, r"SerializationException: .*", ANY, "ours", "JSON of the wrong type that dynalite converts.")
known(DYNALITE, ANY, r"ConditionalCheckFailedException: .*|ok", VALIDATION, "ours",
      "Types of index keys are looked at only in items that are written; empty values are allowed since 2020.")
known(DYNALITE, "Scan|Query", "another result.*", "another result.*", "ours",
      "ConditionalOperator OR is not known to dynalite; conditions on missing attributes and sets differ.")
known(DYNALITE, "PutItem|UpdateItem|DeleteItem", r"ConditionalCheckFailedException: .*", "ok", "ours",
      "dynalite compares sets by the order of their members.")
known(DYNALITE, "PutItem|UpdateItem|DeleteItem", "ok", r"ConditionalCheckFailedException: .*", "ours",
      "EQ of Expected compares lists and maps as a whole (docs/dynamodb.md 6); dynalite finds no two of them equal.",
      request=r'"Expected": .*\{"[LM]": ')
known(DYNALITE, "UpdateItem", "another result", "another result", "ours",
      "Right-hand sides are those of the old item (docs/dynamodb.md 5.5); dynalite's SET sees what ADD has done.",
      request=r'"UpdateExpression": "(?=.*ADD )(?=.*SET )')
