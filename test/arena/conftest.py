"""Fixtures of the arena. Each test starts servers of its own."""

import pytest

from harness.raw import RawClient


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def client_of():
    """A raw signed client for a server; closed after the test."""
    clients = []

    def make(server, **options):
        clients.append(RawClient(server.endpoint, **options))
        return clients[-1]

    yield make
    for client in clients:
        client.close()
