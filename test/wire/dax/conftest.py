"""Fixtures of the DAX tests: one server with a DAX port, both of Amazon's clients on it, and DynamoDB's API beside them."""

import os
import subprocess

import pytest

from harness.dax import IS_PLAIN, KINDS, DaxServer, NodeProcess
from harness.raw import RawClient
from harness.server import binary

# DAX stands on the API, which the other tests ask of the narrow engine: once more through DAX tells nothing of it.
collect_ignore_glob = ["test_*.py"] if os.environ.get("ARMATURE_ENGINE") == "narrow" else []


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """A directory with cert.pem and key.pem for 127.0.0.1."""
    directory = tmp_path_factory.mktemp("dax-tls")
    subprocess.run([binary(), "tls", "self-signed", "--out", str(directory)], check=True, capture_output=True, timeout=60)
    return directory


@pytest.fixture(scope="session")
def node():
    """The process that has the clients. Nothing that a healthy server does may throw where no application could catch it."""
    with NodeProcess() as process:
        yield process
        assert not process.uncaught


@pytest.fixture(scope="session")
def dax_server(tmp_path_factory, certificate):
    tls = ["--tls-cert", certificate / "cert.pem", "--tls-key", certificate / "key.pem", "--tls-port", 0]
    tls += [] if IS_PLAIN else ["--dax-tls-port", 0]
    with DaxServer(tmp_path_factory.mktemp("dax") / "data", *tls) as running:
        yield running


@pytest.fixture(scope="session", params=KINDS)
def dax(node, dax_server, request):
    """Amazon's client, of the SDK's version 2 or 3."""
    client = node.open(request.param, dax_server.dax)
    yield client
    client.close()


@pytest.fixture(scope="session")
def db(dax_server):
    """DynamoDB's API of the same server, without DAX."""
    client = RawClient(dax_server.endpoint)
    yield client
    client.close()
