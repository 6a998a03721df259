"""IAM on the same port, as boto3 and the AWS CLI use it: principals are made, given rights, and have them at once."""

import json
import os
import shutil
import subprocess

import botocore.exceptions
import pytest

from harness.principals import ACCOUNT, REGION, User, administrator, allow, policy, write_file
from harness.server import Server

ADMIN = administrator()
NOBODY = User("nobody", [])


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("iam")
    with Server(folder / "data", "--iam-file", write_file(folder / "iam.toml", ADMIN, NOBODY)) as server:
        yield server


@pytest.fixture(scope="module")
def iam(guarded):
    return ADMIN.boto(guarded, "iam")


@pytest.fixture
def code():
    """The Code of the error that a call ends with."""
    def of(call, **arguments):
        with pytest.raises(botocore.exceptions.ClientError) as raised:
            call(**arguments)
        return raised.value.response["Error"]["Code"]
    return of


def user_of(key):
    """Somebody who signs with a key that CreateAccessKey gave."""
    user = User(key["UserName"], [])
    user.key_id, user.secret = key["AccessKeyId"], key["SecretAccessKey"]
    return user


def test_a_user_can_do_what_his_policy_says_at_once(guarded, iam, code):
    iam.create_user(UserName="carol", Path="/team/", Tags=[{"Key": "team", "Value": "red"}])
    carol = user_of(iam.create_access_key(UserName="carol")["AccessKey"])
    assert code(carol.boto(guarded).list_tables) == "AccessDeniedException"
    iam.put_user_policy(UserName="carol", PolicyName="list", PolicyDocument=policy(allow("dynamodb:ListTables")))
    assert carol.boto(guarded).list_tables()["TableNames"] == []
    iam.delete_user_policy(UserName="carol", PolicyName="list")
    assert code(carol.boto(guarded).list_tables) == "AccessDeniedException"
    iam.update_access_key(UserName="carol", AccessKeyId=carol.key_id, Status="Inactive")
    assert code(carol.boto(guarded).list_tables) in ("UnrecognizedClientException", "InvalidClientTokenId")
    assert iam.get_user(UserName="carol")["User"]["Tags"] == [{"Key": "team", "Value": "red"}]


def test_documents_come_back_as_they_were_given(iam):
    document = {"Version": "2012-10-17", "Statement": [{"Sid": "A", "Effect": "Allow", "Action": "dynamodb:*", "Resource": "*",
                                                        "Condition": {"StringLike": {"aws:UserAgent": "100%&<é>"}}}]}
    arn = iam.create_policy(PolicyName="odd", PolicyDocument=json.dumps(document))["Policy"]["Arn"]
    assert iam.get_policy_version(PolicyArn=arn, VersionId="v1")["PolicyVersion"]["Document"] == document
    iam.create_policy_version(PolicyArn=arn, PolicyDocument=policy(allow("*")), SetAsDefault=True)
    versions = iam.list_policy_versions(PolicyArn=arn)["Versions"]
    assert [(version["VersionId"], version["IsDefaultVersion"]) for version in versions] == [("v2", True), ("v1", False)]
    trust = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"AWS": ACCOUNT}, "Action": "sts:AssumeRole"}]}
    iam.create_role(RoleName="odd", AssumeRolePolicyDocument=json.dumps(trust))
    assert iam.get_role(RoleName="odd")["Role"]["AssumeRolePolicyDocument"] == trust


def test_a_paginator_sees_every_user_once(iam):
    names = {f"page-{number:02}" for number in range(25)}
    for name in names:
        iam.create_user(UserName=name, Path="/pages/")
    pages = list(iam.get_paginator("list_users").paginate(PathPrefix="/pages/", PaginationConfig={"PageSize": 10}))
    listed = [user["UserName"] for page in pages for user in page["Users"]]
    assert len(pages) == 3 and listed == sorted(names)


def test_errors_are_those_that_boto3_knows(iam):
    with pytest.raises(iam.exceptions.NoSuchEntityException, match="The user with name zed cannot be found."):
        iam.get_user(UserName="zed")
    iam.create_user(UserName="twice")
    with pytest.raises(iam.exceptions.EntityAlreadyExistsException):
        iam.create_user(UserName="Twice")
    with pytest.raises(iam.exceptions.MalformedPolicyDocumentException):
        iam.put_user_policy(UserName="twice", PolicyName="p", PolicyDocument="{}")


def test_who_may_not_manage_is_told_so(guarded, code):
    nobody = NOBODY.boto(guarded, "iam")
    assert code(nobody.list_users) == "AccessDenied"
    with pytest.raises(botocore.exceptions.ClientError) as raised:
        nobody.create_user(UserName="mine")
    resource = f"arn:aws:iam::{ACCOUNT}:user/mine"
    assert raised.value.response["Error"]["Message"] == NOBODY.denied("iam:CreateUser", resource)
    assert raised.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403


def test_a_simulation_says_which_statement_decides(iam):
    result = iam.simulate_custom_policy(PolicyInputList=[policy(allow("dynamodb:Get*"))],
                                        ActionNames=["dynamodb:GetItem", "dynamodb:PutItem"])["EvaluationResults"]
    assert [one["EvalDecision"] for one in result] == ["allowed", "implicitDeny"]
    assert result[0]["MatchedStatements"][0]["SourcePolicyId"] == "PolicyInputList.1"


def test_the_whole_account_in_one_call(iam):
    iam.create_user(UserName="whole")
    iam.attach_user_policy(UserName="whole", PolicyArn="arn:aws:iam::aws:policy/AmazonDynamoDBReadOnlyAccess")
    details = iam.get_account_authorization_details()
    whole = next(user for user in details["UserDetailList"] if user["UserName"] == "whole")
    assert whole["AttachedManagedPolicies"][0]["PolicyName"] == "AmazonDynamoDBReadOnlyAccess"
    assert iam.get_account_summary()["SummaryMap"]["Users"] >= 3


def test_what_was_made_is_there_after_kill_9(tmp_path):
    first = Server(tmp_path / "data", "--iam-file", write_file(tmp_path / "iam.toml", ADMIN)).start()
    ADMIN.boto(first, "iam").create_user(UserName="kept")
    first.kill()
    with Server(tmp_path / "data", "--iam-file", tmp_path / "iam.toml") as server:
        assert ADMIN.boto(server, "iam").get_user(UserName="kept")["User"]["UserName"] == "kept"


def run_cli(server, user, *arguments):
    environment = {**os.environ, "AWS_ACCESS_KEY_ID": user.key_id, "AWS_SECRET_ACCESS_KEY": user.secret, "AWS_REGION": REGION,
                   "AWS_PAGER": "", "AWS_EC2_METADATA_DISABLED": "true"}
    program = "/usr/bin/aws" if os.path.exists("/usr/bin/aws") else shutil.which("aws")
    return subprocess.run([program, "--endpoint-url", server.endpoint, "--output", "json", *arguments],
                          env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_the_aws_cli_manages_principals(guarded):
    made = run_cli(guarded, ADMIN, "iam", "create-user", "--user-name", "cli", "--tags", "Key=a,Value=b")
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["User"]["Arn"] == f"arn:aws:iam::{ACCOUNT}:user/cli"
    attached = run_cli(guarded, ADMIN, "iam", "attach-user-policy", "--user-name", "cli", "--policy-arn",
                       "arn:aws:iam::aws:policy/AmazonDynamoDBFullAccess")
    assert attached.returncode == 0, attached.stderr
    listed = run_cli(guarded, ADMIN, "iam", "list-attached-user-policies", "--user-name", "cli")
    assert json.loads(listed.stdout)["AttachedPolicies"][0]["PolicyName"] == "AmazonDynamoDBFullAccess"
    missing = run_cli(guarded, ADMIN, "iam", "get-user", "--user-name", "zed")
    assert missing.returncode != 0 and "NoSuchEntity" in missing.stderr
