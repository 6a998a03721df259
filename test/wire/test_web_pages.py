"""What a web page can do to a server on its visitor's machine: nothing, unless the server's owner names its origin.

A browser tells by which name it came (Host; a DNS name that was turned to 127.0.0.1 shows there) and whose page asks (Origin).
"""

import http.client
import json
import os
import shutil
import socket
import subprocess
import zlib

import boto3
import botocore.config
import pytest

from harness import tables
from harness.raw import RawClient, error_type
from harness.server import Server

EVIL = "https://evil.example"
APP = "http://localhost:3000"
NO_RETRIES = botocore.config.Config(retries={"max_attempts": 0}, connect_timeout=10, read_timeout=60)
JSON = {"Content-Type": "application/x-amz-json-1.0"}


@pytest.fixture(scope="module")
def plain():
    with Server() as server:
        yield server


@pytest.fixture(scope="module")
def opened():
    """A server with everything opened by name."""
    with Server(None, "--cors-origin", APP, "--cors-origin", "https://app.example", "--allowed-host", "armature",
                "--allowed-host", "db.example.org") as server:
        yield server


@pytest.fixture
def raw():
    clients = []

    def make(server):
        clients.append(RawClient(server.endpoint))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


def assert_refused(reply, option):
    assert reply.status == 403, reply
    members = reply.json
    assert members["__type"] == error_type("AccessDeniedException")
    assert option in members["Message"]
    assert reply.headers["Content-Type"] == "application/x-amz-json-1.0"
    assert len(reply.headers["x-amzn-RequestId"]) == 52
    assert int(reply.headers["x-amz-crc32"]) == zlib.crc32(reply.body)
    assert not [name for name in reply.headers if name.lower().startswith("access-control")]


class TestPages:
    def test_a_page_cannot_create_a_table(self, plain, raw):
        db = raw(plain)
        name = tables.unique()
        reply = db.post("CreateTable", tables.definition(name), headers={"Origin": EVIL})
        assert_refused(reply, "--cors-origin")
        db.error("DescribeTable", {"TableName": name}, "ResourceNotFoundException")

    @pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
    def test_a_simple_post_is_not_executed(self, plain, raw, content_type):
        """What a browser sends across sites without asking first: the signature in the query, the body as text."""
        db = raw(plain)
        name = tables.unique()
        query = ("/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a%2F20260101%2Fus-east-1%2Fdynamodb%2Faws4_request"
                 "&X-Amz-Date=20260101T000000Z&X-Amz-SignedHeaders=host&X-Amz-Signature=x&X-Amz-Target=DynamoDB_20120810.CreateTable")
        body = json.dumps(tables.definition(name)).encode()
        reply = db.send("POST", query, {"Content-Type": content_type, "Origin": EVIL}, body)
        assert_refused(reply, "--cors-origin")
        db.error("DescribeTable", {"TableName": name}, "ResourceNotFoundException")

    @pytest.mark.parametrize("origin", [EVIL, "null", "http://localhost:8000", "http://127.0.0.1"])
    def test_no_origin_is_known_unless_given(self, plain, raw, origin):
        assert_refused(raw(plain).post("ListTables", {}, headers={"Origin": origin}), "--cors-origin")

    def test_a_preflight_gets_no_grant(self, plain, raw):
        reply = raw(plain).send("OPTIONS", "/", {
            "Origin": EVIL, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-amz-target"})
        assert_refused(reply, "--cors-origin")

    @pytest.mark.parametrize("path", ["/", "/metrics", "/2015-03-31/event-source-mappings/"])
    def test_nothing_else_is_answered_either(self, plain, raw, path):
        assert_refused(raw(plain).send("GET", path, {"Origin": EVIL}), "--cors-origin")

    def test_programs_send_no_origin_and_get_no_grant(self, plain, raw):
        reply = raw(plain).post("ListTables", {})
        assert reply.status == 200
        assert not [name for name in reply.headers if name.lower().startswith("access-control")]


class TestGrants:
    @pytest.mark.parametrize("origin", [APP, "https://app.example"])
    def test_a_given_origin_may_read_answers_and_errors(self, opened, raw, origin):
        db = raw(opened)
        for reply, status in ((db.post("ListTables", {}, headers={"Origin": origin}), 200),
                              (db.send("GET", "/", {"Origin": origin}), 200),
                              (db.post("Nonsense", {}, headers={"Origin": origin}), 400)):
            assert reply.status == status
            assert reply.headers["Access-Control-Allow-Origin"] == origin
            assert reply.headers["Vary"] == "Origin"
            exposed = reply.headers["Access-Control-Expose-Headers"].lower().split(",")
            assert {"x-amzn-requestid", "x-amz-crc32"} <= set(exposed)

    def test_its_preflight_is_granted(self, opened, raw):
        reply = raw(opened).send("OPTIONS", "/", {
            "Origin": APP, "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,x-amz-target",
            "Access-Control-Request-Private-Network": "true"})
        assert (reply.status, reply.body) == (200, b"")
        assert reply.headers["Access-Control-Allow-Origin"] == APP
        assert reply.headers["Access-Control-Allow-Private-Network"] == "true"
        assert reply.headers["Access-Control-Max-Age"] == "172800"
        assert reply.headers["Access-Control-Allow-Methods"] == "POST"
        assert reply.headers["Access-Control-Allow-Headers"] == "authorization,x-amz-target"

    def test_other_origins_stay_out(self, opened, raw):
        assert_refused(raw(opened).post("ListTables", {}, headers={"Origin": EVIL}), "--cors-origin")

    def test_a_star_lets_every_page_in(self, raw):
        with Server(None, "--cors-origin", "*") as server:
            reply = raw(server).post("ListTables", {}, headers={"Origin": EVIL})
            assert (reply.status, reply.headers["Access-Control-Allow-Origin"]) == (200, "*")


def call_as(server, host):
    """ListTables, addressed to `host` as a browser behind a rebound name would."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    db = RawClient(server.endpoint)
    headers = db.signed_headers(b"{}", {**JSON, "X-Amz-Target": "DynamoDB_20120810.ListTables"})
    connection.request("POST", "/", body=b"{}", headers={**headers, "Host": host})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, json.loads(body)


class TestHosts:
    @pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "armature:8000", "10.1.2.3"])
    def test_a_foreign_name_is_refused(self, plain, host):
        status, members = call_as(plain, host)
        assert (status, members["__type"]) == (403, error_type("AccessDeniedException"))
        assert f"'{host}'" in members["Message"] and "--allowed-host" in members["Message"]

    @pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "127.9.9.9:8000", "[::1]:8000"])
    def test_loopback_is_served(self, plain, host):
        assert call_as(plain, host)[0] == 200

    @pytest.mark.parametrize("host, status", [("armature:8000", 200), ("ARMATURE", 200), ("db.example.org", 200), ("example.org", 403)])
    def test_a_given_name_is_served(self, opened, host, status):
        assert call_as(opened, host)[0] == status

    @pytest.mark.parametrize("host, status", [("192.168.1.20:8000", 200), ("[2001:db8::1]", 200), ("armature", 403)])
    def test_on_all_addresses_any_address_but_no_name(self, everywhere, host, status):
        assert call_as(everywhere, host)[0] == status

    def test_a_request_of_http_1_0_needs_no_host(self, plain):
        with socket.create_connection(("127.0.0.1", plain.port), timeout=30) as connection:
            connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")


def addresses():
    """What a server on all addresses of this machine can be reached by."""
    found = ["localhost", "127.0.0.1"]
    return found + ["[::1]"] if os.path.exists("/proc/net/if_inet6") and has_ipv6() else found


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
        return True
    except OSError:
        return False


@pytest.fixture(scope="module")
def everywhere():
    with Server(None, "--host", "::" if has_ipv6() else "0.0.0.0", "--allow-unauthenticated") as server:
        yield server


def sdk_client(endpoint):
    return boto3.client("dynamodb", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id="any",
                        aws_secret_access_key="any", config=NO_RETRIES)


class TestClients:
    @pytest.mark.parametrize("address", addresses())
    def test_boto3(self, everywhere, address):
        sdk_client(f"http://{address}:{everywhere.port}").list_tables()

    # Debian's CLI takes no address in brackets for an endpoint.
    @pytest.mark.parametrize("address", [address for address in addresses() if not address.startswith("[")])
    def test_the_cli(self, everywhere, address):
        program = "/usr/bin/aws" if os.path.exists("/usr/bin/aws") else shutil.which("aws")
        done = subprocess.run(
            [program, "dynamodb", "list-tables", "--endpoint-url", f"http://{address}:{everywhere.port}", "--output", "json"],
            env={"PATH": "/usr/bin:/bin", "AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any", "AWS_DEFAULT_REGION": "us-east-1"},
            capture_output=True, text=True, timeout=120)
        assert (done.returncode, json.loads(done.stdout)) == (0, {"TableNames": []}), done.stderr

    def test_boto3_by_a_container_name(self, opened, plain, monkeypatch):
        resolve = socket.getaddrinfo
        monkeypatch.setattr(socket, "getaddrinfo", lambda host, *more, **named: resolve(
            "127.0.0.1" if host == "armature" else host, *more, **named))
        sdk_client(f"http://armature:{opened.port}").list_tables()
        with pytest.raises(Exception, match="AccessDeniedException.*--allowed-host"):
            sdk_client(f"http://armature:{plain.port}").list_tables()
