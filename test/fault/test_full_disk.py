"""A full disk gives proper errors, reads go on, and service returns with the space; nothing is lost."""

import contextlib
import os
import subprocess

import pytest

from harness import tables
from harness.raw import CORAL, MODELLED
from harness.server import Server
from harness.waiting import poll_until, wait_until

# RocksDB keeps a log of up to 72 MiB and rewrites what it compacts: the file system must hold all that
# once the ballast is gone, or it stays full by itself.
SIZE_MIB = 512


@contextlib.contextmanager
def small_file_system(mount_point):
    """A tmpfs of a fixed size. It takes root to mount one, as CI and a fresh machine have."""
    mount_point.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE_MIB}m", "armature-test", str(mount_point)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        pytest.fail(f"this test mounts a small tmpfs and needs root: {done.stderr.strip()}")
    try:
        yield mount_point
    finally:
        subprocess.run(["umount", "--lazy", str(mount_point)], check=True)


def fill(folder, leave_bytes, name="ballast"):
    """Takes all space but `leave_bytes` with a ballast file."""
    ballast = folder / name
    free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
    with open(ballast, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(1, free - leave_bytes))
    return ballast


def put(db, number, size):
    item = {"pk": {"S": f"k{number}"}, "text": {"S": f"{number}." * (size // (len(str(number)) + 1))}}
    return item, db.post("PutItem", {"TableName": "disk", "Item": item})


def fill_with_items(db, disk, stored):
    """Writes items until the disk is full; returns the ballast and the first refusal."""
    for number in range(50):
        item, reply = put(db, number, 1000)
        assert reply.status == 200
        stored[number] = item
    ballast = fill(disk, 4 << 20)
    for number in range(50, 3000):
        item, reply = put(db, number, 50_000)
        if reply.status != 200:
            return ballast, reply
        stored[number] = item
    raise AssertionError("the disk never became full")


def assert_all_there(db, stored):
    for number, item in stored.items():
        request = {"TableName": "disk", "Key": {"pk": {"S": f"k{number}"}}, "ConsistentRead": True}
        assert db.ok("GetItem", request).get("Item") == item


# With a small cache files are flushed every megabyte, so other writes are the ones that find the disk full.
@pytest.mark.parametrize("cache", [["--cache-mib", "8"], []], ids=["small-cache", "default-cache"])
def test_errors_then_service_again(tmp_path, client_of, cache):
    stored = {}
    with small_file_system(tmp_path / "disk") as disk:
        with Server(disk / "data", *cache) as server:
            db = client_of(server)
            tables.create(db, name="disk")
            ballast, failure = fill_with_items(db, disk, stored)
            assert failure.status in (500, 503), failure
            assert failure.json["__type"] in (f"{MODELLED}#InternalServerError", f"{CORAL}#InternalFailure",
                                              f"{CORAL}#ServiceUnavailableException")
            for number in range(5000, 5200):
                assert put(db, number, 1000)[1].status == 503
            assert_all_there(db, stored)  # reads go on while the disk is full
            # It is said once, not with every refused write.
            assert 1 <= len(server.errors) <= 10, server.stderr()

            ballast.unlink()
            stored[4000] = poll_until(lambda: put(db, 4000, 1000), lambda done: done[1].status == 200, seconds=60, pause=0.1)[0]
            for number in range(4001, 4050):
                item, reply = put(db, number, 1000)
                assert reply.status == 200, reply
                stored[number] = item
            assert_all_there(db, stored)
        with Server(disk / "data") as server:
            assert_all_there(client_of(server), stored)


@pytest.mark.parametrize("end", ["kill", "terminate"])
def test_the_end_on_a_full_disk(tmp_path, client_of, end):
    """Killed or stopped while the disk is full: it ends, and everything acknowledged is there later."""
    stored = {}
    with small_file_system(tmp_path / "disk") as disk:
        server = Server(disk / "data", "--cache-mib", "8").start()
        db = client_of(server)
        tables.create(db, name="disk")
        ballast, _ = fill_with_items(db, disk, stored)
        if end == "kill":
            server.kill()
        else:
            server.terminate()
            server.wait(60)  # the exit code may tell that something refused was not written
        ballast.unlink()
        with Server(disk / "data") as again:
            assert_all_there(client_of(again), stored)


def test_a_start_on_a_full_disk_serves_reads(tmp_path, client_of):
    """Killed while the disk is full and started again: it reads, refuses writes, and writes when there is space."""
    stored = {}
    with small_file_system(tmp_path / "disk") as disk:
        server = Server(disk / "data").start()
        db = client_of(server)
        tables.create(db, name="disk")
        ballast, _ = fill_with_items(db, disk, stored)
        server.kill()
        rest = fill(disk, 0, "rest") if os.statvfs(disk).f_bavail else None
        with Server(disk / "data") as again:
            db = client_of(again)
            assert_all_there(db, stored)
            refused = put(db, 6000, 1000)[1]
            assert refused.status == 503, refused
            assert refused.json["__type"] == f"{CORAL}#ServiceUnavailableException"
            assert any("the disk is full" in line for line in again.errors), again.stderr()
        with Server(disk / "data") as again:  # as often as one likes
            db = client_of(again)
            assert_all_there(db, stored)
            ballast.unlink()
            if rest:
                rest.unlink()

            def is_written():
                item, reply = put(db, 6001, 1000)
                if reply.status == 200:
                    stored[6001] = item
                return reply.status == 200

            wait_until(is_written, 60, "no writes although there is space")
            assert_all_there(db, stored)
        with Server(disk / "data") as again:
            assert_all_there(client_of(again), stored)
