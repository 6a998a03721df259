"""At the connection limit and under memory pressure the server sheds load with a proper error."""

import json
import socket
import time

from harness.load import LoadConnection
from harness.server import Server

UNAVAILABLE = "com.amazon.coral.service#ServiceUnavailableException"


def test_connections_beyond_the_limit_are_turned_away(data):
    with Server(data, "--max-connections", "5") as server:
        inside = [LoadConnection(server.port) for _ in range(5)]
        for connection in inside:
            assert connection.call("ListTables", {})[0] == 200
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as outside:
            answer = b""
            while chunk := outside.recv(65536):
                answer += chunk
        head, body = answer.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 503")
        assert json.loads(body)["__type"] == UNAVAILABLE
        # Those inside are still served, and a place becomes free when one leaves.
        assert inside[1].call("ListTables", {})[0] == 200
        inside[0].close()
        assert eventually(lambda: try_list_tables(server) == 200)
        for connection in inside[1:]:
            connection.close()


def try_list_tables(server):
    """The status, or None if the server closed the connection first."""
    connection = LoadConnection(server.port)
    try:
        return connection.call("ListTables", {})[0]
    except Exception:  # turned away: the 503 may come with a reset, as the request was never read
        return None
    finally:
        connection.close()


def test_memory_pressure(data):
    """One mebibyte is less than the server itself needs, so it is always above its limit."""
    with Server(data, "--memory-limit-mib", "1") as server:
        connection = LoadConnection(server.port)
        assert eventually(lambda: connection.call("ListTables", {})[0] == 503)
        status, members = connection.call("ListTables", {})
        assert (status, members["__type"]) == (503, UNAVAILABLE)
        connection.close()


def eventually(condition, seconds=30):
    """For what the server notices on its own time; there is no event for it on the wire."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False
