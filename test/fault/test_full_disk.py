"""A full disk gives proper errors, reads go on, and service returns with the space; nothing is lost."""

import contextlib
import os
import pathlib
import subprocess
import time

import pytest

from harness import tables
from harness.raw import CORAL, MODELLED
from harness.server import Server

SIZE_MIB = 160


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


def test_errors_then_service_again(tmp_path, client_of):
    stored = {}
    with small_file_system(tmp_path / "disk") as disk:
        data = pathlib.Path(disk) / "data"
        with Server(data) as server:
            db = client_of(server)
            tables.create(db, name="disk")
            for number in range(50):
                item, reply = put(db, number, 1000)
                assert reply.status == 200
                stored[number] = item
            ballast = fill(disk, 4 << 20)

            failure = None
            for number in range(50, 2000):
                item, reply = put(db, number, 50_000)
                if reply.status == 200:
                    stored[number] = item
                    continue
                failure = reply
                break
            assert failure is not None, "the disk never became full"
            assert failure.status in (500, 503), failure
            assert failure.json["__type"] in (f"{MODELLED}#InternalServerError", f"{CORAL}#InternalFailure",
                                              f"{CORAL}#ServiceUnavailableException")
            # Still up: every acknowledged item is read, while the disk is full.
            for number, item in stored.items():
                assert get(db, number) == item

            ballast.unlink()
            deadline = time.monotonic() + 60
            number = 3000
            while True:
                item, reply = put(db, number, 1000)
                if reply.status == 200:
                    stored[number] = item
                    break
                assert time.monotonic() < deadline, f"no service after space returned: {reply}"
                time.sleep(0.1)
            for number in range(3001, 3050):
                item, reply = put(db, number, 1000)
                assert reply.status == 200, reply
                stored[number] = item
            for number, item in stored.items():
                assert get(db, number) == item
        with Server(data) as server:
            db = client_of(server)
            for number, item in stored.items():
                assert get(db, number) == item


def get(db, number):
    request = {"TableName": "disk", "Key": {"pk": {"S": f"k{number}"}}, "ConsistentRead": True}
    return db.ok("GetItem", request).get("Item")
