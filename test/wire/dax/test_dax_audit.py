"""The audit log of what DAX's clients do: denials always, their calls where data events are asked for."""

import contextlib

import pytest

from harness import tables
from harness.audit import AuditLog
from harness.dax import DaxServer, dax_only
from harness.dax_wire import HANDSHAKE, DaxConnection, Refused, authorisation, request
from harness.principals import ACCOUNT, REGION, User, administrator, allow, table_arn, write_file

pytestmark = dax_only

CLUSTER = f"arn:aws:dax:{REGION}:{ACCOUNT}:cache/armature"
ADMIN = administrator()
CALLER = User("caller", [allow("dax:*", CLUSTER)])
READER = User("reader", [allow(["dax:GetItem", "dax:DefineKeySchema", "dax:DefineAttributeList"], CLUSTER)])
RESOURCES = [{"accountId": ACCOUNT, "type": "AWS::DAX::Cluster", "ARN": CLUSTER},
             {"accountId": ACCOUNT, "type": "AWS::DynamoDB::Table", "ARN": table_arn("Books")}]
SECRET = "xyzzy-what-an-item-holds"


def keys(user):
    return {"access_key": user.key_id, "secret_key": user.secret}


@contextlib.contextmanager
def audited(folder, *options):
    write_file(folder / "iam.toml", ADMIN, CALLER, READER)
    with DaxServer(folder / "data", "--iam-file", folder / "iam.toml", "--audit-log", folder / "log", *options) as server:
        with contextlib.closing(ADMIN.raw(server)) as db:
            tables.create(db, name="Books")
        yield server, AuditLog(folder / "log")


@pytest.fixture(scope="module")
def all_events(tmp_path_factory):
    with audited(tmp_path_factory.mktemp("dax-audit-all"), "--audit-data-events", "all") as both:
        yield both


def test_calls_are_recorded_with_their_keys_hashed(all_events):
    server, log = all_events
    with DaxConnection(server.dax, **keys(CALLER)) as connection:
        connection.put("Books", SECRET, {"v": SECRET})
        connection.get("Books", SECRET)
        connection.get("Books", SECRET)
    key = log.hash_of(table_arn("Books"), {"pk": {"S": SECRET}})
    event = log.find("PutItem", eventSource="dax.amazonaws.com")
    assert event["requestParameters"]["tableName"] == "Books" and event["requestParameters"]["key"] == key
    assert event["userIdentity"]["arn"] == CALLER.arn and event["userIdentity"]["accessKeyId"] == CALLER.key_id
    assert (event["awsRegion"], event["sourceIPAddress"], event["userAgent"]) == (REGION, "127.0.0.1", "armature-tests")
    assert (event["readOnly"], event["managementEvent"], event["eventCategory"]) == (False, False, "Data")
    assert (event["apiVersion"], event["recipientAccountId"]) == ("2017-04-19", ACCOUNT)
    assert event["resources"] == RESOURCES and "errorCode" not in event
    assert log.find("GetItem", readOnly=True)["requestParameters"] == {"tableName": "Books", "key": key}
    reads = [each for each in log.records() if each["eventName"] == "GetItem" and each["eventSource"] == "dax.amazonaws.com"]
    assert len(reads) == 2, "from the cache or not"
    assert log.find("DefineAttributeListId")["requestParameters"] == {"attributeNames": ["v"]}
    assert SECRET not in log.text()


def test_failures_are_recorded_without_what_they_say_of_items(all_events):
    server, log = all_events
    with DaxConnection(server.dax, **keys(CALLER)) as connection:
        with pytest.raises(Refused):
            connection.call("getItem", b"Missing", SECRET.encode(), {})
    event = log.find("GetItem", errorCode="ResourceNotFoundException")
    assert event["requestParameters"] == {"tableName": "Missing"}, "what its key is nobody knows"
    assert "errorMessage" not in event
    assert SECRET not in log.text()


def test_denials_are_recorded_always(tmp_path):
    with audited(tmp_path) as (server, log):
        with DaxConnection(server.dax, **keys(READER)) as connection:
            connection.get("Books", SECRET)
            with pytest.raises(Refused) as refused:
                connection.call("deleteItem", b"Books", SECRET.encode(), {})
        event = log.find("DeleteItem")
        assert (event["eventSource"], event["errorCode"]) == ("dax.amazonaws.com", "AccessDeniedException")
        assert event["errorMessage"] == refused.value.message == READER.denied("dax:DeleteItem", CLUSTER)
        assert event["requestParameters"]["key"] == log.hash_of(table_arn("Books"), {"pk": {"S": SECRET}})
        assert event["userIdentity"]["arn"] == READER.arn and event["resources"] == RESOURCES

        with DaxConnection(server.dax, access_key=CALLER.key_id, secret_key="wrong") as connection:
            with pytest.raises(Refused):
                connection.call("endpoints")
        event = log.find("Endpoints", errorCode="InvalidSignatureException")
        assert event["userIdentity"] == {"type": "Unknown", "accessKeyId": CALLER.key_id}
        assert event["resources"] == RESOURCES[:1]

        with DaxConnection(server.dax, is_greeting=False) as connection:
            connection.send(HANDSHAKE + request("getItem", b"Books", SECRET.encode(), {}))
            with pytest.raises(Refused):
                connection.answer()
            connection.send(authorisation(**keys(CALLER)))
            connection.get("Books", SECRET)
        assert log.find("GetItem")["errorCode"] == "MissingAuthenticationTokenException"
        told = [each["eventName"] for each in log.records() if each["eventSource"] == "dax.amazonaws.com"]
        assert told == ["DeleteItem", "Endpoints", "GetItem"], "what was allowed is not"
        assert SECRET not in log.text()
