"""A raw DAX connection: what Amazon's clients send, byte by byte, to one node of the test's choice."""

import datetime
import hashlib
import hmac
import socket
from urllib.parse import urlsplit

from harness import cbor

MAGIC = "J7yne5G"
METHODS = {
    "authorizeConnection": 1489122155, "endpoints": 455855874, "defineKeySchema": -742646399, "defineAttributeListId": -1230579644,
    "defineAttributeList": 670678385, "getItem": 263244906, "putItem": -2106490455, "deleteItem": 1013539361, "scan": -1875390620,
}
HANDSHAKE = b"".join(map(cbor.encode, (MAGIC, 0, bytes(16), {"UserAgent": "armature-tests"}, 0)))


class Refused(Exception):
    """An error answer: the code sequence, the message, and the code in the details."""

    def __init__(self, sequence, message, details):
        super().__init__(f"{sequence} {message}")
        self.sequence, self.message = sequence, message
        self.code = details[1] if details else None


class Closed(Exception):
    """The node closed the connection."""


def authorisation(access_key="fakeAccessKey", secret_key="fakeSecretKey", region="us-east-1", token=None, at=None):
    """The message authorizeConnection, signed."""
    at = (at or datetime.datetime.utcnow()).strftime("%Y%m%dT%H%M%SZ")
    scope = f"{at[:8]}/{region}/dax/aws4_request"
    nothing = hashlib.sha256(b"").hexdigest()
    canonical = f"POST\n/\n\nhost:dax.amazonaws.com\nx-amz-date:{at}\n\nhost;x-amz-date\n{nothing}"
    to_sign = f"AWS4-HMAC-SHA256\n{at}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = b"AWS4" + secret_key.encode()
    for part in (at[:8], region, "dax", "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()
    return request("authorizeConnection", access_key, signature, to_sign.encode(), token, "armature-tests")


def request(method, *values):
    return b"".join(map(cbor.encode, (1, METHODS[method], *values)))


class DaxConnection:
    """One connection, one request at a time. Not thread-safe."""

    def __init__(self, url, timeout=30, is_greeting=True, **keys):
        where = urlsplit(url)
        self.socket = socket.create_connection((where.hostname, where.port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.reader = cbor.Reader()
        if is_greeting:
            self.send(HANDSHAKE + authorisation(**keys))

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def value(self):
        """The next value that the node sends."""
        while True:
            try:
                return self.reader.value()
            except cbor.NeedMore:
                data = self.socket.recv(65536)
                if not data:
                    raise Closed from None
                self.reader = cbor.Reader(self.reader.data[self.reader.at:] + data)

    def answer(self):
        """The value of an answer that has one; Refused if it is an error."""
        sequence = self.value()
        if sequence:
            raise Refused(sequence, self.value(), self.value())
        return self.value()

    def call(self, method, *values):
        self.send(request(method, *values))
        return self.answer()

    # What the values mean is in PROTOCOL.md §7 and §8; keys here are text, so their bytes are the key.

    def get(self, table, key, options=None):
        """The values of an item without its key, by name; None if there is none."""
        answer = self.call("getItem", table.encode(), key.encode(), options or {})
        return self.item(answer[0]) if 0 in answer else None

    def put(self, table, key, values):
        """`values` as Python has them: text, numbers, bytes, None, booleans, lists, maps."""
        names = sorted(values)
        number = self.call("defineAttributeListId", names) if names else 1
        blob = b"".join(map(cbor.encode, (number, *(values[name] for name in names))))
        self.call("putItem", table.encode(), key.encode(), blob, {})

    def item(self, blob):
        reader = cbor.Reader(blob)
        number, values = reader.value(), []
        while not reader.is_at_end():
            values.append(reader.value())
        names = self.call("defineAttributeList", number) if number != 1 else []
        return dict(zip(names, values))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()


def nodes(url, **keys):
    """The cluster as `endpoints` tells it, the leader first: maps with "url", "role", "id", "zone"."""
    with DaxConnection(url, **keys) as connection:
        found = connection.call("endpoints")
    told = [{"id": node[0], "url": f"dax://{socket.inet_ntoa(node[2])}:{node[3]}", "role": node[4], "zone": node[5]} for node in found]
    return sorted(told, key=lambda node: (node["role"], node["id"]))
