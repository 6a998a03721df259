"""Where other servers answer differently, looked into once: who is right, and why we think so.

An entry matches a disagreement by peer, operation and the kinds of the two answers (regular expressions, whole). `right` is
"ours", "theirs" (then it is a bug of ours, and the entry says which) or "unknown". The facts sheet of the project wins over any peer: none
of them is Amazon's service. A disagreement that no entry matches fails the run.
"""

import re

KNOWN = []


def known(peer, operation, ours, theirs, right, why):
    KNOWN.append((re.compile(peer), re.compile(operation), re.compile(ours, re.S), re.compile(theirs, re.S), right, why))


def find(peer, disagreement):
    operation, ours, theirs = disagreement.signature()
    for entry in KNOWN:
        if (entry[0].fullmatch(peer) and entry[1].fullmatch(operation) and entry[2].fullmatch(ours)
                and entry[3].fullmatch(theirs)):
            return entry
    return None
