"""kill -9 while the audit log is written: whole lines, and of what was acknowledged no more is missing than was on its way to the disk."""

import json
import threading

from harness.audit import AuditLog
from harness.raw import RawClient
from harness.server import Server

ROUNDS = 4


def test_whole_lines_after_kills(tmp_path):
    log = AuditLog(tmp_path / "log")
    for number in range(ROUNDS):
        server = Server(tmp_path / "data", "--audit-log", log.directory, "--audit-data-events", "all", "--audit-file-mib", "1").start()
        admin = RawClient(server.endpoint)
        if number == 0:
            admin.ok("CreateTable", {"TableName": "Items", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                                     "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "BillingMode": "PAY_PER_REQUEST"})
        done = [0] * 4

        def write(which):
            client = RawClient(server.endpoint)
            try:
                while True:
                    client.ok("PutItem", {"TableName": "Items", "Item": {"pk": {"S": f"{number}/{which}/{done[which]}"}}})
                    done[which] += 1
            except Exception:  # noqa: B902 - the server is gone
                client.close()

        threads = [threading.Thread(target=write, args=(which,)) for which in range(len(done))]
        for thread in threads:
            thread.start()
        while sum(done) < 400:
            admin.ok("ListTables", {})
        server.kill()
        for thread in threads:
            thread.join()
        admin.close()
        # Whatever the last line is, all before it are whole.
        lines = log.text().split("\n")
        for line in lines[:-1]:
            json.loads(line)

    with Server(tmp_path / "data", "--audit-log", log.directory):
        assert log.text().endswith("\n") or log.text() == ""
        assert {event["eventName"] for event in log.records()} >= {"CreateTable", "PutItem", "ListTables"}
