"""The attackers. Each is a function `attack(port, rng, stop, counts)` that runs in processes of its own until `stop` is set.

They keep to what a client on the network can do: open connections, send bytes, not read, go away. `counts` tells afterwards what they did.
"""

import contextlib
import gzip
import json
import multiprocessing
import random
import select
import signal
import socket
import time

from harness.load import Closed, LoadConnection

BIG_TABLE, BIG_ITEMS, BIG_ITEM_BYTES = "big", 50, 320_000


def prepare(db, tables):
    """What the attacks need to be there: a table whose BatchGetItem answers have 16 MB."""
    tables.create(db, name=BIG_TABLE)
    for number in range(BIG_ITEMS):
        db.ok("PutItem", {"TableName": BIG_TABLE, "Item": {"pk": {"S": str(number)}, "t": {"S": "ab" * (BIG_ITEM_BYTES // 2)}}})


class Attack:
    """Runs `function` in `processes` processes while the block lasts."""

    def __init__(self, function, port, seed, processes=1):
        context = multiprocessing.get_context("fork")
        self.stop = context.Event()
        self.queue = context.SimpleQueue()
        self.processes = [context.Process(target=self.run, args=(function, port, f"{seed}/{function.__name__}/{number}"))
                          for number in range(processes)]
        self.counts = {}

    def run(self, function, port, seed):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        counts = {}
        try:
            function(port, random.Random(seed), self.stop, counts)
        except Exception as problem:  # told to the test
            counts["problem"] = repr(problem)
        self.queue.put(counts)

    def __enter__(self):
        for process in self.processes:
            process.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for _ in self.processes:
            for name, value in self.queue.get().items():
                self.counts[name] = self.counts[name] + value if name in self.counts else value
        for process in self.processes:
            process.join()


def note(counts, name):
    counts[name] = counts.get(name, 0) + 1


def connect(port, receive_bytes=None):
    connection = socket.socket()
    if receive_bytes:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
    connection.settimeout(30)
    connection.connect(("127.0.0.1", port))
    return connection


def was_closed(connection):
    """Whether the server has closed it, without reading what it has sent."""
    poll = select.poll()
    poll.register(connection, select.POLLRDHUP | select.POLLHUP | select.POLLERR)
    return bool(poll.poll(0))


def slow_readers(port, rng, stop, counts, clients=40, pause=0.02):
    """Each asks for 16 MB and takes a few bytes a second, or none. Who is closed comes again."""
    template = LoadConnection(port)
    body = json.dumps({"RequestItems": {BIG_TABLE: {"Keys": [{"pk": {"S": str(n)}} for n in range(BIG_ITEMS)]}}}).encode()
    crowd = []
    while not stop.is_set():
        with contextlib.suppress(OSError):
            if len(crowd) < clients:
                connection = connect(port, receive_bytes=4096)
                connection.sendall(template.request_bytes("BatchGetItem", body))
                crowd.append(connection)
                note(counts, "asked")
            victim = rng.choice(crowd)
            if was_closed(victim):
                crowd.remove(victim)
                victim.close()
                note(counts, "closed by the server")
            elif rng.random() < 0.3:
                victim.setblocking(False)
                victim.recv(rng.choice((1, 100, 2000)))
        time.sleep(pause)
    for connection in crowd:
        connection.close()


def slow_writers(port, rng, stop, counts, clients=200, pause=0.002):
    """Heads and bodies that come in crumbs; some stop after half a megabyte."""
    template = LoadConnection(port)
    body = json.dumps({"TableName": "citizen", "Item": {"pk": {"S": "slow"}, "t": {"S": "s" * 1_000_000}}}).encode()
    payload = template.request_bytes("PutItem", body)
    crowd = []
    one = None
    while not stop.is_set():
        try:
            if len(crowd) < clients:
                connection = connect(port)
                sent = rng.choice((1, 50, 1000, 100_000, 500_000))
                connection.sendall(payload[:sent])
                crowd.append([connection, sent])
                note(counts, "begun")
            one = rng.choice(crowd)
            if was_closed(one[0]) or one[1] >= len(payload):
                crowd.remove(one)
                one[0].close()
                note(counts, "closed by the server")
            else:
                one[0].sendall(payload[one[1]:one[1] + 1])
                one[1] += 1
        except OSError:
            note(counts, "closed by the server")
            if one in crowd:
                crowd.remove(one)
        time.sleep(pause)
    for connection, _ in crowd:
        connection.close()


def connection_storm(port, rng, stop, counts, pause=0.001):
    """Connections without end: some say nothing, some a little, some are reset, many at once stay open."""
    crowd = []
    while not stop.is_set():
        try:
            connection = connect(port)
            note(counts, "opened")
            kind = rng.randrange(4)
            if kind == 0:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            elif kind == 1:
                connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            elif kind == 2:
                connection.sendall(rng.randbytes(rng.randrange(1, 200)))
            if kind == 3:
                crowd.append(connection)
            else:
                connection.close()
            if len(crowd) > 500:
                crowd.pop(rng.randrange(len(crowd))).close()
        except OSError:
            note(counts, "refused")
        time.sleep(pause)
    for connection in crowd:
        connection.close()


def memory_bombs(port, rng, stop, counts, pause=0.05):
    """Small requests that become large ones: gzip of blanks, deep and wide JSON, bodies as large as may be, many large puts."""
    template = LoadConnection(port)
    blanks = gzip.compress(b"{" + b" " * (15 << 20) + b"}", 9)
    wide = b'{"TableName":"citizen","Item":{"l":{"L":[' + b",".join([b'{"N":"1"}'] * 100_000) + b"]}}}"
    deep = b'{"TableName":"citizen","Item":' + b'{"a":{"M":' * 500 + b"{}" + b"}}" * 500 + b"}"
    long = b'{"TableName":"citizen","Item":{"pk":{"S":"' + b"x" * (12 << 20) + b'"}}}'
    put = json.dumps({"TableName": "citizen", "Item": {"pk": {"S": "bomb"}, "t": {"S": "p" * 390_000}}}).encode()
    crowd = []
    while not stop.is_set():
        kind, body = rng.choice((("gzip", blanks), ("wide", wide), ("deep", deep), ("long", long), ("put", put)))
        payload = template.request_bytes("PutItem", body)
        if kind == "gzip":
            payload = payload.replace(b"\r\nContent-Length", b"\r\nContent-Encoding: gzip\r\nContent-Length", 1)
        try:
            connection = LoadConnection(port)
            connection.socket.sendall(payload)
            crowd.append(connection)
            note(counts, "sent")
            if len(crowd) > 30:  # most are answered only now
                one = crowd.pop(0)
                note(counts, f"status {one.read_answer()[0]}")
                one.close()
        except (Closed, OSError):
            note(counts, "closed by the server")
        time.sleep(pause)
    for connection in crowd:
        connection.close()


def expensive_expressions(port, rng, stop, counts, pause=0.05):
    """What an evaluator might take for ever for: searches of long texts in long texts, many conditions, over many items."""
    connection = LoadConnection(port)
    needle = "ab" * 40_000 + "c"
    many = " OR ".join(f"contains(t, :n{number})" for number in range(20))
    values = {f":n{number}": {"S": needle[number:]} for number in range(20)}
    requests = [
        ("Scan", {"TableName": BIG_TABLE, "FilterExpression": "contains(t, :n)", "ExpressionAttributeValues": {":n": {"S": needle}}}),
        ("GetItem", {"TableName": BIG_TABLE, "Key": {"pk": {"S": "0"}}}),
        ("UpdateItem", {"TableName": BIG_TABLE, "Key": {"pk": {"S": "1"}}, "UpdateExpression": "SET x = :x",
                        "ConditionExpression": many, "ExpressionAttributeValues": {**values, ":x": {"N": "1"}}}),
    ]
    while not stop.is_set():
        operation, request = rng.choice(requests)
        try:
            note(counts, f"{operation} {connection.call(operation, request)[0]}")
        except Closed:
            connection = LoadConnection(port)
            note(counts, "closed by the server")
        time.sleep(pause)
    connection.close()


def many_tables(port, rng, stop, counts, pause=0.01, most=300):
    """Tables are made, described and dropped without pause."""
    connection = LoadConnection(port)
    names = []
    while not stop.is_set():
        name = f"t{rng.randrange(1 << 40)}"
        status, _ = connection.call("CreateTable", {
            "TableName": name, "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}})
        note(counts, f"create {status}")
        names.append(name)
        note(counts, f"list {connection.call('ListTables', {})[0]}")
        if len(names) > most:
            note(counts, f"delete {connection.call('DeleteTable', {'TableName': names.pop(rng.randrange(len(names)))})[0]}")
        time.sleep(pause)
    connection.close()


def feed_streams(port, rng, stop, counts, tables=10, pause=0.005):
    """Writes to tables whose streams are followed by many."""
    connection = LoadConnection(port)
    while not stop.is_set():
        name = f"fed{rng.randrange(tables)}"
        item = {"pk": {"S": str(rng.randrange(1000))}, "n": {"N": str(rng.randrange(1 << 30))}}
        note(counts, f"put {connection.call('PutItem', {'TableName': name, 'Item': item})[0]}")
        time.sleep(pause)
    connection.close()
