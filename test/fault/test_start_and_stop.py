"""Starting and stopping: clean exits, refusals in one clear line, locks, formats, restarts."""

import json
import os
import signal
import subprocess
import threading
import time

import pytest

from harness import tables
from harness.load import Closed, LoadConnection
from harness.raw import RawClient
from harness.server import Server, StartFailed, binary


def refusal(*arguments):
    """Runs `armature …`, which must fail at once with one line; returns the line."""
    done = subprocess.run([binary(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode not in (0, -signal.SIGABRT, -signal.SIGSEGV), done
    assert done.stdout == ""
    lines = [line for line in done.stderr.splitlines() if line]
    assert len(lines) == 1, done.stderr
    return lines[0]


def serve_refusal(data, *arguments):
    return refusal("serve", "--host", "127.0.0.1", "--port", "0", "--data", str(data), *arguments)


class TestRefusals:
    def test_a_used_port(self, data, tmp_path):
        with Server(data) as server:
            line = refusal("serve", "--host", "127.0.0.1", "--port", str(server.port), "--data", str(tmp_path / "other"))
            assert str(server.port) in line

    def test_two_servers_on_one_directory(self, data):
        with Server(data):
            assert str(data) in serve_refusal(data)

    def test_a_foreign_directory(self, data):
        data.mkdir()
        (data / "precious.txt").write_text("not yours")
        assert str(data) in serve_refusal(data)
        assert os.listdir(data) == ["precious.txt"]

    def test_a_file_instead_of_a_directory(self, data):
        data.write_text("a file")
        assert str(data) in serve_refusal(data)
        assert str(data) in serve_refusal(data / "below")

    def test_a_newer_format(self, data):
        with Server(data):
            pass
        (data / "FORMAT").write_text("armature 999\n")
        line = serve_refusal(data)
        assert "999" in line and str(data) in line

    def test_a_damaged_format(self, data):
        with Server(data):
            pass
        (data / "FORMAT").write_text("something else\n")
        assert str(data) in serve_refusal(data)

    @pytest.mark.parametrize("arguments", [
        ["--nonsense"], ["--port", "70000"], ["--port", "http"], ["--durability", "sometimes"], ["--log-level", "loud"],
        ["--threads", "-1"], ["--memory"], ["--host", "not an address"], ["--config", "/no/such/file.toml"]])
    def test_bad_flags(self, data, arguments):
        serve_refusal(data, *arguments)

    def test_a_bad_config_file(self, data, tmp_path):
        config = tmp_path / "armature.toml"
        config.write_text("port = [")
        assert str(config) in serve_refusal(data, "--config", str(config))

    def test_an_unknown_command(self):
        refusal("nonsense")


class TestHelp:
    @pytest.mark.parametrize("arguments", [["--help"], ["serve", "--help"]])
    def test_help_is_on_stdout(self, arguments):
        done = subprocess.run([binary(), *arguments], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
        assert "serve" in done.stdout

    def test_every_flag_is_explained(self):
        text = subprocess.run([binary(), "serve", "--help"], capture_output=True, text=True, timeout=60).stdout
        for flag in ("--host", "--port", "--data", "--memory", "--region", "--durability", "--threads", "--config", "--log-level"):
            assert flag in text


class TestReady:
    def test_the_ready_line_is_all_of_stdout(self, data):
        server = Server(data).start()
        assert server.ready_line.startswith(f"armature ready on http://127.0.0.1:{server.port}")
        server.terminate()
        assert server.process.stdout.read() == ""
        assert server.wait() == 0

    def test_the_first_request_after_the_line_is_answered(self, data):
        for _ in range(5):
            with Server(data) as server:
                connection = LoadConnection(server.port)
                assert connection.call("ListTables", {})[0] == 200
                connection.close()


class TestStopping:
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_idle(self, data, number):
        server = Server(data).start()
        server.process.send_signal(number)
        assert server.wait() == 0

    def test_with_idle_connections(self, data):
        server = Server(data).start()
        connections = [LoadConnection(server.port) for _ in range(20)]
        for connection in connections:
            assert connection.call("ListTables", {})[0] == 200
        server.terminate()
        assert server.wait(30) == 0
        for connection in connections:
            connection.close()

    def test_a_request_under_way_is_answered(self, data, client_of):
        """Half of the request has arrived when the signal comes; the rest comes after it."""
        server = Server(data).start()
        tables.create(client_of(server), name="stop")
        connection = LoadConnection(server.port)
        item = {"pk": {"S": "late"}, "t": {"S": "x" * 1000}}
        payload = connection.request_bytes("PutItem", json.dumps({"TableName": "stop", "Item": item}).encode())
        connection.socket.sendall(payload[:-500])
        # An answer on another connection shows that the server's loop has seen the half request too.
        other = LoadConnection(server.port)
        assert other.call("ListTables", {})[0] == 200
        server.terminate()
        connection.socket.sendall(payload[-500:])
        assert connection.read_answer()[0] == 200
        assert server.wait(30) == 0
        connection.close()
        other.close()
        with Server(data) as again:
            db = client_of(again)
            assert db.ok("GetItem", {"TableName": "stop", "Key": {"pk": {"S": "late"}}})["Item"] == item

    def test_an_unfinished_upload_is_not_waited_for(self, data):
        """Clients that stopped in the middle of a request, and one that reads nothing, do not hold the server."""
        server = Server(data, "--drain-seconds", "60").start()
        template = LoadConnection(server.port)
        payload = template.request_bytes("PutItem", b'{"TableName": "stop"' + b" " * 100_000 + b"}")
        unfinished = [LoadConnection(server.port) for _ in range(5)]
        for connection, sent in zip(unfinished, (1, 100, 700, 50_000, len(payload) - 1)):
            connection.socket.sendall(payload[:sent])
        assert template.call("ListTables", {})[0] == 200
        started = time.monotonic()
        server.terminate()
        assert server.wait(30) == 0
        assert time.monotonic() - started < 15  # one second, and what a busy machine adds; 20 before
        for connection in [template, *unfinished]:
            connection.close()

    def test_under_load(self, data, client_of):
        """Writers see answers or a closed connection, never an error; what was answered is there."""
        server = Server(data).start()
        tables.create(client_of(server), name="stop")
        acknowledged, problems, started = {}, [], threading.Barrier(9)

        def write(writer):
            connection = LoadConnection(server.port)
            started.wait()
            number = 0
            try:
                while True:
                    item = {"pk": {"S": f"w{writer}"}, "n": {"N": str(number + 1)}}
                    status, members = connection.call("PutItem", {"TableName": "stop", "Item": item})
                    if status != 200:
                        problems.append((status, members))
                        return
                    number += 1
                    acknowledged[writer] = number
            except Closed:
                pass
            finally:
                connection.close()

        threads = [threading.Thread(target=write, args=(writer,)) for writer in range(8)]
        for thread in threads:
            thread.start()
        started.wait()
        while len(acknowledged) < 8 and not problems:
            threads[0].join(0.01)
        server.terminate()
        assert server.wait(30) == 0
        for thread in threads:
            thread.join()
        assert not problems
        with Server(data) as again:
            db = client_of(again)
            for writer, number in acknowledged.items():
                item = db.ok("GetItem", {"TableName": "stop", "Key": {"pk": {"S": f"w{writer}"}}})["Item"]
                assert int(item["n"]["N"]) in (number, number + 1)

    @pytest.mark.parametrize("durability", ["fsync", "interval", "none"])
    def test_a_clean_stop_keeps_everything(self, data, durability):
        with Server(data, "--durability", durability) as server:
            db = RawClient(server.endpoint)
            tables.create(db, name="kept")
            for number in range(100):
                db.ok("PutItem", {"TableName": "kept", "Item": {"pk": {"S": str(number)}}})
            db.close()
        with Server(data) as server:
            db = RawClient(server.endpoint)
            for number in range(100):
                assert "Item" in db.ok("GetItem", {"TableName": "kept", "Key": {"pk": {"S": str(number)}}})
            db.close()

    def test_memory_only(self):
        with Server() as server:
            db = RawClient(server.endpoint)
            tables.create(db, name="gone")
            db.close()
        with Server() as server:
            db = RawClient(server.endpoint)
            assert db.ok("ListTables", {}) == {"TableNames": []}
            db.close()


def test_start_failed_is_told():
    """The harness itself: a server that does not start is an error with its words, not a hang."""
    with pytest.raises(StartFailed) as caught:
        Server(None, "--nonsense").start()
    assert "nonsense" in caught.value.stderr
