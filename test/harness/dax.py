"""Amazon's DAX clients for Python tests: a node process (wire/js/dax/driver.mjs) that has them, and servers that they can use.

With ARMATURE_DAX=plain the same SDKs' clients of DynamoDB stand in for them and servers have no DAX port. Whatever a test expects
of both can so be checked against DynamoDB's own answers; a test that is about DAX alone takes the mark `dax_only`.
"""

import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
from decimal import Decimal

import pytest

from harness.server import Server, binary

JS = pathlib.Path(__file__).resolve().parents[1] / "wire" / "js"
IS_PLAIN = os.environ.get("ARMATURE_DAX") == "plain"
KINDS = ("v2", "v3")
KEYS = {"accessKeyId": "fakeAccessKey", "secretAccessKey": "fakeSecretKey"}
LIMIT = 60  # seconds for one call; a healthy server needs milliseconds

dax_only = pytest.mark.skipif(IS_PLAIN, reason="about DAX, not about DynamoDB")


class DaxError(Exception):
    """What a client threw. The clients put the code before the message; `message` is without it."""

    def __init__(self, members):
        super().__init__(f"{members['code']}: {members['message']}")
        self.code = members["code"]
        self.message = re.sub(rf"^{re.escape(str(self.code))}: ", "", members["message"])
        self.status, self.request_id = members.get("status"), members.get("requestId")
        self.reasons, self.item = members.get("reasons"), members.get("item")


class NodeProcess:
    """The process; several threads may use it, and its clients, at once."""

    def __init__(self, **environment):
        self.log = tempfile.TemporaryFile(mode="w+", errors="replace")
        self.process = subprocess.Popen(
            ["node", "dax/driver.mjs"], cwd=JS, env={**os.environ, **environment}, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.log)
        self.numbers = itertools.count()
        self.lock = threading.Lock()
        self.waiting = {}
        self.uncaught = []  # what would have killed an application
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if "uncaught" in message:
                self.uncaught.append(message["uncaught"])
                continue
            with self.lock:
                future = self.waiting.pop(message["id"])
            if "error" in message:
                future.set_exception(DaxError(message["error"]))
            else:
                future.set_result(message["result"])
        with self.lock:
            for future in self.waiting.values():
                future.set_exception(AssertionError(f"the driver died: {self.stderr()}"))
            self.waiting.clear()

    def stderr(self):
        self.log.seek(0)
        return self.log.read()[-5000:]

    def start(self, **command):
        """Sends a command; the future has its result, or DaxError."""
        future = concurrent.futures.Future()
        with self.lock:
            command["id"] = next(self.numbers)
            self.waiting[command["id"]] = future
            self.process.stdin.write(json.dumps(command) + "\n")
            self.process.stdin.flush()
        return future

    def open(self, kind, endpoint, **options):
        """A client of Amazon's; options are its own (`requestTimeout`, `maxRetries`, …)."""
        name = f"client-{next(self.numbers)}"
        options = {"endpoint": endpoint, "region": "us-east-1", "credentials": KEYS, **options}
        self.start(do="open", client=name, kind=f"plain-{kind}" if IS_PLAIN else kind, options=options).result(LIMIT)
        return DaxClient(self, name, kind)

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        self.log.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()


class DaxClient:
    """Calls by the API's names, with requests and answers in wire form, as harness.raw.RawClient has them."""

    def __init__(self, node, name, kind):
        self.node, self.name, self.kind = node, name, kind

    def start(self, operation, request, limit=LIMIT):
        """The future of a call; `limit` is in seconds."""
        return self.node.start(do="call", client=self.name, operation=operation, params=request, limit=int(limit * 1000))

    def ok(self, operation, request, limit=LIMIT):
        return self.start(operation, request, limit).result(limit + LIMIT)

    def error(self, operation, request, code=None, message=None):
        """The error that the call must end with."""
        with pytest.raises(DaxError) as caught:
            found = self.ok(operation, request)
            raise AssertionError(f"{operation} should have failed: {found}")
        if code is not None:
            assert caught.value.code == code, caught.value
        if message is not None:
            assert caught.value.message == message
        return caught.value

    def close(self):
        self.node.start(do="close", client=self.name).result(LIMIT)


class DaxServer(Server):
    """An `armature serve` with a DAX port; `dax` is what clients connect to, `daxs` the same over TLS."""

    def __init__(self, data=None, *args, dax_port=0, **options):
        super().__init__(data, *([] if IS_PLAIN else ["--dax-port", dax_port]), *args, **options)

    def start(self):
        super().start()
        if IS_PLAIN:
            self.dax = self.endpoint
            self.dax_port = self.port
            return self
        self.dax, self.daxs = dax_urls(self.ready_line)
        assert self.dax, f"no DAX port in {self.ready_line!r}"
        self.dax_port = port_of(self.dax)
        return self

    def counted(self, name):
        """A figure of the caches, of all nodes together: `item_cache_hits`, `query_cache_misses`, `cache_evictions`."""
        return counted(self.metrics(), name)


def counted(metrics, name):
    names = (f"armature_dax_{name}", f"armature_dax_{name}_total")
    found = [value for series, value in metrics.items() if series.split("{")[0] in names]
    assert found, f"no series {names[0]}"
    return sum(found)


class DaxNode(Server):
    """An `armature dax`: a node before an endpoint of DynamoDB's API."""

    def __init__(self, endpoint, directory, *args, port=0):
        super().__init__(is_embedded=True)
        self.arguments = [binary(), "dax", "--endpoint", endpoint, "--port", str(port), "--data", str(directory), *map(str, args)]

    def start(self):
        self.launch()
        self.dax, self.daxs = dax_urls(self.ready_line)
        if not self.dax:
            self.fail()
        self.dax_port = port_of(self.dax)
        return self


def dax_urls(ready_line):
    """The addresses in a ready line: (dax://…, daxs://… or None)."""
    found = {scheme: url for url, scheme in re.findall(r"((daxs?)://[^\s,]+)", ready_line)}
    return found.get("dax"), found.get("daxs")


def port_of(url):
    return int(url.rsplit(":", 1)[1])


def canonical(value):
    """An answer in which what means the same looks the same: numbers by value, sets in order.

    These clients show small and long numbers with an exponent (PROTOCOL.md §2.1), and leave holes in a projected list below another
    list, where DynamoDB moves its elements together.
    """
    if isinstance(value, list):
        return [canonical(each) for each in value if each is not None]
    if not isinstance(value, dict):
        return value
    if set(value) == {"N"} and isinstance(value["N"], str):
        return {"N": number(value["N"])}
    if set(value) == {"NS"} and isinstance(value["NS"], list):
        return {"NS": sorted(map(number, value["NS"]))}
    if len(value) == 1 and isinstance(members := next(iter(value.values())), list) and next(iter(value)) in ("SS", "BS"):
        return {next(iter(value)): sorted(members)}
    return {name: canonical(each) for name, each in value.items()}


def number(text):
    """A number in plain digits, without zeros that say nothing."""
    plain = format(Decimal(text), "f")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return "0" if plain in ("-0", "") else plain


# Members that DynamoDB sends empty and these clients leave out, or the other way round.
MAY_BE_EMPTY = ("UnprocessedItems", "UnprocessedKeys", "ItemCollectionMetrics", "ConsumedCapacity")


def comparable(answer):
    """An answer as far as its operation promises it: what comes in no order is sorted."""
    answer = {name: value for name, value in canonical(answer or {}).items() if value or name not in MAY_BE_EMPTY}
    if isinstance(answer.get("Responses"), dict):  # of a batch
        answer["Responses"] = {table: in_order(items) for table, items in answer["Responses"].items()}
    if isinstance(answer.get("ConsumedCapacity"), list):
        answer["ConsumedCapacity"] = in_order(answer["ConsumedCapacity"])
    return answer


def in_order(values):
    return sorted(values, key=lambda value: json.dumps(value, sort_keys=True))


def outcome(client, operation, request):
    """What a DaxClient or RawClient has to say: ("ok", answer) or (code, message)."""
    if isinstance(client, DaxClient):
        try:
            return "ok", comparable(client.ok(operation, request))
        except DaxError as error:
            return error.code, error.message
    reply = client.post(operation, request)
    members = reply.json
    if reply.status == 200:
        return "ok", comparable(members)
    return members["__type"].rsplit("#", 1)[1], members.get("message", members.get("Message"))


def assert_same(dax, db, operation, request):
    """DAX says what DynamoDB says. For reads, and for what is refused."""
    expected = outcome(db, operation, request)
    said = outcome(dax, operation, request)
    assert said == expected, f"{operation} {str(request)[:500]}:\n{str(said)[:1500]}\nbut DynamoDB:\n{str(expected)[:1500]}"
    return expected
