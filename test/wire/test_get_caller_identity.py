"""STS on the same port: GetCallerIdentity with boto3, the AWS CLI, a presigned URL and plain forms; errors as STS words them."""

import json
import os
import shutil
import subprocess
import urllib.error
import urllib.request
import xml.etree.ElementTree as ElementTree

import botocore.exceptions
import pytest

NAMESPACE = "{https://sts.amazonaws.com/doc/2011-06-15/}"
FORM = "application/x-www-form-urlencoded; charset=utf-8"


@pytest.fixture(scope="module")
def sts(session, endpoint):
    return session.client("sts", endpoint_url=endpoint)


def call(endpoint, body=b"", query="", method="POST", **headers):
    request = urllib.request.Request(f"{endpoint}/{query}", data=body if method == "POST" else None, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.status, reply.headers, reply.read()
    except urllib.error.HTTPError as reply:
        return reply.code, reply.headers, reply.read()


def test_boto3(sts):
    identity = sts.get_caller_identity()
    assert identity["Arn"] == f"arn:aws:iam::{identity['Account']}:root"
    assert identity["UserId"] == identity["Account"] and len(identity["Account"]) == 12
    metadata = identity["ResponseMetadata"]
    assert metadata["RequestId"] == metadata["HTTPHeaders"]["x-amzn-requestid"]
    assert metadata["HTTPHeaders"]["content-type"] == "text/xml"


def test_aws_cli(endpoint):
    program = "/usr/bin/aws" if os.path.exists("/usr/bin/aws") else shutil.which("aws")
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "AWS_ACCESS_KEY_ID": "fake", "AWS_SECRET_ACCESS_KEY": "fake",
                   "AWS_DEFAULT_REGION": "us-east-1", "AWS_PAGER": ""}
    done = subprocess.run([program, "sts", "get-caller-identity", "--endpoint-url", endpoint, "--output", "json"],
                          env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["Arn"].endswith(":root")


def test_a_presigned_url_is_a_token(sts):
    url = sts.generate_presigned_url("get_caller_identity", Params={}, ExpiresIn=60, HttpMethod="GET")
    with urllib.request.urlopen(url, timeout=30) as reply:
        root = ElementTree.fromstring(reply.read())
        assert root.find(f".//{NAMESPACE}RequestId").text == reply.headers["x-amzn-RequestId"]
    assert root.tag == f"{NAMESPACE}GetCallerIdentityResponse"
    assert root.find(f".//{NAMESPACE}Arn").text.endswith(":root")
    with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept": "application/json"}), timeout=30) as reply:
        assert json.load(reply)["GetCallerIdentityResponse"]["GetCallerIdentityResult"]["Arn"].endswith(":root")


def test_errors_are_what_sdks_expect(sts, session, endpoint):
    with pytest.raises(botocore.exceptions.ClientError) as raised:
        sts.get_access_key_info(AccessKeyId="AKIAIOSFODNN7EXAMPLE/")
    assert raised.value.response["Error"]["Code"] in ("InvalidAction", "ValidationError")
    status, headers, body = call(endpoint, b"Action=GetCallerIdentity&Version=2011-06-15", **{"Content-Type": FORM})
    root = ElementTree.fromstring(body)
    assert status == 403 and root.find(f".//{NAMESPACE}Code").text == "MissingAuthenticationToken"
    assert root.find(f"{NAMESPACE}RequestId").text == headers["x-amzn-RequestId"]
    for body in (b"Action=%3Cx%3E%01&Version=2011-06-15", b"", b"\xff&=&&Action", b"Version=2011-06-15"):
        status, headers, reply = call(endpoint, body, **{"Content-Type": FORM})
        assert status == 400 and ElementTree.fromstring(reply).tag.endswith("ErrorResponse"), reply
