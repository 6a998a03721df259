"""Requests that programs of ours send are signed as botocore signs them: the shell, the bench, the delivery to Kinesis.

A server that stands in for AWS keeps what it is sent; botocore computes the signature of each request anew from the bytes on the
wire and the secret."""

import http.server
import json
import os
import re
import subprocess
import threading

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from harness import tables
from harness.raw import RawClient
from harness.server import Server, binary
from harness.waiting import poll_until

ACCESS_KEY, SECRET, TOKEN = "AKIDEXAMPLE", "wJalr/XUtn+FEMI=:@é", "a/session+token=="
AUTHORIZATION = re.compile(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/([^/]+)/aws4_request, SignedHeaders=([^,]+), "
                           r"Signature=([0-9a-f]{64})$")


class Recorder:
    """An HTTP server that answers every POST with what `answer` returns and keeps the requests."""

    def __init__(self, answer):
        self.requests = []
        recorder = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                recorder.requests.append((self.command, self.path, self.headers.items(), body))
                status, reply = answer(self.headers["X-Amz-Target"], body)
                self.send_response(status)
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        self.endpoint = f"http://127.0.0.1:{self.server.server_address[1]}"
        return self

    def __exit__(self, kind, value, trace):
        self.server.shutdown()
        self.server.server_close()


def check(request, region, service, secret, token=None):
    """Asserts that the request is signed; returns the names of the headers that are."""
    method, path, sent, body = request
    headers = {name.lower(): value for name, value in sent}
    key, day, scope_region, scope_service, names, signature = AUTHORIZATION.match(headers["authorization"]).groups()
    assert (scope_region, scope_service, headers["x-amz-date"][:8]) == (region, service, day)
    assert headers.get("x-amz-security-token") == token
    auth = SigV4Auth(Credentials(key, secret, token), service, region)
    again = AWSRequest(method, f"http://{headers['host']}{path}", data=body)
    for name in names.split(";"):
        again.headers[name] = headers[name]
    again.context["timestamp"] = headers["x-amz-date"]
    assert auth.signature(auth.string_to_sign(again, auth.canonical_request(again)), again) == signature
    return names.split(";")


def no_table(target, body):
    return 400, b'{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"none"}'


@pytest.mark.parametrize("path", ["", "/prefix/a%20b", "/a/../b//c"])
@pytest.mark.parametrize("token", [None, TOKEN])
def test_the_shell(tmp_path, path, token):
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "AWS_ACCESS_KEY_ID": ACCESS_KEY,
                   "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "eu-west-1", **({"AWS_SESSION_TOKEN": token} if token else {})}
    with Recorder(no_table) as aws:
        subprocess.run([binary(), "shell", "--endpoint", aws.endpoint + path, "-e", "SELECT * FROM \"tbl\" WHERE pk = 'é'"],
                       env=environment, capture_output=True, timeout=60)
        assert aws.requests
        for request in aws.requests:
            signed = check(request, "eu-west-1", "dynamodb", SECRET, token)
            assert {"content-type", "host", "x-amz-date", "x-amz-target"} <= set(signed)


def test_the_bench():
    with Recorder(no_table) as aws:
        subprocess.run([binary(), "bench", "--workload", "get", "--endpoint", aws.endpoint, "--region", "eu-west-1"],
                       env={"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET}, capture_output=True, timeout=60)
        assert aws.requests
        for request in aws.requests:
            check(request, "eu-west-1", "dynamodb", SECRET)


@pytest.mark.parametrize("token", [None, TOKEN])
def test_the_delivery_to_kinesis(tmp_path, token):
    def answer(target, body):
        if target.endswith("DescribeStreamSummary"):
            return 200, b'{"StreamDescriptionSummary":{"StreamStatus":"ACTIVE"}}'
        count = len(json.loads(body)["Records"])
        return 200, json.dumps({"FailedRecordCount": 0, "Records": [{"SequenceNumber": "1", "ShardId": "s"}] * count}).encode()

    keys = ["--kinesis-access-key-id", ACCESS_KEY, "--kinesis-secret-access-key", SECRET]
    keys += ["--kinesis-session-token", token] if token else []
    with Recorder(answer) as aws:
        with Server(tmp_path / "data", "--kinesis-endpoint", aws.endpoint, *keys) as server:
            db = RawClient(server.endpoint)
            name = tables.create(db)
            db.ok("EnableKinesisStreamingDestination",
                  {"TableName": name, "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/changes"})
            poll_until(lambda: db.ok("DescribeKinesisStreamingDestination", {"TableName": name})["KinesisDataStreamDestinations"],
                       lambda found: found[0]["DestinationStatus"] == "ACTIVE", 30)
            db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": "é" * 1000}}})
            poll_until(lambda: list(aws.requests), lambda requests: any(b"Records" in body for *_, body in requests), 30)
            db.close()
        for request in aws.requests:
            check(request, "us-east-1", "kinesis", SECRET, token)
