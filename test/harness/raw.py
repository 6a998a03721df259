"""A signed HTTP client without an SDK's opinions: it sends what a test says and shows what came back."""

import http.client
import json
import zlib
from urllib.parse import urlsplit

import botocore.auth
import botocore.awsrequest
import botocore.credentials

CORAL = "com.amazon.coral.service"
OTHERS = {"ValidationException": "com.amazon.coral.validate", "ThrottlingException": "com.amazon.coral.availability"}
MODELLED = "com.amazonaws.dynamodb.v20120810"
CORAL_ERRORS = {
    "UnknownOperationException", "SerializationException", "MissingAuthenticationTokenException",
    "IncompleteSignatureException", "InvalidSignatureException", "UnrecognizedClientException",
    "ExpiredTokenException", "AccessDeniedException", "InternalFailure", "ServiceUnavailableException",
}


def error_type(name):
    """The whole `__type` of an error, as AWS prefixes it."""
    prefix = CORAL if name in CORAL_ERRORS else OTHERS.get(name, MODELLED)
    return f"{prefix}#{name}"


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def __repr__(self):
        return f"Reply({self.status}, {self.body[:2000]!r})"

    def plain(self):
        """The body with its Content-Encoding undone."""
        encoding = self.headers.get("Content-Encoding")
        if encoding == "gzip":
            return zlib.decompress(self.body, 31)
        if encoding == "deflate":
            return zlib.decompress(self.body)
        return self.body

    @property
    def json(self):
        return json.loads(self.plain())


class RawClient:
    """One keep-alive connection. Not thread-safe: one per thread."""

    def __init__(self, endpoint, region="us-east-1", access_key="fakeAccessKey", secret_key="fakeSecretKey",
                 token=None, timeout=60):
        self.url = urlsplit(endpoint)
        self.region = region
        self.timeout = timeout
        self.credentials = botocore.credentials.Credentials(access_key, secret_key, token)
        self.connection = None

    def connect(self):
        kind = http.client.HTTPSConnection if self.url.scheme == "https" else http.client.HTTPConnection
        return kind(self.url.hostname, self.url.port, timeout=self.timeout)

    def signed_headers(self, body, headers, method="POST", path="/"):
        request = botocore.awsrequest.AWSRequest(
            method=method, url=f"{self.url.scheme}://{self.url.netloc}{path}", data=body, headers=headers)
        botocore.auth.SigV4Auth(self.credentials, "dynamodb", self.region).add_auth(request)
        return dict(request.headers.items())

    def send(self, method="POST", path="/", headers=None, body=b""):
        """Sends exactly this. Reconnects first if the server closed the last connection."""
        for attempt in (1, 2):
            fresh = self.connection is None
            if fresh:
                self.connection = self.connect()
            try:
                self.connection.request(method, path, body=body, headers=headers or {})
                response = self.connection.getresponse()
                reply = Reply(response.status, response.headers, response.read())
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                self.close()
                if fresh or attempt == 2:
                    raise
                continue
            if response.will_close:
                self.close()
            return reply

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def post(self, operation, body, headers=None, prefix="DynamoDB_20120810", signed=True):
        """One operation. `body` is bytes to send as they are, or something to send as JSON."""
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        all_headers = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": f"{prefix}.{operation}"}
        all_headers.update(headers or {})
        if signed:
            all_headers = self.signed_headers(body, all_headers)
        return self.send("POST", "/", all_headers, body)

    def ok(self, operation, body, **options):
        reply = self.post(operation, body, **options)
        assert reply.status == 200, f"{operation}: {reply}"
        return reply.json if reply.body else None

    def error(self, operation, body, name, message=None, status=400, **options):
        """Asserts an error of exactly this type and, if given, exactly this message. Returns its members."""
        reply = self.post(operation, body, **options)
        assert reply.status == status, f"{operation}: expected {name}, got {reply}"
        members = reply.json
        assert members["__type"] == error_type(name), f"{operation}: {reply}"
        if message is not None:
            assert members.get("message", members.get("Message")) == message
        return members

    def invalid(self, operation, body, message=None):
        return self.error(operation, body, "ValidationException", message)
