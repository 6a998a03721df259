"""Makes test/harness importable from all tests, and holds the fixtures that several folders use."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import pytest  # noqa: E402

from harness.clock import ShiftedClock  # noqa: E402
from harness.raw import RawClient  # noqa: E402


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def clock(tmp_path, monkeypatch):
    """The clock of the servers that the test starts."""
    shifted = ShiftedClock(tmp_path / "clock")
    shifted.preload(monkeypatch.setenv)
    return shifted


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
