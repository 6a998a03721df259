"""STS on the same port, as boto3 uses it: roles are assumed, and what their sessions may do ends where their policies do."""

import base64
import json
import subprocess
import time

import boto3
import botocore.config
import botocore.exceptions
import pytest
from botocore import UNSIGNED

from harness.principals import ACCOUNT, REGION, User, administrator, allow, policy, table_arn, write_file
from harness.server import Server

ADMIN = administrator()
BOB = User("bob", [allow(["sts:AssumeRole", "sts:TagSession", "sts:GetFederationToken", "dynamodb:ListTables"])])
ISSUER = "https://issuer.example"


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def openssl(*arguments, data=None):
    return subprocess.run(["openssl", *arguments], input=data, capture_output=True, check=True, timeout=60).stdout


class Issuer:
    """Signs tokens with RS256, by the openssl command."""

    def __init__(self, folder):
        self.key = folder / "issuer.pem"
        self.key.write_bytes(openssl("genrsa", "2048"))

    def key_set(self):
        modulus = openssl("rsa", "-in", str(self.key), "-noout", "-modulus").decode().strip().partition("=")[2]
        return json.dumps({"keys": [{"kty": "RSA", "alg": "RS256", "kid": "k1", "n": encode(bytes.fromhex(modulus)), "e": "AQAB"}]})

    def token(self, subject, **claims):
        now = int(time.time())
        body = {"iss": ISSUER, "sub": subject, "aud": "app", "iat": now, "exp": now + 600, **claims}
        text = ".".join(encode(json.dumps(part).encode()) for part in ({"alg": "RS256", "kid": "k1"}, body))
        return f"{text}.{encode(openssl('dgst', '-sha256', '-sign', str(self.key), data=text.encode()))}"


@pytest.fixture(scope="module")
def issuer(tmp_path_factory):
    return Issuer(tmp_path_factory.mktemp("issuer"))


@pytest.fixture(scope="module")
def guarded(tmp_path_factory, issuer):
    folder = tmp_path_factory.mktemp("sts")
    keys = folder / "keys.json"
    keys.write_text(issuer.key_set())
    with Server(folder / "data", "--iam-file", write_file(folder / "iam.toml", ADMIN, BOB), "--oidc-issuer", f"{ISSUER}={keys}") as server:
        yield server


@pytest.fixture(scope="module")
def iam(guarded):
    return ADMIN.boto(guarded, "iam")


def trust(principal, action="sts:AssumeRole", **condition):
    statement = {"Effect": "Allow", "Principal": principal, "Action": action}
    if condition:
        statement["Condition"] = condition
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def client(server, credentials, service="dynamodb"):
    return boto3.client(service, endpoint_url=server.endpoint, region_name=REGION, aws_access_key_id=credentials["AccessKeyId"],
                        aws_secret_access_key=credentials["SecretAccessKey"], aws_session_token=credentials["SessionToken"],
                        config=botocore.config.Config(retries={"max_attempts": 0}))


def code_of(call, **arguments):
    with pytest.raises(botocore.exceptions.ClientError) as raised:
        call(**arguments)
    return raised.value.response["Error"]["Code"]


def test_everybody_learns_who_he_is(guarded):
    told = BOB.boto(guarded, "sts").get_caller_identity()
    assert (told["Account"], told["Arn"]) == (ACCOUNT, BOB.arn)
    assert told["UserId"].startswith("AIDA")


def test_a_role_is_assumed_and_its_session_ends_with_it(guarded, iam):
    iam.create_role(RoleName="reader", Path="/team/", AssumeRolePolicyDocument=trust({"AWS": BOB.arn}))
    iam.put_role_policy(RoleName="reader", PolicyName="list", PolicyDocument=policy(allow("dynamodb:ListTables")))
    role = f"arn:aws:iam::{ACCOUNT}:role/team/reader"
    answer = BOB.boto(guarded, "sts").assume_role(RoleArn=role, RoleSessionName="s1")
    assert answer["AssumedRoleUser"]["Arn"] == f"arn:aws:sts::{ACCOUNT}:assumed-role/reader/s1"
    session = client(guarded, answer["Credentials"])
    assert session.list_tables()["TableNames"] == []
    assert code_of(session.describe_limits) == "AccessDeniedException"
    iam.delete_role_policy(RoleName="reader", PolicyName="list")
    assert code_of(session.list_tables) == "AccessDeniedException"
    iam.delete_role(RoleName="reader")
    assert code_of(session.list_tables) == "UnrecognizedClientException"


def test_who_is_not_trusted_learns_nothing(guarded, iam):
    iam.create_role(RoleName="closed", AssumeRolePolicyDocument=trust({"AWS": ADMIN.arn}))
    sts = BOB.boto(guarded, "sts")
    texts = []
    for name in ("closed", "absent"):
        with pytest.raises(botocore.exceptions.ClientError) as raised:
            sts.assume_role(RoleArn=f"arn:aws:iam::{ACCOUNT}:role/{name}", RoleSessionName="s1")
        texts.append(raised.value.response["Error"]["Message"].replace(name, "NAME"))
    assert texts == [f"User: {BOB.arn} is not authorized to perform: sts:AssumeRole on resource: arn:aws:iam::{ACCOUNT}:role/NAME"] * 2


def test_session_tags_and_policies_bind_a_session(guarded, iam):
    iam.create_role(RoleName="tagged", AssumeRolePolicyDocument=trust({"AWS": BOB.arn}, ["sts:AssumeRole", "sts:TagSession"]))
    iam.put_role_policy(RoleName="tagged", PolicyName="p", PolicyDocument=policy(
        allow("dynamodb:ListTables", "*", StringEquals={"aws:PrincipalTag/team": "red"}), allow("dynamodb:DescribeLimits")))
    assume = BOB.boto(guarded, "sts").assume_role
    role = f"arn:aws:iam::{ACCOUNT}:role/tagged"
    red = assume(RoleArn=role, RoleSessionName="s1", Tags=[{"Key": "team", "Value": "red"}])
    assert red["PackedPolicySize"] > 0
    assert client(guarded, red["Credentials"]).list_tables()["TableNames"] == []
    blue = assume(RoleArn=role, RoleSessionName="s1", Tags=[{"Key": "team", "Value": "blue"}])
    assert code_of(client(guarded, blue["Credentials"]).list_tables) == "AccessDeniedException"
    bound = assume(RoleArn=role, RoleSessionName="s1", Policy=policy(allow("dynamodb:ListTables")))
    assert code_of(client(guarded, bound["Credentials"]).describe_limits) == "AccessDeniedException"


def test_sessions_of_a_user(guarded):
    sts = BOB.boto(guarded, "sts")
    session = sts.get_session_token()["Credentials"]
    assert client(guarded, session).list_tables()["TableNames"] == []
    assert client(guarded, session, "sts").get_caller_identity()["Arn"] == BOB.arn
    assert code_of(client(guarded, session, "iam").list_users) == "InvalidClientTokenId"
    guest = sts.get_federation_token(Name="guest", Policy=policy(allow("dynamodb:*")))
    assert guest["PackedPolicySize"] > 0
    assert client(guarded, guest["Credentials"]).list_tables()["TableNames"] == []
    assert code_of(client(guarded, guest["Credentials"]).describe_limits) == "AccessDeniedException"


def test_each_web_identity_has_its_own_items(guarded, iam, issuer, tmp_path):
    iam.create_open_id_connect_provider(Url=ISSUER, ClientIDList=["app"], ThumbprintList=["0" * 40])  # older models demand one
    provider = f"arn:aws:iam::{ACCOUNT}:oidc-provider/issuer.example"
    iam.create_role(RoleName="player", AssumeRolePolicyDocument=trust(
        {"Federated": provider}, "sts:AssumeRoleWithWebIdentity", StringEquals={"issuer.example:aud": "app"}))
    iam.put_role_policy(RoleName="player", PolicyName="own", PolicyDocument=policy(
        allow(["dynamodb:GetItem", "dynamodb:PutItem"], table_arn("Scores"),
              **{"ForAllValues_StringEquals": {"dynamodb:LeadingKeys": ["${issuer.example:sub}"]}})))
    ADMIN.boto(guarded).create_table(TableName="Scores", KeySchema=[{"AttributeName": "Id", "KeyType": "HASH"}],
                                     AttributeDefinitions=[{"AttributeName": "Id", "AttributeType": "S"}], BillingMode="PAY_PER_REQUEST")
    sts = boto3.client("sts", endpoint_url=guarded.endpoint, region_name=REGION, config=botocore.config.Config(signature_version=UNSIGNED))
    role = f"arn:aws:iam::{ACCOUNT}:role/player"
    answer = sts.assume_role_with_web_identity(RoleArn=role, RoleSessionName="web", WebIdentityToken=issuer.token("ann"))
    assert (answer["SubjectFromWebIdentityToken"], answer["Audience"], answer["Provider"]) == ("ann", "app", ISSUER)
    ann = client(guarded, answer["Credentials"])
    ann.put_item(TableName="Scores", Item={"Id": {"S": "ann"}, "Points": {"N": "7"}})
    assert ann.get_item(TableName="Scores", Key={"Id": {"S": "ann"}})["Item"]["Points"] == {"N": "7"}
    assert code_of(ann.get_item, TableName="Scores", Key={"Id": {"S": "zoe"}}) == "AccessDeniedException"
    assume = sts.assume_role_with_web_identity
    assert code_of(assume, RoleArn=role, RoleSessionName="web", WebIdentityToken=Issuer(tmp_path).token("ann")) == "InvalidIdentityToken"
    old = issuer.token("ann", exp=int(time.time()) - 5)
    assert code_of(assume, RoleArn=role, RoleSessionName="web", WebIdentityToken=old) == "ExpiredTokenException"
