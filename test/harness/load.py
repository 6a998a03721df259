"""A lean signed connection for load: one socket, one request at a time, real SigV4 with a cached key."""

import datetime
import hashlib
import hmac
import json
import random
import socket
import threading


class Closed(Exception):
    """The server went away before it answered."""


def hmac256(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class LoadConnection:
    def __init__(self, port, region="us-east-1", timeout=60):
        self.region = region
        self.host = f"127.0.0.1:{port}"
        self.key_day, self.key = None, None
        try:
            self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        except OSError as error:
            raise Closed(str(error)) from error
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def close(self):
        self.socket.close()

    def signing_key(self, day):
        if self.key_day != day:
            key = hmac256(b"AWS4fakeSecretKey", day)
            for part in (self.region, "dynamodb", "aws4_request"):
                key = hmac256(key, part)
            self.key_day, self.key = day, key
        return self.key

    def request_bytes(self, operation, body):
        """The whole request, signed, ready to be sent. An operation of another service is named with its prefix."""
        now = datetime.datetime.utcnow().strftime("%Y%m%dT%H%M%SZ")
        target = operation if "." in operation else f"DynamoDB_20120810.{operation}"
        scope = f"{now[:8]}/{self.region}/dynamodb/aws4_request"
        signed = f"host:{self.host}\nx-amz-date:{now}\nx-amz-target:{target}\n"
        names = "host;x-amz-date;x-amz-target"
        canonical = f"POST\n/\n\n{signed}\n{names}\n{hashlib.sha256(body).hexdigest()}"
        to_sign = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
        signature = hmac256(self.signing_key(now[:8]), to_sign).hex()
        return (f"POST / HTTP/1.1\r\nHost: {self.host}\r\nX-Amz-Date: {now}\r\nX-Amz-Target: {target}\r\n"
                f"Authorization: AWS4-HMAC-SHA256 Credential=fakeAccessKey/{scope}, SignedHeaders={names}, "
                f"Signature={signature}\r\nContent-Type: application/x-amz-json-1.0\r\n"
                f"Content-Length: {len(body)}\r\n\r\n").encode() + body

    def call(self, operation, request):
        """(status, members) of one operation; Closed if no whole answer came."""
        try:
            self.socket.sendall(self.request_bytes(operation, json.dumps(request).encode()))
            return self.read_answer()
        except OSError as error:
            raise Closed(str(error)) from error

    def read_answer(self):
        while b"\r\n\r\n" not in self.buffer:
            self.receive()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:])}
        length = int(headers.get("content-length", "0"))
        while len(self.buffer) < length:
            self.receive()
        body, self.buffer = self.buffer[:length], self.buffer[length:]
        return int(lines[0].split()[1]), json.loads(body) if body else {}

    def receive(self):
        data = self.socket.recv(65536)
        if not data:
            raise Closed("end of stream")
        self.buffer += data


class LoadThreads:
    """Threads that do `step(connection, rng, number)` over and over, each on a connection of its own, until the server dies or
    join is called."""

    def __init__(self, port, count, seed, step):
        self.port, self.seed, self.step = port, seed, step
        self.problems = []
        self.is_stopped = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(number,)) for number in range(count)]
        for thread in self.threads:
            thread.start()

    def join(self):
        """Stops them; fails if one of them has."""
        self.is_stopped.set()
        for thread in self.threads:
            thread.join()
        assert not self.problems, self.problems

    def run(self, number):
        rng = random.Random(f"{self.seed}/{number}")
        try:
            connection = LoadConnection(self.port)
            while not self.is_stopped.is_set():
                self.step(connection, rng, number)
            connection.close()
        except Closed:
            pass
        except Exception as problem:  # shown by join
            self.problems.append(repr(problem))
