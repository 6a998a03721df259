"""Fixtures of the arena: attacks on servers of our own.

ARMATURE_ARENA_MINUTES chooses the long form and says how long it may take; without it the short form runs, which checks counts and
never latencies. ARMATURE_SEED repeats a run; the seed of every run is printed.
"""

import os
import random

import pytest


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
