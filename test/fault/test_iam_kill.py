"""kill -9 around changes of IAM: what was acknowledged is there, what was not is whole or not there, and nobody is let in meanwhile."""

import random
import re
import subprocess
import threading
import time

import botocore.exceptions
import pytest

from harness.principals import User, administrator, allow, policy, write_file
from harness.raw import RawClient
from harness.server import Server, StartFailed, binary
from harness.waiting import wait_until

LINES = re.compile(r"AWS_ACCESS_KEY_ID=(AKIA[A-Z2-7]{16})\nAWS_SECRET_ACCESS_KEY=([A-Za-z0-9/+]{40})\n")
BAD_TOKEN = "The security token included in the request is invalid."
ROUNDS = 12


def init(data, *arguments):
    return subprocess.run([binary(), "iam", "init", "--data", str(data), *arguments], capture_output=True, text=True, timeout=60)


def key_in(done):
    assert done.returncode == 0, done.stderr
    return LINES.fullmatch(done.stdout).groups()


def may_list(server, key_id, secret):
    client = RawClient(server.endpoint, access_key=key_id, secret_key=secret)
    try:
        return client.post("ListTables", {}).status == 200
    finally:
        client.close()


def test_the_administrator_is_there_after_a_kill(data):
    key = key_in(init(data))
    for _ in range(3):
        server = Server(data).start()
        assert server.ready_line.rstrip().endswith("signatures are verified)")
        assert may_list(server, *key)
        RawClient(server.endpoint).error("ListTables", {}, "UnrecognizedClientException", BAD_TOKEN)
        server.kill()


def test_asked_again_there_is_one_more_key_and_not_a_third(data):
    keys = [key_in(init(data)) for _ in range(2)]
    third = init(data)
    assert third.returncode == 1 and third.stdout == ""
    assert len(third.stderr.splitlines()) == 1 and third.stderr.startswith("armature iam: ")
    with Server(data) as server:
        assert all(may_list(server, *key) for key in keys)


def test_a_directory_in_use_is_refused_in_one_line(data):
    with Server(data):
        refused = init(data)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == f"armature iam: {data} is in use: stop the server first\n"


def test_killed_while_it_makes_a_key_nothing_is_half_there(data):
    """At whatever moment: the directory opens, and a key that was printed works."""
    rng = random.Random(1)
    printed = []
    for number in range(ROUNDS):
        process = subprocess.Popen([binary(), "iam", "init", "--data", str(data), "--user", f"u{number}"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(rng.uniform(0, 0.06))  # the moment is the point: there is nothing to wait for
        process.kill()
        out, _ = process.communicate()
        if match := LINES.fullmatch(out):
            printed.append(match.groups())
    printed.append(key_in(init(data, "--user", "last")))
    with Server(data) as server:
        assert all(may_list(server, *key) for key in printed)
        assert not may_list(server, "AKIAZZZZZZZZZZZZZZZZ", "nothing")


def test_principals_of_a_file_are_there_after_a_kill_and_none_is_half_there(data, tmp_path):
    users = [administrator(), *(User(f"user{number}", [allow("dynamodb:ListTables")]) for number in range(40))]
    file = write_file(tmp_path / "iam.toml", *users)
    server = Server(data, "--iam-file", file).start()
    server.kill()
    with Server(data) as server:
        assert all(may_list(server, user.key_id, user.secret) for user in users)


def test_killed_while_it_reads_the_file_all_of_it_is_there_or_nothing(tmp_path):
    users = [User(f"user{number}", [allow("dynamodb:ListTables")]) for number in range(200)]
    file = write_file(tmp_path / "iam.toml", *users)
    rng = random.Random(2)
    for number in range(6):
        data = tmp_path / f"data{number}"
        process = subprocess.Popen([binary(), "serve", "--host", "127.0.0.1", "--port", "0", "--data", str(data), "--iam-file", str(file)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.005, 0.05))  # the moment is the point: there is nothing to wait for
        process.kill()
        process.wait()
        with Server(data) as server:
            known = [user for user in (users[0], users[-1], users[100]) if may_list(server, user.key_id, user.secret)]
            is_open = may_list(server, "anybody", "anything")
            # Either there are no principals at all and everybody is believed, or all of them.
            assert is_open == server.ready_line.rstrip().endswith("any signature is accepted)")
            assert len(known) == 3


class Changer:
    """Makes users of its own, one after the other, with a tag, a policy and a key; what was acknowledged of each is known."""

    def __init__(self, name):
        self.name, self.known, self.errors, self.count = name, {}, [], 0

    def work(self, iam):
        try:
            while True:
                self.count += 1
                self.change(iam, f"{self.name}-{self.count}")
        except (botocore.exceptions.ClientError, botocore.exceptions.BotoCoreError) as error:
            if isinstance(error, botocore.exceptions.ClientError):
                self.errors.append(error)  # a server that is killed says nothing

    def change(self, iam, user):
        told = self.known.setdefault(user, [])
        iam.create_user(UserName=user, Tags=[{"Key": "t", "Value": user}])
        told.append("user")
        iam.put_user_policy(UserName=user, PolicyName="p", PolicyDocument=policy(allow("dynamodb:ListTables")))
        told.append("policy")
        told.append(iam.create_access_key(UserName=user)["AccessKey"])
        if self.count % 3 == 0:
            key = told[-1]["AccessKeyId"]
            told.append("deleting")
            iam.delete_access_key(UserName=user, AccessKeyId=key)
            iam.delete_user_policy(UserName=user, PolicyName="p")
            iam.delete_user(UserName=user)
            told.append("deleted")

    def check(self, server, iam):
        """Of the last one something may be there that was not acknowledged; it may not be half there."""
        for user, told in self.known.items():
            key = next((one for one in told if isinstance(one, dict)), None)
            if "deleted" in told:
                with pytest.raises(iam.exceptions.NoSuchEntityException):
                    iam.get_user(UserName=user)
                assert not may_list(server, key["AccessKeyId"], key["SecretAccessKey"]), user
            elif "deleting" not in told:
                if "user" in told:
                    assert iam.get_user(UserName=user)["User"]["Tags"] == [{"Key": "t", "Value": user}]
                if "policy" in told:
                    assert iam.list_user_policies(UserName=user)["PolicyNames"] == ["p"]
                if key:
                    assert may_list(server, key["AccessKeyId"], key["SecretAccessKey"]), user


def test_killed_among_changes_of_many_nothing_acknowledged_is_lost(data, tmp_path):
    """Several callers change IAM at once, again and again until the server is killed under them."""
    admin = administrator()
    file = write_file(tmp_path / "iam.toml", admin)
    rng = random.Random(3)
    changers = [Changer(f"c{number}") for number in range(4)]
    for _ in range(6):
        server = Server(data, "--iam-file", file).start()
        clients = [admin.boto(server, "iam") for _ in changers]
        before = sum(changer.count for changer in changers)
        threads = [threading.Thread(target=changer.work, args=(client,)) for changer, client in zip(changers, clients)]
        for thread in threads:
            thread.start()
        many = before + rng.randint(5, 40)
        wait_until(lambda: sum(changer.count for changer in changers) >= many or not any(thread.is_alive() for thread in threads))
        server.kill()
        for thread in threads:
            thread.join()
        assert not [error for changer in changers for error in changer.errors]
        with Server(data, "--iam-file", file) as again:
            for changer in changers:
                changer.check(again, admin.boto(again, "iam"))
    assert sum("deleted" in told for changer in changers for told in changer.known.values()) > 5


def test_a_damaged_key_file_is_one_line_and_no_start(data):
    key_in(init(data))
    (data / "iam.key").write_text("no key\n")
    with pytest.raises(StartFailed) as refusal:
        Server(data).start()
    assert refusal.value.stderr == f"armature: {data}/iam.key: line 1: a key is 64 hexadecimal digits\n"
