"""What a table of many partitions costs, and what others notice of a split."""

import collections
import statistics
import sys
import time

import servers
from measure import FIXED_BODY, MILLION
from parts import core, many

PARTITIONS = 64
BARS = {**core.BARS, **many.BARS}
NAMES = {"get": "GetItem", "put": "PutItem durable", "update-counter": "UpdateItem counter", "query-10": "Query of 10 items",
         "transact-4": "TransactWriteItems of 4", "batch-write-25": "BatchWriteItem of 25"}
TABLE, ORDERED_TABLE = "armature-bench", "armature-bench-ordered-1000"  # as the driver calls them

LARGE_TABLE = "armature-bench-large"
LOADS = {("get", TABLE): ("GetItem", "another table"), ("put", TABLE): ("PutItem", "another table"),
         ("get", LARGE_TABLE): ("GetItem", "that table"), ("put", LARGE_TABLE): ("PutItem", "that table")}
SPLIT_BAR = 1.5
# Short windows: in a longer one a split would have to hold others up for longer until the p99 shows it.
WINDOW_SECONDS, WARMUP_SECONDS = 1.0, 0.5
# Due at fixed times, so that every request counts that would have come while others waited. All four loads together leave
# most of two cores idle: otherwise the p99 is that of waiting for a CPU.
REQUESTS_PER_SECOND = 2_000
CONNECTIONS = 64  # enough for the rate even where an fsync takes long: a queue that only grows would hide a split
SETTLE_SECONDS = 300


def measure(run):
    measure_many_partitions(run)
    measure_splits(run)


def measure_many_partitions(run):
    """The lines of core and many that have a bar against nginx, with their loads and bars, on tables of 64 partitions."""
    rounds = []
    with servers.Nginx(run.directory("nginx"), FIXED_BODY) as nginx, run.armature("partitions") as armature:
        for workload in ("get", "query-10"):  # make the tables
            run.drive(armature, workload, duration="100ms", warmup="0s")
        for table in (TABLE, ORDERED_TABLE):
            split_into(armature, table, PARTITIONS)
        run.settle(armature)
        for _ in range(run.options.rounds):
            got = {"nginx": run.drive(nginx, "fixed", extra=["--expect", str(run.expect)])["server_cpu_us_per_request"]}
            for workload in NAMES:
                how = {"items": core.COUNTERS} if workload == "update-counter" else {}
                got[workload] = run.drive(armature, workload, **how)["server_cpu_us_per_request"]
            rounds.append(got)
        for table in (TABLE, ORDERED_TABLE):
            check_partitions(armature, table, PARTITIONS)
    nginx_cpu = statistics.median(r["nginx"] for r in rounds)
    for workload, name in NAMES.items():
        run.table.add(f"{name}, {PARTITIONS} partitions: CPU", statistics.median(r[workload] for r in rounds), "µs",
                      f"nginx {nginx_cpu:.2f} µs", statistics.median(r[workload] / r["nginx"] for r in rounds), BARS[workload])


def measure_splits(run):
    """GetItem and PutItem in a large table and in another one, in windows with a split and without."""
    splits = 2 * run.options.rounds + 1
    items = MILLION
    while 2 * items // MILLION - 1 < splits:  # so often it can be split until a partition has less than a million
        items *= 2
    # None is split because the load is heavy: only by command.
    with run.armature("split", ["--stream-split-rate", "1000000000"]) as armature:
        print(f"  loading {items:,} items", file=sys.stderr)
        run.drive(armature, "batch-write-25", connections=64, items=items, warmup="0s",
                  extra=["--table", LARGE_TABLE, "--requests", str(items // 25)])
        run.drive(armature, "get", duration="100ms")  # makes the other table
        check_partitions(armature, LARGE_TABLE, 1)
        run.settle(armature, SETTLE_SECONDS)
        window(run, armature)  # reads what is read later; does not count
        to_split = collections.deque(armature.partitions(LARGE_TABLE))  # the largest first
        quiet, split, times = [], [], []

        def split_next():
            before, started = armature.partitions(LARGE_TABLE), time.monotonic()
            armature.split(LARGE_TABLE, to_split.popleft())
            times.append(time.monotonic() - started)
            to_split.extend(child for child in armature.partitions(LARGE_TABLE) if child not in before)

        def look_only():  # what this program and its requests take of the two CPUs is no part of a split
            for _ in range(3):
                armature.partitions(LARGE_TABLE)

        for number in range(splits):
            # Whatever drifts meets both kinds alike: the one that comes first in this pair comes second in the next.
            if number % 2 == 0:
                quiet.append(window(run, armature, look_only))
            split.append(window(run, armature, split_next))
            if number % 2 == 1:
                quiet.append(window(run, armature, look_only))
            print(f"  split {number + 1} of {splits}: {times[-1] * 1000:.1f} ms, p99 in µs " + ", ".join(
                f"{workload} {where} {split[-1][workload, table]:.0f} ({quiet[-1][workload, table]:.0f})"
                for (workload, table), (_, where) in LOADS.items()), file=sys.stderr)
        check_partitions(armature, LARGE_TABLE, splits + 1)
    for load, (operation, where) in LOADS.items():
        without = statistics.median(p99[load] for p99 in quiet)
        beside = statistics.median(p99[load] for p99 in split)
        run.table.add(f"{operation} in {where}: p99 beside a split", beside, "µs", f"p99 without {without:.0f} µs",
                      beside / without, SPLIT_BAR)
    run.table.add("Split of at least 1 M items: time", statistics.median(times) * 1000, "ms")


def window(run, armature, meanwhile=lambda: None):
    """The p99 of each of the loads, all at the same time, with `meanwhile` in the middle."""
    run.settle(armature)
    started = time.monotonic()
    begun = {(workload, table): run.begin(armature, workload, connections=CONNECTIONS, duration=f"{WINDOW_SECONDS}s",
                                          warmup=f"{WARMUP_SECONDS}s",
                                          extra=["--table", table, "--rate", str(REQUESTS_PER_SECOND)])
             for workload, table in LOADS}
    time.sleep(WARMUP_SECONDS + WINDOW_SECONDS / 2)
    meanwhile()
    results = {load: run.finish(driver) for load, driver in begun.items()}
    # The driver does not say when its window began. What it took beyond warm-up and window may all have been before
    # them: less than half a window of it, and `meanwhile` began inside.
    if time.monotonic() - started > WARMUP_SECONDS + 1.5 * WINDOW_SECONDS:
        print("  a window began late or ended late; figures will be off", file=sys.stderr)
    if any(result["unsent"] > 0.01 * result["requests"] for result in results.values()):
        print("  the server could not keep up with the load; figures will be off", file=sys.stderr)
    return {load: result["latency_us"]["p99"] for load, result in results.items()}


def split_into(armature, table, count):
    while len(partitions := armature.partitions(table)) < count:
        for partition in partitions:
            armature.split(table, partition)


def check_partitions(armature, table, count):
    if (found := len(armature.partitions(table))) != count:
        raise RuntimeError(f"{table} has {found} partitions, not {count}: it was split by other than us")
