"""A server's time of day, set by a library that is preloaded into it (src/arena/clock_shift.cc)."""

import os
import pathlib
import struct

from harness.server import binary

LIBRARY = pathlib.Path(binary()).parent / "libclock_shift.so"


class ShiftedClock:
    """Ahead of the real one by so many seconds, for the servers that are started while it is preloaded."""

    def __init__(self, path):
        self.path = path
        self.shift(0)

    def shift(self, seconds):
        # In place: the server has the file mapped.
        with open(self.path, "r+b" if self.path.exists() else "wb") as file:
            file.write(struct.pack("q", int(seconds * 1e9)))
        self.seconds = seconds

    def advance(self, seconds):
        self.shift(self.seconds + seconds)

    def preload(self, setenv):
        setenv("LD_PRELOAD", str(LIBRARY))
        # A sanitizer's runtime wants to be the first library; behind one that only moves the clock it works as well.
        setenv("ASAN_OPTIONS", f"{os.environ.get('ASAN_OPTIONS', '')}:verify_asan_link_order=0")
        setenv("ARMATURE_CLOCK_SHIFT", str(self.path))
