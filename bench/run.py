#!/usr/bin/env python3
"""Measures Armature beside nginx, Redis, RocksDB alone and, with --peers, other DynamoDB servers.

Prints one table of ratios: measure, value, reference, ratio, bar. See README.md beside this file for how each line is
measured. Standard library only; `./dev bench` builds the program and calls this.
"""

import argparse
import functools
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import servers
from servers import NotAvailable

ROOT = pathlib.Path(__file__).resolve().parent.parent
ITEMS = 10_000
COUNTERS = 1_000
LARGE_ITEMS = 10_000_000
LARGE_WARM_UP = "75s"
MILLION = 1_000_000
EXPIRED_ITEMS = 1_000_000
TTL_WINDOW = "4s"
STREAM_PAGE = 1000
# What a GetItem of the driver's items answers; nginx gives this to everybody.
FIXED_BODY = json.dumps({"Item": {"pk": {"S": "user000000000017"}, "v": {"N": "0"}, "data": {"S": "x" * 175}}},
                        separators=(",", ":"))


def busy_cpus(seconds=1.0):
    """How many CPUs the whole machine keeps busy, over a short look."""
    def busy_ticks():
        fields = [int(field) for field in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
        return sum(fields) - fields[3] - fields[4]  # all but idle and waiting for the disk

    before = busy_ticks()
    time.sleep(seconds)
    return (busy_ticks() - before) / os.sysconf("SC_CLK_TCK") / seconds


class Table:
    """The lines of the result, printed as they come and kept for --out."""

    def __init__(self):
        self.lines = []

    def add(self, measure, value, unit, reference=None, ratio=None, bar=None, at_least=False):
        """`bar` bounds `ratio`, or `value` where there is no ratio."""
        judged = value if ratio is None else ratio
        passed = None if bar is None else (judged >= bar if at_least else judged <= bar)
        self.lines.append({"measure": measure, "value": value, "unit": unit, "reference": reference, "ratio": ratio,
                           "bar": bar, "bar_is": "at least" if at_least else "at most", "passed": passed})
        print(self.format(self.lines[-1]), flush=True)

    def not_available(self, measure, why):
        why = " ".join(str(why).split())
        self.lines.append({"measure": measure, "not_available": why, "passed": None})
        print(f"{measure:<46} not available: {why[:120]}", flush=True)

    @staticmethod
    def header():
        return f"{'measure':<46} {'value':>12} {'unit':<6} {'reference':<26} {'ratio':>8}  {'bar':<10} result"

    @staticmethod
    def format(line):
        def number(value):
            return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"

        ratio = "" if line["ratio"] is None else f"{line['ratio']:.2f}"
        bar = "" if line["bar"] is None else ("≥ " if line["bar_is"] == "at least" else "≤ ") + f"{line['bar']:g}"
        result = {True: "pass", False: "FAIL", None: ""}[line["passed"]]
        return (f"{line['measure']:<46} {number(line['value']):>12} {line['unit']:<6} {line['reference'] or '':<26} "
                f"{ratio:>8}  {bar:<10} {result}")


class Run:
    def __init__(self, options, work):
        self.options = options
        self.work = pathlib.Path(work)
        self.table = Table()
        # "On two cores": every server may use the same two CPUs; the load comes from one of them.
        cpus = sorted(os.sched_getaffinity(0))
        self.server_cpus = set(cpus[:2])
        self.driver_cpus = {cpus[0]}
        os.sched_setaffinity(0, self.server_cpus)  # what is started from here inherits it
        self.raw = []
        self.expect = self.work / "expected.json"
        self.expect.write_text(FIXED_BODY)

    # --- tools -------------------------------------------------------------------------------------------------

    def directory(self, name):
        return pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.work))

    def armature(self, name="armature", extra=()):
        return servers.Armature(self.directory(name), self.options.armature, [*self.options.serve_arg, *extra])

    def drive(self, server, workload, connections=32, items=ITEMS, duration=None, warmup="500ms", extra=()):
        """One run of the load driver; every answer was right, or the whole comparison stops."""
        command = [*self.options.driver, "--endpoint", server.endpoint, "--workload", workload, "--connections",
                   str(connections), "--items", str(items), "--warmup", warmup, "--pid", str(server.pid), "--json", *extra]
        if "--requests" not in extra:
            command += ["--duration", duration or self.options.duration]
        done = subprocess.run(command, capture_output=True, text=True,
                              preexec_fn=lambda: os.sched_setaffinity(0, self.driver_cpus))
        if done.returncode != 0:
            raise RuntimeError(f"{workload} against {server.name} failed: {done.stdout}{done.stderr}")
        result = json.loads(done.stdout)
        self.raw.append({"server": server.name, **result})
        return result


    def redis_sets(self, redis):
        """SETs per second and CPU µs of each, with 32 clients and an fsync before every answer."""
        before, started = servers.cpu_seconds(redis.pid), time.monotonic()
        rates, per_call = [], 50_000
        while time.monotonic() - started < float(self.options.duration.rstrip("s")):
            output = subprocess.run(
                [servers.find_program("redis-benchmark"), "-h", "127.0.0.1", "-p", str(redis.port), "-t", "set", "-c", "32",
                 "-d", "200", "-r", str(ITEMS), "-n", str(per_call), "-q"], check=True, capture_output=True, text=True,
                preexec_fn=lambda: os.sched_setaffinity(0, self.driver_cpus)).stdout
            rates.append(float(re.search(r"([\d.]+) requests per second", output).group(1)))
        cpu = servers.cpu_seconds(redis.pid) - before
        return statistics.mean(rates), cpu / (len(rates) * per_call) * 1e6

    def rocksdb_fillsync(self, threads):
        """Synced puts per second of RocksDB's own db_bench, and the median of one in µs."""
        directory = self.directory("rocksdb")
        output = subprocess.run(
            [servers.find_program("db_bench"), "--benchmarks=fillsync", f"--threads={threads}", "--value_size=200",
             "--num=1000000000", f"--duration={self.options.duration.rstrip('s')}", "--histogram", f"--db={directory}"],
            check=True, capture_output=True, text=True).stdout
        shutil.rmtree(directory)
        rate = float(re.search(r"fillsync\s*:.*?([\d.]+) ops/sec", output).group(1))
        median = float(re.search(r"P50: ([\d.]+)", output).group(1))
        return rate, median

    # --- the lines of the table ---------------------------------------------------------------------------------

    def against_nginx_and_stores(self):
        """Interleaved rounds, so that a slow moment of the machine meets both sides of a ratio."""
        rounds = []
        with servers.Nginx(self.directory("nginx"), FIXED_BODY) as nginx, self.armature() as armature:
            redis = self.start_redis()
            for number in range(self.options.rounds):
                print(f"  round {number + 1} of {self.options.rounds}", file=sys.stderr)
                rounds.append(self.one_round(nginx, armature, redis))
            if redis:
                redis.stop()

        def median(key):
            return statistics.median(r[key] for r in rounds)

        def ratio(key, reference):
            return statistics.median(r[key] / r[reference] for r in rounds)

        add = self.table.add
        add("nginx, fixed body: CPU per request", median("nginx_cpu"), "µs")
        nginx = f"nginx {median('nginx_cpu'):.2f} µs"
        add("GetItem: CPU per request", median("get_cpu"), "µs", nginx, ratio("get_cpu", "nginx_cpu"), 2.0)
        add("PutItem durable: CPU per request", median("put_cpu"), "µs", nginx, ratio("put_cpu", "nginx_cpu"), 4.0)
        add("UpdateItem counter: CPU per request", median("update_cpu"), "µs", nginx, ratio("update_cpu", "nginx_cpu"), 5.0)
        add("GetItem: throughput, 32 connections", median("get_rate"), "/s")
        if "redis_rate" in rounds[0]:
            add("PutItem: throughput, 32 connections", median("put_rate"), "/s", f"Redis SET {median('redis_rate'):,.0f} /s",
                ratio("put_rate", "redis_rate"), 0.8, at_least=True)
            add("Redis SET, fsync always: CPU per request", median("redis_cpu"), "µs")
        else:
            self.table.not_available("PutItem: throughput against Redis", "redis is not installed")
        if "fillsync_rate" in rounds[0]:
            add("PutItem: throughput, 32 connections", median("put_rate"), "/s",
                f"db_bench {median('fillsync_rate'):,.0f} /s", ratio("put_rate", "fillsync_rate"), 1.0, at_least=True)
            add("PutItem: p50, 1 connection", median("put_p50"), "µs", f"db_bench p50 {median('fillsync_p50'):.0f} µs",
                ratio("put_p50", "fillsync_p50"), 1.3)
        else:
            self.table.not_available("PutItem against RocksDB alone", "db_bench is not installed")
        if "fsyncs_per_put" in rounds[0]:
            add("PutItem: fsyncs per put, 64 connections", median("fsyncs_per_put"), "", bar=0.1)
        else:
            self.table.not_available("PutItem: fsyncs per put, 64 connections", "no armature_engine_syncs_total in /metrics")

    def start_redis(self):
        try:
            return servers.Redis(self.directory("redis")).start()
        except NotAvailable:
            return None

    def one_round(self, nginx, armature, redis):
        got = {}
        got["nginx_cpu"] = self.drive(nginx, "fixed", extra=["--expect", str(self.expect)])["server_cpu_us_per_request"]
        get = self.drive(armature, "get")
        got["get_cpu"], got["get_rate"] = get["server_cpu_us_per_request"], get["throughput"]
        put = self.drive(armature, "put")
        got["put_cpu"], got["put_rate"] = put["server_cpu_us_per_request"], put["throughput"]
        if redis:
            got["redis_rate"], got["redis_cpu"] = self.redis_sets(redis)
        if shutil.which("db_bench"):
            got["fillsync_rate"], _ = self.rocksdb_fillsync(32)
        got["update_cpu"] = self.drive(armature, "update-counter", items=COUNTERS)["server_cpu_us_per_request"]
        got["put_p50"] = self.drive(armature, "put", connections=1)["latency_us"]["p50"]
        if shutil.which("db_bench"):
            _, got["fillsync_p50"] = self.rocksdb_fillsync(1)
        before = armature.metrics()
        self.drive(armature, "put", connections=64)
        after = armature.metrics()
        syncs, commits = "armature_engine_syncs_total", "armature_engine_commits_total"
        if after.get(commits, 0) > before.get(commits, 0):
            got["fsyncs_per_put"] = (after[syncs] - before[syncs]) / (after[commits] - before[commits])
        return got

    def many_items(self):
        """Operations on many items, against nginx as the single ones."""
        bars = {"query-10": ("Query of 10 items", 5.0), "transact-4": ("TransactWriteItems of 4", 8.0),
                "batch-write-25": ("BatchWriteItem of 25", 30.0), "batch-get-100": ("BatchGetItem of 100", None),
                "query-100": ("Query of 100 items", None), "query-100-reverse": ("Query of 100 items, reverse", None),
                "scan": ("Scan page", None)}
        rounds = []
        with servers.Nginx(self.directory("nginx"), FIXED_BODY) as nginx, self.armature("many") as armature:
            for _ in range(self.options.rounds):
                got = {"nginx": self.drive(nginx, "fixed", extra=["--expect", str(self.expect)])["server_cpu_us_per_request"]}
                for workload in bars:
                    got[workload] = self.drive(armature, workload)["server_cpu_us_per_request"]
                rounds.append(got)
        nginx_cpu = statistics.median(r["nginx"] for r in rounds)
        for workload, (name, bar) in bars.items():
            self.table.add(f"{name}: CPU per request", statistics.median(r[workload] for r in rounds), "µs", f"nginx {nginx_cpu:.2f} µs",
                           statistics.median(r[workload] / r["nginx"] for r in rounds), bar)
        self.table.add("Query of 100: reverse against forward", statistics.median(r["query-100-reverse"] for r in rounds), "µs",
                       "forward", statistics.median(r["query-100-reverse"] / r["query-100"] for r in rounds), 1.3)

    def settle(self, server, patience=20):
        """Until the server's background work is done, which would otherwise be charged to what is measured first."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            before = servers.cpu_seconds(server.pid)
            time.sleep(0.5)
            if servers.cpu_seconds(server.pid) - before <= 0.02:
                return
        print("  background work goes on; figures will be off", file=sys.stderr)

    def load_million(self, server, *extra):
        print(f"  loading {MILLION:,} items", file=sys.stderr)
        self.drive(server, "load-ordered", connections=128, items=MILLION, extra=extra)
        self.settle(server)

    def partition(self):
        """Pages in one partition of a million items: by place and direction, just loaded and again."""
        shape = ("--partition-items", str(MILLION))
        start, middle, end = (("query-100", place) for place in ("start", "middle", "end"))
        reverse_middle, reverse_end = (("query-100-reverse", place) for place in ("middle", "end"))
        names = {start: "start of 1 M", middle: "middle", end: "end", reverse_middle: "middle, reverse", reverse_end: "end, reverse"}
        bars = {middle: (start, 1.2), end: (start, 1.2), reverse_middle: (middle, 1.3), reverse_end: (end, 1.3)}
        looks = []
        with self.armature("partition") as armature:
            self.load_million(armature, *shape)
            for _ in range(1 + self.options.rounds):
                looks.append({page: self.drive(armature, page[0], items=MILLION, extra=(*shape, "--where", page[1]))
                              ["server_cpu_us_per_request"] for page in names})
        for when, rounds in (("just loaded", looks[:1]), ("again", looks[1:])):
            for page, name in names.items():
                against, bar = bars.get(page, (None, None))
                self.table.add(f"Page of 100: {name}, {when}", statistics.median(r[page] for r in rounds), "µs",
                               against and f"{names[against]} {statistics.median(r[against] for r in rounds):.2f} µs",
                               against and statistics.median(r[page] / r[against] for r in rounds), bar)

    def indexes(self):
        """What one index of all attributes adds to PutItem."""
        bars = {"put-gsi": ("a GSI", 1.8), "put-lsi": ("an LSI", 1.6), "put-gsi-move": ("a GSI whose key changes", None),
                "put-lsi-move": ("an LSI whose key changes", None)}
        with self.armature("indexes") as armature:
            rounds = [{workload: self.drive(armature, workload)["server_cpu_us_per_request"] for workload in ("put-tagged", *bars)}
                      for _ in range(self.options.rounds)]
        without = statistics.median(r["put-tagged"] for r in rounds)
        for workload, (name, bar) in bars.items():
            self.table.add(f"PutItem with {name}", statistics.median(r[workload] for r in rounds), "µs", f"without {without:.2f} µs",
                           statistics.median(r[workload] / r["put-tagged"] for r in rounds), bar)

    def iterate(self, data):
        """Items per CPU second of RocksDB's own iteration with JSON writing, over a server's data."""
        output = subprocess.run([self.options.scan_bench, "--benchmark_format=json",
                                 f"--benchmark_min_time={self.options.duration.rstrip('s')}"],
                                check=True, capture_output=True, text=True, env={**os.environ, "ARMATURE_BENCH_DATA": str(data)}).stdout
        result = json.loads(output)["benchmarks"][0]
        if result.get("error_occurred") or result["items"] != MILLION:
            raise RuntimeError(f"iterating over {data} failed: {result}")
        return result["items_per_second"]

    def scan(self):
        """A whole Scan beside the least it could cost, on the same files."""
        if not os.access(self.options.scan_bench, os.X_OK):
            raise NotAvailable(f"{self.options.scan_bench} is not built")
        armature, copy = self.armature("scan"), self.directory("scan-copy") / "data"
        with armature:
            self.load_million(armature)
        with armature:  # opened again, it has moved what was in memory to files
            self.settle(armature)
        shutil.copytree(armature.directory / "data", copy)
        rounds = []
        with armature:
            for number in range(1 + self.options.rounds):
                result = self.drive(armature, "scan-all", connections=1, items=MILLION)
                rate = MILLION / (result["server_cpu_us_per_request"] * result["requests"]) * 1e6
                if number > 0:  # the first has filled the cache
                    rounds.append((rate, self.iterate(copy)))
        self.table.add("Scan of 1 M items: items per CPU second", statistics.median(r[0] for r in rounds), "/s",
                       f"iteration {statistics.median(r[1] for r in rounds):,.0f} /s",
                       statistics.median(r[0] / r[1] for r in rounds), 0.5, at_least=True)

    def time_to_live(self):
        """What readers feel of a million expired items being removed: windows before, during and after, in one server."""
        def window(workload):
            return self.drive(armature, workload, duration=TTL_WINDOW)["latency_us"]["p99"]

        def left():
            metrics = armature.metrics()
            return EXPIRED_ITEMS - sum(value for name, value in metrics.items() if name.startswith(deleted))

        deleted = "armature_ttl_deleted_items_total"
        with self.armature("ttl") as armature:
            print(f"  loading {EXPIRED_ITEMS:,} expired items", file=sys.stderr)
            self.drive(armature, "load-expired", connections=128, items=EXPIRED_ITEMS)
            quiet = [window("get") for _ in range(self.options.rounds)]
            started, swept = time.monotonic(), []
            while True:
                p99 = window("ttl-sweep")
                if (rest := left()) <= 0:
                    break
                swept.append(p99)
                print(f"  {rest:,.0f} left, p99 {p99:.0f} µs", file=sys.stderr)
            seconds = time.monotonic() - started
            quiet += [window("get") for _ in range(self.options.rounds)]
        before = statistics.median(quiet)
        self.table.add("GetItem: p99 while 1 M expired items go", statistics.median(swept), "µs", f"p99 without {before:.0f} µs",
                       statistics.median(swept) / before, 1.5)
        self.table.add("Expired items removed meanwhile", EXPIRED_ITEMS / seconds, "/s")

    def streams(self):
        """What a stream of both images adds to PutItem, and what reading it costs by the record."""
        rounds = []
        with self.armature("streams") as armature:
            for _ in range(self.options.rounds):
                got = {workload: self.drive(armature, workload)["server_cpu_us_per_request"] for workload in ("put", "stream-put")}
                got["record"] = self.drive(armature, "stream-read", connections=4)["server_cpu_us_per_request"] / STREAM_PAGE
                rounds.append(got)
        put = statistics.median(r["put"] for r in rounds)
        self.table.add("PutItem with a stream: CPU per request", statistics.median(r["stream-put"] for r in rounds), "µs",
                       f"without {put:.2f} µs", statistics.median(r["stream-put"] / r["put"] for r in rounds), 1.4)
        self.table.add("GetRecords of 1000: CPU per record", statistics.median(r["record"] for r in rounds), "µs", bar=4.0)

    def triggers(self):
        """Whether a trigger with batches of 100 and a handler that does nothing keeps up with all the puts there can be."""
        handler = self.work / "noop_handler.py"
        handler.write_text('import os, sys\nfor line in sys.stdin.buffer:\n    os.write(1, b"{}\\n")\n')
        server = servers.Armature(self.directory("triggers"), self.options.armature,
                                  [*self.options.serve_arg, "--function", f"noop={sys.executable} {handler}"])
        with server as armature:
            def total(name):
                return sum(value for series, value in armature.metrics().items() if series.startswith(name))

            self.drive(armature, "put")  # makes the table
            stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
            table = armature.call("/", {"TableName": "armature-bench", "StreamSpecification": stream}, "UpdateTable")["TableDescription"]
            without = self.drive(armature, "put")["throughput"]
            armature.call("/2015-03-31/event-source-mappings/", {
                "EventSourceArn": table["LatestStreamArn"], "FunctionName": "noop", "StartingPosition": "LATEST", "BatchSize": 100})
            rounds = []
            for _ in range(self.options.rounds):
                before, started = total("armature_trigger_records_total"), time.monotonic()
                puts = self.drive(armature, "put")["throughput"]
                at_end, seconds = total("armature_trigger_records_total"), time.monotonic() - started
                while total("armature_trigger_lag_records") > 0:
                    time.sleep(0.01)
                everything = total("armature_trigger_records_total") - before
                rounds.append(((at_end - before) / seconds, puts, (at_end - before) / everything))
        puts = statistics.median(r[1] for r in rounds)
        self.table.add("Trigger, batch 100: records handled", statistics.median(r[0] for r in rounds), "/s",
                       f"share of {puts:,.0f} puts/s", statistics.median(r[2] for r in rounds), 0.97, at_least=True)
        self.table.add("PutItem with that trigger at work", puts, "/s", f"stream alone {without:,.0f}/s", puts / without)

    def start_and_idle(self):
        first_answers, idle = [], []
        for _ in range(7):
            server = self.armature("empty")
            server.wait_ready = lambda s=server: servers.Armature.wait_ready(s, pause=0.0002)
            with server:
                first_answers.append((time.monotonic() - server.started_at) * 1e3)
                if len(idle) < 3:
                    time.sleep(1)  # past whatever start-up work remains
                    idle.append(servers.rss_bytes(server.pid) / 2**20)
        self.table.add("First answer after exec, empty directory", statistics.median(first_answers), "ms", bar=25)
        self.table.add("Idle RSS", statistics.median(idle), "MiB", bar=20)

    def against_peers(self):
        bars = {("dynoxide", False, "get"): 5, ("dynoxide", True, "put"): 10, ("extenddb", True, "put"): 20,
                ("dynamodb-local", True, "put"): 100}
        modules = pathlib.Path(self.options.peers_dir) / "node_modules"
        unsynced = functools.partial(self.armature, "unsynced", ["--durability", "interval"])
        for kind in servers.PEERS:
            for on_disk in (False, True):
                name = f"{kind.name} {'on disk' if on_disk else 'in memory'}"
                print(f"  {name}", file=sys.stderr)
                start = functools.partial(kind, modules=modules, on_disk=on_disk)
                try:
                    for workload in ("get", "put"):
                        self.one_peer(self.armature, start, name, workload, bars.get((kind.name, on_disk, workload)))
                    if on_disk and not kind.syncs_writes:
                        self.one_peer(unsynced, start, f"{name}, neither syncing", "put", None)
                    if on_disk and kind.settling:
                        self.one_peer(self.armature, start, f"{name}, after {kind.settling}", "put", None, kind.settling)
                except (NotAvailable, RuntimeError) as error:
                    self.table.not_available(name, error)

    def one_peer(self, start_ours, start_theirs, name, workload, bar, settling=None):
        """Medians of a few rounds, ours and theirs in turn; ratio is how many times more theirs costs.

        Every round starts both anew: that is how tests meet them, and no order of measuring favours one.
        """
        rounds = []
        for _ in range(self.options.rounds):
            with start_ours() as armature:
                ours = self.drive(armature, workload)
            with start_theirs(self.directory("peer")) as peer:
                if settling:
                    self.drive(peer, workload, items=1000, duration=settling)
                theirs = self.drive(peer, workload, items=1000)
            rounds.append((ours["server_cpu_us_per_request"], theirs["server_cpu_us_per_request"]))
        operation = {"get": "GetItem", "put": "PutItem"}[workload]
        mine = statistics.median(r[0] for r in rounds)
        self.table.add(f"{operation}: CPU of {name}", statistics.median(r[1] for r in rounds), "µs",
                       f"armature {mine:.2f} µs", statistics.median(r[1] / r[0] for r in rounds), bar, at_least=True)

    def large(self):
        """What ten million items cost more than ten thousand, and how much memory they hold."""
        with self.armature("small") as small, self.armature("large") as large:
            print(f"  loading {LARGE_ITEMS:,} items", file=sys.stderr)
            load = self.drive(large, "load", connections=256, items=LARGE_ITEMS)
            self.table.add("Loading 10 M items: throughput", load["throughput"], "/s")
            # Ten million items are measured as ten thousand are: read before, so that what fits into the cache is there.
            self.drive(large, "get", items=LARGE_ITEMS, duration=LARGE_WARM_UP)
            rounds = []
            for _ in range(self.options.rounds):
                got = {}
                for workload in ("get", "put"):
                    for server, items in ((small, ITEMS), (large, LARGE_ITEMS)):
                        got[workload, items] = self.drive(server, workload, items=items)["server_cpu_us_per_request"]
                rounds.append(got)
            for workload, operation in (("get", "GetItem"), ("put", "PutItem")):
                self.table.add(f"{operation}: CPU with 10 M items", statistics.median(r[workload, LARGE_ITEMS] for r in rounds), "µs",
                               f"10 k: {statistics.median(r[workload, ITEMS] for r in rounds):.2f} µs",
                               statistics.median(r[workload, LARGE_ITEMS] / r[workload, ITEMS] for r in rounds), 1.5)
            self.table.add("RSS with 10 M items", servers.rss_bytes(large.pid) / 2**20, "MiB", bar=self.options.rss_bound_mib)


# In the order in which they run.
PARTS = {"core": Run.against_nginx_and_stores, "many": Run.many_items, "partition": Run.partition, "indexes": Run.indexes,
         "scan": Run.scan, "start": Run.start_and_idle, "streams": Run.streams, "ttl": Run.time_to_live, "triggers": Run.triggers,
         "peers": Run.against_peers, "large": Run.large}


def default_rss_bound_mib():
    return round(1.4 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 4 / 2**20)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--armature", default=str(ROOT / "build/release/armature"), help="the program to measure")
    parser.add_argument("--serve-arg", action="append", default=[], help="further argument for `armature serve`; repeatable")
    parser.add_argument("--peers", action="store_true", help="also measure the servers of package.json")
    parser.add_argument("--peers-dir", default=str(ROOT / "bench"), help="where npm has installed them")
    parser.add_argument("--large", action="store_true", help="also run with 10 million items (takes many minutes)")
    parser.add_argument("--only", choices=PARTS, help="just this part")
    parser.add_argument("--scan-bench", help="the micro-benchmark of the part scan (default: beside the program)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of which the median counts (default 3)")
    parser.add_argument("--duration", default="2s", help="length of each measurement in seconds (default 2s)")
    parser.add_argument("--rss-bound-mib", type=float, default=default_rss_bound_mib(),
                        help="memory bound with 10 million items (default: 1.4 times the default cache, a quarter of the memory)")
    parser.add_argument("--work-dir", default=str(ROOT / "build"), help="where data goes; must be a real disk, not a tmpfs")
    parser.add_argument("--out", help="write the table and every single measurement to this JSON file")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a bar is missed")
    options = parser.parse_args()
    options.scan_bench = options.scan_bench or str(pathlib.Path(options.armature).resolve().with_name("scan_bench"))
    options.driver = [str(pathlib.Path(options.armature).resolve()), "bench"]
    return options


def main():
    options = parse_arguments()
    if not os.access(options.armature, os.X_OK):
        sys.exit(f"run.py: {options.armature} is not there; build it first")
    os.makedirs(options.work_dir, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-run-", dir=options.work_dir) as work:
        if (busy := busy_cpus()) > 0.2:
            print(f"warning: other work keeps {busy:.1f} CPUs busy; ratios will be off", file=sys.stderr)
        run = Run(options, work)
        print(f"servers on CPUs {sorted(run.server_cpus)}, load from CPU {sorted(run.driver_cpus)}, "
              f"median of {options.rounds} rounds of {options.duration}\n\n{Table.header()}", flush=True)
        unwanted = (set() if options.peers else {"peers"}) | (set() if options.large else {"large"})
        for name, part in PARTS.items():
            if name == options.only or (options.only is None and name not in unwanted):
                try:
                    part(run)
                except NotAvailable as error:
                    run.table.not_available(name, error)
        if options.out:
            pathlib.Path(options.out).write_text(json.dumps({"table": run.table.lines, "runs": run.raw}, indent=1) + "\n")
    judged = [line["passed"] for line in run.table.lines if line["passed"] is not None]
    print(f"\n{sum(judged)} of {len(judged)} bars met")
    if options.check and not all(judged):
        sys.exit(1)


if __name__ == "__main__":
    main()
