"""A signature must be present and well-formed; regions are kept apart by the credential scope."""

import json
import re

import pytest

from harness import tables

HEADERS = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810.ListTables"}
DATE = "20260101T000000Z"


def refused(db, authorization, name, message=None, date=None, path="/"):
    headers = dict(HEADERS)
    if authorization is not None:
        headers["Authorization"] = authorization
    if date:
        headers["X-Amz-Date"] = date
    reply = db.send("POST", path, headers, b"{}")
    assert reply.status == 400, reply
    assert reply.json["__type"] == f"com.amazon.coral.service#{name}"
    if message is not None:
        assert reply.json["message"] == message


class TestMissing:
    @pytest.mark.parametrize("authorization", [None, "Basic abc", "Bearer x"])
    def test_no_token(self, db, authorization):
        refused(db, authorization, "MissingAuthenticationTokenException", "Request is missing Authentication Token")

    def test_the_target_is_checked_first(self, db):
        reply = db.post("Nonsense", {}, signed=False)
        assert reply.json["__type"].endswith("#UnknownOperationException")

    def test_authentication_comes_before_the_body(self, db):
        reply = db.post("ListTables", b"", signed=False)
        assert reply.json["__type"].endswith("#MissingAuthenticationTokenException")


class TestIncomplete:
    def test_everything_missing_is_listed(self, db):
        authorization = "AWS4-HMAC-SHA256 Nothing=here"
        refused(db, authorization, "IncompleteSignatureException",
                "Authorization header requires 'Credential' parameter. "
                "Authorization header requires 'Signature' parameter. "
                "Authorization header requires 'SignedHeaders' parameter. "
                "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
                f"Authorization={authorization}")

    def test_a_part_that_is_no_pair(self, db):
        authorization = "AWS4-HMAC-SHA256 Credential=AK ID/20260101/us-east-1/dynamodb/aws4_request"
        refused(db, authorization, "IncompleteSignatureException",
                "'ID/20260101/us-east-1/dynamodb/aws4_request' not a valid key=value pair (missing equal-sign) in "
                f"Authorization header: '{authorization}'.")

    def test_another_algorithm(self, db):
        refused(db, "AWS4-HMAC-SHA512 nothing", "IncompleteSignatureException",
                "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA512' (only AWS4-HMAC-SHA256 for now). ")

    def test_one_part_missing(self, db):
        authorization = "AWS4-HMAC-SHA256 Credential=k/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host"
        refused(db, authorization, "IncompleteSignatureException",
                f"Authorization header requires 'Signature' parameter. Authorization={authorization}", date=DATE)


class TestWellFormed:
    @pytest.mark.parametrize("separator", [", ", ","])
    def test_any_key_is_accepted_for_now(self, raw_client, separator):
        client = raw_client(access_key="anybody", secret_key="anything")
        headers = client.signed_headers(b"{}", HEADERS)
        headers["Authorization"] = headers["Authorization"].replace(", ", separator)
        assert client.send("POST", "/", headers, b"{}").status == 200

    def test_a_session_token_is_accepted(self, raw_client):
        assert raw_client(token="a-session-token").post("ListTables", {}).status == 200


class TestRegions:
    def test_regions_are_kept_apart(self, raw_client):
        here, there = raw_client(region="us-east-1"), raw_client(region="eu-west-2")
        name = tables.unique()
        try:
            for client in (here, there):
                tables.create(client, name=name)
                item = {"pk": {"S": "a"}, "region": {"S": client.region}}
                client.ok("PutItem", {"TableName": name, "Item": item})
            for client in (here, there):
                item = client.ok("GetItem", {"TableName": name, "Key": {"pk": {"S": "a"}}, "ConsistentRead": True})
                assert item["Item"]["region"] == {"S": client.region}
                description = client.ok("DescribeTable", {"TableName": name})["Table"]
                arn = rf"arn:aws:dynamodb:{client.region}:\d{{12}}:table/{name}"
                assert re.fullmatch(arn, description["TableArn"])
        finally:
            for client in (here, there):
                tables.drop(client, name)

    def test_a_table_of_one_region_is_unknown_in_another(self, raw_client, hash_table):
        raw_client(region="ap-south-1").error(
            "DescribeTable", {"TableName": hash_table}, "ResourceNotFoundException",
            f"Requested resource not found: Table: {hash_table} not found")
        assert hash_table not in raw_client(region="ap-south-1").ok("ListTables", {})["TableNames"]


class TestNamesInTheScope:
    """The Region of the scope becomes part of keys, ARNs and host names: only names get that far."""

    REFUSED = "Credential should be scoped to a valid region, not '{}'. "

    @pytest.mark.parametrize("region", ["us-east-1\xff", "eu\xfe", "evil.com", "a:b", "a@b", "a#b", "x" * 64, ""])
    def test_header_form(self, db, region):
        authorization = (f"AWS4-HMAC-SHA256 Credential=k/20260101/{region}/dynamodb/aws4_request, "
                         "SignedHeaders=host, Signature=f")
        reply = db.send("POST", "/", dict(HEADERS, Authorization=authorization.encode("latin-1"), **{"X-Amz-Date": DATE}), b"{}")
        assert reply.status == 400
        assert reply.json["__type"] == "com.amazon.coral.service#InvalidSignatureException"
        shown = region.replace("\xff", "\ufffd").replace("\xfe", "\ufffd")
        assert reply.json["message"] == self.REFUSED.format(shown)

    @pytest.mark.parametrize("region", ["us-east-1%00", "us-east-1%00x", "eu%ff", "a%0ab", "evil.com%2523", "a+b"])
    def test_presigned_form(self, db, region):
        path = ("/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=f&X-Amz-SignedHeaders=host"
                f"&X-Amz-Credential=k%2F20260101%2F{region}%2Fdynamodb%2Faws4_request&X-Amz-Date={DATE}")
        reply = db.send("POST", path, HEADERS, b"{}")
        assert reply.status == 400, reply
        assert reply.json["__type"] == "com.amazon.coral.service#InvalidSignatureException"
        assert reply.json["message"].startswith("Credential should be scoped to a valid region, not '")

    def test_a_table_cannot_be_slipped_into_another_region(self, db):
        name = tables.unique()
        path = ("/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=f&X-Amz-SignedHeaders=host"
                f"&X-Amz-Credential=k%2F20260101%2Fus-east-1%00x%2Fdynamodb%2Faws4_request&X-Amz-Date={DATE}")
        before = db.ok("ListTables", {})["TableNames"]
        create = dict(HEADERS, **{"X-Amz-Target": "DynamoDB_20120810.CreateTable"})
        assert db.send("POST", path, create, json.dumps(tables.definition(name)).encode()).status == 400
        assert db.ok("ListTables", {})["TableNames"] == before

    @pytest.mark.parametrize("key", ["k\xff", "\xc3\xa9"])
    def test_an_access_key_is_visible_text(self, db, key):
        authorization = (f"AWS4-HMAC-SHA256 Credential={key}/20260101/us-east-1/dynamodb/aws4_request, "
                         "SignedHeaders=host, Signature=f").encode("latin-1")
        reply = db.send("POST", "/", dict(HEADERS, Authorization=authorization, **{"X-Amz-Date": DATE}), b"{}")
        assert reply.status == 400
        assert reply.json.get("__type", "").endswith("#UnrecognizedClientException")
