"""What readers feel of Time to Live."""

import statistics
import sys
import time

EXPIRED_ITEMS = 1_000_000
TTL_WINDOW = "4s"


def measure(run):
    """What readers feel of a million expired items being removed: windows before, during and after, in one server."""
    def window(workload):
        return run.drive(armature, workload, duration=TTL_WINDOW)["latency_us"]["p99"]

    def left():
        metrics = armature.metrics()
        return EXPIRED_ITEMS - sum(value for name, value in metrics.items() if name.startswith(deleted))

    deleted = "armature_ttl_deleted_items_total"
    with run.armature("ttl") as armature:
        print(f"  loading {EXPIRED_ITEMS:,} expired items", file=sys.stderr)
        run.drive(armature, "load-expired", connections=128, items=EXPIRED_ITEMS)
        quiet = [window("get") for _ in range(run.options.rounds)]
        started, swept = time.monotonic(), []
        while True:
            p99 = window("ttl-sweep")
            if (rest := left()) <= 0:
                break
            swept.append(p99)
            print(f"  {rest:,.0f} left, p99 {p99:.0f} µs", file=sys.stderr)
        seconds = time.monotonic() - started
        quiet += [window("get") for _ in range(run.options.rounds)]
    before = statistics.median(quiet)
    run.table.add("GetItem: p99 while 1 M expired items go", statistics.median(swept), "µs", f"p99 without {before:.0f} µs",
                  statistics.median(swept) / before, 1.5)
    run.table.add("Expired items removed meanwhile", EXPIRED_ITEMS / seconds, "/s")
