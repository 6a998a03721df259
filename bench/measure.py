"""What every part of a comparison run needs: the table of results, and servers under the load driver."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import servers

ITEMS = 10_000
MILLION = 1_000_000
# What a GetItem of the driver's items answers; nginx gives this to everybody.
FIXED_BODY = json.dumps({"Item": {"pk": {"S": "user000000000017"}, "v": {"N": "0"}, "data": {"S": "x" * 175}}},
                        separators=(",", ":"))


def busy_cpus(seconds=1.0):
    """How many CPUs the whole machine keeps busy, over a short look."""
    def busy_ticks():
        fields = [int(field) for field in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
        return sum(fields) - fields[3] - fields[4]  # all but idle and waiting for the disk

    before = busy_ticks()
    time.sleep(seconds)
    return (busy_ticks() - before) / os.sysconf("SC_CLK_TCK") / seconds


class Table:
    """The lines of the result, printed as they come and kept for --out."""

    def __init__(self):
        self.lines = []

    def add(self, measure, value, unit, reference=None, ratio=None, bar=None, at_least=False):
        """`bar` bounds `ratio`, or `value` where there is no ratio."""
        judged = value if ratio is None else ratio
        passed = None if bar is None else (judged >= bar if at_least else judged <= bar)
        self.lines.append({"measure": measure, "value": value, "unit": unit, "reference": reference, "ratio": ratio,
                           "bar": bar, "bar_is": "at least" if at_least else "at most", "passed": passed})
        print(self.format(self.lines[-1]), flush=True)

    def not_available(self, measure, why):
        why = " ".join(str(why).split())
        self.lines.append({"measure": measure, "not_available": why, "passed": None})
        print(f"{measure:<46} not available: {why[:120]}", flush=True)

    @staticmethod
    def header():
        return f"{'measure':<46} {'value':>12} {'unit':<6} {'reference':<26} {'ratio':>8}  {'bar':<10} result"

    @staticmethod
    def format(line):
        def number(value):
            return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"

        ratio = "" if line["ratio"] is None else f"{line['ratio']:.2f}"
        bar = "" if line["bar"] is None else ("≥ " if line["bar_is"] == "at least" else "≤ ") + f"{line['bar']:g}"
        result = {True: "pass", False: "FAIL", None: ""}[line["passed"]]
        return (f"{line['measure']:<46} {number(line['value']):>12} {line['unit']:<6} {line['reference'] or '':<26} "
                f"{ratio:>8}  {bar:<10} {result}")


class Run:
    """One comparison: its options, its table, and what measures. The lines of the table are the modules in parts/."""

    def __init__(self, options, work):
        self.options = options
        self.work = pathlib.Path(work)
        self.table = Table()
        # "On two cores": every server may use the same two CPUs; the load comes from one of them.
        cpus = sorted(os.sched_getaffinity(0))
        self.server_cpus = set(cpus[:2])
        self.driver_cpus = {cpus[0]}
        os.sched_setaffinity(0, self.server_cpus)  # what is started from here inherits it
        self.raw = []
        self.expect = self.work / "expected.json"
        self.expect.write_text(FIXED_BODY)

    def directory(self, name):
        return pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.work))

    def armature(self, name="armature", extra=()):
        return servers.Armature(self.directory(name), self.options.armature, [*self.options.serve_arg, *extra])

    def drive(self, server, workload, **how):
        """One run of the load driver; every answer was right, or the whole comparison stops."""
        return self.finish(self.begin(server, workload, **how))

    def begin(self, server, workload, connections=32, items=ITEMS, duration=None, warmup="500ms", extra=(), environment=None):
        """The same in the background, for loads beside each other; `finish` waits for it."""
        command = [*self.options.driver, "--endpoint", server.endpoint, "--workload", workload, "--connections",
                   str(connections), "--items", str(items), "--warmup", warmup, "--pid", str(server.pid), "--json", *extra]
        if "--requests" not in extra:
            command += ["--duration", duration or self.options.duration]
        driver = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})},
                                  preexec_fn=lambda: os.sched_setaffinity(0, self.driver_cpus))
        return server, workload, driver

    def finish(self, begun):
        server, workload, driver = begun
        out, errors = driver.communicate()
        if driver.returncode != 0:
            raise RuntimeError(f"{workload} against {server.name} failed: {out}{errors}")
        result = json.loads(out)
        self.raw.append({"server": server.name, **result})
        return result

    def settle(self, server, patience=20):
        """Until the server's background work is done, which would otherwise be charged to what is measured first."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            before = servers.cpu_seconds(server.pid)
            time.sleep(0.5)
            if servers.cpu_seconds(server.pid) - before <= 0.02:
                return
        print("  background work goes on; figures will be off", file=sys.stderr)

    def load_million(self, server, *extra):
        print(f"  loading {MILLION:,} items", file=sys.stderr)
        self.drive(server, "load-ordered", connections=128, items=MILLION, extra=extra)
        self.settle(server)
