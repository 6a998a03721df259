"""kill -9 of what answers DAX clients, and hostile bytes to it: clients recover, names keep their meaning, nobody else is hurt."""

import itertools
import random
import resource
import socket
import threading
import time

import pytest

from harness import cbor, tables
from harness.dax import KINDS, DaxError, DaxNode, DaxServer, NodeProcess, canonical, dax_only
from harness.dax_wire import HANDSHAKE, METHODS, Closed, DaxConnection, Refused, authorisation, request
from harness.raw import RawClient
from harness.server import is_sanitized
from harness.waiting import wait_until

pytestmark = dax_only

# A connection that was idle when its node died costs one request that never ends (PROTOCOL.md §11.4): the client's, not ours.
PATIENCE = 3


@pytest.fixture
def node():
    with NodeProcess() as process:
        yield process


def answers(client, operation, request):
    """The answer in a list, which is empty if there was none."""
    try:
        return [client.ok(operation, request, limit=PATIENCE)]
    except DaxError:
        return []


def recovered(client, operation, request):
    return wait_until(lambda: answers(client, operation, request), 60, f"no {operation} since the restart")[0]


class Writers:
    """Each counts a key of its own up, with attributes whose names change all the time, until told to stop."""

    def __init__(self, client, table, count=4):
        self.client, self.table = client, table
        self.sent, self.acknowledged = [0] * count, [0] * count
        self.is_stopped = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(number,)) for number in range(count)]
        for thread in self.threads:
            thread.start()

    def run(self, number):
        for value in itertools.count(1):
            if self.is_stopped.is_set():
                return
            self.sent[number] = value
            if answers(self.client, "PutItem", {"TableName": self.table, "Item": named_item(f"k{number}", value)}):
                self.acknowledged[number] = value

    def wait_for(self, more):
        wanted = sum(self.acknowledged) + more
        wait_until(lambda: sum(self.acknowledged) >= wanted, 120, "the writers do not get on")

    def stop(self):
        self.is_stopped.set()
        for thread in self.threads:
            thread.join()

    def check(self, read):
        """`read(key)` gives items that were acknowledged, or that were on their way when the server died."""
        for number, acknowledged in enumerate(self.acknowledged):
            item = read(f"k{number}")
            value = int(canonical(item)["n"]["N"])
            assert acknowledged <= value <= self.sent[number]
            assert canonical(item) == canonical(named_item(f"k{number}", value))


def named_item(key, value):
    """What its names are follows from its number, so that a list of names that means another is seen."""
    names = [f"a{value % 50}", f"b{value % 7}", "c"] if value % 2 else [f"z{value % 50}"]
    return {"pk": {"S": key}, "n": {"N": str(value)}, **{name: {"S": f"{name} of {value}"} for name in names}}


def get(client, table, key, **more):
    return client.ok("GetItem", {"TableName": table, "Key": {"pk": {"S": key}}, **more})["Item"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_server_is_killed_again_and_again(node, data, kind):
    """One client all along: the ids that it knows from before have to mean the same afterwards."""
    server = DaxServer(data).start()
    db = RawClient(server.endpoint)
    table = tables.create(db)
    client = node.open(kind, server.dax)
    for name in range(30):  # ids that only this client will remember
        client.ok("PutItem", {"TableName": table, "Item": {"pk": {"S": f"early-{name}"}, f"early-{name}": {"N": str(name)}, "x": {"S": ""}}})
    writers = Writers(client, table)
    for _ in range(3):
        writers.wait_for(50)
        server.kill()
        server = DaxServer(data, dax_port=server.dax_port, port=server.port).start()
    writers.wait_for(50)
    writers.stop()
    db = RawClient(server.endpoint)
    writers.check(lambda key: get(db, table, key, ConsistentRead=True))
    for name in range(30):
        item = {"pk": {"S": f"late-{name}"}, f"early-{name}": {"S": "again"}, "x": {"S": "y"}}
        recovered(client, "PutItem", {"TableName": table, "Item": item})
        assert get(db, table, f"late-{name}", ConsistentRead=True) == item
        early = {"pk": {"S": f"early-{name}"}, f"early-{name}": {"N": str(name)}, "x": {"S": ""}}
        assert get(db, table, f"early-{name}") == early
        assert recovered(client, "GetItem", {"TableName": table, "Key": {"pk": early["pk"]}})["Item"] == early
    # Somebody who was not there before sees the same.
    other = node.open(kind, server.dax)
    writers.check(lambda key: get(other, table, key))
    db.close()
    server.stop()


def test_an_id_never_means_another_list(data):
    """What a node has told, in the moment before it dies, it must know afterwards."""
    told, server = {}, DaxServer(data).start()
    for round_number in range(6):
        problems = []

        def ask(worker, port_url=server.dax, round_number=round_number):
            try:
                with DaxConnection(port_url) as connection:
                    for number in itertools.count():
                        names = sorted({f"r{round_number}-w{worker}-{number}", "shared", f"n{number % 3}"})
                        told[tuple(names)] = connection.call("defineAttributeListId", names)
            except (Closed, OSError):
                pass
            except Exception as problem:  # shown below
                problems.append(problem)

        workers = [threading.Thread(target=ask, args=(worker,)) for worker in range(4)]
        before = len(told)
        for worker in workers:
            worker.start()
        wait_until(lambda before=before: len(told) >= before + 40 * (round_number + 1))
        server.kill()
        for worker in workers:
            worker.join()
        assert not problems
        server = DaxServer(data, dax_port=server.dax_port).start()
        assert len(set(told.values())) == len(told)
        with DaxConnection(server.dax) as connection:
            for names, number in told.items():
                assert connection.call("defineAttributeList", number) == list(names)
    server.stop()


@pytest.mark.parametrize("kind", KINDS)
def test_a_node_of_its_own_is_killed(node, data, tmp_path, kind):
    """`armature dax` before a server: the node dies and comes back, with the same client."""
    with DaxServer(data) as server:
        db = RawClient(server.endpoint)
        table = tables.create(db)
        front = DaxNode(server.endpoint, tmp_path / "front").start()
        client = node.open(kind, front.dax)
        writers = Writers(client, table)
        for _ in range(2):
            writers.wait_for(50)
            front.kill()
            front = DaxNode(server.endpoint, tmp_path / "front", port=front.dax_port).start()
        writers.wait_for(50)
        writers.stop()
        writers.check(lambda key: get(db, table, key, ConsistentRead=True))
        db.close()
        front.stop()


def test_the_endpoint_dies_and_the_node_goes_on(node, data, tmp_path):
    """What is cached is still read; what is not fails, and what was acknowledged is in the table."""
    server = DaxServer(data).start()
    db = RawClient(server.endpoint)
    table = tables.create(db)
    db.ok("PutItem", {"TableName": table, "Item": named_item("cached", 1)})
    db.ok("PutItem", {"TableName": table, "Item": named_item("not cached", 1)})
    with DaxNode(server.endpoint, tmp_path / "front") as front:
        client = node.open("v3", front.dax)
        client.ok("PutItem", {"TableName": table, "Item": named_item("written", 1)})
        assert get(client, table, "cached") == named_item("cached", 1)
        server.kill()
        for _ in range(3):
            assert get(client, table, "cached") == named_item("cached", 1)
            assert get(client, table, "written") == named_item("written", 1)
        for operation, members in (("GetItem", {"Key": {"pk": {"S": "not cached"}}}), ("PutItem", {"Item": named_item("written", 2)}),
                                   ("GetItem", {"Key": {"pk": {"S": "cached"}}, "ConsistentRead": True})):
            assert client.error(operation, {"TableName": table, **members}).code != "DriverTimeout"
        server = DaxServer(data, port=server.port).start()
        assert recovered(client, "GetItem", {"TableName": table, "Key": {"pk": {"S": "not cached"}}})["Item"] == named_item("not cached", 1)
        assert get(client, table, "written") == named_item("written", 1)
        recovered(client, "PutItem", {"TableName": table, "Item": named_item("written", 3)})
        assert get(client, table, "written") == get(RawClient(server.endpoint), table, "written") == named_item("written", 3)
    server.stop()


# --- hostile bytes


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    """A server with a table and an item of 300 KB, which must still answer after every storm."""
    with DaxServer(tmp_path_factory.mktemp("attacked") / "data") as server:
        db = RawClient(server.endpoint)
        server.table = tables.create(db)
        db.ok("PutItem", {"TableName": server.table, "Item": {"pk": {"S": "big"}, "v": {"S": "x" * 300_000}}})
        db.close()
        yield server


@pytest.fixture
def server(attacked):
    """With somebody who goes on working during the storm."""
    with DaxConnection(attacked.dax) as connection:
        connection.put(attacked.table, "bystander", {"v": 1})
        yield attacked
        assert connection.get(attacked.table, "bystander") == {"v": 1}
    with DaxConnection(attacked.dax) as connection:
        connection.put(attacked.table, "bystander", {"v": 2})
        assert connection.get(attacked.table, "bystander") == {"v": 2}


def connect(server):
    return DaxConnection(server.dax, is_greeting=False)


def drain(connection, seconds=10):
    """Everything until the node closes, or until it has nothing to say for a while."""
    connection.socket.settimeout(seconds)
    answer = b""
    try:
        while chunk := connection.socket.recv(65536):
            answer += chunk
    except OSError:
        pass
    return answer


def send(connection, data, is_over=True):
    try:
        connection.send(data)
        if is_over:
            connection.socket.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def attack(server, data):
    with connect(server) as connection:
        send(connection, data)
        return drain(connection)


def test_random_bytes(server):
    rng = random.Random(3)
    for _ in range(200):
        prefix = rng.choice([b"", HANDSHAKE, HANDSHAKE + authorisation(), HANDSHAKE + authorisation() + b"\x01"])
        attack(server, prefix + rng.randbytes(rng.randrange(1, 2000)))


def valid_requests(table):
    name = table.encode()
    condition = cbor.encode([1, [6, [0, [18, "v"], [17, 0]], [11, [18, "l", cbor.Tag(3324, 1)]]], ["x"]])
    blob = b"".join(map(cbor.encode, (1,)))
    return [
        request("endpoints"), request("defineKeySchema", name), request("defineAttributeListId", ["a", "b"]), request("defineAttributeList", 1),
        request("getItem", name, b"big", {}), request("getItem", name, b"small", {2: True, 3: 1, 0: cbor.encode([1, [[18, "v"], [18, "m", "a"]]])}),
        request("putItem", name, b"small", blob, {4: condition, 7: 2}), request("deleteItem", name, b"small", {3: 2, 6: 1}),
        request("scan", name, {10: condition, 13: 5, 16: 0, 17: 2}), authorisation(),
    ]


# What parsers stumble over: long heads, deep nesting, lengths that are lies, tags, breaks, half values.
TRAPS = [b"\x9b" + b"\xff" * 8, b"\x5b" + b"\x7f" + b"\xff" * 7, b"\xbb\0\0\0\1\0\0\0\0", b"\x5a\x7f\xff\xff\xff", b"\x9a\xff\xff\xff\xff", b"\xff", b"\x81" * 200,
         b"\x9f" * 200, b"\xbf" * 200, b"\xc1" * 200, b"\xd9\x0c\xf9", b"\xfb", b"\x1c", b"\x1f", b"\xf8\x20", b"\xc2\x59\xff\xff", b"\xc4\x82\x3b" + b"\xff" * 8 + b"\x01",
         b"\x7f\x61a\x41b\xff", b"\x61\xff", b"\xf9\x7e\x00", b"\xfa\x7f\x80\0\0"]


def mutate(rng, data):
    data = bytearray(data)
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(5)
        if kind == 0:
            del data[at:at + rng.randrange(1, 8)]
        elif kind == 1:
            data[at:at + 1] = rng.randbytes(1)
        elif kind == 2:
            data[at:at] = rng.choice(TRAPS)
        elif kind == 3:
            data[at:at + 1] = rng.choice(TRAPS)
        else:
            data[at:at] = data[max(0, at - rng.randrange(1, 30)):at]
    return bytes(data)


def test_mutated_requests(server):
    rng = random.Random(5)
    requests = valid_requests(server.table)
    for _ in range(400 if is_sanitized() else 1500):
        attack(server, HANDSHAKE + authorisation() + mutate(rng, rng.choice(requests)) + rng.choice(requests))


def test_traps(server):
    for trap in TRAPS:
        for method in METHODS.values():
            attack(server, HANDSHAKE + authorisation() + cbor.encode(1) + cbor.encode(method) + trap * 3)
        attack(server, trap)


def test_what_is_no_handshake(server):
    """The node closes; it does not wait for more, and says nothing before the first request."""
    for greeting in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100), cbor.encode("J7yne5H") + HANDSHAKE[8:],
                     cbor.encode(b"J7yne5G") + HANDSHAKE[8:]):
        with connect(server) as connection:
            send(connection, greeting, is_over=False)
            connection.socket.settimeout(20)
            try:
                while connection.socket.recv(65536):
                    pass
            except ConnectionError:
                pass  # a reset is as good; a time-out is not


def test_an_unknown_method_is_answered_and_ends_the_connection(server):
    for method in (0, 785068263, -313431286, 1 << 40):
        with DaxConnection(server.dax) as connection:
            connection.send(cbor.encode(1) + cbor.encode(method))
            with pytest.raises(Refused):
                connection.answer()
            with pytest.raises((Closed, ConnectionError)):
                connection.value()


def test_every_beginning_of_a_message(server):
    """A client that hits an error of its own hangs up in the middle: that is no reason for anything."""
    whole = HANDSHAKE + authorisation() + request("getItem", server.table.encode(), b"big", {2: True})
    for cut in range(1, len(whole), 7):
        assert len(attack(server, whole[:cut])) < 1000


def test_oversized_messages(server):
    """Refused or cut off before they fill the memory."""
    before = server.rss_bytes()
    head = HANDSHAKE + authorisation() + cbor.encode(1) + cbor.encode(METHODS["putItem"])
    for start in (cbor.encode(server.table.encode()) + cbor.encode(b"k") + b"\x5a\x40\0\0\0", b"\x5f\x5a\x00\x10\0\0", b"\x9f"):
        with connect(server) as connection:
            try:
                connection.send(head + start)
                for _ in range(256):
                    connection.send(b"\0" * (1 << 20))
            except OSError:
                pass
            drain(connection, 1)
    with DaxConnection(server.dax) as connection:
        assert connection.call("endpoints")
    if not is_sanitized():
        wait_until(lambda: server.rss_bytes() < before + (96 << 20), problem="memory does not come back")


def test_thousands_of_idle_connections(server):
    """None of them is closed (PROTOCOL.md §11.1), and those who work are as quick as before."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    idle = []
    try:
        for number in range(3000):
            connection = connect(server)
            connection.send((HANDSHAKE + authorisation())[:number % 60] if number % 3 else HANDSHAKE)
            idle.append(connection)
        with DaxConnection(server.dax, timeout=10) as connection:
            start = time.monotonic()
            for _ in range(200):
                assert len(connection.get(server.table, "big")["v"]) == 300_000
            assert is_sanitized() or time.monotonic() - start < 10
        for connection in idle[::300]:
            connection.socket.setblocking(False)
            with pytest.raises(BlockingIOError):
                connection.socket.recv(1)
    finally:
        for connection in idle:
            connection.close()
    wait_until(lambda: server.open_files() < 1000, problem="connections are leaked")


def test_clients_that_never_read(server):
    """Answers that nobody takes do not pile up."""
    before = server.rss_bytes()
    get_big = request("getItem", server.table.encode(), b"big", {})
    deaf = [DaxConnection(server.dax) for _ in range(20)]
    for connection in deaf:
        connection.socket.setblocking(False)
        try:
            for _ in range(200):  # 1.2 GB of answers, if the node were to make them all
                connection.socket.send(get_big * 10)
        except BlockingIOError:
            pass
    with DaxConnection(server.dax) as connection:
        for _ in range(50):
            assert len(connection.get(server.table, "big")["v"]) == 300_000
    if not is_sanitized():
        assert server.rss_bytes() - before < 128 << 20
    for connection in deaf:
        connection.close()


def test_clients_that_vanish(server):
    before = server.open_files()
    get_big = request("getItem", server.table.encode(), b"big", {2: True})
    for number in range(300):
        connection = DaxConnection(server.dax)
        connection.send(get_big * 3)
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()
    wait_until(lambda: server.open_files() <= before + 5, problem="connections are leaked")
