"""Starts, stops and kills an `armature serve` for the tests.

The program is $ARMATURE_BINARY (./dev sets it), else build/release/armature. A server listens on a
free port of 127.0.0.1 that it tells in its ready line, so tests never meet on a port. With
ARMATURE_ENGINE=narrow it stands on an engine that has, and does, no more than a distributed store, with faults.
"""

import os
import pathlib
import re
import resource
import signal
import subprocess
import threading
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
READY = re.compile(r"armature ready on (https?)://\S+:(\d+)(?: and https://\S+:(\d+))? ")
# A sanitizer build starts slowly on a busy machine; a healthy Release build needs milliseconds.
START_SECONDS = 60


def binary():
    return os.environ.get("ARMATURE_BINARY") or str(ROOT / "build" / "release" / "armature")


def is_sanitized():
    return os.environ.get("ARMATURE_BUILD", "release") in ("asan", "tsan")


def engine_arguments():
    if os.environ.get("ARMATURE_ENGINE") != "narrow":
        return []
    return ["--engine", "narrow", "--engine-faults", "0.01", "--engine-seed", os.environ.get("ARMATURE_SEED", "1")]


class StartFailed(Exception):
    def __init__(self, returncode, stdout, stderr):
        super().__init__(f"exit {returncode}\nstdout: {stdout}\nstderr: {stderr}")
        self.returncode, self.stdout, self.stderr = returncode, stdout, stderr


class Server:
    """One server process. Use as a context manager, or call start() and stop()."""

    def __init__(self, data=None, *args, port=0, preexec=None, is_embedded=False):
        self.arguments = [binary(), "serve", "--host", "127.0.0.1", "--port", str(port)]
        self.arguments += ["--data", str(data)] if data else ["--memory"]
        self.arguments += [] if is_embedded else engine_arguments()
        # Or nobody but root could count its descriptors.
        self.arguments += [] if os.geteuid() == 0 else ["--core-dumps"]
        self.arguments += [str(arg) for arg in args]
        self.preexec = preexec
        self.process = None
        self.ready_line = ""
        self.errors = []

    def start(self):
        self.launch()
        ready = READY.match(self.ready_line) or self.fail()
        self.port = int(ready.group(2))
        self.endpoint = f"{ready.group(1)}://127.0.0.1:{self.port}"
        self.tls_port = int(ready.group(3)) if ready.group(3) else None
        return self

    def launch(self):
        """Starts the process and waits for its first line, which is empty if there was none."""
        self.process = subprocess.Popen(
            self.arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, errors="replace", preexec_fn=self.preexec)
        self.errors = []
        self._reader = threading.Thread(target=self._read_errors, args=(self.process,), daemon=True)
        self._reader.start()
        watchdog = threading.Timer(START_SECONDS, self.process.kill)
        watchdog.start()
        try:
            self.ready_line = self.process.stdout.readline()
        finally:
            watchdog.cancel()

    def fail(self):
        """Ends a process whose first line says that it is not ready."""
        self.process.kill()
        code = self.process.wait()
        self._reader.join()
        raise StartFailed(code, self.ready_line, "".join(self.errors))

    def _read_errors(self, process):
        for line in process.stderr:
            self.errors.append(line)

    @property
    def pid(self):
        return self.process.pid

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        """As a power cut for the process: SIGKILL, no goodbye."""
        self.process.send_signal(signal.SIGKILL)
        self._finish()

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def wait(self, seconds=60):
        code = self.process.wait(seconds)
        self._finish()
        return code

    def stop(self):
        """A clean stop; anything but exit code 0 is a failure of the test that used the server."""
        if not self.is_running():
            raise AssertionError(f"the server died: exit {self.process.returncode}\n{self.stderr()}")
        self.terminate()
        code = self.wait()
        assert code == 0, f"the server stopped with {code}\n{self.stderr()}"

    def _finish(self):
        self.process.wait()
        self._reader.join()
        self.process.stdout.close()
        self.process.stderr.close()

    def stderr(self):
        return "".join(self.errors[-200:])

    def rss_bytes(self):
        with open(f"/proc/{self.pid}/statm") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()

    def peak_rss_bytes(self):
        with open(f"/proc/{self.pid}/status") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))

    def metrics(self):
        """The value of every series without labels, by name."""
        with urllib.request.urlopen(f"{self.endpoint}/metrics", timeout=60) as reply:
            lines = reply.read().decode().splitlines()
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line and line[0] != "#")}

    def open_files(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def __enter__(self):
        return self.start()

    def __exit__(self, kind, value, trace):
        if kind is None:
            self.stop()
        elif self.is_running():
            self.kill()
