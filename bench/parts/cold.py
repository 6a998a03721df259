"""What readers of cached items feel of a Scan of everything else."""

import contextlib
import os
import statistics
import subprocess
import sys
import threading

CACHE_MIB = 64
ITEM_SIZE = 1000
COLD_ITEMS = 10 * CACHE_MIB * 2**20 // ITEM_SIZE
SHAPE = ("--item-size", str(ITEM_SIZE))
WINDOW = "4s"
WINDOWS = 5


def measure(run):
    """GetItem of cached items alone and beside a whole Scan of ten times more data than cache, in turns."""
    counter = "armature_engine_cold_reads_total"
    alone, beside = [], []
    with run.armature("cold", ["--cache-mib", str(CACHE_MIB)]) as armature:
        print(f"  loading {COLD_ITEMS:,} items", file=sys.stderr)
        run.drive(armature, "load-ordered", connections=128, items=COLD_ITEMS, extra=SHAPE)
        run.settle(armature)
        run.drive(armature, "get", duration="1s")  # into the cache
        before = armature.metrics()[counter]
        for _ in range(max(WINDOWS, run.options.rounds)):
            alone.append(p99(run, armature))
            with scanning(run, armature):
                beside.append(p99(run, armature))
        cold_reads = armature.metrics()[counter] - before
    if cold_reads < 100 * len(beside):
        raise RuntimeError(f"only {cold_reads:.0f} reads of the Scan were cold")
    quiet = statistics.median(alone)
    run.table.add("GetItem: p99 beside a cold Scan", statistics.median(beside), "µs", f"p99 alone {quiet:.0f} µs",
                  statistics.median(beside) / quiet, 2.0)


def p99(run, server):
    result = run.drive(server, "get", duration=WINDOW)["latency_us"]
    print(f"  p50 {result['p50']:.0f} µs, p99 {result['p99']:.0f} µs", file=sys.stderr)
    return result["p99"]


@contextlib.contextmanager
def scanning(run, server):
    """A whole Scan after the other. Its client gives way to the one that measures: this is about the server."""
    command = [*run.options.driver, "--endpoint", server.endpoint, "--workload", "scan-all", "--connections", "1", "--items",
               str(COLD_ITEMS), "--warmup", "0s", *SHAPE]
    is_over, failures, current = threading.Event(), [], []

    def give_way():
        os.sched_setaffinity(0, run.driver_cpus)
        os.nice(10)

    def scan():
        while not is_over.is_set():
            current[:] = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=give_way)]
            output, _ = current[0].communicate()
            if current[0].returncode != 0 and not is_over.is_set():
                failures.append(output)
                return

    thread = threading.Thread(target=scan)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        if current:
            current[0].terminate()
        thread.join()
    if failures:
        raise RuntimeError(f"the Scan failed: {failures[0]}")
