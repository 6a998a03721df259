"""The same random requests to two servers, which must give the same answers.

The short form, part of every test run, compares the two engines, which must agree in everything, and one engine with itself
after a restart. With ARMATURE_ARENA_MINUTES the other servers that can run here are asked too (Amazon's DynamoDB Local,
dynalite, from bench/node_modules); what is known of them is in differential_known.py, and anything else fails.
"""

import os
import pathlib
import sys
import time

import pytest

import differential_known
from differential import Pair
from differential_requests import KEYS, Requests
from harness.raw import RawClient
from harness.server import ROOT, Server

sys.path.insert(0, str(ROOT / "bench"))
import servers  # noqa: E402

# The same tables on all, of five units a second: what is let in would depend on how fast each is.
FREE = ("--throttling", "off")

MINUTES = float(os.environ.get("ARMATURE_ARENA_MINUTES", 0))
SHORT_REQUESTS = 1500
SHOWN = 10
PEERS = {"dynamodb-local": servers.DynamoDbLocal, "dynalite": servers.Dynalite}


@pytest.fixture
def seed():
    number = int(os.environ.get("ARMATURE_SEED") or int.from_bytes(os.urandom(4), "big"))
    print(f"seed {number}")
    return number


def run(pair, peer, seed, requests=None, seconds=None):
    """Until so many requests, or so long. The disagreements that are not known, one of each kind, and how many agreed."""
    source, new, agreed, count = Requests(seed), {}, 0, 0
    deadline = time.monotonic() + seconds if seconds else None
    while (count < requests) if requests else (time.monotonic() < deadline):
        count += 1
        found = pair.compare(*source.next())
        if found is None:
            agreed += 1
        elif not differential_known.find(peer, found):
            new.setdefault(found.signature(), found)
    print(f"{peer}: {count} requests, {agreed} answered alike, {len(new)} new kinds of disagreement")
    return new, count, agreed


def show(new, seed):
    shown = "\n".join(str(found) for found in list(new.values())[:SHOWN])
    return f"seed {seed}: {len(new)} disagreements that nobody has looked into\n{shown}"


def test_the_engines_agree_in_everything(tmp_path, seed):
    with Server(None, *FREE) as memory, Server(tmp_path / "data", *FREE) as disk:
        pair = Pair(RawClient(disk.endpoint), RawClient(memory.endpoint))
        new, count, agreed = run(pair, "memory", seed, requests=SHORT_REQUESTS)
        assert not new, show(new, seed)
        assert agreed == count


def test_a_restart_changes_no_answer(tmp_path, seed):
    with Server(tmp_path / "data", *FREE) as server, Server(None, *FREE) as memory:
        pair = Pair(RawClient(server.endpoint), RawClient(memory.endpoint))
        new, _, _ = run(pair, "memory", seed, requests=SHORT_REQUESTS // 3)
        assert not new, show(new, seed)
        server.kill()
        server.start()
        pair.ours = RawClient(server.endpoint)
        assert pair.settle() is None
        new, _, _ = run(pair, "memory", seed + 1, requests=SHORT_REQUESTS // 3)
        assert not new, show(new, seed)


def test_the_comparison_sees_a_difference(tmp_path, seed):
    """A server that was written to behind the comparison's back must be found out."""
    with Server(None, *FREE) as one, Server(None, *FREE) as other:
        pair = Pair(RawClient(one.endpoint), RawClient(other.endpoint))
        for key in KEYS:
            RawClient(other.endpoint).ok("PutItem", {"TableName": "Differential.Hash", "Item": {"pk": {"S": key}, "odd": {"N": "1"}}})
        new, _, _ = run(pair, "memory", seed, requests=300)
        assert new


if MINUTES:

    @pytest.mark.parametrize("peer", PEERS)
    def test_other_servers_differ_only_where_it_is_known(tmp_path, seed, peer):
        modules = pathlib.Path(os.environ.get("ARMATURE_PEERS", ROOT / "bench" / "node_modules"))
        with Server(None, *FREE) as ours, PEERS[peer](tmp_path / peer, modules, False) as theirs:
            pair = Pair(RawClient(ours.endpoint), RawClient(theirs.endpoint))
            new, count, agreed = run(pair, peer, seed, seconds=MINUTES * 60 / len(PEERS))
            assert agreed > count / 3, "hardly anything agreed: are these the same requests?"
            assert not new, show(new, seed)
