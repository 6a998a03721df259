"""A soak: everything at once, for as long as asked, with restarts, and a look at whether the server stays as it was.

    python3 soak.py MINUTES [REPORT.json]

The load is light on purpose (about a fifth of a core): what is looked for is what grows, not what breaks under weight.
Restarts come in the first third and near the end, clean ones and kill -9 in turn; between them is one long life, which is judged
(flatness.py).
"""

import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import threading
import time

if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import flatness
from harness import tables
from harness.raw import RawClient
from harness.server import Server
from harness.triggers import Log, python_function
from soak_roles import ACCOUNTS, ROLES, START_BALANCE, s

RESTARTS = (0.1, 0.2, 0.3, 0.92)  # parts of the whole time


def measure(server, began):
    status = pathlib.Path(f"/proc/{server.pid}/status").read_text()
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    return {"at": time.monotonic(), "pid": server.pid, "seconds": round(time.monotonic() - began, 1),
            "memory_mib": int(fields["RssAnon"].split()[0]) / 1024, "rss_mib": int(fields["VmRSS"].split()[0]) / 1024,
            "threads": int(fields["Threads"]), "descriptors": server.open_files()}


class Soak:
    """One run. `problems` is what clients found wrong; `samples` and `latencies` are what flatness.py judges."""

    def __init__(self, folder, seconds, seed, every=1.0):
        self.folder, self.seconds, self.seed, self.every = pathlib.Path(folder), seconds, seed, every
        self.is_over = threading.Event()
        self.problems, self.samples, self.latencies, self.counts, self.restarts = [], [], [], {}, []
        log = self.folder / "calls.log"
        self.calls = Log(log)
        config = self.folder / "triggers.toml"
        config.write_text(python_function(self.folder, log, "noticing") +
                          '[[trigger]]\nname = "noticing"\ntable = "triggering"\nfunction = "noticing"\n')
        # A small cache fills during the warm-up; shards that end are part of what is used.
        self.server = Server(self.folder / "data", "--cache-mib", "8", "--stream-shard-age", "60s", "--trigger", config,
                             "--log-level", "warn")

    def set_up(self):
        db = RawClient(self.server.endpoint)
        index = {"IndexName": "by-tag", "KeySchema": [{"AttributeName": "tag", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}
        request = tables.definition("main", range_key="sk:N", GlobalSecondaryIndexes=[index])
        request["AttributeDefinitions"].append({"AttributeName": "tag", "AttributeType": "S"})
        db.ok("CreateTable", request)
        both = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        tables.create(db, name="accounts", StreamSpecification=both)
        tables.create(db, name="triggering", StreamSpecification=both)
        tables.create(db, name="expiring")
        db.ok("UpdateTimeToLive", {"TableName": "expiring", "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ttl"}})
        for number in range(ACCOUNTS):
            db.ok("PutItem", {"TableName": "accounts", "Item": {"pk": s(number), "balance": {"N": str(START_BALANCE)}}})
        self.stream = db.ok("DescribeTable", {"TableName": "accounts"})["Table"]["LatestStreamArn"]
        db.close()

    @property
    def port(self):
        return self.server.port

    def restart(self, is_kill):
        if is_kill:
            self.server.kill()
        else:
            self.server.stop()
        begin = time.monotonic()
        self.server.start()
        self.restarts.append({"kind": "kill -9" if is_kill else "SIGTERM", "start_seconds": round(time.monotonic() - begin, 3)})

    def run(self):
        self.server.start()
        self.set_up()
        began = time.monotonic()
        roles = [kind(self, number) for number, kind in enumerate(ROLES)]
        for role in roles:
            role.start()
        due = [began + part * self.seconds for part in RESTARTS]
        try:
            while time.monotonic() < began + self.seconds and not self.is_over.wait(self.every):
                if due and time.monotonic() > due[0]:
                    due.pop(0)
                    self.restart(is_kill=len(self.restarts) % 2 == 0)
                self.samples.append(measure(self.server, began))
        finally:
            self.is_over.set()
            for role in roles:
                role.join()
        assert not self.problems, self.problems
        self.check_end(roles)
        self.server.stop()

    def check_end(self, roles):
        """What the whole use must have come to."""
        db = RawClient(self.server.endpoint)
        items = tables.scan(db, "accounts", ConsistentRead=True)
        assert sum(int(item["balance"]["N"]) for item in items) == ACCOUNTS * START_BALANCE
        reader = next(role for role in roles if hasattr(role, "balances"))
        reader.connect()
        for _ in range(3):  # what was written since it last looked, in this shard and the next ones
            reader.step()
        assert reader.balances == {item["pk"]["S"]: item["balance"]["N"] for item in items}, "the stream tells another story"
        reader.disconnect()
        indexed, stored = (tables.scan(db, "main", **more) for more in ({"IndexName": "by-tag"}, {"ConsistentRead": True}))
        indexed, stored = ({(item["pk"]["S"], item["sk"]["N"], item["tag"]["S"]) for item in some if "tag" in item}
                           for some in (indexed, stored))
        assert indexed == stored, "the index differs from its table"
        assert self.calls.records("triggering"), "the function was never called"
        db.close()

    def report(self, measures=tuple(flatness.BOUNDS)):
        report = flatness.judge(self.samples, self.latencies, measures)
        report.update(seed=self.seed, operations=dict(sorted(self.counts.items())), requests=len(self.latencies),
                      restarts=self.restarts, samples=self.samples[:: max(1, len(self.samples) // 200)])
        return report


def main(minutes, report_file=None):
    seed = int(os.environ.get("ARMATURE_SEED") or random.SystemRandom().randrange(2**32))
    print(f"seed {seed}", flush=True)
    folder = tempfile.mkdtemp(prefix="armature-soak-")
    soak = Soak(folder, minutes * 60, seed)
    try:
        soak.run()
    finally:
        if soak.server.is_running():
            soak.server.kill()
        shutil.rmtree(folder, ignore_errors=True)
    report = soak.report()
    if report_file:
        pathlib.Path(report_file).write_text(json.dumps(report, indent=1))
    print(f"{report['requests']} requests, {len(soak.restarts)} restarts {soak.restarts}")
    print(flatness.table(report))
    return 1 if report["not_flat"] else 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 30, sys.argv[2] if len(sys.argv) > 2 else None))
