#!/usr/bin/env python3
"""Runs short flows with the most used mappers and tools for DynamoDB against a server, and prints a table.

The published packages are installed by name into a scratch folder, from npm and from Debian (which is unpacked, not installed);
nothing of them enters the project, and ./dev test does not run this. The flows are ours (flows/). Exits with 1 if one fails.

  tools/compatibility/run.py                      all, against build/release/armature
  tools/compatibility/run.py dynamoose celery     these
  tools/compatibility/run.py --newest             the newest versions instead of those in package.json
  tools/compatibility/run.py --endpoint URL       against a server that runs already and has none of the tables
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Debian's Celery and what it imports; boto3 is installed for the tests of the project anyway.
DEBIAN = ["python3-celery", "python3-kombu", "python3-billiard", "python3-vine", "python3-amqp", "python3-click",
          "python3-click-didyoumean", "python3-click-repl", "python3-click-plugins", "python3-tz", "python3-prompt-toolkit",
          "python3-wcwidth"]
SECONDS = 180

# What is shown, and the flow; the package is that of the name unless it is given.
FLOWS = {
    "dynamoose": "dynamoose.mjs",
    "dynamodb-toolbox": "dynamodb-toolbox.mjs",
    "electrodb": "electrodb.mjs",
    "dynamodb-onetable": "onetable.mjs",
    "@typedorm/core": "typedorm.mjs",
    "@aws-lambda-powertools/idempotency": "powertools-idempotency.mjs",
    "@langchain/community": "langchain.mjs",
    "connect-dynamodb": "connect-dynamodb.mjs",
    "@keyv/dynamo": "keyv.mjs",
    "celery": "celery_backend.py",
}


def install_npm(scratch, newest):
    wanted = json.loads((HERE / "package.json").read_text())
    if newest:
        wanted["dependencies"] = {name: "latest" for name in wanted["dependencies"]}
    file = scratch / "package.json"
    text = json.dumps(wanted)
    is_there = file.exists() and file.read_text() == text and not newest
    if not (is_there and (scratch / "node_modules").exists()):
        file.write_text(text)
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps", "--loglevel=error"],
                       cwd=scratch, check=True, stdout=sys.stderr)
    for flow in (HERE / "flows").iterdir():
        shutil.copy(flow, scratch)


def install_debian(scratch):
    """Unpacks Debian's packages below the scratch folder; returns where Python finds them."""
    where = scratch / "debian"
    modules = where / "usr" / "lib" / "python3" / "dist-packages"
    if not (modules / "celery").exists():
        where.mkdir(exist_ok=True)
        subprocess.run(["apt-get", "download", "-q", *DEBIAN], cwd=where, check=True, stdout=sys.stderr)
        for package in where.glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", package, where], check=True)
    return modules


def version_of(name, scratch):
    if name == "celery":
        deb = next((scratch / "debian").glob("python3-celery_*.deb"))
        return deb.name.split("_")[1].split("-")[0]
    return json.loads((scratch / "node_modules" / name / "package.json").read_text())["version"]


class Server:
    """One `armature local`, in memory, at a free port."""

    def __init__(self, binary):
        self.process = subprocess.Popen([binary, "local", "-inMemory", "-sharedDb", "-port", "0", "--log-level", "warn"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        if not found:
            self.process.kill()
            sys.exit(f"the server did not start: {line or 'it said nothing'}")
        self.endpoint = found.group()

    def __enter__(self):
        return self.endpoint

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def run_flow(name, flow, scratch, endpoint):
    """(steps that went well, seconds, what went wrong or None)"""
    environment = {**os.environ, "ARMATURE_ENDPOINT": endpoint, "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "fakeMyKeyId",
                   "AWS_SECRET_ACCESS_KEY": "fakeSecretAccessKey", "NODE_NO_WARNINGS": "1"}
    command = ["node", flow]
    if flow.endswith(".py"):
        environment["PYTHONPATH"] = str(install_debian(scratch))
        command = ["/usr/bin/python3", flow]
    started = time.monotonic()
    try:
        done = subprocess.run(command, cwd=scratch, env=environment, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired as error:
        return [], SECONDS, f"still running after {SECONDS} s: {error.stdout or ''}"
    steps = [line[3:] for line in done.stdout.splitlines() if line.startswith("ok ")]
    problem = None if done.returncode == 0 else (done.stderr or done.stdout).strip()
    return steps, time.monotonic() - started, problem


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("only", nargs="*", help=f"of {', '.join(FLOWS)}")
    parser.add_argument("--endpoint", help="a server that runs already")
    parser.add_argument("--binary", default=ROOT / "build" / "release" / "armature")
    parser.add_argument("--scratch", default=pathlib.Path(tempfile.gettempdir()) / "armature-compatibility", type=pathlib.Path)
    parser.add_argument("--newest", action="store_true")
    options = parser.parse_args()
    unknown = set(options.only) - set(FLOWS)
    if unknown:
        parser.error(f"there is no flow for {', '.join(sorted(unknown))}")
    options.scratch.mkdir(parents=True, exist_ok=True)
    install_npm(options.scratch, options.newest)

    failures = {}
    print("| Package | Version | Steps | Seconds | Result |\n| --- | --- | --- | --- | --- |", flush=True)
    for name in options.only or FLOWS:
        if options.endpoint:
            steps, seconds, problem = run_flow(name, FLOWS[name], options.scratch, options.endpoint)
        else:
            with Server(options.binary) as endpoint:
                steps, seconds, problem = run_flow(name, FLOWS[name], options.scratch, endpoint)
        if problem:
            failures[name] = problem
        result = "failed after " + (steps[-1] if steps else "nothing") if problem else "passed"
        print(f"| {name} | {version_of(name, options.scratch)} | {len(steps)} | {seconds:.1f} | {result} |", flush=True)
    for name, problem in failures.items():
        print(f"\n{name}:\n{problem}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
