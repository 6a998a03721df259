"""Principals for tests: files for --iam-file, clients that sign as somebody, and signatures that are wrong in one way."""

import datetime
import hashlib
import hmac
import json
import urllib.parse

import boto3
import botocore.config

from harness.raw import RawClient

ACCOUNT = "123456789012"
REGION = "us-east-1"


def allow(actions, resources="*", sid=None, **condition):
    return statement("Allow", actions, resources, sid, condition)


def deny(actions, resources="*", sid=None, **condition):
    return statement("Deny", actions, resources, sid, condition)


def statement(effect, actions, resources, sid, condition):
    """`condition` is that of the policy; an underscore in an operator's name stands for its colon."""
    made = {"Effect": effect, "Action": actions, "Resource": resources}
    if sid:
        made["Sid"] = sid
    if condition:
        made["Condition"] = {operator.replace("_", ":"): keys for operator, keys in condition.items()}
    return made


def policy(*statements):
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def table_arn(name, part="", account=ACCOUNT):
    return f"arn:aws:dynamodb:{REGION}:{account}:table/{name}{part}"


class User:
    def __init__(self, name, statements, tags=None, account=ACCOUNT):
        self.name, self.statements, self.tags, self.account = name, statements, tags or {}, account
        digest = hashlib.sha256(f"{account}/{name}".encode()).hexdigest().upper()
        self.key_id, self.secret = f"AKIA{digest[:16]}", digest[16:56].lower()
        self.arn = f"arn:aws:iam::{account}:user/{name}"

    def toml(self):
        # A JSON string without escapes of its own is a TOML string.
        lines = ["[[users]]", f"name = {json.dumps(self.name)}", f"account = {json.dumps(self.account)}",
                 f"access_keys = [{{ id = {json.dumps(self.key_id)}, secret = {json.dumps(self.secret)} }}]"]
        if self.tags:
            lines.append("tags = { " + ", ".join(f"{json.dumps(k)} = {json.dumps(v)}" for k, v in self.tags.items()) + " }")
        if self.statements:
            lines += ["[users.inline_policies]", f"own = {json.dumps(policy(*self.statements))}"]
        return "\n".join(lines) + "\n"

    def raw(self, server, **options):
        return RawClient(server.endpoint, access_key=self.key_id, secret_key=self.secret, **options)

    def boto(self, server, service="dynamodb"):
        return boto3.client(service, endpoint_url=server.endpoint, region_name=REGION, aws_access_key_id=self.key_id,
                            aws_secret_access_key=self.secret,
                            config=botocore.config.Config(retries={"max_attempts": 0}))

    def denied(self, action, resource, reason=None):
        """What he is told. `reason` is that of an implicit denial unless given."""
        return (f"User: {self.arn} is not authorized to perform: {action} on resource: {resource} "
                + (reason or f"because no identity-based policy allows the {action} action"))


def administrator(name="root-of-all"):
    return User(name, [allow("*")])


def write_file(path, *users):
    path.write_text("\n".join(user.toml() for user in users))
    return path


# --- signing by hand, so that one thing can be wrong


def amz_date(moment=None):
    return (moment or datetime.datetime.now(datetime.timezone.utc)).strftime("%Y%m%dT%H%M%SZ")


def hmac_of(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class Signed:
    """One ListTables request, signed as SigV4 asks, but for what the test says otherwise."""

    def __init__(self, user, host, *, date=None, scope_date=None, region=REGION, service="dynamodb", terminator="aws4_request",
                 headers=("host", "x-amz-date", "x-amz-target"), secret=None, key_id=None, token=None, body=b"{}",
                 algorithm="AWS4-HMAC-SHA256", expires=None):
        self.date = date or amz_date()
        self.scope = f"{scope_date or self.date[:8]}/{region}/{service}/{terminator}"
        self.key_id, self.secret, self.algorithm = key_id or user.key_id, secret or user.secret, algorithm
        self.body, self.expires, self.token = body, expires, token
        self.sent = {"host": host, "x-amz-date": self.date, "x-amz-target": "DynamoDB_20120810.ListTables",
                     "content-type": "application/x-amz-json-1.0"}
        if token:
            self.sent["x-amz-security-token"] = token
        self.names = sorted(headers)

    def signature(self, query=""):
        canonical = "\n".join(["POST", "/", query, *(f"{name}:{self.sent[name]}" for name in self.names), "",
                               ";".join(self.names), hashlib.sha256(self.body).hexdigest()])
        to_sign = "\n".join([self.algorithm, self.date, self.scope, hashlib.sha256(canonical.encode()).hexdigest()])
        key = ("AWS4" + self.secret).encode()
        for part in self.scope.split("/"):
            key = hmac_of(key, part)
        return hmac_of(key, to_sign).hex()

    def headers(self, signature=None):
        authorization = (f"{self.algorithm} Credential={self.key_id}/{self.scope}, SignedHeaders={';'.join(self.names)}, "
                         f"Signature={signature or self.signature()}")
        return {**self.sent, "authorization": authorization}

    def presigned(self):
        """(path, headers) of the query form."""
        self.names = ["host"]
        query = {"X-Amz-Algorithm": self.algorithm, "X-Amz-Credential": f"{self.key_id}/{self.scope}", "X-Amz-Date": self.date,
                 "X-Amz-SignedHeaders": "host"}
        if self.expires is not None:
            query["X-Amz-Expires"] = str(self.expires)
        text = "&".join(f"{key}={urllib.parse.quote(value, safe='-_.~')}" for key, value in sorted(query.items()))
        headers = {name: value for name, value in self.sent.items() if name != "x-amz-date"}
        return f"/?{text}&X-Amz-Signature={self.signature(text)}", headers
