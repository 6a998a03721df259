"""Operations on many items, against nginx as the single ones."""

import statistics

import servers
from measure import FIXED_BODY

# CPU per request as a multiple of nginx's, by workload; a table of many partitions has to meet them too (partitions.py).
BARS = {"query-10": 3.0, "transact-4": 5.5, "batch-write-25": 18.0}


def measure(run):
    """Operations on many items, against nginx as the single ones."""
    names = {"query-10": "Query of 10 items", "transact-4": "TransactWriteItems of 4", "batch-write-25": "BatchWriteItem of 25",
             "batch-get-100": "BatchGetItem of 100", "query-100": "Query of 100 items",
             "query-100-reverse": "Query of 100 items, reverse", "scan": "Scan page"}
    rounds = []
    with servers.Nginx(run.directory("nginx"), FIXED_BODY) as nginx, run.armature("many") as armature:
        for _ in range(run.options.rounds):
            got = {"nginx": run.drive(nginx, "fixed", extra=["--expect", str(run.expect)])["server_cpu_us_per_request"]}
            for workload in names:
                got[workload] = run.drive(armature, workload)["server_cpu_us_per_request"]
            rounds.append(got)
    nginx_cpu = statistics.median(r["nginx"] for r in rounds)
    for workload, name in names.items():
        run.table.add(f"{name}: CPU per request", statistics.median(r[workload] for r in rounds), "µs", f"nginx {nginx_cpu:.2f} µs",
                      statistics.median(r[workload] / r["nginx"] for r in rounds), BARS.get(workload))
    run.table.add("Query of 100: reverse against forward", statistics.median(r["query-100-reverse"] for r in rounds), "µs",
                  "forward", statistics.median(r["query-100-reverse"] / r["query-100"] for r in rounds), 1.3)
