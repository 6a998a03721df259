"""Waiting for what a server does on its own time and the wire has no event for."""

import time


def wait_until(condition, seconds=30, problem="it did not happen"):
    """What `condition` gives once it is true; fails if that takes too long."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, problem
        time.sleep(0.01)
    return found
