"""Operations on many items, against nginx as the single ones."""

import statistics

import servers
from measure import FIXED_BODY


def measure(run):
    """Operations on many items, against nginx as the single ones."""
    bars = {"query-10": ("Query of 10 items", 3.0), "transact-4": ("TransactWriteItems of 4", 5.5),
            "batch-write-25": ("BatchWriteItem of 25", 18.0), "batch-get-100": ("BatchGetItem of 100", None),
            "query-100": ("Query of 100 items", None), "query-100-reverse": ("Query of 100 items, reverse", None),
            "scan": ("Scan page", None)}
    rounds = []
    with servers.Nginx(run.directory("nginx"), FIXED_BODY) as nginx, run.armature("many") as armature:
        for _ in range(run.options.rounds):
            got = {"nginx": run.drive(nginx, "fixed", extra=["--expect", str(run.expect)])["server_cpu_us_per_request"]}
            for workload in bars:
                got[workload] = run.drive(armature, workload)["server_cpu_us_per_request"]
            rounds.append(got)
    nginx_cpu = statistics.median(r["nginx"] for r in rounds)
    for workload, (name, bar) in bars.items():
        run.table.add(f"{name}: CPU per request", statistics.median(r[workload] for r in rounds), "µs", f"nginx {nginx_cpu:.2f} µs",
                      statistics.median(r[workload] / r["nginx"] for r in rounds), bar)
    run.table.add("Query of 100: reverse against forward", statistics.median(r["query-100-reverse"] for r in rounds), "µs",
                  "forward", statistics.median(r["query-100-reverse"] / r["query-100"] for r in rounds), 1.3)
