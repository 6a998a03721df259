"""DAX as applications use it: the document clients of both SDKs, and the example."""

import os
import pathlib
import subprocess

import pytest

from harness.dax import IS_PLAIN, JS


EXAMPLE = pathlib.Path(__file__).resolve().parents[3] / "examples" / "dax"


@pytest.fixture(scope="module")
def environment(dax_server):
    return {**os.environ, "ARMATURE_ENDPOINT": dax_server.endpoint, "AWS_ACCESS_KEY_ID": "fake", "AWS_SECRET_ACCESS_KEY": "fake",
            "AWS_REGION": "us-east-1"}


def run(environment, directory, *command):
    done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_document_clients(environment, dax_server):
    run({**environment, "ARMATURE_DAX": dax_server.dax}, JS, "node", "--test", "dax/documents.test.mjs")


@pytest.mark.parametrize("has_dax", [False] if IS_PLAIN else [False, True])
def test_the_example(environment, dax_server, tmp_path, has_dax):
    """As its README says, but with the packages that are here."""
    (tmp_path / "index.js").write_text((EXAMPLE / "index.js").read_text())
    (tmp_path / "package.json").write_text((EXAMPLE / "package.json").read_text())
    (tmp_path / "node_modules").symlink_to(JS / "node_modules")
    variables = {**environment, "AWS_ENDPOINT_URL_DYNAMODB": dax_server.endpoint, **({"DAX_ENDPOINT": dax_server.dax} if has_dax else {})}
    told = run(variables, tmp_path, "node", "index.js")
    assert f"{'DAX' if has_dax else 'DynamoDB'}: 1000 reads" in told
    assert "Sinnerman: 1 play" in told
