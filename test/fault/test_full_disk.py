"""A full disk gives proper errors, reads go on, and service returns with the space; nothing is lost."""

import contextlib
import os
import subprocess
import time

import pytest

from harness import tables
from harness.raw import CORAL, MODELLED
from harness.server import Server

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


def fill(folder, leave_bytes):
    """Takes all space but `leave_bytes` with a ballast file."""
    ballast = folder / "ballast"
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
            assert_all_there(db, stored)  # reads go on while the disk is full

            ballast.unlink()
            deadline = time.monotonic() + 60
            while True:
                item, reply = put(db, 4000, 1000)
                if reply.status == 200:
                    stored[4000] = item
                    break
                assert time.monotonic() < deadline, f"no service after space returned: {reply}"
                time.sleep(0.1)
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
