"""Hundreds of mappings on a machine that has hardly a thread to spare: they are slow, and the server stays.

The limit is the kernel's on a user's processes and threads, which does not hold for root: the server runs as a user that
nobody else is.
"""

import itertools
import json
import os
import resource

import pytest

from harness import tables
from harness.server import Server
from harness.waiting import wait_until

FUNCTIONS, TABLES, FACTOR = 25, 8, 10  # 200 mappings, 2,200 threads when each part had one
SPARE = 14  # threads and handler processes beyond those the server starts with
PATH = "/2015-03-31/event-source-mappings/"
HANDLER = "sh -c 'while read -r line; do echo {}; done'"


users = itertools.count(200_000 + 4 * os.getpid())


class Limited:
    """Starts servers as a user of their own, with so many threads at most.

    Each has another user: what another test's server left behind, a handler that is yet to be reaped, is counted by
    the kernel, too.
    """

    def __init__(self, data):
        self.is_root = os.getuid() == 0
        self.user = next(users) if self.is_root else os.getuid()
        self.data = data
        data.mkdir()
        if self.is_root:
            os.chown(data, self.user, self.user)
            for folder in [data, *data.parents]:
                if folder.stat().st_uid == 0 and folder != folder.parent:
                    folder.chmod(folder.stat().st_mode | 0o711)
            data.chmod(0o755)

    def threads_of_user(self):
        count = 0
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.stat(f"/proc/{pid}").st_uid == self.user:
                    count += len(os.listdir(f"/proc/{pid}/task"))
            except FileNotFoundError:
                pass
        return count

    def server(self, spare, calls):
        limit = None if spare is None else self.threads_of_user() + spare

        def become():
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))
            if self.is_root:
                os.setgid(self.user)
                os.setuid(self.user)

        functions = [argument for i in range(FUNCTIONS) for argument in ("--function", f"f{i}={HANDLER}")]
        return Server(self.data, "--trigger-calls", calls, *functions, preexec=become)


@pytest.fixture
def limited(data):
    return Limited(data)


def rest(client, method, path, body=None):
    body = json.dumps(body).encode() if body else b""
    return client.send(method, path, client.signed_headers(body, {}, method, path), body)


def delivered(client):
    """How many records each mapping's function has taken."""
    text = client.send("GET", "/metrics").body.decode()
    lines = [line for line in text.splitlines() if line.startswith("armature_trigger_records_total{")]
    return sorted(int(line.rsplit(" ", 1)[1]) for line in lines)


@pytest.mark.parametrize("calls", [4, 64], ids=["few calls", "more calls than threads"])
def test_mappings_share_what_threads_there_are(limited, client_of, calls):
    with limited.server(spare=None, calls=calls) as server:
        own = len(os.listdir(f"/proc/{server.pid}/task"))
    with limited.server(spare=own + SPARE, calls=calls) as server:
        client = client_of(server)
        for number in range(TABLES):
            client.ok("CreateTable", tables.definition(
                f"tbl{number}", StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}))
        for number in range(TABLES):
            arn = client.ok("DescribeTable", {"TableName": f"tbl{number}"})["Table"]["LatestStreamArn"]
            for function in range(FUNCTIONS):
                reply = rest(client, "POST", PATH, {
                    "FunctionName": f"f{function}", "EventSourceArn": arn, "StartingPosition": "TRIM_HORIZON",
                    "ParallelizationFactor": FACTOR})
                assert reply.status == 202, reply
        mappings = TABLES * FUNCTIONS

        def put_everywhere(key):
            for number in range(TABLES):
                client.ok("PutItem", {"TableName": f"tbl{number}", "Item": {"pk": {"S": key}}})

        put_everywhere("a")
        wait_until(lambda: delivered(client) == [1] * mappings, seconds=120)
        assert len(os.listdir(f"/proc/{server.pid}/task")) <= own + SPARE
        # And again after a crash, when all of them begin at once.
        server.kill()
        server.start()
        client = client_of(server)
        put_everywhere("b")
        wait_until(lambda: len(counts := delivered(client)) == mappings and min(counts) >= 1, seconds=120)
        states = rest(client, "GET", PATH).json["EventSourceMappings"]
        assert all(state["State"] == "Enabled" for state in states)


def test_a_large_request_needs_no_thread_of_its_own(limited, client_of):
    """Large bodies are read on another thread. When there is none to be had they are read all the same."""
    with limited.server(None, 4) as server:
        client_of(server).ok("CreateTable", tables.definition("Large"))
    with limited.server(None, 4) as server:
        client_of(server).ok("DescribeTable", {"TableName": "Large"})
        own = len(os.listdir(f"/proc/{server.pid}/task"))
    with limited.server(own, 4) as server:
        client = client_of(server)
        for turn in range(3):
            items = [{"pk": {"S": f"{turn}-{i}"}, "text": {"S": "x" * 60_000}} for i in range(25)]
            requests = [{"PutRequest": {"Item": item}} for item in items]
            assert client.ok("BatchWriteItem", {"RequestItems": {"Large": requests}})["UnprocessedItems"] == {}
            for item in items:
                assert client.ok("GetItem", {"TableName": "Large", "Key": {"pk": item["pk"]}})["Item"] == item
        # A thread that is ending is listed for a moment after the kernel has given its place to another.
        wait_until(lambda: len(os.listdir(f"/proc/{server.pid}/task")) <= own)
