"""Runs the suites of the AWS SDK for JavaScript (js/*.test.mjs) with node's own test runner."""

import os
import pathlib
import subprocess

import pytest

from harness.principals import administrator, write_file
from harness.server import Server

JS = pathlib.Path(__file__).parent / "js"


def run_suite(suite, endpoint, **variables):
    environment = {**os.environ, "ARMATURE_ENDPOINT": endpoint, **variables}
    environment.setdefault("AWS_ACCESS_KEY_ID", "fake")
    environment.setdefault("AWS_SECRET_ACCESS_KEY", "fake")
    environment.setdefault("AWS_REGION", "us-east-1")
    done = subprocess.run(["node", "--test", suite], cwd=JS, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("suite", sorted(path.name for path in JS.glob("*.test.mjs")))
def test_suite(endpoint, suite):
    run_suite(suite, endpoint)


def test_several_principals(tmp_path):
    admin = administrator()
    with Server(tmp_path / "data", "--iam-file", write_file(tmp_path / "iam.toml", admin)) as server:
        run_suite("principals/principals.test.mjs", server.endpoint, AWS_ACCESS_KEY_ID=admin.key_id, AWS_SECRET_ACCESS_KEY=admin.secret)
