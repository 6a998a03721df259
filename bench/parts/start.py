"""The first answer, and memory at rest."""

import socket
import statistics
import time

import servers


def await_answer(server):
    """Asks with a bare socket, once a millisecond: a client that keeps a core busy would be measured as well."""
    while True:
        with socket.socket() as connection:
            if connection.connect_ex(("127.0.0.1", server.port)) == 0:
                connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                if connection.recv(4096).startswith(b"HTTP/1.1 200"):
                    return
        if server.process.poll() is not None:
            raise servers.NotAvailable("armature did not start")
        time.sleep(0.001)


def measure(run):
    first_answers, idle = [], []
    for _ in range(9):
        server = run.armature("empty")
        server.wait_ready = lambda s=server: await_answer(s)
        with server:
            first_answers.append((time.monotonic() - server.started_at) * 1e3)
            if len(idle) < 3:
                time.sleep(1)  # past whatever start-up work remains
                idle.append(servers.rss_bytes(server.pid) / 2**20)
    run.table.add("First answer after exec, empty directory", statistics.median(first_answers), "ms", bar=15)
    run.table.add("Idle RSS", statistics.median(idle), "MiB", bar=18)
