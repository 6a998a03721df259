"""With a principal every signature is verified: one test for each way in which it can be wrong, and who is let in."""

import datetime
import json

import boto3
import botocore.config
import botocore.exceptions
import pytest

from harness import tables
from harness.principals import ACCOUNT, Signed, User, administrator, allow, amz_date, write_file
from harness.raw import RawClient
from harness.server import Server, StartFailed

MISMATCH = ("The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and "
            "signing method. Consult the service documentation for details.")
BAD_TOKEN = "The security token included in the request is invalid."


@pytest.fixture(scope="module")
def admin():
    return administrator()


@pytest.fixture(scope="module")
def reader():
    return User("reader", [allow("dynamodb:ListTables")])


@pytest.fixture(scope="module")
def guarded(tmp_path_factory, admin, reader):
    folder = tmp_path_factory.mktemp("guarded")
    inactive = User("inactive", [allow("*")])
    text = inactive.toml().replace(" }]", ", active = false }]", 1)
    file = write_file(folder / "principals.toml", admin, reader)
    file.write_text(file.read_text() + "\n" + text)
    with Server(folder / "data", "--iam-file", file) as server:
        server.inactive = inactive
        yield server


@pytest.fixture
def sent(guarded):
    """Sends a Signed request; returns the reply."""
    client = RawClient(guarded.endpoint)

    def send(signed, signature=None, presigned=False, **changed):
        path, headers = signed.presigned() if presigned else ("/", signed.headers(signature))
        headers = {name: value for name, value in {**headers, **changed.pop("headers", {})}.items() if value is not None}
        return client.send("POST", changed.pop("path", path), headers, changed.pop("body", signed.body))

    yield send
    client.close()


@pytest.fixture
def signed(guarded, admin):
    def make(**how):
        return Signed(how.pop("user", admin), f"127.0.0.1:{guarded.port}", **how)
    return make


def refused(reply, name, message):
    assert reply.status == 400, reply
    assert reply.json["__type"] == f"com.amazon.coral.service#{name}", reply
    assert reply.json["message"] == message


def minutes_ago(minutes):
    return amz_date(datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=minutes))


class TestAccepted:
    def test_what_is_signed_rightly(self, sent, signed):
        assert sent(signed()).status == 200

    def test_with_more_headers_signed(self, sent, signed):
        assert sent(signed(headers=["content-type", "host", "x-amz-date", "x-amz-target"])).status == 200

    def test_within_the_window(self, sent, signed):
        assert sent(signed(date=minutes_ago(14))).status == 200
        assert sent(signed(date=minutes_ago(-14))).status == 200

    @pytest.mark.parametrize("expires", [None, 60, 604800])
    def test_presigned(self, sent, signed, expires):
        assert sent(signed(expires=expires), presigned=True).status == 200

    def test_any_region(self, sent, signed):
        assert sent(signed(region="eu-west-1")).status == 200

    def test_boto3(self, guarded, admin, reader):
        for user in (admin, reader):
            assert user.boto(guarded).list_tables()["TableNames"] == []

    def test_each_account_has_its_own_tables(self, tmp_path):
        ours, theirs = administrator(), User("other", [allow("*")], account="999999999999")
        with Server(tmp_path / "data", "--iam-file", write_file(tmp_path / "iam.toml", ours, theirs)) as server:
            db, other = ours.raw(server), theirs.raw(server)
            name = tables.create(db)
            assert db.ok("ListTables", {})["TableNames"] == [name]
            assert other.ok("ListTables", {})["TableNames"] == []
            assert f":{ACCOUNT}:" in db.ok("DescribeTable", {"TableName": name})["Table"]["TableArn"]
            db.close()
            other.close()


class TestRefused:
    def test_no_signature(self, sent, signed):
        refused(sent(signed(), headers={"authorization": None}), "MissingAuthenticationTokenException",
                "Request is missing Authentication Token")

    def test_an_incomplete_one(self, sent, signed):
        authorization = "AWS4-HMAC-SHA256 Credential=k/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host"
        refused(sent(signed(), headers={"authorization": authorization}), "IncompleteSignatureException",
                f"Authorization header requires 'Signature' parameter. Authorization={authorization}")

    def test_another_algorithm(self, sent, signed):
        reply = sent(signed(algorithm="AWS4-HMAC-SHA512"))
        assert reply.json["__type"] == "com.amazon.coral.service#IncompleteSignatureException", reply
        assert reply.json["message"].startswith("Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA512'")

    def test_the_host_is_not_signed(self, sent, signed):
        refused(sent(signed(headers=["x-amz-date", "x-amz-target"])), "InvalidSignatureException",
                "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.")

    def test_a_date_that_is_none(self, sent, signed):
        refused(sent(signed(), headers={"x-amz-date": "yesterday"}), "IncompleteSignatureException",
                "Date must be in ISO-8601 'basic format'. Got 'yesterday'. See http://en.wikipedia.org/wiki/ISO_8601")

    @pytest.mark.parametrize("minutes, text", [(16, "Signature expired: "), (-16, "Signature not yet current: "),
                                               (60 * 24, "Signature expired: ")])
    def test_outside_the_window(self, sent, signed, minutes, text):
        reply = sent(signed(date=minutes_ago(minutes)))
        assert reply.json["__type"] == "com.amazon.coral.service#InvalidSignatureException"
        assert reply.json["message"].startswith(text)
        assert reply.json["message"].endswith(" 15 min.)")

    def test_presigned_and_over(self, sent, signed):
        reply = sent(signed(date=minutes_ago(10), expires=60), presigned=True)
        assert reply.json["__type"] == "com.amazon.coral.service#InvalidSignatureException"
        assert reply.json["message"].startswith("Signature expired: ")

    @pytest.mark.parametrize("expires, text", [
        ("soon", "X-Amz-Expires should be a number"), (0, "X-Amz-Expires must be at least 1 second"),
        (604801, "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds")])
    def test_presigned_for_a_time_that_is_none(self, sent, signed, expires, text):
        refused(sent(signed(expires=expires), presigned=True), "IncompleteSignatureException", text)

    def test_all_that_is_wrong_with_the_scope_is_told_at_once(self, sent, signed):
        date = amz_date()
        refused(sent(signed(date=date, scope_date="20200101", service="kinesis", terminator="aws5_request")), "InvalidSignatureException",
                "Credential should be scoped to correct service: 'dynamodb'. "
                "Credential should be scoped with a valid terminator: 'aws4_request', not 'aws5_request'. "
                "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
                f"'20200101' != '{date[:8]}', from '{date}'.")

    def test_a_key_that_is_nobodys(self, sent, signed):
        refused(sent(signed(key_id="AKIAZZZZZZZZZZZZZZZZ")), "UnrecognizedClientException", BAD_TOKEN)

    def test_a_key_that_is_inactive(self, sent, signed, guarded):
        refused(sent(signed(user=guarded.inactive)), "UnrecognizedClientException", BAD_TOKEN)

    def test_a_token_that_does_not_belong_to_the_key(self, sent, signed):
        refused(sent(signed(token="some/token==")), "UnrecognizedClientException", BAD_TOKEN)

    def test_another_secret(self, sent, signed):
        refused(sent(signed(secret="0" * 40)), "InvalidSignatureException", MISMATCH)

    def test_somebody_elses_secret(self, sent, signed, reader):
        refused(sent(signed(secret=reader.secret)), "InvalidSignatureException", MISMATCH)

    def test_one_digit_is_another(self, sent, signed):
        request = signed()
        right = request.signature()
        refused(sent(request, signature=("1" if right[0] == "0" else "0") + right[1:]), "InvalidSignatureException", MISMATCH)

    @pytest.mark.parametrize("name, value", [("x-amz-target", "DynamoDB_20120810.DescribeLimits"), ("host", "localhost")])
    def test_a_signed_header_was_changed(self, sent, signed, name, value):
        refused(sent(signed(), headers={name: value}), "InvalidSignatureException", MISMATCH)

    def test_the_body_was_changed(self, sent, signed):
        refused(sent(signed(), body=b'{"Limit":1}'), "InvalidSignatureException", MISMATCH)

    def test_the_query_was_changed(self, sent, signed):
        path, headers = signed(expires=60).presigned()
        client = RawClient(f"http://{headers['host']}")
        refused(client.send("POST", path + "&more=1", headers, b"{}"), "InvalidSignatureException", MISMATCH)
        client.close()

    def test_the_target_is_checked_before_the_signature(self, guarded):
        reply = RawClient(guarded.endpoint).post("Nonsense", {})
        assert reply.json["__type"].endswith("#UnknownOperationException")

    def test_the_signature_is_checked_before_the_body(self, sent, signed):
        refused(sent(signed(secret="0" * 40, body=b"")), "InvalidSignatureException", MISMATCH)

    def test_boto3_with_a_wrong_secret(self, guarded, admin):
        client = boto3.client("dynamodb", endpoint_url=guarded.endpoint, region_name="us-east-1", aws_access_key_id=admin.key_id,
                              aws_secret_access_key="wrong", config=botocore.config.Config(retries={"max_attempts": 0}))
        with pytest.raises(botocore.exceptions.ClientError) as refusal:
            client.list_tables()
        assert refusal.value.response["Error"] == {"Code": "InvalidSignatureException", "Message": MISMATCH}

    def test_who_guesses_is_put_off_and_nobody_else(self, tmp_path, admin):
        victim = User("victim", [allow("*")])
        with Server(tmp_path / "data", "--iam-file", write_file(tmp_path / "iam.toml", admin, victim)) as server:
            guesser = RawClient(server.endpoint, access_key=victim.key_id, secret_key="guess")
            types = [guesser.post("ListTables", {}).json["__type"] for _ in range(40)]
            assert types[0] == "com.amazon.coral.service#InvalidSignatureException"
            assert types[-1] == "com.amazon.coral.availability#ThrottlingException"
            assert admin.raw(server).post("ListTables", {}).status == 200
            guesser.close()


class TestPosture:
    def test_without_principals_any_signature_is_accepted_and_the_start_line_says_so(self):
        with Server() as server:
            assert server.ready_line.rstrip().endswith("any signature is accepted)")
            assert RawClient(server.endpoint).post("ListTables", {}).status == 200

    def test_with_one_the_start_line_says_that_they_are_verified(self, guarded):
        assert guarded.ready_line.rstrip().endswith("signatures are verified)")

    def test_principals_are_there_after_a_start_without_the_file(self, tmp_path, admin):
        data = tmp_path / "data"
        with Server(data, "--iam-file", write_file(tmp_path / "iam.toml", admin)):
            pass
        with Server(data) as server:
            assert admin.raw(server).post("ListTables", {}).status == 200
            RawClient(server.endpoint).error("ListTables", {}, "UnrecognizedClientException", BAD_TOKEN)

    def test_a_role_is_a_principal(self, tmp_path):
        """Whom a file lets in by web identities only is nobody who has a key."""
        trust = json.dumps({"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::123456789012:root"}, "Action": "sts:AssumeRole"}]})
        (tmp_path / "iam.toml").write_text(f"[[roles]]\nname = 'player'\ntrust = '{trust}'\n")
        with Server(None, "--host", "0.0.0.0", "--iam-file", tmp_path / "iam.toml") as server:
            assert server.ready_line.rstrip().endswith("signatures are verified)")
            RawClient(server.endpoint).error("ListTables", {}, "UnrecognizedClientException", BAD_TOKEN)

    def test_over_the_api_the_first_principal_is_one_who_can_sign(self):
        with Server() as server:
            iam = User("anybody", []).boto(server, "iam")
            with pytest.raises(botocore.exceptions.ClientError, match="nobody could sign"):
                iam.create_user(UserName="bob")
            assert RawClient(server.endpoint).post("ListTables", {}).status == 200
            made = iam.create_access_key()["AccessKey"]
            RawClient(server.endpoint).error("ListTables", {}, "UnrecognizedClientException", BAD_TOKEN)
            assert RawClient(server.endpoint, access_key=made["AccessKeyId"], secret_key=made["SecretAccessKey"]).post("ListTables", {}).status == 200

    def test_an_address_that_others_reach_needs_a_principal(self, tmp_path, admin):
        with pytest.raises(StartFailed) as refusal:
            Server(tmp_path / "data", "--host", "0.0.0.0").start()
        assert refusal.value.returncode == 1
        assert refusal.value.stderr.splitlines()[-1].startswith(
            "armature: refusing to listen on 0.0.0.0: there are no principals, so anybody who reaches it could read and write everything (")
        with Server(tmp_path / "data", "--host", "0.0.0.0", "--iam-file", write_file(tmp_path / "iam.toml", admin)) as server:
            assert admin.raw(server).post("ListTables", {}).status == 200
            assert RawClient(server.endpoint).post("ListTables", {}).status == 400
        with Server(None, "--host", "0.0.0.0", "--allow-unauthenticated") as server:
            assert RawClient(server.endpoint).post("ListTables", {}).status == 200

    @pytest.mark.parametrize("text, fault", [("[[users]]\nname = 7\n", "name must be text"), ("nonsense = ", ""),
                                             ("[[users]]\nname = 'a'\npolicies = ['nobody']\n", "nobody")])
    def test_a_file_with_a_fault_is_one_line_and_no_start(self, tmp_path, text, fault):
        file = tmp_path / "iam.toml"
        file.write_text(text)
        with pytest.raises(StartFailed) as refusal:
            Server(tmp_path / "data", "--iam-file", file).start()
        assert refusal.value.returncode == 1
        line = refusal.value.stderr.splitlines()[-1]
        assert line.startswith("armature: ") and str(file) in line and fault in line

    def test_without_its_key_the_server_does_not_start(self, tmp_path, admin):
        data = tmp_path / "data"
        with Server(data, "--iam-file", write_file(tmp_path / "iam.toml", admin)):
            pass
        key = data / "iam.key"
        assert key.stat().st_mode & 0o777 == 0o600
        moved = key.rename(tmp_path / "elsewhere.key")
        with pytest.raises(StartFailed) as refusal:
            Server(data).start()
        assert refusal.value.stderr.startswith("armature: IAM's secrets are encrypted with key ")
        with Server(data, "--iam-key", moved) as server:
            assert admin.raw(server).post("ListTables", {}).status == 200
