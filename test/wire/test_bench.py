"""`armature bench` against the server: its workloads verify every answer, so each run is a test of the server too."""

import json
import os
import subprocess

import pytest

from harness.server import binary

WORKLOADS = ["put", "get", "get-consistent", "update-counter", "conditional-put", "mixed-a", "mixed-b", "mixed-c", "query-10",
             "query-100", "query-100-reverse", "scan", "scan-all", "put-tagged", "put-gsi", "put-gsi-move", "put-lsi",
             "put-lsi-move", "batch-write-25", "batch-get-100", "transact-4", "load", "load-ordered", "load-expired", "ttl-sweep"]
# After how many requests these end by themselves; a Scan has at least 100 items to a segment, and here a page to each.
ONE_PASS = {"load": 500, "load-ordered": 500, "load-expired": 500, "scan-all": 5}


def bench(endpoint, *arguments):
    return subprocess.run([binary(), "bench", "--endpoint", endpoint, "--table", "bench-workloads", *arguments],
                          capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_answer_is_right(endpoint, workload, threads):
    done = bench(endpoint, "--workload", workload, "--requests", "3000", "--items", "500", "--warmup", "0s",
                 "--threads", str(threads), "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    assert result["errors"] == 0
    assert result["requests"] == ONE_PASS.get(workload, 3000)
    assert 0 < result["latency_us"]["p50"] <= result["latency_us"]["p99"] <= result["latency_us"]["max"]


@pytest.mark.parametrize("place", ["start", "middle", "end", "random"])
@pytest.mark.parametrize("workload", ["query-100", "query-100-reverse"])
def test_one_large_partition(endpoint, workload, place):
    done = bench(endpoint, "--workload", workload, "--requests", "500", "--items", "3000", "--partition-items", "3000",
                 "--where", place)
    assert done.returncode == 0, done.stdout + done.stderr


def test_open_loop_holds_its_rate(endpoint):
    done = bench(endpoint, "--workload", "get", "--items", "500", "--rate", "500", "--duration", "1s", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    assert result["requests"] + result["unsent"] == pytest.approx(500, abs=32)


def test_process_id_gives_cpu_and_memory(endpoint):
    # Any process will do; this one is there even when the endpoint is somebody else's.
    done = bench(endpoint, "--workload", "get", "--items", "500", "--requests", "3000", "--pid", str(os.getpid()))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "µs CPU per request" in done.stdout and "RSS" in done.stdout


@pytest.mark.parametrize("arguments, text", [
    (["--workload", "nonsense"], "there is no workload 'nonsense'"),
    (["--workload", "get", "--duration", "soon"], "is not a duration"),
    (["--workload", "query-10", "--where", "there"], "--where"),
    (["--workload", "get", "--endpoint", "ftp://x"], "--endpoint must begin with http://"),
    ([], "--workload is required"),
])
def test_a_bad_command_line_is_one_clear_line(arguments, text):
    done = subprocess.run([binary(), "bench", *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert text in done.stderr


def test_no_server_is_one_clear_line():
    done = subprocess.run([binary(), "bench", "--workload", "get", "--endpoint", "http://127.0.0.1:1"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == "armature bench: cannot connect to 127.0.0.1:1: Connection refused\n"


@pytest.mark.parametrize("workload, requests", [("stream-put", 3000), ("stream-read", 50)])
def test_streams(endpoint, workload, requests):
    """Pages have 1000 records, so there must be that many items."""
    done = bench(endpoint, "--workload", workload, "--requests", str(requests), "--items", "2000", "--warmup", "0s", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["errors"] == 0
