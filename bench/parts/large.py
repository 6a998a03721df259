"""What ten million items cost more than ten thousand, and how much memory they hold."""

import statistics
import sys

import servers
from measure import ITEMS

LARGE_ITEMS = 10_000_000
LARGE_WARM_UP = "75s"


def measure(run):
    """What ten million items cost more than ten thousand, and how much memory they hold."""
    with run.armature("small") as small, run.armature("large") as large:
        print(f"  loading {LARGE_ITEMS:,} items", file=sys.stderr)
        load = run.drive(large, "load", connections=256, items=LARGE_ITEMS)
        run.table.add("Loading 10 M items: throughput", load["throughput"], "/s")
        # Ten million items are measured as ten thousand are: read before, so that what fits into the cache is there.
        run.drive(large, "get", items=LARGE_ITEMS, duration=LARGE_WARM_UP)
        rounds = []
        for _ in range(run.options.rounds):
            got = {}
            for workload in ("get", "put"):
                for server, items in ((small, ITEMS), (large, LARGE_ITEMS)):
                    got[workload, items] = run.drive(server, workload, items=items)["server_cpu_us_per_request"]
            rounds.append(got)
        for workload, operation in (("get", "GetItem"), ("put", "PutItem")):
            run.table.add(f"{operation}: CPU with 10 M items", statistics.median(r[workload, LARGE_ITEMS] for r in rounds), "µs",
                          f"10 k: {statistics.median(r[workload, ITEMS] for r in rounds):.2f} µs",
                          statistics.median(r[workload, LARGE_ITEMS] / r[workload, ITEMS] for r in rounds), 1.5)
        run.table.add("RSS with 10 M items", servers.rss_bytes(large.pid) / 2**20, "MiB", bar=run.options.rss_bound_mib)
