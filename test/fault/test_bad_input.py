"""Storms of bad input: the server answers or closes, stays up, and gives the memory back."""

import json
import random
import socket

import pytest

from harness import tables
from harness.load import LoadConnection
from harness.server import Server, is_sanitized
from harness.waiting import wait_until

OPERATIONS = ["CreateTable", "DescribeTable", "ListTables", "UpdateTable", "DeleteTable", "TagResource", "UntagResource",
              "ListTagsOfResource", "DescribeLimits", "DescribeEndpoints", "PutItem", "GetItem", "UpdateItem", "DeleteItem"]
# What a peer may see of a request that is no request.
ANSWERED = (200, 400, 403, 404, 413)


@pytest.fixture
def server(data):
    with Server(data) as running:
        yield running
        # Whatever the storm was, the server must still serve.
        with_connection = LoadConnection(running.port)
        assert with_connection.call("ListTables", {})[0] == 200
        with_connection.close()


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=30)


def drain(connection):
    """Everything until the server closes; a reset is as good as a close."""
    answer = b""
    try:
        while chunk := connection.recv(65536):
            answer += chunk
    except OSError:
        pass
    return answer


def send(connection, payload):
    """True if the server took it all."""
    try:
        connection.sendall(payload)
        return True
    except OSError:
        return False


def statuses(answer):
    return [int(line.split()[1]) for line in answer.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]


def test_random_bytes(server):
    rng = random.Random(7)
    for _ in range(300):
        with connect(server) as connection:
            if send(connection, rng.randbytes(rng.randrange(1, 3000))):
                connection.shutdown(socket.SHUT_WR)
            for status in statuses(drain(connection)):
                assert 400 <= status < 600


def valid_requests():
    pk = {"pk": {"S": "a"}}
    return [
        ("PutItem", {"TableName": "storm", "Item": {**pk, "n": {"N": "1"}, "l": {"L": [{"M": {"x": {"SS": ["a", "b"]}}}]}},
                     "ConditionExpression": "attribute_not_exists(#p) OR n < :v AND size(l) >= :v",
                     "ExpressionAttributeNames": {"#p": "pk"}, "ExpressionAttributeValues": {":v": {"N": "5"}}}),
        ("UpdateItem", {"TableName": "storm", "Key": pk, "UpdateExpression": "SET a.b[1] = if_not_exists(c, :v) + :v REMOVE d ADD e :v",
                        "ExpressionAttributeValues": {":v": {"N": "5"}}, "ReturnValues": "ALL_NEW"}),
        ("GetItem", {"TableName": "storm", "Key": pk, "ProjectionExpression": "a.b[0], c", "ConsistentRead": True}),
        ("DeleteItem", {"TableName": "storm", "Key": pk, "Expected": {"a": {"Value": {"B": "YQ=="}}}}),
        ("CreateTable", tables.definition("other")), ("ListTables", {"Limit": 3}),
    ]


def mutate(rng, text):
    """A few random edits: cut, repeat, overwrite, insert what parsers stumble over."""
    data = bytearray(text)
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(5)
        if kind == 0:
            del data[at:]
        elif kind == 1:
            del data[at:at + rng.randrange(1, 10)]
        elif kind == 2:
            data[at:at] = data[max(0, at - rng.randrange(1, 50)):at]
        elif kind == 3:
            data[at:at + 1] = rng.randbytes(1)
        else:
            data[at:at] = rng.choice([b"null", b"{}", b"[]", b'"', b"\\u0000", b"\\ud800", b"1e999", b"-", b"((", b"\xff", b"{" * 40, b'{"S":'])
    return bytes(data)


def test_mutated_bodies(server, client_of):
    """Every answer is a DynamoDB answer: never a 5xx, never silence."""
    tables.create(client_of(server), name="storm")
    rng = random.Random(11)
    connection = LoadConnection(server.port)
    for _ in range(1500 if is_sanitized() else 4000):
        operation, request = rng.choice(valid_requests())
        if rng.random() < 0.1:
            operation = rng.choice(OPERATIONS)
        body = mutate(rng, json.dumps(request).encode())
        connection.socket.sendall(connection.request_bytes(operation, body))
        status, members = connection.read_answer()
        assert status in (200, 400), (operation, body, status, members)
        assert status == 200 or "__type" in members
    connection.close()


def test_mutated_heads(server):
    rng = random.Random(13)
    head = LoadConnection(server.port)
    for _ in range(600):
        payload = mutate(rng, head.request_bytes("ListTables", b"{}"))
        with connect(server) as connection:
            if send(connection, payload):
                try:
                    connection.shutdown(socket.SHUT_WR)
                except OSError:
                    pass
            for status in statuses(drain(connection)):
                assert status in ANSWERED or status in (431, 501, 505), payload
    head.close()


def test_huge_heads_and_bodies_are_cut_off(server):
    with connect(server) as connection:
        for _ in range(64):
            if not send(connection, b"X-Filler: " + b"a" * 65536 + b"\r\n"):
                break
        assert all(status >= 400 for status in statuses(drain(connection)))
    with connect(server) as connection:
        send(connection, b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(40):
            if not send(connection, b"100000\r\n" + b"a" * 0x100000 + b"\r\n"):
                break
        assert 200 not in statuses(drain(connection))


def test_half_closed_sockets(server):
    """A client that sends its request and closes its half still gets its answer."""
    template = LoadConnection(server.port)
    payload = template.request_bytes("ListTables", b"{}")
    for cut in (len(payload), len(payload) - 1, len(payload) // 2, 1, 0):
        with connect(server) as connection:
            connection.sendall(payload[:cut])
            connection.shutdown(socket.SHUT_WR)
            assert (200 in statuses(drain(connection))) == (cut == len(payload))
    template.close()


def test_clients_that_vanish(server, client_of):
    """Requests whose client is gone before the answer: no leak of connections."""
    db = client_of(server)
    tables.create(db, name="storm")
    template = LoadConnection(server.port)
    before = server.open_files()
    for number in range(300):
        connection = connect(server)
        item = {"TableName": "storm", "Item": {"pk": {"S": str(number)}}}
        connection.sendall(template.request_bytes("PutItem", json.dumps(item).encode()))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()
    wait_until(lambda: server.open_files() <= before + 5, problem="connections are leaked")
    template.close()


def test_slow_clients_do_not_stop_the_others(server):
    slow = []
    for number in range(300):
        connection = connect(server)
        connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"[:1 + number % 50])
        slow.append(connection)
    quick = LoadConnection(server.port, timeout=30)
    for _ in range(200):
        assert quick.call("ListTables", {})[0] == 200
    quick.close()
    for connection in slow:
        connection.close()


def test_a_reader_that_does_not_read(server, client_of):
    """Back-pressure: answers nobody takes must not pile up in the server."""
    db = client_of(server)
    tables.create(db, name="storm")
    db.ok("PutItem", {"TableName": "storm", "Item": {"pk": {"S": "big"}, "t": {"S": "x" * 300_000}}})
    template = LoadConnection(server.port)
    get = template.request_bytes("GetItem", json.dumps({"TableName": "storm", "Key": {"pk": {"S": "big"}}}).encode())
    before = server.rss_bytes()
    with connect(server) as connection:
        connection.setblocking(False)
        sent = 0
        try:
            while sent < 2000 * len(get):  # 600 MB of answers, if the server were to make them all
                sent += connection.send(get * 50)
        except BlockingIOError:
            pass
        assert template.call("ListTables", {})[0] == 200
        if not is_sanitized():
            assert server.rss_bytes() - before < 128 << 20
    template.close()


def test_memory_comes_back(server, client_of):
    db = client_of(server)
    tables.create(db, name="storm")
    # Once before measuring: pools and caches fill to their normal size.
    large_bodies(server)
    before = server.rss_bytes()
    for _ in range(5):
        large_bodies(server)
    if not is_sanitized():
        wait_until(lambda: server.rss_bytes() < before + (48 << 20), problem="memory does not come back")


def large_bodies(server):
    body = b'{"TableName":"storm","Item":{"pk":{"S":"a"},"t":{"S":"' + b"x" * (12 << 20) + b'"}}}'
    connections = [LoadConnection(server.port) for _ in range(8)]
    for connection in connections:
        connection.socket.sendall(connection.request_bytes("PutItem", body))
    for connection in connections:
        assert connection.read_answer()[0] == 400
        connection.close()
