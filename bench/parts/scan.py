"""A whole Scan beside the least it could cost."""

import json
import os
import shutil
import statistics
import subprocess

from measure import MILLION
from servers import NotAvailable

# The first fills the cache; the next still find memory that no reactor has touched. The micro-benchmark runs its loop
# a few times before it counts, too.
WARM_UPS = 3


def measure(run):
    """A whole Scan beside the least it could cost, on the same files."""
    if not os.access(run.options.scan_bench, os.X_OK):
        raise NotAvailable(f"{run.options.scan_bench} is not built")
    armature, copy = run.armature("scan"), run.directory("scan-copy") / "data"
    with armature:
        run.load_million(armature)
    with armature:  # opened again, it has moved what was in memory to files
        run.settle(armature)
    shutil.copytree(armature.directory / "data", copy)
    rounds = []
    with armature:
        for number in range(WARM_UPS + run.options.rounds):
            result = run.drive(armature, "scan-all", connections=1, items=MILLION)
            rate = MILLION / (result["server_cpu_us_per_request"] * result["requests"]) * 1e6
            if number >= WARM_UPS:
                rounds.append((rate, iterate(run, copy)))
    run.table.add("Scan of 1 M items: items per CPU second", statistics.median(r[0] for r in rounds), "/s",
                  f"iteration {statistics.median(r[1] for r in rounds):,.0f} /s",
                  statistics.median(r[0] / r[1] for r in rounds), 0.5, at_least=True)


def iterate(run, data):
    """Items per CPU second of RocksDB's own iteration with JSON writing, over a server's data."""
    output = subprocess.run([run.options.scan_bench, "--benchmark_format=json",
                             f"--benchmark_min_time={run.options.duration.rstrip('s')}"],
                            check=True, capture_output=True, text=True, env={**os.environ, "ARMATURE_BENCH_DATA": str(data)}).stdout
    result = json.loads(output)["benchmarks"][0]
    if result.get("error_occurred") or result["items"] != MILLION:
        raise RuntimeError(f"iterating over {data} failed: {result}")
    return result["items_per_second"]
