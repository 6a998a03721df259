#!/usr/bin/env python3
"""Instructions per call: PartiQL statements (parsed before) against the classic calls that do the same.

Usage: bench/partiql_cost.py [BUILD_DIRECTORY]. Needs valgrind and the target partiql_cost. Counts are
exact and repeatable, so one run is enough; decoding and execution count, the network does not.
"""

import pathlib
import re
import subprocess
import sys

OPERATIONS = {
    "get": "SELECT of one item / GetItem",
    "query": "SELECT of a range / Query",
    "put": "INSERT / PutItem, attribute_not_exists",
    "update": "UPDATE / UpdateItem, attribute_exists",
    "delete": "DELETE / DeleteItem",
}
FEW, MANY = 100, 1100


def instructions(program, operation, style, times):
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, operation, style, str(times)],
        check=True, capture_output=True, text=True,
    )
    return int(re.search(r"Collected : (\d+)", run.stderr).group(1))


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release")
    program = str(build / "src" / "api" / "partiql_cost")
    print(f"{'':40} {'classic':>9} {'PartiQL':>9} {'':>7}")
    for operation, title in OPERATIONS.items():
        cost = {
            style: (instructions(program, operation, style, MANY) - instructions(program, operation, style, FEW))
            / (MANY - FEW)
            for style in ("classic", "partiql")
        }
        ratio = cost["partiql"] / cost["classic"] - 1
        print(f"{title:40} {cost['classic']:9.0f} {cost['partiql']:9.0f} {ratio:+7.1%}")


if __name__ == "__main__":
    main()
