"""A server whose clock is set while it runs, by the library the arena preloads into it."""

import os
import pathlib
import struct
import time

import pytest

from harness import tables
from harness.server import Server, binary
from harness.waiting import wait_until

HOUR = 3600


class ShiftedClock:
    def __init__(self, path):
        self.path = path
        self.shift(0)

    def shift(self, seconds):
        # In place: the server has the file mapped.
        with open(self.path, "r+b" if self.path.exists() else "wb") as file:
            file.write(struct.pack("q", int(seconds * 1e9)))


@pytest.fixture
def clock(tmp_path, monkeypatch):
    shifted = ShiftedClock(tmp_path / "clock")
    monkeypatch.setenv("LD_PRELOAD", str(pathlib.Path(binary()).parent / "libclock_shift.so"))
    # A sanitizer's runtime wants to be the first library; behind one that only moves the clock it works as well.
    monkeypatch.setenv("ASAN_OPTIONS", f"{os.environ.get('ASAN_OPTIONS', '')}:verify_asan_link_order=0")
    monkeypatch.setenv("ARMATURE_CLOCK_SHIFT", str(shifted.path))
    return shifted


@pytest.mark.parametrize("jump", [-HOUR, HOUR])
def test_reads_that_may_lag_go_on_when_the_clock_is_set(data, client_of, clock, jump):
    """They once stood still until a clock that was set back had come to where it was, and every sample was kept meanwhile."""
    with Server(data, "--eventual-lag", "200") as server:
        db = client_of(server)
        tables.create(db, name="lagging")

        def version():
            return db.ok("GetItem", {"TableName": "lagging", "Key": {"pk": {"S": "k"}}}).get("Item", {}).get("v", {}).get("N")

        for number, shift in enumerate((0, jump)):
            clock.shift(shift)
            db.ok("PutItem", {"TableName": "lagging", "Item": {"pk": {"S": "k"}, "v": {"N": str(number)}}})
            begin = time.monotonic()
            wait_until(lambda: version() == str(number), seconds=10, problem=f"still not shown with the clock at {shift:+} s")
            assert time.monotonic() - begin < 5
