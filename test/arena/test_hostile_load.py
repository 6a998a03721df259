"""Hostile load: whatever others do, a well-behaved client is served, in time, and the server's memory stays bounded.

The short form looks at counts: every request of the citizen answered with 200, nobody shed in the attackers' place, memory under its bound, the
right ones closed. The long form (./dev arena) compares latencies: the citizen's p99 under attack is at most five times its quiet p99, by the
medians of several windows of each, taken in turns; a machine that is busy with something else gets fresh windows, twice.
"""

import statistics

import pytest

import attacks
import citizen
from harness import tables
from harness.server import Server, is_sanitized
from harness.triggers import http_endpoint, lambda_client

SHORT_SECONDS = 4
WORST_RATIO = 5
# Below this a quiet p99 says more about the machine's scheduler than about the server.
LEAST_QUIET_MILLIS = 1.0
MEMORY_LIMIT_MIB = 1024
# A quarter of the limit for clients' memory, and what caches, memtables and the allocator may add to it meanwhile.
MOST_GROWTH_BYTES = (MEMORY_LIMIT_MIB // 4 + 350) << 20

# By name: the attack, how many processes of it, and what the attackers must have seen for the attack to count as one.
ATTACKS = {
    "slow readers": (attacks.slow_readers, 1, lambda counts: counts.get("closed by the server", 0) > 0),
    "slow writers": (attacks.slow_writers, 1, lambda counts: counts.get("begun", 0) > 50),
    "connection storm": (attacks.connection_storm, 2, lambda counts: counts.get("opened", 0) > 500),
    "memory bombs": (attacks.memory_bombs, 1, lambda counts: counts.get("sent", 0) > 15),
    "expensive expressions": (attacks.expensive_expressions, 2, lambda counts: sum(counts.values()) > 3),
    "many tables": (attacks.many_tables, 1, lambda counts: counts.get("create 200", 0) > 20),
}


@pytest.fixture
def town(data, client_of):
    """A server with a citizen's table and what attackers ask for."""
    with Server(data, "--memory-limit-mib", MEMORY_LIMIT_MIB) as server:
        db = client_of(server)
        tables.create(db, name=citizen.TABLE)
        attacks.prepare(db, tables)
        citizen.observe(server.port, 1)  # everything is warm
        yield server


@pytest.mark.parametrize("name", ATTACKS)
def test_a_well_behaved_client_is_served_under(name, town, seed, minutes):
    function, processes, has_bitten = ATTACKS[name]

    def besiege(number):
        return attacks.Attack(function, town.port, f"{seed}/{number}", processes)

    if minutes is None:
        hold_counts(town, besiege(0), has_bitten)
    else:
        hold_latency(name, town, besiege, minutes * 60 / (len(ATTACKS) + 1))


def test_a_well_behaved_client_is_served_under_many_mappings(data, client_of, seed, minutes):
    """A hundred mappings on ten streams, all of them fed."""
    with http_endpoint() as (endpoint, _):
        functions = [text for number in range(10) for text in ("--function", f"sink{number}={endpoint}")]
        with Server(data, "--memory-limit-mib", MEMORY_LIMIT_MIB, *functions) as server:
            map_streams(server, client_of(server))
            citizen.observe(server.port, 1)

            def besiege(number):
                return attacks.Attack(attacks.feed_streams, server.port, f"{seed}/{number}")

            if minutes is None:
                hold_counts(server, besiege(0), lambda counts: counts.get("put 200", 0) > 20)
            else:
                hold_latency("many mappings", server, besiege, minutes * 60 / (len(ATTACKS) + 1))


def map_streams(server, db):
    """Ten tables, each followed by ten mappings."""
    tables.create(db, name=citizen.TABLE)
    triggers = lambda_client(server.endpoint)
    for number in range(10):
        tables.create(db, name=f"fed{number}", StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
        stream = db.ok("DescribeTable", {"TableName": f"fed{number}"})["Table"]["LatestStreamArn"]
        for sink in range(10):
            triggers.create_event_source_mapping(EventSourceArn=stream, FunctionName=f"sink{sink}", StartingPosition="TRIM_HORIZON",
                                                 ParallelizationFactor=1 + sink % 10)


def hold_counts(server, siege, has_bitten):
    before = server.rss_bytes()
    with siege:
        window = citizen.observe(server.port, SHORT_SECONDS)
        grown = server.rss_bytes() - before
    assert "problem" not in siege.counts, siege.counts
    # A sanitizer's own memory counts as the server's, several times what clients hold: there the limit may be met, and is told.
    troubles = [trouble for trouble in window.troubles if not (is_sanitized() and trouble[1] == 503)]
    assert not troubles, (len(troubles), troubles[:5], siege.counts)
    assert window.answered >= 50
    assert has_bitten(siege.counts), siege.counts
    assert server.is_running()
    if not is_sanitized():
        assert grown < MOST_GROWTH_BYTES, (grown >> 20, siege.counts)


def hold_latency(name, server, besiege, seconds):
    """At most five times the quiet p99, at the first, second or third try."""
    each = max(5, seconds / 6 - 2)
    ratios = []
    for attempt in range(3):
        quiet, hostile = [], []
        for window in range(3):
            quiet.append(citizen.observe(server.port, each))
            with besiege(3 * attempt + window) as siege:
                citizen.observe(server.port, 1)  # the attack has begun
                hostile.append(citizen.observe(server.port, each))
            assert "problem" not in siege.counts, siege.counts
        troubles = [trouble for seen in quiet + hostile for trouble in seen.troubles]
        assert not troubles, troubles[:5]
        calm, harried = (statistics.median(seen.p99 for seen in windows) for windows in (quiet, hostile))
        ratios.append(harried / max(calm, LEAST_QUIET_MILLIS))
        print(f"{name}: quiet p99 {calm:.1f} ms, hostile p99 {harried:.1f} ms, ratio {harried / calm:.1f}; "
              f"{sum(seen.answered for seen in hostile)} answers under attack; {siege.counts}")
        if ratios[-1] <= WORST_RATIO:
            return
    raise AssertionError(f"{name}: p99 is {ratios} times the quiet one")
