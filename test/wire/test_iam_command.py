"""`armature iam` as its users see it."""

import os
import subprocess

import pytest

from harness.principals import User, allow, deny, table_arn, write_file
from harness.server import Server, binary

ANN = User("ann", [allow(["dynamodb:GetItem", "dynamodb:DeleteItem"], table_arn("Games"), "OwnItems", ForAllValues_StringEquals={
    "dynamodb:LeadingKeys": ["${aws:username}"]}), deny("dynamodb:DeleteItem", "*", "NeverDelete")])


def run(*arguments, **environment):
    return subprocess.run([binary(), "iam", *map(str, arguments)], capture_output=True, text=True, timeout=60, env={**os.environ, **environment})


def credentials_in(text):
    return dict(line.split("=", 1) for line in text.splitlines())


@pytest.fixture
def file(tmp_path):
    return write_file(tmp_path / "iam.toml", ANN)


def check(file, action="dynamodb:GetItem", *more):
    return run("check", "--iam-file", file, "--principal", ANN.arn, "--action", action, "--resource", table_arn("Games"), *more)


def test_init_prints_what_a_shell_understands_and_the_aws_cli_works_with_it(data):
    made = run("init", "--data", data)
    assert made.returncode == 0 and made.stderr == ""
    keys = credentials_in(made.stdout)
    assert set(keys) == {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
    with Server(data) as server:
        for secret, code in ((keys["AWS_SECRET_ACCESS_KEY"], 0), ("wrong", 254)):
            done = subprocess.run(["aws", "dynamodb", "list-tables", "--endpoint-url", server.endpoint, "--region", "us-east-1"], capture_output=True,
                                  text=True, timeout=60, env={**os.environ, **keys, "AWS_SECRET_ACCESS_KEY": secret, "AWS_MAX_ATTEMPTS": "1"})
            assert done.returncode == code, done.stderr
        identity = subprocess.run(["aws", "sts", "get-caller-identity", "--query", "Arn", "--output", "text", "--endpoint-url", server.endpoint,
                                   "--region", "us-east-1"], capture_output=True, text=True, timeout=60, env={**os.environ, **keys})
        assert identity.stdout == "arn:aws:iam::123456789012:user/administrator\n", identity.stderr


def test_init_for_another_account_and_name(data):
    keys = credentials_in(run("init", "--data", data, "--account", "999999999999", "--user", "zoe").stdout)
    asked = run("check", "--data", data, "--principal", "arn:aws:iam::999999999999:user/zoe", "--action", "dynamodb:DeleteTable", "--resource", "*")
    assert asked.returncode == 0, asked.stderr
    assert keys["AWS_SECRET_ACCESS_KEY"] not in asked.stdout + asked.stderr


def test_the_key_may_come_from_the_environment(data):
    key = {"ARMATURE_IAM_KEY": "ab" * 32}
    assert run("init", "--data", data, **key).returncode == 0
    assert not (data / "iam.key").exists()
    question = ["check", "--data", data, "--principal", "arn:aws:iam::123456789012:user/administrator", "--action", "a:b", "--resource", "*"]
    assert run(*question, **key).returncode == 0
    without = run(*question)
    assert without.returncode == 2 and "encrypted with key" in without.stderr


def test_check_explains_statement_by_statement(file):
    own = check(file, "dynamodb:GetItem", "--leading-key", "ann")
    assert own.returncode == 0
    assert own.stdout.splitlines() == [
        f"policy     identity-based policy 1: {ANN.arn}/own",
        "statement  identity-based policy 1, statement 1 (OwnItems): allows",
        "statement  identity-based policy 1, statement 2 (NeverDelete): would deny, but the action is another",
        "decision   allowed"]
    another = check(file, "dynamodb:GetItem", "--leading-key", "ann", "--leading-key", "bob")
    assert another.returncode == 1
    assert ("statement  identity-based policy 1, statement 1 (OwnItems): would allow, but the condition ForAllValues:StringEquals on "
            "dynamodb:LeadingKeys does not hold") in another.stdout
    assert another.stdout.splitlines()[-1] == "decision   implicitly denied: " + ANN.denied("dynamodb:GetItem", table_arn("Games"))
    denied = check(file, "dynamodb:DeleteItem", "--leading-key", "ann")
    assert denied.returncode == 1
    assert denied.stdout.splitlines()[-1] == "decision   explicitly denied: " + ANN.denied(
        "dynamodb:DeleteItem", table_arn("Games"), "with an explicit deny in an identity-based policy")


def test_check_tells_of_the_hole_that_an_absent_key_leaves(file):
    hole = check(file)
    assert hole.returncode == 0
    assert "absent     dynamodb:LeadingKeys: give it with --context if requests have it" in hole.stdout


@pytest.mark.parametrize("arguments, text", [
    (["check", "--principal", "arn:aws:iam::123456789012:user/nobody", "--action", "a", "--resource", "*"],
     "there is no user, role or root with the ARN arn:aws:iam::123456789012:user/nobody"),
    (["check", "--principal", "x", "--action", "a", "--resource", "*", "--context", "nonsense"], "nonsense is not KEY=VALUE"),
    (["check"], "--principal is required"), (["nothing"], ""), ([], "")])
def test_what_cannot_be_answered_is_exit_2(file, arguments, text):
    source = ["--iam-file", file] if arguments[:1] == ["check"] else []
    done = run(*arguments, *source)
    assert done.returncode == 2 and text in done.stderr + done.stdout


def test_help():
    for arguments in (["--help"], ["init", "--help"], ["check", "--help"]):
        assert run(*arguments).returncode == 0
