"""The single-item operations against nginx, Redis and RocksDB alone."""

import os
import re
import shutil
import statistics
import subprocess
import sys
import time

import servers
from measure import FIXED_BODY, ITEMS
from servers import NotAvailable

COUNTERS = 1_000

# CPU per request as a multiple of nginx's, by workload; a table of many partitions has to meet them too (partitions.py).
BARS = {"get": 1.5, "put": 2.4, "update-counter": 2.6}


def measure(run):
    """Interleaved rounds, so that a slow moment of the machine meets both sides of a ratio."""
    rounds = []
    with servers.Nginx(run.directory("nginx"), FIXED_BODY) as nginx, run.armature() as armature:
        redis = start_redis(run)
        for number in range(run.options.rounds):
            print(f"  round {number + 1} of {run.options.rounds}", file=sys.stderr)
            rounds.append(one_round(run, nginx, armature, redis))
        if redis:
            redis.stop()

    def median(key):
        return statistics.median(r[key] for r in rounds)

    def ratio(key, reference):
        return statistics.median(r[key] / r[reference] for r in rounds)

    add = run.table.add
    add("nginx, fixed body: CPU per request", median("nginx_cpu"), "µs")
    nginx = f"nginx {median('nginx_cpu'):.2f} µs"
    add("GetItem: CPU per request", median("get_cpu"), "µs", nginx, ratio("get_cpu", "nginx_cpu"), BARS["get"])
    add("PutItem durable: CPU per request", median("put_cpu"), "µs", nginx, ratio("put_cpu", "nginx_cpu"), BARS["put"])
    add("UpdateItem counter: CPU per request", median("update_cpu"), "µs", nginx, ratio("update_cpu", "nginx_cpu"),
        BARS["update-counter"])
    add("GetItem: throughput, 32 connections", median("get_rate"), "/s")
    if "redis_rate" in rounds[0]:
        add("PutItem: throughput, 32 connections", median("put_rate"), "/s", f"Redis SET {median('redis_rate'):,.0f} /s",
            ratio("put_rate", "redis_rate"), 0.8, at_least=True)
        add("Redis SET, fsync always: CPU per request", median("redis_cpu"), "µs")
    else:
        run.table.not_available("PutItem: throughput against Redis", "redis is not installed")
    if "fillsync_rate" in rounds[0]:
        add("PutItem: throughput, 32 connections", median("put_rate"), "/s",
            f"db_bench {median('fillsync_rate'):,.0f} /s", ratio("put_rate", "fillsync_rate"), 1.0, at_least=True)
        add("PutItem: p50, 1 connection", median("put_p50"), "µs", f"db_bench p50 {median('fillsync_p50'):.0f} µs",
            ratio("put_p50", "fillsync_p50"), 1.3)
    else:
        run.table.not_available("PutItem against RocksDB alone", "db_bench is not installed")
    if "fsyncs_per_put" in rounds[0]:
        add("PutItem: fsyncs per put, 64 connections", median("fsyncs_per_put"), "", bar=0.1)
    else:
        run.table.not_available("PutItem: fsyncs per put, 64 connections", "no armature_engine_syncs_total in /metrics")


def start_redis(run):
    try:
        return servers.Redis(run.directory("redis")).start()
    except NotAvailable:
        return None


def one_round(run, nginx, armature, redis):
    got = {}
    got["nginx_cpu"] = run.drive(nginx, "fixed", extra=["--expect", str(run.expect)])["server_cpu_us_per_request"]
    get = run.drive(armature, "get")
    got["get_cpu"], got["get_rate"] = get["server_cpu_us_per_request"], get["throughput"]
    put = run.drive(armature, "put")
    got["put_cpu"], got["put_rate"] = put["server_cpu_us_per_request"], put["throughput"]
    if redis:
        got["redis_rate"], got["redis_cpu"] = redis_sets(run, redis)
    if shutil.which("db_bench"):
        got["fillsync_rate"], _ = rocksdb_fillsync(run, 32)
    got["update_cpu"] = run.drive(armature, "update-counter", items=COUNTERS)["server_cpu_us_per_request"]
    got["put_p50"] = run.drive(armature, "put", connections=1)["latency_us"]["p50"]
    if shutil.which("db_bench"):
        _, got["fillsync_p50"] = rocksdb_fillsync(run, 1)
    before = armature.metrics()
    run.drive(armature, "put", connections=64)
    after = armature.metrics()
    syncs, commits = "armature_engine_syncs_total", "armature_engine_commits_total"
    if after.get(commits, 0) > before.get(commits, 0):
        got["fsyncs_per_put"] = (after[syncs] - before[syncs]) / (after[commits] - before[commits])
    return got


def redis_sets(run, redis):
    """SETs per second and CPU µs of each, with 32 clients and an fsync before every answer."""
    before, started = servers.cpu_seconds(redis.pid), time.monotonic()
    rates, per_call = [], 50_000
    while time.monotonic() - started < float(run.options.duration.rstrip("s")):
        output = subprocess.run(
            [servers.find_program("redis-benchmark"), "-h", "127.0.0.1", "-p", str(redis.port), "-t", "set", "-c", "32",
             "-d", "200", "-r", str(ITEMS), "-n", str(per_call), "-q"], check=True, capture_output=True, text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, run.driver_cpus)).stdout
        rates.append(float(re.search(r"([\d.]+) requests per second", output).group(1)))
    cpu = servers.cpu_seconds(redis.pid) - before
    return statistics.mean(rates), cpu / (len(rates) * per_call) * 1e6


def rocksdb_fillsync(run, threads):
    """Synced puts per second of RocksDB's own db_bench, and the median of one in µs."""
    directory = run.directory("rocksdb")
    output = subprocess.run(
        [servers.find_program("db_bench"), "--benchmarks=fillsync", f"--threads={threads}", "--value_size=200",
         "--num=1000000000", f"--duration={run.options.duration.rstrip('s')}", "--histogram", f"--db={directory}"],
        check=True, capture_output=True, text=True).stdout
    shutil.rmtree(directory)
    rate = float(re.search(r"fillsync\s*:.*?([\d.]+) ops/sec", output).group(1))
    median = float(re.search(r"P50: ([\d.]+)", output).group(1))
    return rate, median
