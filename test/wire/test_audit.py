"""The audit log as those read it who have to: what is recorded of real clients, and what never is."""

import json
import os
import shutil
import stat
import subprocess
import uuid

import boto3
import botocore.config
import pytest
from botocore import UNSIGNED

from harness.audit import HIDDEN, AuditLog
from harness.principals import ACCOUNT, REGION, Signed, User, administrator, allow, policy, table_arn, write_file
from harness.raw import RawClient
from harness.sdk import refused
from harness.server import Server, StartFailed, binary
from harness.waiting import wait_until

ADMIN = administrator()
READER = User("reader", [allow(["dynamodb:GetItem", "dynamodb:PartiQLSelect"], table_arn("Open*"))])
DENIED = "AccessDeniedException"
# In no line, whoever wrote it where.
SECRET = "xyzzy-what-an-item-holds"

pytestmark = pytest.mark.skipif("ARMATURE_ENDPOINT" in os.environ, reason="the log is the server's")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("audited")


@pytest.fixture(scope="module")
def guarded(folder):
    """Signatures are verified; all data events are recorded."""
    with Server(folder / "data", "--iam-file", write_file(folder / "iam.toml", ADMIN, READER), "--audit-log", folder / "log",
                "--audit-data-events", "all", "--function", "f=cat") as server:
        yield server


@pytest.fixture(scope="module")
def log(folder):
    return AuditLog(folder / "log")


@pytest.fixture(scope="module")
def db(guarded):
    client = ADMIN.boto(guarded)
    make_table(client, "OpenItems")
    make_table(client, "ClosedItems")
    return client


def make_table(client, name, **more):
    client.create_table(TableName=name, KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}], BillingMode="PAY_PER_REQUEST", **more)


def session_of(server, credentials, service="dynamodb"):
    return boto3.client(service, endpoint_url=server.endpoint, region_name=REGION, aws_access_key_id=credentials["AccessKeyId"],
                        aws_secret_access_key=credentials["SecretAccessKey"], aws_session_token=credentials["SessionToken"],
                        config=botocore.config.Config(retries={"max_attempts": 0}))


def resource(name, kind="Table"):
    return {"accountId": ACCOUNT, "type": f"AWS::DynamoDB::{kind}", "ARN": table_arn(name)}


def test_the_control_plane_is_recorded(guarded, db, log):
    event = log.find("CreateTable", requestParameters={
        "tableName": "OpenItems", "keySchema": [{"attributeName": "pk", "keyType": "HASH"}],
        "attributeDefinitions": [{"attributeName": "pk", "attributeType": "S"}], "billingMode": "PAY_PER_REQUEST"})
    assert event["userIdentity"] == {
        "type": "IAMUser", "principalId": event["userIdentity"]["principalId"], "arn": ADMIN.arn, "accountId": ACCOUNT,
        "accessKeyId": ADMIN.key_id, "userName": ADMIN.name}
    assert event["userIdentity"]["principalId"].startswith("AIDA")
    assert (event["eventSource"], event["awsRegion"], event["sourceIPAddress"]) == ("dynamodb.amazonaws.com", REGION, "127.0.0.1")
    assert (event["eventType"], event["eventCategory"], event["managementEvent"]) == ("AwsApiCall", "Management", True)
    assert (event["apiVersion"], event["readOnly"], event["recipientAccountId"]) == ("2012-08-10", False, ACCOUNT)
    assert event["resources"] == [resource("OpenItems")]
    assert event["responseElements"]["tableDescription"]["tableArn"] == table_arn("OpenItems")
    assert "Boto3" in event["userAgent"] or "boto3" in event["userAgent"].lower()
    uuid.UUID(event["eventID"])

    db.tag_resource(ResourceArn=table_arn("OpenItems"), Tags=[{"Key": "team", "Value": "red"}])
    assert log.find("TagResource")["requestParameters"]["tags"] == [{"key": "team", "value": "red"}]
    db.update_time_to_live(TableName="OpenItems", TimeToLiveSpecification={"Enabled": True, "AttributeName": "t"})
    assert log.find("UpdateTimeToLive")["resources"] == [resource("OpenItems")]
    ADMIN.raw(guarded).ok("PutResourcePolicy", {"ResourceArn": table_arn("ClosedItems"), "Policy": json.dumps(  # newer than this boto3
        {"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Principal": {"AWS": READER.arn}, "Action": "dynamodb:DescribeTable", "Resource": "*"}]})})
    assert READER.arn in log.find("PutResourcePolicy")["requestParameters"]["policy"]
    request = db.describe_table(TableName="OpenItems")["ResponseMetadata"]["RequestId"]
    event = log.find("DescribeTable", requestID=request)
    assert (event["readOnly"], event["responseElements"]) == (True, None)

    with refused("ResourceInUseException"):
        make_table(db, "OpenItems")
    event = log.find("CreateTable", errorCode="ResourceInUseException")
    assert event["responseElements"] is None and event["errorMessage"]


def test_iam_and_sts_are_recorded_without_secrets(guarded, log):
    iam, sts = ADMIN.boto(guarded, "iam"), ADMIN.boto(guarded, "sts")
    iam.create_user(UserName="carol")
    made = iam.create_access_key(UserName="carol")["AccessKey"]
    event = log.find("CreateAccessKey")
    assert (event["eventSource"], event["apiVersion"]) == ("iam.amazonaws.com", "2010-05-08")
    assert event["requestParameters"] == {"userName": "carol"}
    shown = event["responseElements"]["accessKey"]
    assert (shown["accessKeyId"], shown["userName"], shown["status"]) == (made["AccessKeyId"], "carol", "Active")
    iam.list_users()
    assert log.find("ListUsers")["readOnly"] is True

    trust = json.dumps({"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Principal": {"AWS": ADMIN.arn}, "Action": "sts:AssumeRole"}]})
    role = iam.create_role(RoleName="worker", Path="/team/", AssumeRolePolicyDocument=trust)["Role"]
    assert json.loads(log.find("CreateRole")["requestParameters"]["assumeRolePolicyDocument"]) == json.loads(trust)
    answer = sts.assume_role(RoleArn=role["Arn"], RoleSessionName="monday")["Credentials"]
    event = log.find("AssumeRole")
    assert (event["eventSource"], event["readOnly"]) == ("sts.amazonaws.com", True)
    assert event["resources"] == [{"accountId": ACCOUNT, "type": "AWS::IAM::Role", "ARN": role["Arn"]}]
    assert event["requestParameters"] == {"roleArn": role["Arn"], "roleSessionName": "monday"}
    assert event["responseElements"]["credentials"]["accessKeyId"] == answer["AccessKeyId"]
    assert event["responseElements"]["credentials"]["sessionToken"] == HIDDEN

    with refused(DENIED):
        session_of(guarded, answer).list_tables()
    identity = log.find("ListTables", errorCode=DENIED)["userIdentity"]
    assert identity["type"] == "AssumedRole"
    assert identity["arn"] == f"arn:aws:sts::{ACCOUNT}:assumed-role/worker/monday"
    assert identity["sessionContext"]["sessionIssuer"] == {
        "type": "Role", "principalId": role["RoleId"], "arn": role["Arn"], "accountId": ACCOUNT, "userName": "worker"}
    assert identity["sessionContext"]["attributes"]["mfaAuthenticated"] == "false"

    guest = sts.get_federation_token(Name="guest", Policy=policy(allow("dynamodb:ListTables")))["Credentials"]
    session_of(guarded, guest).list_tables()
    def of_guest():
        return [event for event in log.records() if event["eventName"] == "ListTables" and event["userIdentity"]["type"] == "FederatedUser"]
    assert wait_until(of_guest)[-1]["userIdentity"]["principalId"] == f"{ACCOUNT}:guest"

    unsigned = boto3.client("sts", endpoint_url=guarded.endpoint, region_name=REGION,
                            config=botocore.config.Config(signature_version=UNSIGNED, retries={"max_attempts": 0}))
    with pytest.raises(botocore.exceptions.ClientError):
        unsigned.assume_role_with_web_identity(RoleArn=role["Arn"], RoleSessionName="web", WebIdentityToken=SECRET)
    event = log.find("AssumeRoleWithWebIdentity")
    assert event["userIdentity"]["type"] == "WebIdentityUser" and event["errorCode"]

    text = log.text()
    for credentials in (made, answer, guest):
        assert credentials["SecretAccessKey"] not in text
    for credentials in (answer, guest):
        assert credentials["SessionToken"] not in text
    assert ADMIN.secret not in text and READER.secret not in text and SECRET not in text


def test_denials_of_the_data_plane(guarded, db, log):
    reader = READER.boto(guarded)
    with refused(DENIED) as told:
        reader.get_item(TableName="ClosedItems", Key={"pk": {"S": SECRET}})
    event = log.find("GetItem", errorCode=DENIED)
    assert event["errorMessage"] == told.message
    assert event["userIdentity"]["arn"] == READER.arn
    assert event["resources"] == [resource("ClosedItems")]
    with refused(DENIED):
        reader.transact_write_items(TransactItems=[{"Put": {"TableName": "OpenItems", "Item": {"pk": {"S": SECRET}}}}])
    assert log.find("TransactWriteItems", errorCode=DENIED)["resources"] == [resource("OpenItems")]
    # A batch of which a member was denied is answered 200.
    answer = reader.batch_execute_statement(Statements=[
        {"Statement": f"SELECT * FROM OpenItems WHERE pk = '{SECRET}'"}, {"Statement": f"SELECT * FROM ClosedItems WHERE pk = '{SECRET}'"}])
    assert "Error" in answer["Responses"][1]
    event = log.find("BatchExecuteStatement", errorCode="AccessDenied")
    assert event["resources"] == [resource("OpenItems"), resource("ClosedItems")]
    assert event["readOnly"] is True


def test_signatures_that_are_not_believed(guarded, log):
    host = guarded.endpoint.removeprefix("http://")
    def send(signed, expected):
        client = RawClient(guarded.endpoint)
        reply = client.send("POST", "/", signed.headers(), signed.body)
        client.close()
        assert expected in reply.json["__type"]
        return log.find("ListTables", requestID=reply.headers["x-amzn-RequestId"])
    event = send(Signed(READER, host, secret="wrong" * 8), "InvalidSignatureException")
    assert event["errorCode"] == "InvalidSignatureException"
    assert event["userIdentity"] == {"type": "Unknown", "accessKeyId": READER.key_id}
    assert event["requestParameters"] is None
    event = send(Signed(READER, host, key_id="AKIANOBODYATALL00000"), "UnrecognizedClientException")
    assert event["userIdentity"]["accessKeyId"] == "AKIANOBODYATALL00000"
    assert "expired" in send(Signed(READER, host, date="20200101T000000Z"), "InvalidSignatureException")["errorMessage"]
    client = RawClient(guarded.endpoint)
    reply = client.post("GetItem", {"TableName": "OpenItems", "Key": {"pk": {"S": SECRET}}}, signed=False)
    assert log.find("GetItem", requestID=reply.headers["x-amzn-RequestId"])["errorCode"] == "MissingAuthenticationTokenException"
    for header, error in ((f"Basic {SECRET}", "MissingAuthenticationTokenException"),
                          (f"AWS4-HMAC-SHA256 Credential=a/b, {SECRET}", "IncompleteSignatureException"),
                          (f"AWS4-HMAC-SHA256 Credential=a/b, Password={SECRET}", "IncompleteSignatureException")):
        reply = client.post("ListTables", {}, signed=False, headers={"Authorization": header})
        assert log.find("ListTables", requestID=reply.headers["x-amzn-RequestId"])["errorCode"] == error
    reply = client.post("ListTables", {}, headers={"Origin": "http://evil.example"})
    event = log.find("ListTables", requestID=reply.headers["x-amzn-RequestId"])
    assert event["additionalEventData"]["origin"] == "http://evil.example" and event["errorCode"]
    client.close()
    assert SECRET not in log.text()


def test_data_events_have_hashes_and_nothing_of_items(db, log):
    key = {"pk": {"S": SECRET + "-ä\"\n"}}
    hashed = log.hash_of(table_arn("OpenItems"), key)
    db.put_item(TableName="OpenItems", Item={**key, "n": {"N": "987654321987"}}, ConditionExpression="attribute_not_exists(pk) OR n <> :v",
                ExpressionAttributeValues={":v": {"S": SECRET}})
    event = log.find("PutItem")
    assert event["requestParameters"]["key"] == hashed
    assert event["requestParameters"]["item"] == HIDDEN
    assert event["requestParameters"]["expressionAttributeValues"] == HIDDEN
    assert (event["managementEvent"], event["eventCategory"], event["readOnly"]) == (False, "Data", False)
    assert event["resources"] == [resource("OpenItems")]
    db.get_item(TableName=table_arn("OpenItems"), Key=key)
    assert log.find("GetItem")["requestParameters"]["key"] == hashed
    db.update_item(TableName="OpenItems", Key=key, UpdateExpression="SET a = :v", ExpressionAttributeValues={":v": {"S": SECRET}})
    assert log.find("UpdateItem")["requestParameters"]["updateExpression"] == "SET a = :v"
    db.query(TableName="OpenItems", KeyConditionExpression="pk = :v", ExpressionAttributeValues={":v": key["pk"]})
    assert log.find("Query")["readOnly"] is True
    with refused("ValidationException"):
        db.query(TableName="OpenItems", KeyConditionExpression=f"pk = '{SECRET}'")
    assert log.find("Query", errorCode="ValidationException")["requestParameters"]["keyConditionExpression"] == HIDDEN
    db.batch_write_item(RequestItems={"OpenItems": [{"PutRequest": {"Item": key}}], "ClosedItems": [{"DeleteRequest": {"Key": key}}]})
    event = log.find("BatchWriteItem")
    assert event["requestParameters"]["requestItems"]["OpenItems"] == [{"putRequest": {"key": hashed, "item": HIDDEN}}]
    assert event["requestParameters"]["requestItems"]["ClosedItems"] == [
        {"deleteRequest": {"key": log.hash_of(table_arn("ClosedItems"), key)}}]
    assert sorted(each["ARN"] for each in event["resources"]) == [table_arn("ClosedItems"), table_arn("OpenItems")]
    db.transact_get_items(TransactItems=[{"Get": {"TableName": "OpenItems", "Key": key}}])
    assert log.find("TransactGetItems")["requestParameters"]["transactItems"][0]["get"]["key"] == hashed
    db.execute_statement(Statement=f"INSERT INTO OpenItems VALUE {{'pk': '{SECRET}2', 'v': ?}}", Parameters=[{"S": SECRET}])
    event = log.find("ExecuteStatement")
    assert event["requestParameters"]["statement"].startswith("hmac-sha256:")
    assert (event["readOnly"], event["resources"]) == (False, [resource("OpenItems")])
    db.scan(TableName="OpenItems", FilterExpression="a = :v", ExpressionAttributeValues={":v": {"S": SECRET}})
    log.find("Scan")
    assert SECRET not in log.text() and "987654321987" not in log.text()


def test_a_known_key_is_found_by_the_command(db, log):
    key = {"pk": {"S": "known"}}
    db.put_item(TableName="OpenItems", Item=key)
    def command(*arguments):
        return subprocess.run([binary(), "audit", "hash", "--log", str(log.directory), *arguments], capture_output=True, text=True, timeout=60)
    told = command("--table", "OpenItems", "--key", json.dumps(key))
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.strip() == log.hash_of(table_arn("OpenItems"), key)
    assert wait_until(lambda: [event for event in log.records() if told.stdout.strip() in json.dumps(event["requestParameters"])])
    assert command("--table", table_arn("OpenItems"), "--key", json.dumps(key)).stdout == told.stdout
    assert command("--table", "OpenItems", "--key", "nonsense").returncode == 2
    assert command("--table", "OpenItems").returncode == 2
    assert subprocess.run([binary(), "audit", "hash", "--log", "/nowhere", "--table", "T", "--key", json.dumps(key)],
                          capture_output=True, timeout=60).returncode == 1


def test_event_source_mappings(guarded, db, log):
    make_table(db, "Streamed", StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    stream = db.describe_table(TableName="Streamed")["Table"]["LatestStreamArn"]
    client = boto3.client("lambda", endpoint_url=guarded.endpoint, region_name=REGION, aws_access_key_id=ADMIN.key_id,
                          aws_secret_access_key=ADMIN.secret)
    made = client.create_event_source_mapping(EventSourceArn=stream, FunctionName="f", StartingPosition="LATEST", FilterCriteria={
        "Filters": [{"Pattern": json.dumps({"dynamodb": {"NewImage": {"v": {"S": [SECRET]}}}})}]})
    event = log.find("CreateEventSourceMapping20150331")
    assert (event["eventSource"], event["readOnly"]) == ("lambda.amazonaws.com", False)
    assert event["requestParameters"]["functionName"] == "f"
    assert event["responseElements"]["uUID"] == made["UUID"]
    client.update_event_source_mapping(UUID=made["UUID"], BatchSize=5)
    assert log.find("UpdateEventSourceMapping20150331")["requestParameters"] == {"uUID": made["UUID"], "batchSize": 5}
    client.delete_event_source_mapping(UUID=made["UUID"])
    event = log.find("DeleteEventSourceMapping20150331")
    assert event["resources"] == [{"accountId": ACCOUNT, "type": "AWS::Lambda::EventSourceMapping",
                                   "ARN": f"arn:aws:lambda:{REGION}:{ACCOUNT}:event-source-mapping:{made['UUID']}"}]
    assert SECRET not in log.text()


def test_the_files_are_their_owners(log):
    assert stat.S_IMODE(log.directory.stat().st_mode) == 0o700
    for name in ("audit.jsonl", "hash.key"):
        assert stat.S_IMODE((log.directory / name).stat().st_mode) == 0o600


def test_everything_is_counted(guarded, db, log):
    db.list_tables()
    wait_until(lambda: guarded.metrics()["armature_audit_events_total"] > 0)
    metrics = guarded.metrics()
    assert metrics["armature_audit_dropped_total"] == 0
    assert metrics["armature_audit_bytes_total"] <= len(log.text().encode())


@pytest.mark.parametrize("kind, names", [
    ("none", {"CreateTable"}), ("writes", {"CreateTable", "PutItem", "ExecuteStatement", "DeleteItem"})])
def test_of_the_data_plane_only_what_was_asked_for(tmp_path, kind, names):
    with Server(None, "--audit-log", tmp_path / "log", "--audit-data-events", kind) as server:
        client = User("anybody", []).boto(server)
        make_table(client, "Three")
        key = {"pk": {"S": "k"}}
        client.put_item(TableName="Three", Item=key)
        client.get_item(TableName="Three", Key=key)
        client.execute_statement(Statement="SELECT * FROM Three")
        client.execute_statement(Statement="UPDATE Three SET a = 1 WHERE pk = 'k'")
        client.scan(TableName="Three")
        client.delete_item(TableName="Three", Key=key)
    events = AuditLog(tmp_path / "log").records()
    assert {event["eventName"] for event in events} == names
    assert len(events) == len(names)
    # Nobody looks at signatures: so it is said.
    assert all(event["additionalEventData"] == {"signatureVerified": False} for event in events)
    assert {event["userIdentity"]["type"] for event in events} == {"Root"}


def test_aws_cli(guarded, db, log):
    program = "/usr/bin/aws" if os.path.exists("/usr/bin/aws") else shutil.which("aws")
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "AWS_ACCESS_KEY_ID": ADMIN.key_id,
                   "AWS_SECRET_ACCESS_KEY": ADMIN.secret, "AWS_DEFAULT_REGION": REGION, "AWS_PAGER": ""}
    subprocess.run([program, "iam", "create-group", "--group-name", "by-cli", "--endpoint-url", guarded.endpoint], env=environment,
                   capture_output=True, check=True, timeout=120)
    event = log.find("CreateGroup")
    assert event["requestParameters"] == {"groupName": "by-cli"}
    assert event["responseElements"]["group"]["groupName"] == "by-cli"
    assert "aws-cli" in event["userAgent"]


def test_without_a_log_there_is_nothing_to_choose(tmp_path):
    with pytest.raises(StartFailed) as failed:
        Server(None, "--audit-data-events", "all").start()
    assert failed.value.returncode == 2
    (tmp_path / "file").write_text("")
    with pytest.raises(StartFailed) as failed:
        Server(None, "--audit-log", tmp_path / "file").start()
    assert "audit log" in failed.value.stderr
