"""Out of file descriptors: writes are refused for as long as it lasts, and no longer; nothing is lost."""

import resource

from harness import tables
from harness.server import Server
from harness.waiting import wait_until

LIMIT = 400


def lower_limit():
    resource.setrlimit(resource.RLIMIT_NOFILE, (LIMIT, LIMIT))


def put(db, number):
    item = {"pk": {"S": f"k{number}"}, "text": {"S": f"{number}." * 8000}}
    return item, db.post("PutItem", {"TableName": "disk", "Item": item})


def set_limit(server, limit):
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (limit, LIMIT))


def test_service_returns_with_the_descriptors(data, client_of):
    """Log and table files are begun every megabyte: with no descriptor left the first of them cannot be."""
    stored = {}
    with Server(data, "--cache-mib", "8", preexec=lower_limit) as server:
        db = client_of(server)
        tables.create(db, name="disk")
        number = 0
        for _ in range(2):
            set_limit(server, server.open_files())  # what is open stays open
            refused = None
            while refused is None:
                item, reply = put(db, number)
                if reply.status == 200:
                    stored[number] = item
                else:
                    refused = reply
                number += 1
                assert number < 5000, "descriptors were never missed"
            assert refused.status == 503, refused
            last = max(stored)
            assert db.ok("GetItem", {"TableName": "disk", "Key": {"pk": {"S": f"k{last}"}}})["Item"] == stored[last]
            set_limit(server, LIMIT)

            def is_served():
                nonlocal number
                number += 1
                item, reply = put(db, number)
                if reply.status == 200:
                    stored[number] = item
                return reply.status == 200

            wait_until(is_served, 60, "no service although there are descriptors")
            number += 1
        lines = [line for line in server.errors if "descriptor" in line]
        assert 1 <= len(lines) <= 4, server.stderr()
        for number, item in stored.items():
            assert db.ok("GetItem", {"TableName": "disk", "Key": {"pk": {"S": f"k{number}"}}})["Item"] == item
    with Server(data) as server:
        db = client_of(server)
        for number, item in stored.items():
            assert db.ok("GetItem", {"TableName": "disk", "Key": {"pk": {"S": f"k{number}"}}})["Item"] == item
