"""HTTPS with boto3, the AWS CLI, openssl and the commands of armature; new certificates while it runs; what is refused."""

import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time

import boto3
import botocore.config
import botocore.exceptions
import pytest

from harness.server import Server, StartFailed, binary, is_sanitized
from harness.waiting import poll_until

CIPHERS_OF_TLS12 = {"ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305"}
CIPHERS_OF_TLS13 = {"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"}


class Certificate:
    def __init__(self, directory, *arguments):
        self.made = subprocess.run([binary(), "tls", "self-signed", "--out", str(directory), *arguments],
                                   capture_output=True, text=True, timeout=60)
        self.file, self.key = str(directory / "cert.pem"), str(directory / "key.pem")
        self.flags = ["--tls-cert", self.file, "--tls-key", self.key]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    made = Certificate(tmp_path_factory.mktemp("tls"))
    assert made.made.returncode == 0, made.made.stderr
    return made


@pytest.fixture(scope="module")
def both(certificate):
    """HTTP and HTTPS side by side."""
    with Server(None, *certificate.flags, "--tls-port", "0") as running:
        yield running


def client_of(endpoint, verify):
    return boto3.client("dynamodb", endpoint_url=endpoint, verify=verify, region_name="us-east-1", aws_access_key_id="a",
                        aws_secret_access_key="b", config=botocore.config.Config(retries={"max_attempts": 0}))


def make_table(client, name):
    client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])


def openssl(*arguments, port, **options):
    return subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{port}", *arguments], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", timeout=60, **options)


def shown_certificate(port):
    return ssl.get_server_certificate(("127.0.0.1", port))


def hang_up(server):
    os.kill(server.pid, signal.SIGHUP)


def test_boto3_by_both_ways_sees_one_server(both, certificate):
    secure = client_of(f"https://localhost:{both.tls_port}", certificate.file)
    plain = client_of(both.endpoint, None)
    make_table(secure, "tls-boto3")
    large = "x" * 390_000
    secure.put_item(TableName="tls-boto3", Item={"pk": {"S": "a"}, "v": {"S": large}})
    assert plain.get_item(TableName="tls-boto3", Key={"pk": {"S": "a"}})["Item"]["v"]["S"] == large
    for number in range(12):
        secure.put_item(TableName="tls-boto3", Item={"pk": {"S": str(number)}, "v": {"S": large}})
    assert sum(len(page["Items"]) for page in secure.get_paginator("scan").paginate(TableName="tls-boto3")) == 13
    for address in ("127.0.0.1", "localhost"):
        assert client_of(f"https://{address}:{both.tls_port}", certificate.file).list_tables()["TableNames"] == ["tls-boto3"]
    secure.delete_table(TableName="tls-boto3")


def test_who_does_not_know_the_certificate_does_not_go_on(both):
    with pytest.raises(botocore.exceptions.SSLError, match="CERTIFICATE_VERIFY_FAILED|certificate verify failed"):
        client_of(f"https://localhost:{both.tls_port}", True).list_tables()


def test_the_aws_cli_with_its_own_bundle(both, certificate):
    program = "/usr/bin/aws" if os.path.exists("/usr/bin/aws") else shutil.which("aws")
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b",
                   "AWS_DEFAULT_REGION": "us-east-1", "AWS_PAGER": ""}
    done = subprocess.run([program, "dynamodb", "list-tables", "--endpoint-url", f"https://localhost:{both.tls_port}", "--ca-bundle",
                           certificate.file, "--output", "json"], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "TableNames" in json.loads(done.stdout)


def test_the_commands_of_armature(both, certificate):
    endpoint = f"https://127.0.0.1:{both.tls_port}"
    done = subprocess.run([binary(), "bench", "--endpoint", endpoint, "--ca-file", certificate.file, "--workload", "mixed-a", "--table",
                           "tls-bench", "--items", "300", "--requests", "2000", "--warmup", "0s", "--json"],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["errors"] == 0
    large = subprocess.run([binary(), "bench", "--endpoint", endpoint, "--ca-file", certificate.file, "--workload", "scan-all", "--table",
                            "tls-bench", "--items", "20000", "--warmup", "0s", "--json"], capture_output=True, text=True, timeout=120)
    assert large.returncode == 0, large.stdout + large.stderr
    listed = subprocess.run([binary(), "partition", "list", "tls-bench", "--endpoint", endpoint, "--ca-file", certificate.file],
                            capture_output=True, text=True, timeout=60)
    assert listed.returncode == 0, listed.stderr
    shown = subprocess.run([binary(), "shell", "--endpoint", endpoint, "--ca-file", certificate.file, "-o", "json", "-e",
                            "SELECT v FROM \"tls-bench\" WHERE pk = 'user000000000001'"], capture_output=True, text=True, timeout=60)
    assert shown.returncode == 0, shown.stderr


def test_bench_does_not_trust_everybody(both):
    done = subprocess.run([binary(), "bench", "--endpoint", f"https://127.0.0.1:{both.tls_port}", "--workload", "get"],
                          capture_output=True, text=True, timeout=60, env={"PATH": os.environ["PATH"]})
    assert done.returncode == 1
    assert done.stderr == "armature bench: TLS with 127.0.0.1: self-signed certificate\n"


@pytest.mark.parametrize("version", ["-tls1", "-tls1_1"])
def test_openssl_gets_nothing_older_than_tls12(both, version):
    done = openssl(version, "-cipher", "ALL:@SECLEVEL=0", port=both.tls_port)
    assert done.returncode != 0
    assert "Cipher is (NONE)" in done.stdout
    assert "alert protocol version" in done.stderr


def spoken_ciphers(port, names, *version):
    """Those of `names` that the server takes when a client offers each alone."""
    option = "-ciphersuites" if "-tls1_3" in version else "-cipher"
    return {name for name in names
            if f"Cipher is {name}" in openssl(*version, option, name + ("" if "-tls1_3" in version else ":@SECLEVEL=0"), port=port).stdout}


def test_openssl_finds_the_ciphers_that_are_meant_and_no_other(both):
    listed = subprocess.run(["openssl", "ciphers", "-s", "-tls1_2", "ALL:COMPLEMENTOFALL:@SECLEVEL=0"], capture_output=True, text=True)
    every = set(listed.stdout.strip().split(":")) - CIPHERS_OF_TLS13
    assert len(every) > 50
    assert spoken_ciphers(both.tls_port, every, "-tls1_2") == CIPHERS_OF_TLS12
    assert spoken_ciphers(both.tls_port, CIPHERS_OF_TLS13 | {"TLS_AES_128_CCM_SHA256", "TLS_AES_128_CCM_8_SHA256"}, "-tls1_3") == CIPHERS_OF_TLS13


def test_openssl_sees_protocol_and_no_renegotiation_or_compression(both, certificate):
    shown = openssl("-CAfile", certificate.file, "-verify_return_error", "-verify_hostname", "localhost", "-alpn", "h2,http/1.1",
                    port=both.tls_port)
    assert "ALPN protocol: http/1.1" in shown.stdout
    assert "Verify return code: 0 (ok)" in shown.stdout
    old = openssl("-tls1_2", port=both.tls_port)
    assert "Compression: NONE" in old.stdout
    renegotiated = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{both.tls_port}", "-tls1_2"], input="R\n",
                                  capture_output=True, text=True, errors="replace", timeout=60)
    assert "no renegotiation" in renegotiated.stderr + renegotiated.stdout


@pytest.mark.parametrize("version", ["-tls1_2", "-tls1_3"])
def test_openssl_comes_back_by_a_ticket(both, tmp_path, version):
    session = str(tmp_path / "session")
    with subprocess.Popen(["openssl", "s_client", "-connect", f"127.0.0.1:{both.tls_port}", version, "-sess_out", session, "-ign_eof"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as first:
        first.communicate(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", timeout=60)
    assert "Reused, TLSv1." in openssl(version, "-sess_in", session, port=both.tls_port).stdout


def test_http_is_told_where_https_is_spoken(both):
    with socket.create_connection(("127.0.0.1", both.tls_port), timeout=20) as plain:
        plain.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = b""
        while chunk := plain.recv(65536):
            answer += chunk
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.endswith(b"This port speaks HTTPS: the URL has to begin with https://\n")


def test_alone_it_takes_the_place_of_http(certificate):
    with Server(None, *certificate.flags) as server:
        assert server.ready_line.startswith(f"armature ready on https://127.0.0.1:{server.port} ")
        assert client_of(server.endpoint, certificate.file).list_tables()["TableNames"] == []
        with pytest.raises(Exception):
            client_of(f"http://127.0.0.1:{server.port}", None).list_tables()


def test_a_new_certificate_is_taken_while_requests_go_on(tmp_path):
    first = Certificate(tmp_path)
    with Server(None, *first.flags, "--tls-port", "0") as server:
        before = shown_certificate(server.tls_port)
        kept = client_of(f"https://localhost:{server.tls_port}", first.file)
        make_table(kept, "reload")
        problems, is_over = [], threading.Event()

        def load():
            while not is_over.is_set():
                try:
                    kept.put_item(TableName="reload", Item={"pk": {"S": "a"}})
                except Exception as problem:  # shown below
                    problems.append(repr(problem))

        thread = threading.Thread(target=load)
        thread.start()
        fresh = Certificate(tmp_path, "--force", "--host", "fresh.example")
        assert fresh.made.returncode == 0
        hang_up(server)
        after = poll_until(lambda: shown_certificate(server.tls_port), lambda shown: shown != before, 20)
        is_over.set()
        thread.join()
        assert not problems
        assert after.strip() == open(first.file).read().strip()
        assert client_of(f"https://localhost:{server.tls_port}", first.file).list_tables()["TableNames"] == ["reload"]

        with open(first.file, "w") as broken:
            broken.write("no certificate\n")
        hang_up(server)
        poll_until(server.stderr, lambda text: "stays what it was" in text, 20)
        line = next(line for line in server.errors if "stays what it was" in line)
        assert f"the TLS certificate {first.file} holds no certificate" in line
        assert shown_certificate(server.tls_port) == after


def test_clients_that_have_to_show_who_they_are(tmp_path):
    own, known = Certificate(tmp_path / "own"), Certificate(tmp_path / "known", "--host", "known.example")
    with Server(None, *own.flags, "--tls-client-ca", known.file) as server:
        def call(config):
            return boto3.client("dynamodb", endpoint_url=server.endpoint, verify=own.file, region_name="us-east-1", aws_access_key_id="a",
                                aws_secret_access_key="b", config=botocore.config.Config(retries={"max_attempts": 0}, **config)).list_tables()

        assert call({"client_cert": (known.file, known.key)})["TableNames"] == []
        with pytest.raises(Exception):
            call({})
        with pytest.raises(Exception):
            call({"client_cert": (own.file, own.key)})


@pytest.mark.parametrize("break_it, text", [
    (lambda own, other: os.remove(own.file), "cannot read the TLS certificate {file}: No such file or directory"),
    (lambda own, other: os.remove(own.key), "cannot read the TLS key {key}: No such file or directory"),
    (lambda own, other: shutil.copy(other.key, own.key), "the TLS key {key} does not belong to the certificate {file}"),
    (lambda own, other: open(own.file, "w").close(), "the TLS certificate {file} holds no certificate"),
    (lambda own, other: open(own.key, "w").close(), "the TLS key {key} holds no key"),
])
def test_files_that_cannot_be_used_are_one_clear_line(tmp_path, break_it, text):
    own, other = Certificate(tmp_path / "own"), Certificate(tmp_path / "other")
    break_it(own, other)
    with pytest.raises(StartFailed) as failed:
        Server(None, *own.flags).start()
    lines = [line for line in failed.value.stderr.splitlines() if line.startswith("armature:")]
    assert len(lines) == 1 and text.format(file=own.file, key=own.key) in lines[0]
    assert failed.value.returncode == 1


def test_what_is_odd_but_works_is_warned_of(tmp_path):
    subprocess.run(["openssl", "req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", tmp_path / "key.pem", "-out", tmp_path / "request.pem",
                    "-subj", "/CN=localhost"], check=True, capture_output=True)
    subprocess.run(["openssl", "x509", "-req", "-in", tmp_path / "request.pem", "-signkey", tmp_path / "key.pem", "-days", "-1",
                    "-out", tmp_path / "cert.pem"], check=True, capture_output=True)
    os.chmod(tmp_path / "key.pem", 0o644)
    with Server(None, "--tls-cert", tmp_path / "cert.pem", "--tls-key", tmp_path / "key.pem") as server:
        poll_until(server.stderr, lambda text: "expired on" in text and "can be read by every user" in text, 20)


def test_self_signed_replaces_nothing_unless_told_to(tmp_path):
    first = Certificate(tmp_path)
    assert first.made.returncode == 0
    assert re.search(r"armature serve --tls-cert \S+cert.pem --tls-key \S+key.pem", first.made.stdout)
    assert os.stat(first.key).st_mode & 0o777 == 0o600
    text = open(first.file).read()
    assert Certificate(tmp_path).made.returncode == 1
    assert open(first.file).read() == text
    assert Certificate(tmp_path, "--force").made.returncode == 0


def test_an_idle_connection_holds_few_kilobytes(both, certificate):
    context = ssl.create_default_context(cafile=certificate.file)
    count = 400

    def connect():
        stream = context.wrap_socket(socket.create_connection(("127.0.0.1", both.tls_port)), server_hostname="localhost")
        stream.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert stream.recv(65536).startswith(b"HTTP/1.1 200")
        return stream

    warm = [connect() for _ in range(50)]
    before = both.rss_bytes()
    streams = [connect() for _ in range(count)]
    time.sleep(0.2)
    each = (both.rss_bytes() - before) / count
    print(f"{each / 1024:.1f} KiB a connection")
    assert each < 32 * 1024 or is_sanitized()  # which keep what was freed
    for stream in warm + streams:
        stream.close()
