"""Waiting for what a server does on its own time and the wire has no event for."""

import time

SHOWN = 500  # characters of what was read last


def poll_until(read, is_enough, seconds=30, pause=0.01):
    """What `read` gives once that `is_enough`; fails with what it gave last if that takes too long."""
    deadline = time.monotonic() + seconds
    while not is_enough(found := read()):
        assert time.monotonic() < deadline, f"still {repr(found)[-SHOWN:]}"
        time.sleep(pause)
    return found


def wait_until(condition, seconds=30, problem="it did not happen"):
    """What `condition` gives once it is true; fails if that takes too long."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, problem
        time.sleep(0.01)
    return found
