#!/usr/bin/env python3
"""Measures Armature beside nginx, Redis, RocksDB alone and, with --peers, other DynamoDB servers.

Prints one table of ratios: measure, value, reference, ratio, bar. See README.md beside this file for how each line is
measured. Standard library only; `./dev bench` builds the program and calls this.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile

from measure import Run, Table, busy_cpus
from parts import access, cold, core, dax, indexes, large, many, partition, partitions, peers, scan, start, streams, tls, triggers, ttl
from servers import NotAvailable

ROOT = pathlib.Path(__file__).resolve().parent.parent

# In the order in which they run.
PARTS = {"core": core, "many": many, "partitions": partitions, "partition": partition, "indexes": indexes, "scan": scan, "cold": cold,
         "start": start, "access": access, "tls": tls, "dax": dax, "streams": streams, "ttl": ttl, "triggers": triggers, "peers": peers, "large": large}


def default_rss_bound_mib():
    return round(1.4 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 4 / 2**20)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--armature", default=str(ROOT / "build/release/armature"), help="the program to measure")
    parser.add_argument("--serve-arg", action="append", default=[], help="further argument for `armature serve`; repeatable")
    parser.add_argument("--peers", action="store_true", help="also measure the servers of package.json")
    parser.add_argument("--peers-dir", default=str(ROOT / "bench"), help="where npm has installed them")
    parser.add_argument("--large", action="store_true", help="also run with 10 million items (takes many minutes)")
    parser.add_argument("--only", choices=PARTS, help="just this part")
    parser.add_argument("--scan-bench", help="the micro-benchmark of the part scan (default: beside the program)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of which the median counts (default 3)")
    parser.add_argument("--duration", default="2s", help="length of each measurement in seconds (default 2s)")
    parser.add_argument("--rss-bound-mib", type=float, default=default_rss_bound_mib(),
                        help="memory bound with 10 million items (default: 1.4 times the default cache, a quarter of the memory)")
    parser.add_argument("--work-dir", default=str(ROOT / "build"), help="where data goes; must be a real disk, not a tmpfs")
    parser.add_argument("--out", help="write the table and every single measurement to this JSON file")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a bar is missed")
    options = parser.parse_args()
    options.scan_bench = options.scan_bench or str(pathlib.Path(options.armature).resolve().with_name("scan_bench"))
    options.driver = [str(pathlib.Path(options.armature).resolve()), "bench"]
    return options


def main():
    options = parse_arguments()
    if not os.access(options.armature, os.X_OK):
        sys.exit(f"run.py: {options.armature} is not there; build it first")
    os.makedirs(options.work_dir, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-run-", dir=options.work_dir) as work:
        if (busy := busy_cpus()) > 0.2:
            print(f"warning: other work keeps {busy:.1f} CPUs busy; ratios will be off", file=sys.stderr)
        run = Run(options, work)
        print(f"servers on CPUs {sorted(run.server_cpus)}, load from CPU {sorted(run.driver_cpus)}, "
              f"median of {options.rounds} rounds of {options.duration}\n\n{Table.header()}", flush=True)
        unwanted = (set() if options.peers else {"peers"}) | (set() if options.large else {"large"})
        for name, part in PARTS.items():
            if name == options.only or (options.only is None and name not in unwanted):
                try:
                    part.measure(run)
                except NotAvailable as error:
                    run.table.not_available(name, error)
        if options.out:
            pathlib.Path(options.out).write_text(json.dumps({"table": run.table.lines, "runs": run.raw}, indent=1) + "\n")
    judged = [line["passed"] for line in run.table.lines if line["passed"] is not None]
    print(f"\n{sum(judged)} of {len(judged)} bars met")
    if options.check and not all(judged):
        sys.exit(1)


if __name__ == "__main__":
    main()
