"""Limits of what one principal and one address may take: over them clients are told to wait, in a way that SDKs understand, and everybody
else is served meanwhile."""

import concurrent.futures
import http.client
import re
import socket
import ssl
import subprocess

import boto3
import botocore.config
import botocore.exceptions
import pytest

from harness import tables
from harness.principals import REGION, User, administrator, allow, write_file
from harness.raw import RawClient
from harness.server import Server, binary
from harness.waiting import poll_until

ADMIN = administrator()
BUSY = User("busy", [allow("*")])
CALM = User("calm", [allow("*")])
THROTTLED = "com.amazon.coral.availability#ThrottlingException"


def limited_server(tmp_path_factory, *options):
    folder = tmp_path_factory.mktemp("limits")
    return Server(folder / "data", "--iam-file", write_file(folder / "iam.toml", ADMIN, BUSY, CALM), *options)


def metric(server, name, labels):
    """The administrator's own connection is loopback's, which may see them."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    found = re.search(rf"^{name}\{{{re.escape(labels)}\}} (\S+)$", text, re.MULTILINE)
    return float(found.group(1))


class From(RawClient):
    """A client with an address of its own: all of 127.0.0.0/8 is this machine."""

    def __init__(self, server, address, **options):
        super().__init__(server.endpoint, **options)
        self.address = address

    def connect(self):
        return http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=self.timeout, source_address=(self.address, 0))


def patient(user, server, mode="standard", attempts=12, connections=10, service="dynamodb"):
    """As an application has it: the SDK repeats what was throttled."""
    return boto3.client(service, endpoint_url=server.endpoint, region_name=REGION, aws_access_key_id=user.key_id,
                        aws_secret_access_key=user.secret, config=botocore.config.Config(
                            retries={"mode": mode, "total_max_attempts": attempts}, max_pool_connections=connections))


class TestRateOfAPrincipal:
    @pytest.fixture(scope="class")
    def server(self, tmp_path_factory):
        with limited_server(tmp_path_factory, "--request-rate-per-principal", "40:20") as server:
            admin = ADMIN.raw(server)
            tables.create(admin, name="Counted")
            admin.close()
            yield server

    @pytest.mark.parametrize("mode", ["legacy", "standard"])
    def test_boto3_comes_through_and_nothing_is_lost(self, server, mode):
        before = metric(server, "armature_requests_limited_total", 'by="principal"')
        client = patient(BUSY, server, mode)
        def put(number):
            client.put_item(TableName="Counted", Item={"pk": {"S": f"{mode}-{number}"}})
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(put, range(80)))
        reader = patient(CALM, server)
        for number in range(80):
            assert "Item" in reader.get_item(TableName="Counted", Key={"pk": {"S": f"{mode}-{number}"}})
        assert metric(server, "armature_requests_limited_total", 'by="principal"') > before

    def test_one_is_refused_while_another_is_served(self, server):
        busy, calm = BUSY.raw(server), CALM.raw(server)
        replies = [busy.post("ListTables", {}) for _ in range(200)]
        refused = [reply for reply in replies if reply.status != 200]
        assert len(refused) >= 50  # whatever time it took: no more than 40 a second
        assert {reply.status for reply in refused} == {400}
        assert refused[0].json == {"__type": THROTTLED, "message": "Rate exceeded"}
        poll_until(lambda: calm.post("ListTables", {}).status, lambda status: status == 200)
        busy.close()
        calm.close()

    def test_query_services_say_it_in_their_words(self, server):
        sts = BUSY.boto(server, "sts")
        with pytest.raises(botocore.exceptions.ClientError) as refusal:
            for _ in range(2000):
                sts.get_caller_identity()
        assert refusal.value.response["Error"] | {"Type": ""} == {"Code": "Throttling", "Message": "Rate exceeded", "Type": ""}
        assert refusal.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400

    def test_lambda_says_it_in_its_own(self, server):
        mappings = BUSY.boto(server, "lambda")
        with pytest.raises(botocore.exceptions.ClientError) as refusal:
            for _ in range(2000):
                mappings.list_event_source_mappings()
        assert refusal.value.response["Error"]["Code"] == "TooManyRequestsException"
        assert refusal.value.response["ResponseMetadata"]["HTTPStatusCode"] == 429

    def test_sessions_count_for_whom_they_stand_for(self, server):
        session = patient(BUSY, server, service="sts").get_session_token()["Credentials"]
        temporary = RawClient(server.endpoint, access_key=session["AccessKeyId"], secret_key=session["SecretAccessKey"], token=session["SessionToken"])
        own = BUSY.raw(server)
        assert 400 in {own.post("ListTables", {}).status for _ in range(200)}
        assert 400 in {temporary.post("ListTables", {}).status for _ in range(10)}
        own.close()
        temporary.close()


class TestRateOfAnAddress:
    @pytest.fixture(scope="class")
    def server(self, tmp_path_factory):
        with limited_server(tmp_path_factory, "--request-rate-per-address", "20:30") as server:
            yield server

    def test_one_address_is_refused_while_another_is_served(self, server):
        busy = From(server, "127.0.0.2", access_key=BUSY.key_id, secret_key=BUSY.secret)
        calm = From(server, "127.0.0.3", access_key=BUSY.key_id, secret_key=BUSY.secret)
        replies = [busy.post("ListTables", {}) for _ in range(200)]
        refused = [reply for reply in replies if reply.status != 200]
        assert len(refused) >= 50
        assert refused[0].json == {"__type": THROTTLED, "message": "Rate exceeded"}
        assert refused[0].headers["x-amzn-RequestId"] and refused[0].headers["x-amz-crc32"]
        for _ in range(20):
            calm.ok("ListTables", {})
        assert metric(server, "armature_requests_limited_total", 'by="address"') >= len(refused)
        busy.close()
        calm.close()

    def test_it_is_asked_before_the_signature_and_for_whatever_is_asked(self, server):
        stranger = From(server, "127.0.0.4", access_key="AKIDNOBODY", secret_key="none")
        answers = {stranger.post("ListTables", {}).json["__type"].split("#")[1] for _ in range(100)}
        assert answers == {"UnrecognizedClientException", "ThrottlingException"}
        assert 429 in {stranger.send("GET", "/metrics").status for _ in range(100)}
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        replies = [stranger.send("POST", "/", form, b"Action=GetCallerIdentity&Version=2011-06-15") for _ in range(100)]
        assert b"<Code>Throttling</Code>" in replies[-1].body
        assert replies[-1].status == 400
        stranger.close()


class TestConnectionsOfAnAddress:
    LIMIT = 4

    @pytest.fixture(scope="class")
    def server(self, tmp_path_factory):
        with limited_server(tmp_path_factory, "--max-connections-per-address", self.LIMIT) as server:
            yield server

    def test_more_are_told_503_and_closed_and_other_addresses_come_in(self, server):
        clients = [From(server, "127.0.0.2", access_key=BUSY.key_id, secret_key=BUSY.secret) for _ in range(self.LIMIT)]
        for client in clients:
            client.ok("ListTables", {})
        with socket.create_connection(("127.0.0.1", server.port), timeout=60, source_address=("127.0.0.2", 0)) as one_more:
            told = one_more.recv(65536)
        assert told.startswith(b"HTTP/1.1 503 ") and b"Connection: close" in told
        other = From(server, "127.0.0.3", access_key=BUSY.key_id, secret_key=BUSY.secret)
        other.ok("ListTables", {})
        for client in clients:
            client.ok("ListTables", {})
        assert metric(server, "armature_http_connections_refused_total", 'limit="address"') >= 1
        assert metric(server, "armature_http_connections_refused_total", 'limit="server"') == 0
        for client in (*clients, other):
            client.close()

    def test_boto3_comes_through(self, server):
        client = patient(BUSY, server, connections=16)
        admin = patient(ADMIN, server)
        admin.create_table(**tables.definition("ManyHands"))
        admin.get_waiter("table_exists").wait(TableName="ManyHands", WaiterConfig={"Delay": 1})
        # A few more than are let in: how long the others wait is the SDK's dice.
        with concurrent.futures.ThreadPoolExecutor(self.LIMIT + 2) as pool:
            list(pool.map(lambda n: client.put_item(TableName="ManyHands", Item={"pk": {"S": str(n)}}), range(160)))
        assert client.scan(TableName="ManyHands", Select="COUNT")["Count"] == 160


class TestConnectionsOfAPrincipal:
    LIMIT = 3

    @pytest.fixture(scope="class")
    def server(self, tmp_path_factory):
        with limited_server(tmp_path_factory, "--max-connections-per-principal", self.LIMIT) as server:
            yield server

    def test_more_are_refused_and_closed_and_others_have_their_own(self, server):
        clients = [BUSY.raw(server) for _ in range(self.LIMIT)]
        for client in clients:
            client.ok("ListTables", {})
        one_more = BUSY.raw(server)
        reply = one_more.post("ListTables", {})
        assert reply.json == {"__type": THROTTLED, "message": "Rate exceeded"}
        assert reply.headers["Connection"] == "close"
        calm = [CALM.raw(server) for _ in range(self.LIMIT)]
        for client in (*calm, *clients):
            client.ok("ListTables", {})
        assert metric(server, "armature_requests_limited_total", 'by="principal_connections"') >= 1
        clients[0].close()
        poll_until(lambda: one_more.post("ListTables", {}).status, lambda status: status == 200)
        for client in (*calm, *clients, one_more):
            client.close()

    def test_boto3_comes_through(self, server):
        client = patient(BUSY, server, connections=12)
        admin = patient(ADMIN, server)
        admin.create_table(**tables.definition("ManyHands"))
        admin.get_waiter("table_exists").wait(TableName="ManyHands", WaiterConfig={"Delay": 1})
        with concurrent.futures.ThreadPoolExecutor(self.LIMIT + 1) as pool:
            list(pool.map(lambda n: client.put_item(TableName="ManyHands", Item={"pk": {"S": str(n)}}), range(60)))
        assert admin.scan(TableName="ManyHands", Select="COUNT")["Count"] == 60


def test_an_address_is_that_of_the_socket_behind_tls_too(tmp_path):
    subprocess.run([binary(), "tls", "self-signed", "--out", str(tmp_path / "tls")], check=True, capture_output=True)
    context = ssl.create_default_context(cafile=str(tmp_path / "tls" / "cert.pem"))
    with Server(None, "--tls-cert", tmp_path / "tls" / "cert.pem", "--tls-key", tmp_path / "tls" / "key.pem", "--max-connections-per-address", 2,
                "--request-rate-per-address", "1:5") as server:
        def connect(address):
            plain = socket.create_connection(("127.0.0.1", server.port), timeout=60, source_address=(address, 0))
            return context.wrap_socket(plain, server_hostname="localhost")
        held = [connect("127.0.0.2") for _ in range(2)]
        with pytest.raises((ssl.SSLError, OSError)):
            connect("127.0.0.2")  # nobody shakes hands with him
        def ask(connection):
            connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return connection.recv(65536).split(b" ", 2)[1]
        answers = [ask(held[number % 2]) for number in range(10)]
        assert b"200" in answers and b"400" in answers
        other = connect("127.0.0.3")
        assert ask(other) == b"200"
        for connection in (*held, other):
            connection.close()
