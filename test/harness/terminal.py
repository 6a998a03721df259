"""A program on a pseudo-terminal: what a person types, and what they see."""

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time

# Colours and cursor movements of an ANSI terminal.
CONTROL = re.compile(rb"\x1b\[[0-9;?]*[@A-Za-z]|\x1b[=>]|\x07|\r")
PATIENCE = 20


class Terminal:
    """`with Terminal([program, …]) as terminal: terminal.type("…"); terminal.expect("…")`."""

    def __init__(self, arguments, environment, columns=100):
        self.process, self.fd = pty.fork()
        if self.process == 0:
            try:
                os.execve(arguments[0], arguments, environment)
            finally:
                os._exit(127)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.raw = b""   # everything printed so far
        self.seen = 0    # how much of `screen` was matched by expect()
        self.status = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.status is None:
            os.close(self.fd)
            os.waitpid(self.process, 0)

    @property
    def screen(self):
        return CONTROL.sub(b"", self.raw).decode(errors="replace")

    def type(self, text):
        os.write(self.fd, text.encode())

    def expect(self, text):
        """Waits until `text` is printed after what was expected before; returns what came up to its end."""
        deadline = time.monotonic() + PATIENCE
        while True:
            found = self.screen.find(text, self.seen)
            if found >= 0:
                before = self.screen[self.seen:found + len(text)]
                self.seen = found + len(text)
                return before
            self.read(deadline, f"waiting for {text!r}")

    def read(self, deadline, why):
        ready, _, _ = select.select([self.fd], [], [], max(0, deadline - time.monotonic()))
        assert ready, f"{why}; the screen shows:\n{self.screen}"
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # the program closed the terminal
            data = b""
        assert data, f"{why}, but the program ended; the screen shows:\n{self.screen}"
        self.raw += data

    def end(self):
        """Waits for the program to end by itself; its exit code."""
        deadline = time.monotonic() + PATIENCE
        try:
            while True:
                self.read(deadline, "end")
        except AssertionError as error:
            if "program ended" not in str(error):
                raise
        _, status = os.waitpid(self.process, 0)
        os.close(self.fd)
        self.status = os.waitstatus_to_exitcode(status)
        return self.status
