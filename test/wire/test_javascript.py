"""Runs the suites of the AWS SDK for JavaScript (js/*.test.mjs) with node's own test runner."""

import os
import pathlib
import subprocess

import pytest

JS = pathlib.Path(__file__).parent / "js"


@pytest.mark.parametrize("suite", sorted(path.name for path in JS.glob("*.test.mjs")))
def test_suite(endpoint, suite):
    environment = {**os.environ, "ARMATURE_ENDPOINT": endpoint}
    environment.setdefault("AWS_ACCESS_KEY_ID", "fake")
    environment.setdefault("AWS_SECRET_ACCESS_KEY", "fake")
    environment.setdefault("AWS_REGION", "us-east-1")
    done = subprocess.run(["node", "--test", suite], cwd=JS, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
