"""Connections as Amazon's clients use them: many at once, idle ones, large items, TLS; and who may come."""

import time

import boto3
import pytest

from harness import cbor, tables
from harness.dax import KINDS, DaxServer, NodeProcess, dax_only
from harness.dax_wire import HANDSHAKE, Closed, DaxConnection, Refused, authorisation, nodes, request
from harness.principals import REGION, User, administrator, allow, policy, write_file
from harness.raw import RawClient


def test_large_items(dax, db, make_table):
    table = make_table()
    for size in (300_000, 409_000):
        item = {"pk": {"S": str(size)}, "text": {"S": "x" * (size - 20)}}
        dax.ok("PutItem", {"TableName": table, "Item": item})
        for options in ({}, {"ConsistentRead": True}):
            assert dax.ok("GetItem", {"TableName": table, "Key": {"pk": item["pk"]}, **options})["Item"] == item
        assert db.ok("GetItem", {"TableName": table, "Key": {"pk": item["pk"]}})["Item"] == item
    assert len(dax.ok("Scan", {"TableName": table})["Items"]) == 2


def test_an_item_of_a_thousand_names(dax, db, make_table):
    table = make_table()
    item = {"pk": {"S": "a"}, **{f"name-{number}": {"N": str(number)} for number in range(1000)}}
    dax.ok("PutItem", {"TableName": table, "Item": item})
    for client in (dax, db):
        assert client.ok("GetItem", {"TableName": table, "Key": {"pk": item["pk"]}})["Item"] == item


def test_two_hundred_at_once(dax, db, make_table):
    """Each with names of its own, so that as many lists of names are made at once."""
    table = make_table()
    items = [{"pk": {"S": str(number)}, f"name-{number}": {"N": str(number)}, "text": {"S": "x" * (number * 40)}} for number in range(200)]
    for future in [dax.start("PutItem", {"TableName": table, "Item": item}) for item in items]:
        future.result(60)
    assert db.ok("Scan", {"TableName": table, "Select": "COUNT"})["Count"] == 200
    for options in ({}, {"ConsistentRead": True}):
        reads = [dax.start("GetItem", {"TableName": table, "Key": {"pk": item["pk"]}, **options}) for item in items]
        assert [read.result(60)["Item"] for read in reads] == items


def test_one_item_by_two_hundred_at_once(dax, db, make_table):
    table = make_table()
    count = {"TableName": table, "Key": {"pk": {"S": "a"}}, "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}
    for future in [dax.start("UpdateItem", count) for _ in range(200)]:
        future.result(60)
    for client in (db, dax):
        assert client.ok("GetItem", {"TableName": table, "Key": {"pk": {"S": "a"}}})["Item"]["n"] == {"N": "200"}


def test_idle_connections(node, dax_server, db, make_table):
    """Clients close what is idle for five seconds, but keep one; nothing may be wrong with that one (PROTOCOL.md §11.1)."""
    table = make_table()
    clients = [node.open(kind, dax_server.dax) for kind in KINDS]
    item = {"pk": {"S": "a"}, "n": {"N": "1"}}
    for client in clients:
        for future in [client.start("PutItem", {"TableName": table, "Item": item}) for _ in range(20)]:
            future.result(60)
    time.sleep(6.5)  # what is waited for is that nothing happens
    for client in clients:
        for future in [client.start("GetItem", {"TableName": table, "Key": {"pk": item["pk"]}}, limit=20) for _ in range(20)]:
            assert future.result(60)["Item"] == item
        assert client.ok("PutItem", {"TableName": table, "Item": item}, limit=20) == {}
        client.close()


# --- TLS


@dax_only
def test_tls(dax_server, certificate, make_table):
    table = make_table()
    item = {"pk": {"S": "a"}, "text": {"S": "x" * 300_000}}
    with NodeProcess(NODE_EXTRA_CA_CERTS=str(certificate / "cert.pem")) as node:
        for kind in KINDS:
            client = node.open(kind, dax_server.daxs)
            client.ok("PutItem", {"TableName": table, "Item": item})
            assert client.ok("GetItem", {"TableName": table, "Key": {"pk": item["pk"]}})["Item"] == item
            reads = [client.start("GetItem", {"TableName": table, "Key": {"pk": item["pk"]}, "ConsistentRead": True}) for _ in range(30)]
            assert all(read.result(60)["Item"] == item for read in reads)
            client.error("PutItem", {"TableName": table, "Item": item, "ConditionExpression": "attribute_not_exists(pk)"}, "ConditionalCheckFailedException")
            client.close()
        assert not node.uncaught


@dax_only
@pytest.mark.parametrize("kind", KINDS)
def test_who_does_not_know_the_certificate_does_not_go_on(dax_server, make_table, kind):
    table = make_table()
    with NodeProcess() as node:
        client = node.open(kind, dax_server.daxs)
        future = client.start("GetItem", {"TableName": table, "Key": {"pk": {"S": "a"}}}, limit=3)
        assert future.exception(60) is not None


# --- who may


READER = User("dax-reader", [allow(["dax:GetItem", "dax:BatchGetItem", "dax:Query", "dax:Scan", "dax:Define*", "dax:Endpoints"])])


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A server that knows two keys, and verifies every signature."""
    directory, admin = tmp_path_factory.mktemp("dax-iam"), administrator()
    with DaxServer(directory / "data", "--iam-file", write_file(directory / "iam.toml", admin, READER)) as server:
        db = RawClient(server.endpoint, access_key=admin.key_id, secret_key=admin.secret)
        yield server, admin, tables.create(db)
        db.close()


@pytest.mark.parametrize("kind", KINDS)
def test_the_right_key(node, guarded, kind):
    server, admin, table = guarded
    client = node.open(kind, server.dax, credentials={"accessKeyId": admin.key_id, "secretAccessKey": admin.secret})
    item = {"pk": {"S": kind}, "n": {"N": "1"}}
    client.ok("PutItem", {"TableName": table, "Item": item})
    assert client.ok("GetItem", {"TableName": table, "Key": {"pk": item["pk"]}})["Item"] == item
    client.close()


@dax_only
@pytest.mark.parametrize("kind", KINDS)
def test_somebody_who_may_only_read(node, guarded, kind):
    """The cluster reads the tables, so the reader needs no permission on them; what DAX may not do for it, it does not."""
    server, admin, table = guarded
    db = RawClient(server.endpoint, access_key=admin.key_id, secret_key=admin.secret)
    item = {"pk": {"S": f"reader-{kind}"}, "n": {"N": "1"}}
    db.ok("PutItem", {"TableName": table, "Item": item})
    client = node.open(kind, server.dax, credentials={"accessKeyId": READER.key_id, "secretAccessKey": READER.secret})
    assert client.ok("GetItem", {"TableName": table, "Key": {"pk": item["pk"]}})["Item"] == item
    assert client.ok("BatchGetItem", {"RequestItems": {table: {"Keys": [{"pk": item["pk"]}]}}})["Responses"] == {table: [item]}
    for operation, members in (("PutItem", {"TableName": table, "Item": {**item, "n": {"N": "2"}}}),
                               ("DeleteItem", {"TableName": table, "Key": {"pk": item["pk"]}}),
                               ("BatchWriteItem", {"RequestItems": {table: [{"PutRequest": {"Item": item}}]}}),
                               ("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": table, "Item": item}}]})):
        assert "dax:" in client.error(operation, members, "AccessDeniedException").message
    assert db.ok("GetItem", {"TableName": table, "Key": {"pk": item["pk"]}})["Item"] == item
    client.close()
    db.close()


@dax_only
@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_secret(guarded, kind):
    server, admin, table = guarded
    with NodeProcess() as node:
        client = node.open(kind, server.dax, credentials={"accessKeyId": admin.key_id, "secretAccessKey": "wrong"})
        for operation, members in (("GetItem", {"Key": {"pk": {"S": "a"}}}), ("PutItem", {"Item": {"pk": {"S": "a"}}})):
            assert client.start(operation, {"TableName": table, **members}, limit=3).exception(60) is not None


@dax_only
def test_what_changes_counts_for_connections_that_are_open(guarded):
    """A policy, and then the key, is taken away: the next request of the same connection knows, be the item cached or not."""
    server, admin, table = guarded
    iam = admin.boto(server, "iam")
    iam.create_user(UserName="dax-guest")
    key = iam.create_access_key(UserName="dax-guest")["AccessKey"]
    iam.put_user_policy(UserName="dax-guest", PolicyName="own", PolicyDocument=policy(allow(["dax:*"])))
    with DaxConnection(server.dax, access_key=key["AccessKeyId"], secret_key=key["SecretAccessKey"]) as connection:
        connection.get(table, "guest")
        connection.get(table, "guest")
        iam.put_user_policy(UserName="dax-guest", PolicyName="own", PolicyDocument=policy(allow(["dax:Query"])))
        with pytest.raises(Refused) as denied:
            connection.get(table, "guest")
        assert denied.value.code == "AccessDeniedException"
        iam.put_user_policy(UserName="dax-guest", PolicyName="own", PolicyDocument=policy(allow(["dax:*"])))
        connection.get(table, "guest")
        iam.delete_access_key(UserName="dax-guest", AccessKeyId=key["AccessKeyId"])
        with pytest.raises(Refused) as gone:
            connection.get(table, "guest")
        assert gone.value.sequence[:3] == [4, 23, 31]
    iam.delete_user_policy(UserName="dax-guest", PolicyName="own")
    iam.delete_user(UserName="dax-guest")


@dax_only
def test_the_first_principal_shuts_out_who_was_never_asked(tmp_path):
    with DaxServer(tmp_path / "data") as server:
        db = RawClient(server.endpoint)
        table = tables.create(db)
        with DaxConnection(server.dax) as connection:
            connection.get(table, "a")
            boto3.client("iam", endpoint_url=server.endpoint, region_name=REGION, aws_access_key_id="any",
                         aws_secret_access_key="any").create_access_key()
            with pytest.raises(Refused) as refused:
                connection.get(table, "a")
            assert refused.value.sequence[:3] == [4, 23, 31]
        db.close()


@dax_only
def test_refusals_on_the_wire(guarded):
    """The code sequences that make a client sign again, or give up (PROTOCOL.md §6.3); the connection goes on."""
    server, admin, table = guarded
    with DaxConnection(server.dax, is_greeting=False) as connection:
        connection.send(HANDSHAKE)
        with pytest.raises(Refused) as nobody:
            connection.call("defineKeySchema", table.encode())
        assert nobody.value.sequence == [4, 23, 31, 33]
        for keys in ({"access_key": admin.key_id, "secret_key": "wrong"}, {"access_key": "AKIANOBODY", "secret_key": admin.secret}):
            connection.send(authorisation(**keys))
            with pytest.raises(Refused) as refused:
                connection.call("defineKeySchema", table.encode())
            assert refused.value.sequence[:3] == [4, 23, 31] and refused.value.code
        connection.send(authorisation(access_key=admin.key_id, secret_key=admin.secret))
        assert connection.call("defineKeySchema", table.encode()) == {"pk": "S"}


@dax_only
def test_what_a_client_learns_of_the_cluster(dax_server):
    leader, = nodes(dax_server.dax)
    assert (leader["role"], leader["url"]) == (1, dax_server.dax)
    with DaxConnection(leader["url"]) as connection:
        assert connection.call("endpoints")


@dax_only
def test_requests_in_one_write(dax_server, db, make_table):
    """No client does it, but nothing in the protocol forbids it: answers come in order."""
    table = make_table()
    db.ok("PutItem", {"TableName": table, "Item": {"pk": {"S": "a"}, "n": {"N": "1"}}})
    with DaxConnection(dax_server.dax) as connection:
        connection.send(request("defineKeySchema", table.encode()) + request("getItem", table.encode(), b"a", {}) * 50 + request("endpoints"))
        assert connection.answer() == {"pk": "S"}
        items = [connection.answer()[0] for _ in range(50)]
        assert connection.answer()
        assert {tuple(connection.item(blob).items()) for blob in items} == {(("n", 1),)}


@dax_only
def test_a_client_that_says_goodbye(dax_server):
    """A closed half is answered by a closed connection, not by a reset (PROTOCOL.md §11.2)."""
    with DaxConnection(dax_server.dax) as connection:
        assert connection.call("endpoints")
        connection.socket.shutdown(1)
        with pytest.raises(Closed):
            connection.value()
    for beginning in (b"", HANDSHAKE[:3], HANDSHAKE, HANDSHAKE + cbor.encode(1)):
        with DaxConnection(dax_server.dax, is_greeting=False) as connection:
            connection.send(beginning)
            connection.socket.shutdown(1)
            with pytest.raises(Closed):
                connection.value()
