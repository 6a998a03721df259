"""A server whose clock is set while it runs, by the library the arena preloads into it."""

import time

import pytest

from harness import tables
from harness.server import Server
from harness.waiting import wait_until

HOUR = 3600


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
