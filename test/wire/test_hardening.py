"""What a server tells nobody: its memory, its keys, its metrics to strangers, and no secret in whatever it writes or answers."""

import http.client
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile

import boto3
import botocore.config
import pytest

from harness import tables
from harness.principals import REGION, User, administrator, allow, write_file
from harness.raw import RawClient
from harness.server import Server, StartFailed, binary, is_sanitized
from harness.waiting import wait_until

ADMIN = administrator()
ALICE = User("alice", [allow("*")])
NOBODY = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs another user on this machine")


def own_address():
    """One of this machine's that is not loopback's; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("198.51.100.1", 9))
            address = probe.getsockname()[0]
        except OSError:
            return None
    return None if address.startswith("127.") else address


# --- memory


class TestMemory:
    @as_root
    def test_a_crash_leaves_no_core(self, tmp_path):
        unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        with_core = {}
        # Sanitizers leave no cores by themselves: theirs would be of terabytes.
        for options in ((),) if is_sanitized() else ((), ("--core-dumps",)):
            # A directory of its own, for it to lie in; the last one first says whether the system makes any at all.
            # Whoever runs the tests in the background has SIGQUIT ignored, and its children with it.
            server = Server(None, *options, preexec=lambda: (signal.signal(signal.SIGQUIT, signal.SIG_DFL), os.chdir(tmp_path),
                                                             resource.setrlimit(resource.RLIMIT_CORE, unlimited)))
            server.start()
            os.kill(server.pid, signal.SIGQUIT)
            _, status = os.waitpid(server.pid, 0)
            server.process.returncode = -signal.SIGQUIT
            server._finish()
            assert os.WIFSIGNALED(status)
            with_core[options] = os.WCOREDUMP(status)
            for core in tmp_path.glob("core*"):
                core.unlink()
        assert not with_core[()]
        if not with_core.get(("--core-dumps",), True):
            pytest.skip("this system makes no core files at all")

    @as_root
    @pytest.mark.parametrize("options, readable", [((), False), (("--core-dumps",), True)])
    def test_other_processes_of_the_same_user_cannot_look_into_it(self, tmp_path, options, readable):
        with Server(None, *options, preexec=lambda: os.setuid(NOBODY)) as server:
            looked = subprocess.run([sys.executable, "-c", f"open('/proc/{server.pid}/environ', 'rb').read(); open('/proc/{server.pid}/mem', 'rb')"],
                                    preexec_fn=lambda: os.setuid(NOBODY), capture_output=True, text=True, timeout=60)
            assert (looked.returncode == 0) == readable, looked.stderr
            assert readable or "PermissionError" in looked.stderr


    @as_root
    def test_nor_into_a_command_that_handles_secrets(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            waits = os.path.join(folder, "principals.toml")
            os.mkfifo(waits)
            os.chmod(waits, 0o644)
            command = subprocess.Popen([binary(), "iam", "check", "--iam-file", waits, "--principal", ADMIN.arn, "--action", "a:b", "--resource", "*"],
                                       preexec_fn=lambda: os.setuid(NOBODY), stdout=subprocess.PIPE, text=True)
            with open(waits, "w") as principals:  # it has opened the other end
                looked = subprocess.run([sys.executable, "-c", f"open('/proc/{command.pid}/environ', 'rb').read()"],
                                        preexec_fn=lambda: os.setuid(NOBODY), capture_output=True, text=True, timeout=60)
                assert "PermissionError" in looked.stderr
                principals.write(ADMIN.toml())
            assert "decision   allowed" in command.communicate(timeout=60)[0]


# --- what handlers of triggers are given

TELLER = """
import json, os, sys
for line in sys.stdin:
    with open(sys.argv[1], "w") as told:
        json.dump(dict(os.environ), told)
    print("{}", flush=True)
"""
KEYS = {"AWS_ACCESS_KEY_ID": "AKIAOFTHESERVER", "AWS_SECRET_ACCESS_KEY": "secret-of-the-server", "AWS_SESSION_TOKEN": "token-of-the-server"}


class TestHandlers:
    def environment_of_a_handler(self, tmp_path, monkeypatch, *options, user=None):
        for name, value in {**KEYS, "ARMATURE_IAM_KEY": "ab" * 32, "ARMATURE_DATA_KEY": "cd" * 32, "USUAL": "thing"}.items():
            monkeypatch.setenv(name, value)
        (tmp_path / "teller.py").write_text(TELLER)
        config = tmp_path / "triggers.toml"
        config.write_text(f"""
[function.teller]
command = [{json.dumps(sys.executable)}, {json.dumps(str(tmp_path / "teller.py"))}, {json.dumps(str(tmp_path / "told.json"))}]
environment = {{ OWN = "its own", ARMATURE_SETTING = "its own too" }}
[[trigger]]
name = "all"
table = "Told"
function = "teller"
""")
        with Server(tmp_path / "data", "--trigger", config, *options) as server:
            db = user.raw(server) if user else RawClient(server.endpoint)
            tables.create(db, name="Told", StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
            db.ok("PutItem", {"TableName": "Told", "Item": {"pk": {"S": "x"}}})
            wait_until(lambda: (tmp_path / "told.json").exists() and (tmp_path / "told.json").read_text().endswith("}"), 60, "no handler was called")
            db.close()
        told = json.loads((tmp_path / "told.json").read_text())
        assert told["OWN"] == "its own" and told["ARMATURE_SETTING"] == "its own too" and told["USUAL"] == "thing"
        assert told["AWS_ENDPOINT_URL_DYNAMODB"].startswith("http://")
        assert not {"ARMATURE_IAM_KEY", "ARMATURE_DATA_KEY"} & set(told)
        return told

    def test_while_anybody_is_believed_they_have_the_users_keys(self, tmp_path, monkeypatch):
        assert KEYS.items() <= self.environment_of_a_handler(tmp_path, monkeypatch).items()

    def test_once_signatures_are_verified_they_have_no_keys_but_their_own(self, tmp_path, monkeypatch):
        told = self.environment_of_a_handler(tmp_path, monkeypatch, "--iam-file", write_file(tmp_path / "iam.toml", ADMIN), user=ADMIN)
        assert not set(KEYS) & set(told)

    def test_nor_those_that_streams_of_kinesis_are_fed_with(self, tmp_path, monkeypatch):
        told = self.environment_of_a_handler(tmp_path, monkeypatch, "--kinesis-endpoint", "http://127.0.0.1:9")
        assert not set(KEYS) & set(told)


# --- metrics


def get_metrics(server, address="127.0.0.1", token=None):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    connection = http.client.HTTPConnection(address, server.port, timeout=60)
    connection.request("GET", "/metrics", headers=headers)
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply.status, text, reply.headers


class TestMetrics:
    TOKEN = "scrape-0123456789abcdef"

    def test_a_token_is_asked_for_wherever_one_comes_from(self, tmp_path):
        (tmp_path / "token").write_text(self.TOKEN + "\n")
        with Server(None, "--metrics-token", tmp_path / "token") as server:
            for token in (None, "scrape-0123456789abcdee", self.TOKEN + "x", self.TOKEN[:-1]):
                status, text, headers = get_metrics(server, token=token)
                assert status == 401 and "armature_" not in text and headers["WWW-Authenticate"] == "Bearer"
            status, text, _ = get_metrics(server, token=self.TOKEN)
            assert status == 200 and "armature_requests_total" in text
            assert self.TOKEN not in text

    @pytest.mark.skipif(own_address() is None, reason="this machine has no address but loopback's")
    def test_without_one_strangers_get_none_once_signatures_are_verified(self, tmp_path):
        iam = ("--iam-file", write_file(tmp_path / "iam.toml", ADMIN))
        with Server(None, "--host", "0.0.0.0", *iam) as server:
            assert get_metrics(server)[0] == 200
            status, text, _ = get_metrics(server, own_address())
            assert status == 403 and "--metrics-token" in text and "armature_requests" not in text
        with Server(None, "--host", "0.0.0.0", "--allow-unauthenticated") as server:
            assert get_metrics(server, own_address())[0] == 200
        (tmp_path / "token").write_text(self.TOKEN)
        with Server(None, "--host", "0.0.0.0", "--metrics-token", tmp_path / "token", *iam) as server:
            assert get_metrics(server, own_address(), self.TOKEN)[0] == 200

    @pytest.mark.parametrize("text", [None, "", "\n", "short\n"])
    def test_a_file_without_a_token_is_no_open_door(self, tmp_path, text):
        if text is not None:
            (tmp_path / "token").write_text(text)
        with pytest.raises(StartFailed) as failure:
            Server(None, "--metrics-token", tmp_path / "token").start()
        assert failure.value.stderr.count("\n") == 1 and "--metrics-token" in failure.value.stderr


# --- secrets in what is written


class TestSecrets:
    def test_nothing_secret_is_written_or_answered(self, tmp_path, monkeypatch):
        """A flow through all that knows secrets, at the lowest log level; then everything the server wrote is searched."""
        master = "5ec2e7" * 10 + "abcd"
        monkeypatch.setenv("ARMATURE_IAM_KEY", master)
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "kinesis-secret-0123456789")
        token_file = tmp_path / "token"
        token_file.write_text("metrics-token-0123456789\n")
        secrets = {"master key": master, "kinesis": "kinesis-secret-0123456789", "metrics token": "metrics-token-0123456789",
                   "administrator": ADMIN.secret, "alice": ALICE.secret, "item": "whisper-in-an-item"}
        answered = []

        def said(reply):
            answered.append(reply.plain() + str(reply.headers).encode())
            return reply

        server = Server(tmp_path / "data", "--iam-file", write_file(tmp_path / "iam.toml", ADMIN, ALICE), "--log-level", "debug", "--slow-request", "0",
                        "--metrics-token", token_file, "--kinesis-endpoint", "http://127.0.0.1:9", "--request-rate-per-address", "100000")
        with server:
            options = {"endpoint_url": server.endpoint, "region_name": REGION, "config": botocore.config.Config(retries={"max_attempts": 0})}
            keys = {"aws_access_key_id": ADMIN.key_id, "aws_secret_access_key": ADMIN.secret}
            iam, sts = (boto3.client(name, **options, **keys) for name in ("iam", "sts"))
            iam.create_user(UserName="carol")
            made = iam.create_access_key(UserName="carol")["AccessKey"]
            session = sts.get_session_token()["Credentials"]
            secrets |= {"carol": made["SecretAccessKey"], "session": session["SecretAccessKey"], "session token": session["SessionToken"]}
            iam.list_access_keys(UserName="carol")
            db = ALICE.raw(server)
            tables.create(db, name="Quiet")
            item = {"TableName": "Quiet", "Item": {"pk": {"S": "x"}, "v": {"S": secrets["item"]}}}
            db.ok("PutItem", item)
            said(db.post("PutItem", {**item, "ConditionExpression": "attribute_not_exists(pk)"}))
            said(db.post("UpdateItem", {"TableName": "Quiet", "Key": {"pk": {"S": "x"}}, "UpdateExpression": "SET v = v + v"}))
            # Wrong in many ways, with right secrets nearby.
            for access, secret, token in ((ALICE.key_id, ADMIN.secret, None), (ADMIN.key_id, ALICE.secret, session["SessionToken"]),
                                          (session["AccessKeyId"], session["SecretAccessKey"], None), ("AKIDNOBODY", ALICE.secret, None),
                                          (session["AccessKeyId"], ADMIN.secret, session["SessionToken"]), (made["AccessKeyId"], made["SecretAccessKey"], "x")):
                client = RawClient(server.endpoint, access_key=access, secret_key=secret, token=token)
                said(client.post("ListTables", {}))
                said(client.post("PutItem", b'{"TableName": "Quiet", "Item": ' + secrets["item"].encode()))
                client.close()
            denied = RawClient(server.endpoint, access_key=made["AccessKeyId"], secret_key=made["SecretAccessKey"])
            said(denied.post("GetItem", {"TableName": "Quiet", "Key": {"pk": {"S": "x"}}}))
            said(denied.send("GET", "/metrics", {"Authorization": "Bearer wrong-" + "0" * 20}))
            metrics = denied.send("GET", "/metrics", {"Authorization": "Bearer " + secrets["metrics token"]})
            assert metrics.status == 200
            answered.append(metrics.plain())
            denied.close()
            db.close()
            ready = server.ready_line
        written = (ready + "".join(server.errors)).encode()
        assert b"slow request" in written  # it does log
        for name, secret in secrets.items():
            assert secret.encode() not in written, f"{name} is in the log"
            for text in answered:
                assert secret.encode() not in text, f"{name} is in an answer: {text!r}"

    def test_files_that_cannot_be_read_are_named_without_what_is_in_them(self, tmp_path):
        broken = tmp_path / "iam.toml"
        broken.write_text('[[users]]\nname = "a"\naccess_keys = [{ id = "AKIAAAAAAAAAAAAAAAAA", secret = "deep-secret-0123456789" ]\n')
        with pytest.raises(StartFailed) as failure:
            Server(None, "--iam-file", broken).start()
        assert "deep-secret" not in str(failure.value) and "iam.toml" in str(failure.value)
        broken.write_text('[[users]]\nname = "a"\naccess_keys = [{ id = "AKIAAAAAAAAAAAAAAAAA", secrets = "deep-secret-0123456789" }]\n')
        with pytest.raises(StartFailed) as failure:
            Server(None, "--iam-file", broken).start()
        assert "deep-secret" not in str(failure.value)
