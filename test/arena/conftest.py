"""Fixtures of the arena: attacks on servers of our own.

ARMATURE_ARENA_MINUTES chooses the long form and says how long it may take; without it the short form runs, which checks counts and
never latencies. ARMATURE_SEED repeats a run; the seed of every run is printed.
"""

import os
import random

import pytest

from harness.raw import RawClient


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture(scope="session")
def seed():
    chosen = int(os.environ.get("ARMATURE_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"seed {chosen}")
    return chosen


@pytest.fixture(scope="session")
def minutes():
    """How long the long form may take in all; None means the short form."""
    text = os.environ.get("ARMATURE_ARENA_MINUTES")
    return float(text) if text else None


@pytest.fixture
def client_of():
    """A raw signed client for a server; closed after the test."""
    clients = []

    def make(server, **options):
        clients.append(RawClient(server.endpoint, **options))
        return clients[-1]

    yield make
    for client in clients:
        client.close()
