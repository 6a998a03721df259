"""What an index adds to a write."""

import statistics


def measure(run):
    """What one index of all attributes adds to PutItem."""
    bars = {"put-gsi": ("a GSI", 1.8), "put-lsi": ("an LSI", 1.6), "put-gsi-move": ("a GSI whose key changes", None),
            "put-lsi-move": ("an LSI whose key changes", None)}
    with run.armature("indexes") as armature:
        rounds = [{workload: run.drive(armature, workload)["server_cpu_us_per_request"] for workload in ("put-tagged", *bars)}
                 for _ in range(run.options.rounds)]
    without = statistics.median(r["put-tagged"] for r in rounds)
    for workload, (name, bar) in bars.items():
        run.table.add(f"PutItem with {name}", statistics.median(r[workload] for r in rounds), "µs", f"without {without:.2f} µs",
                      statistics.median(r[workload] / r["put-tagged"] for r in rounds), bar)
