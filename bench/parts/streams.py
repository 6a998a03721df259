"""What a stream adds to a write, and what reading it costs."""

import statistics

STREAM_PAGE = 1000


def measure(run):
    """What a stream of both images adds to PutItem, and what reading it costs by the record."""
    rounds = []
    with run.armature("streams") as armature:
        for _ in range(run.options.rounds):
            got = {workload: run.drive(armature, workload)["server_cpu_us_per_request"] for workload in ("put", "stream-put")}
            got["record"] = run.drive(armature, "stream-read", connections=4)["server_cpu_us_per_request"] / STREAM_PAGE
            rounds.append(got)
    put = statistics.median(r["put"] for r in rounds)
    run.table.add("PutItem with a stream: CPU per request", statistics.median(r["stream-put"] for r in rounds), "µs",
                  f"without {put:.2f} µs", statistics.median(r["stream-put"] / r["put"] for r in rounds), 1.4)
    run.table.add("GetRecords of 1000: CPU per record", statistics.median(r["record"] for r in rounds), "µs", bar=4.0)
