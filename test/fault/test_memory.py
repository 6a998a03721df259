"""Memory runs out (a limit of the process): requests are refused or the server stops with one line; nothing is lost."""

import re
import resource

from harness import tables
from harness.raw import RawClient
from harness.server import Server, is_sanitized

# The address space of the server above what it has when it is ready.
ROOM_MIB = 96


def mapped_bytes(server):
    with open(f"/proc/{server.pid}/statm") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()


def fill(db, stored):
    """Writes until the server refuses for long or is gone; what was acknowledged is in `stored`."""
    refused = 0
    for number in range(3000):
        item = {"pk": {"S": f"k{number}"}, "text": {"S": f"{number}." * 60_000}}
        try:
            reply = db.post("PutItem", {"TableName": "disk", "Item": item})
        except Exception:  # the server is gone, or has given up this connection
            return
        if reply.status == 200:
            stored[number] = item
        else:
            assert reply.status in (500, 503), reply
            refused += 1
            if refused > 50:
                return


def test_exhausted_memory_loses_nothing(data, client_of):
    stored = {}
    server = Server(data).start()
    tables.create(client_of(server), name="disk")
    limit = mapped_bytes(server) + (ROOM_MIB << 20)
    resource.prlimit(server.pid, resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    db = RawClient(server.endpoint)
    fill(db, stored)
    db.close()
    if server.is_running():
        resource.prlimit(server.pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        server.kill()
    elif is_sanitized():
        server.wait()  # a sanitizer ends the program in its own way
    else:
        assert server.wait() == 1, server.stderr()
        assert re.search(r"out of memory: the server stops here", server.stderr()), server.stderr()
    assert stored
    with Server(data) as again:
        db = client_of(again)
        for number, item in stored.items():
            assert db.ok("GetItem", {"TableName": "disk", "Key": {"pk": {"S": f"k{number}"}}})["Item"] == item
