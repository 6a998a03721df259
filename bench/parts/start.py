"""The first answer, and memory at rest."""

import statistics
import time

import servers


def measure(run):
    first_answers, idle = [], []
    for _ in range(7):
        server = run.armature("empty")
        server.wait_ready = lambda s=server: servers.Armature.wait_ready(s, pause=0.0002)
        with server:
            first_answers.append((time.monotonic() - server.started_at) * 1e3)
            if len(idle) < 3:
                time.sleep(1)  # past whatever start-up work remains
                idle.append(servers.rss_bytes(server.pid) / 2**20)
    run.table.add("First answer after exec, empty directory", statistics.median(first_answers), "ms", bar=15)
    run.table.add("Idle RSS", statistics.median(idle), "MiB", bar=18)
