"""What the server keeps about a table or a trigger cannot be read any more: that costs this one, and nothing else."""

import json

import pytest

from harness import tables, wal
from harness.server import Server


def make(client, name, **settings):
    client.ok("CreateTable", tables.definition(name, **settings))
    client.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": "a"}, "n": {"N": "1"}}})


def item(client, name):
    return client.ok("GetItem", {"TableName": name, "Key": {"pk": {"S": "a"}}}).get("Item")


STREAM = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}}


class TestTables:
    @pytest.mark.parametrize("old, new", [
        (b'"name":"Lost"', b'"name":"L\xff\xfet"'),      # not UTF-8, as a Region could once bring it in
        (b'"region":"us-east-1","name":"Lost"', b'"region":"us-e/st-1","name":"Lost"'),
        (b'"region":"us-east-1","name":"Lost"', b'"region":"us-east-1"}"name":"Lost"'),
    ])
    def test_a_damaged_record_costs_that_table_alone(self, data, client_of, old, new):
        with Server(data) as server:
            client = client_of(server)
            for name in ("Before", "Lost", "Other"):
                make(client, name)
            server.kill()
            assert wal.replace(data, old, new) >= 1
            server.start()
            client = client_of(server)
            assert any("table Lost cannot be read" in line for line in server.errors), server.stderr()
            # The others work, and new ones can be made.
            for name in ("Before", "Other"):
                assert item(client, name) == {"pk": {"S": "a"}, "n": {"N": "1"}}
            make(client, "New")
            # It answers with an error that names it, and keeps its name.
            for operation, request in (("DescribeTable", {}), ("GetItem", {"Key": {"pk": {"S": "a"}}}), ("Scan", {}),
                                       ("PutItem", {"Item": {"pk": {"S": "b"}}}), ("DeleteTable", {})):
                error = client.error(operation, dict(request, TableName="Lost"), "InternalServerError", status=500)
                assert "Table Lost cannot be read" in error["message"]
            client.error("CreateTable", tables.definition("Lost"), "ResourceInUseException")
            assert client.ok("ListTables", {})["TableNames"] == ["Before", "Lost", "New", "Other"]
            # And so it is after another start, with nothing of it touched (that a mended record has it back is tested in
            # src/table/catalog_unreadable_test.cc).
            server.kill()
            server.start()
            client = client_of(server)
            client.error("GetItem", {"TableName": "Lost", "Key": {"pk": {"S": "a"}}}, "InternalServerError", status=500)
            assert item(client, "New") == {"pk": {"S": "a"}, "n": {"N": "1"}}

    def test_a_damaged_state_of_a_stream_costs_that_table_alone(self, data, client_of):
        with Server(data) as server:
            client = client_of(server)
            make(client, "Lost", **STREAM)
            make(client, "Plain")
            server.kill()
            assert wal.replace(data, b'"nextLane":', b'"nextLame":') >= 1
            server.start()
            client = client_of(server)
            assert item(client, "Plain")
            error = client.error("GetItem", {"TableName": "Lost", "Key": {"pk": {"S": "a"}}}, "InternalServerError",
                                 status=500)
            assert "journal" in error["message"]


class TestTriggers:
    def test_a_damaged_mapping_costs_that_mapping_alone(self, data, client_of):
        functions = ["--function", "f=cat", "--function", "g=cat"]
        path = "/2015-03-31/event-source-mappings/"
        with Server(data, *functions) as server:
            client = client_of(server)
            make(client, "Tbl", **STREAM)
            arn = client.ok("DescribeTable", {"TableName": "Tbl"})["Table"]["LatestStreamArn"]

            def call(method, where, body=b""):
                return client.send(method, where, client.signed_headers(body, {}, method, where), body)

            uuids = {}
            for name in "fg":
                body = {"FunctionName": name, "EventSourceArn": arn, "StartingPosition": "TRIM_HORIZON"}
                reply = call("POST", path, json.dumps(body).encode())
                assert reply.status == 202, reply
                uuids[name] = reply.json["UUID"]
            server.kill()
            assert wal.replace(data, b'"function":"f"', b'"function":\xff"f') >= 1
            server.start()
            client = client_of(server)
            assert call("GET", path + uuids["f"]).status == 500
            assert call("GET", path + uuids["g"]).json["State"] == "Enabled"
            assert item(client, "Tbl")
