"""At the connection limit and under memory pressure the server sheds load with a proper error."""

import gzip
import json
import select
import socket
import zlib

from harness import tables
from harness.dax import DaxServer, dax_only
from harness.dax_wire import Closed, DaxConnection, Refused
from harness.load import LoadConnection
from harness.server import Server, is_sanitized
from harness.waiting import wait_until

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
        wait_until(lambda: try_list_tables(server) == 200)
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
        wait_until(lambda: connection.call("ListTables", {})[0] == 503)
        status, members = connection.call("ListTables", {})
        assert (status, members["__type"]) == (503, UNAVAILABLE)
        connection.close()


def test_a_503_carries_a_request_id_and_a_checksum(data, client_of):
    with Server(data, "--memory-limit-mib", "1") as server:
        db = client_of(server)
        wait_until(lambda: db.post("ListTables", {}).status == 503)
        reply = db.post("ListTables", {})
        assert len(reply.headers["x-amzn-RequestId"]) == 52
        assert int(reply.headers["x-amz-crc32"]) == zlib.crc32(reply.body)


def big_answers(db, name):
    """A table, and a request of a few bytes whose answer has 16 MB."""
    tables.create(db, name=name)
    for number in range(50):
        db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": str(number)}, "t": {"S": "x" * 320_000}}})
    return {"RequestItems": {name: {"Keys": [{"pk": {"S": str(number)}} for number in range(50)]}}}


def test_clients_that_do_not_read_are_closed_and_the_others_are_served(data, client_of):
    """Forty answers of 16 MB that nobody reads are more than the server may hold: those who leave them unread have to go."""
    with Server(data, "--memory-limit-mib", "1024") as server:
        db = client_of(server)
        request = json.dumps(big_answers(db, "big")).encode()
        quiet = server.rss_bytes()
        lazy = []
        for _ in range(40):
            connection = LoadConnection(server.port)
            connection.socket.sendall(connection.request_bytes("BatchGetItem", request))
            lazy.append(connection)
            # Somebody who behaves comes between them all, with small requests and with large ones.
            db.ok("PutItem", {"TableName": "big", "Item": {"pk": {"S": "own"}, "t": {"S": "y" * 300_000}}})
            assert len(db.ok("GetItem", {"TableName": "big", "Key": {"pk": {"S": "own"}}})["Item"]["t"]["S"]) == 300_000
        assert len(db.ok("BatchGetItem", json.loads(request))["Responses"]["big"]) > 40
        counters = server.metrics()
        assert counters["armature_http_requests_shed_total"] == 0
        assert counters["armature_http_connections_evicted_total"] > 10
        assert counters["armature_http_buffered_bytes"] <= 256 << 20
        if not is_sanitized():
            assert server.rss_bytes() - quiet < 600 << 20
        for connection in lazy:
            connection.close()


def test_large_requests_in_flight_are_bounded(data, client_of):
    """Many puts of 400 KB at once wait for the disk; they hold little more than their bytes, and not more than may be held."""
    count = 60 if is_sanitized() else 300
    with Server(data, "--memory-limit-mib", "2048") as server:
        tables.create(client_of(server), name="puts")
        connections = [LoadConnection(server.port, timeout=120) for _ in range(count)]
        payloads = [connection.request_bytes("PutItem", json.dumps(
            {"TableName": "puts", "Item": {"pk": {"S": str(number)}, "t": {"S": "z" * 400_000}}}).encode())
            for number, connection in enumerate(connections)]
        quiet = server.peak_rss_bytes()
        for connection, payload in zip(connections, payloads):  # all but the last byte, so that they are executed together
            connection.socket.sendall(payload[:-1])
        for connection, payload in zip(connections, payloads):
            connection.socket.sendall(payload[-1:])
        for connection in connections:
            assert connection.read_answer()[0] == 200
            connection.close()
        print("peak", (server.peak_rss_bytes() - quiet) >> 20, "MiB for", count)
        if not is_sanitized():
            assert server.peak_rss_bytes() - quiet < 900 << 20
        wait_until(lambda: server.metrics()["armature_http_in_flight_bytes"] == 0)


def overtaken(server, requests):
    """Sends these first and a small one behind them, to a server with one reactor: how many were not answered when it was."""
    heavy = [LoadConnection(server.port) for _ in requests]
    small = LoadConnection(server.port)
    assert small.call("ListTables", {})[0] == 200
    for connection, request in zip(heavy, requests):
        connection.socket.sendall(request)
    assert small.call("ListTables", {})[0] == 200
    answered, _, _ = select.select([connection.socket for connection in heavy], [], [], 0)
    for connection in heavy:
        assert connection.read_answer()[0] in (200, 400)
        connection.close()
    small.close()
    return len(heavy) - len(answered)


def test_a_small_request_overtakes_large_bodies(data):
    """What takes long to unpack and to parse does not hold the reactor meanwhile."""
    with Server(data, "--threads", "1") as server:
        template = LoadConnection(server.port)
        body = gzip.compress(b"{" + b" " * (15 << 20) + b"}", 9)
        payload = template.request_bytes("PutItem", body).replace(
            b"\r\nContent-Length", b"\r\nContent-Encoding: gzip\r\nContent-Length", 1)
        assert overtaken(server, [payload] * 10) > 0
        template.close()


def test_a_small_request_overtakes_large_answers(data, client_of):
    """Answers of 16 MB are made in portions, one answer after the other."""
    with Server(data, "--threads", "1") as server:
        template = LoadConnection(server.port)
        payload = template.request_bytes("BatchGetItem", json.dumps(big_answers(client_of(server), "big")).encode())
        assert overtaken(server, [payload] * 10) > 0
        template.close()


def dax_answer(connection):
    """The code of what a DAX node says to a question that needs no table; None: it gave an answer."""
    try:
        connection.call("endpoints")
    except Refused as refused:
        return refused.code
    return None


@dax_only
def test_dax_clients_are_told_too_that_memory_is_short(data):
    with DaxServer(data, "--memory-limit-mib", "1") as server, DaxConnection(server.dax) as connection:
        wait_until(lambda: dax_answer(connection) == "ThrottlingException")


@dax_only
def test_dax_connections_of_one_address_are_counted(data):
    with DaxServer(data, "--max-connections-per-address", "3") as server:
        opened = [DaxConnection(server.dax) for _ in range(3)]
        assert [dax_answer(connection) for connection in opened] == [None] * 3
        with DaxConnection(server.dax, is_greeting=False) as beyond:
            assert beyond.value() == [4, 37, 38, 39, 50]
        opened.pop().close()
        with_room = wait_until(lambda: next((each for each in [DaxConnection(server.dax)] if is_let_in(each)), None))
        for connection in [*opened, with_room]:
            connection.close()


def is_let_in(connection):
    try:
        return dax_answer(connection) is None
    except (Closed, ConnectionError):
        return False
