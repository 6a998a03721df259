"""The soak's short form, or its long one: everything at once with restarts, and nothing grows."""

import os
import random

import pytest

import flatness
from soak import Soak

SHORT_SECONDS = 12


def steady(seconds=600, growth=0.0, measure="memory_mib", pid=7):
    """Samples and latencies of a server that stays as it is but for what is asked to grow."""
    rng, samples, latencies = random.Random(1), [], []
    for at in range(seconds):
        sample = {"at": float(at), "pid": pid, "memory_mib": 100 + rng.uniform(-2, 2), "descriptors": 60 + rng.randrange(4), "threads": 30}
        extra = growth * at / seconds
        if measure in sample:
            sample[measure] += extra
        samples.append(sample)
        for _ in range(20):
            latencies.append((float(at), rng.expovariate(1) + (extra if measure.endswith("_ms") else 0)))
    return samples, latencies


def test_a_steady_server_is_flat():
    assert flatness.judge(*steady())["not_flat"] == []


@pytest.mark.parametrize("measure, growth", [("memory_mib", 60), ("descriptors", 30), ("threads", 8), ("p50_ms", 8), ("p99_ms", 200)])
def test_what_grows_is_named(measure, growth):
    assert measure in flatness.judge(*steady(growth=growth, measure=measure))["not_flat"]


def test_the_longest_life_is_judged():
    first, latencies = steady(100, growth=500)
    long, more = steady(900, pid=8)
    for sample in long:
        sample["at"] += 100
    report = flatness.judge(first + long, latencies + [(at + 100, millis) for at, millis in more])
    assert report["not_flat"] == [] and report["seconds"] == 899


def test_nothing_grows_and_nothing_breaks(tmp_path):
    seed = int(os.environ.get("ARMATURE_SEED") or random.SystemRandom().randrange(2**32))
    print(f"seed {seed}")
    minutes = float(os.environ.get("ARMATURE_ARENA_MINUTES") or 0)
    soak = Soak(tmp_path, minutes * 60 or SHORT_SECONDS, seed, every=1.0 if minutes else 0.1)
    try:
        soak.run()
    finally:
        if soak.server.is_running():
            soak.server.kill()
    # In seconds caches still fill, and the first answers are the slow ones: that is for the long form.
    measures = tuple(flatness.BOUNDS) if minutes else ("descriptors", "threads")
    report = soak.report(measures)
    print(flatness.table(report))
    assert report["not_flat"] == [], flatness.table(report)
    assert len(soak.restarts) == 4
