"""Policies of tables and streams: what PutResourcePolicy takes, and whom it lets in, from the own account and from others."""

import json

import botocore.exceptions
import pytest

from harness import tables
from harness.principals import ACCOUNT, User, administrator, allow, deny, table_arn, write_file
from harness.server import Server

OTHER = "210987654321"
TABLE = "Shared"
ARN = table_arn(TABLE)
STREAMS = {"prefix": "DynamoDBStreams_20120810"}
MISSING = "Resource-based policy not found for the provided ResourceArn: "

ADMIN = administrator()
NOBODY = User("nobody", [])
BOUND = User("bound", [allow("dynamodb:*"), deny("dynamodb:PutItem", ARN)])
FOREIGNER = User("foreigner", [allow("dynamodb:*")], account=OTHER)
FOREIGN_NOBODY = User("foreign-nobody", [], account=OTHER)
USERS = [ADMIN, NOBODY, BOUND, FOREIGNER, FOREIGN_NOBODY]


def s(text):
    return {"S": text}


def grant(principals, actions, resources=(ARN,), effect="Allow", **condition):
    arns = [user.arn if isinstance(user, User) else user for user in principals]
    return {"Effect": effect, "Principal": {"AWS": arns}, "Action": actions, "Resource": list(resources),
            **({"Condition": condition} if condition else {})}


def document(*statements):
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("resource-policies")
    with Server(folder / "data", "--iam-file", write_file(folder / "iam.toml", *USERS)) as server:
        db = ADMIN.raw(server)
        tables.create(db, name=TABLE, StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}, GlobalSecondaryIndexes=[
            {"IndexName": "byG", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}],
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "g")])
        server.stream = db.ok("DescribeTable", {"TableName": TABLE})["Table"]["LatestStreamArn"]
        db.close()
        yield server


@pytest.fixture
def db(guarded):
    """The administrator; no policies, one item."""
    client = ADMIN.raw(guarded)
    for arn in (ARN, guarded.stream):
        client.ok("DeleteResourcePolicy", {"ResourceArn": arn})
    tables.fill(client, TABLE, [{"pk": s("a"), "g": s("x")}])
    yield client
    client.close()


@pytest.fixture
def as_user(guarded):
    clients = []

    def make(user):
        clients.append(user.raw(guarded))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


def put(db, *statements, arn=ARN, **more):
    return db.ok("PutResourcePolicy", {"ResourceArn": arn, "Policy": document(*statements), **more})["RevisionId"]


def get_item(name=TABLE):
    return {"TableName": name, "Key": {"pk": s("a")}}


class TestInTheOwnAccount:
    def test_who_is_named_needs_nothing_else(self, db, as_user):
        nobody = as_user(NOBODY)
        nobody.error("GetItem", get_item(), "AccessDeniedException", NOBODY.denied("dynamodb:GetItem", ARN))
        put(db, grant([NOBODY], "dynamodb:GetItem"))
        assert nobody.ok("GetItem", get_item())["Item"] == {"pk": s("a"), "g": s("x")}
        nobody.error("Scan", {"TableName": TABLE}, "AccessDeniedException", NOBODY.denied("dynamodb:Scan", ARN))
        db.ok("DeleteResourcePolicy", {"ResourceArn": ARN})
        nobody.error("GetItem", get_item(), "AccessDeniedException", NOBODY.denied("dynamodb:GetItem", ARN))

    def test_to_name_the_account_grants_nothing_by_itself(self, db, as_user):
        put(db, grant([ACCOUNT], "dynamodb:*"))
        as_user(NOBODY).error("GetItem", get_item(), "AccessDeniedException", NOBODY.denied("dynamodb:GetItem", ARN))

    def test_a_denial_binds_who_may_do_everything(self, db, as_user):
        put(db, grant([ADMIN], "dynamodb:GetItem", effect="Deny"))
        db.error("GetItem", get_item(), "AccessDeniedException",
                 ADMIN.denied("dynamodb:GetItem", ARN, "with an explicit deny in a resource-based policy"))
        db.ok("Scan", {"TableName": TABLE})

    def test_a_denial_of_his_own_outweighs_it(self, db, as_user):
        put(db, grant([BOUND], "dynamodb:PutItem"))
        as_user(BOUND).error("PutItem", {"TableName": TABLE, "Item": {"pk": s("b")}}, "AccessDeniedException",
                             BOUND.denied("dynamodb:PutItem", ARN, "with an explicit deny in an identity-based policy"))

    def test_conditions_on_keys(self, db, as_user):
        put(db, grant([NOBODY], ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"],
                      **{"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["a"]}, "Null": {"dynamodb:LeadingKeys": "false"}}))
        nobody = as_user(NOBODY)
        nobody.ok("GetItem", get_item())
        nobody.ok("BatchGetItem", {"RequestItems": {TABLE: {"Keys": [{"pk": s("a")}]}}})
        nobody.error("GetItem", {"TableName": TABLE, "Key": {"pk": s("b")}}, "AccessDeniedException")
        nobody.error("BatchGetItem", {"RequestItems": {TABLE: {"Keys": [{"pk": s("a")}, {"pk": s("b")}]}}}, "AccessDeniedException")

    def test_indexes_are_granted_by_themselves(self, db, as_user):
        query = {"TableName": TABLE, "IndexName": "byG", "KeyConditionExpression": "g = :g", "ExpressionAttributeValues": {":g": s("x")}}
        put(db, grant([NOBODY], "dynamodb:Query"))
        as_user(NOBODY).error("Query", query, "AccessDeniedException", NOBODY.denied("dynamodb:Query", ARN + "/index/byG"))
        put(db, grant([NOBODY], "dynamodb:Query", [ARN + "/index/*"]))
        assert as_user(NOBODY).ok("Query", query)["Count"] == 1

    def test_streams_are_granted_by_their_own_policy(self, db, guarded, as_user):
        put(db, grant([NOBODY], "dynamodb:*"))
        nobody = as_user(NOBODY)
        nobody.error("DescribeStream", {"StreamArn": guarded.stream}, "AccessDeniedException", **STREAMS)
        put(db, grant([NOBODY], "dynamodb:DescribeStream", [guarded.stream]), arn=guarded.stream)
        nobody.ok("DescribeStream", {"StreamArn": guarded.stream}, **STREAMS)


class TestAcrossAccounts:
    def test_both_sides_must_allow(self, db, as_user):
        foreigner = as_user(FOREIGNER)
        no_resource_policy = "because no resource-based policy allows the dynamodb:GetItem action"
        foreigner.error("GetItem", get_item(ARN), "AccessDeniedException", FOREIGNER.denied("dynamodb:GetItem", ARN, no_resource_policy))
        put(db, grant([FOREIGNER, FOREIGN_NOBODY], "dynamodb:GetItem"))
        assert foreigner.ok("GetItem", get_item(ARN))["Item"]["g"] == s("x")
        as_user(FOREIGN_NOBODY).error("GetItem", get_item(ARN), "AccessDeniedException", FOREIGN_NOBODY.denied("dynamodb:GetItem", ARN))

    def test_the_other_account_as_a_whole(self, db, as_user):
        put(db, grant([OTHER], "dynamodb:*", [ARN, ARN + "/index/*"]))
        foreigner = as_user(FOREIGNER)
        item = {"pk": s("b"), "g": s("y")}
        foreigner.ok("PutItem", {"TableName": ARN, "Item": item})
        assert db.ok("GetItem", {"TableName": TABLE, "Key": {"pk": s("b")}, "ConsistentRead": True})["Item"] == item
        assert foreigner.ok("Scan", {"TableName": ARN})["Count"] == 2
        assert foreigner.ok("DescribeTable", {"TableName": ARN})["Table"]["TableArn"] == ARN
        assert foreigner.ok("Query", {"TableName": ARN, "IndexName": "byG", "KeyConditionExpression": "g = :g",
                                      "ExpressionAttributeValues": {":g": s("y")}})["Items"] == [item]
        foreigner.ok("TransactWriteItems", {"TransactItems": [{"Delete": {"TableName": ARN, "Key": {"pk": s("b")}}}]})
        reply = foreigner.post("TagResource", {"ResourceArn": ARN, "Tags": [{"Key": "by", "Value": "foreigner"}]})
        assert reply.status == 200
        assert db.ok("ListTagsOfResource", {"ResourceArn": ARN})["Tags"] == [{"Key": "by", "Value": "foreigner"}]

    def test_a_bare_name_never_leads_there(self, db, as_user):
        put(db, grant([OTHER], "dynamodb:*"))
        as_user(FOREIGNER).error("GetItem", get_item(), "ResourceNotFoundException", "Requested resource not found")

    def test_one_batch_of_two_accounts(self, db, as_user):
        put(db, grant([OTHER], "dynamodb:BatchGetItem"))
        foreigner = as_user(FOREIGNER)
        own = tables.create(foreigner)
        tables.fill(foreigner, own, [{"pk": s("mine")}])
        replies = foreigner.ok("BatchGetItem", {"RequestItems": {ARN: {"Keys": [{"pk": s("a")}]}, own: {"Keys": [{"pk": s("mine")}]}}})
        assert replies["Responses"] == {ARN: [{"pk": s("a"), "g": s("x")}], own: [{"pk": s("mine")}]}

    @pytest.mark.parametrize("operation, members", [
        ("PutResourcePolicy", {"ResourceArn": ARN, "Policy": document(grant([OTHER], "dynamodb:*"))}),
        ("GetResourcePolicy", {"ResourceArn": ARN}), ("DeleteResourcePolicy", {"ResourceArn": ARN}),
        ("UpdateTimeToLive", {"TableName": ARN, "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "t"}})])
    def test_what_cannot_be_granted(self, db, as_user, operation, members):
        put(db, grant([OTHER], "dynamodb:*"))
        action = f"dynamodb:{operation}"
        as_user(FOREIGNER).error(operation, members, "AccessDeniedException", FOREIGNER.denied(
            action, ARN, f"because no resource-based policy allows the {action} action"))

    def test_streams(self, db, guarded, as_user):
        foreigner = as_user(FOREIGNER)
        foreigner.error("DescribeStream", {"StreamArn": guarded.stream}, "AccessDeniedException", **STREAMS)
        put(db, grant([OTHER], ["dynamodb:DescribeStream", "dynamodb:GetShardIterator", "dynamodb:GetRecords"], [guarded.stream]),
            arn=guarded.stream)
        shard = foreigner.ok("DescribeStream", {"StreamArn": guarded.stream}, **STREAMS)["StreamDescription"]["Shards"][0]["ShardId"]
        iterator = foreigner.ok("GetShardIterator", {"StreamArn": guarded.stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"},
                                **STREAMS)["ShardIterator"]
        assert foreigner.ok("GetRecords", {"ShardIterator": iterator}, **STREAMS)["Records"]


class TestWhoPutsIt:
    def test_nobody_locks_himself_out_by_mistake(self, db, as_user):
        changes = ["dynamodb:PutResourcePolicy", "dynamodb:DeleteResourcePolicy"]
        fatal = {"ResourceArn": ARN, "Policy": document(grant([ADMIN], changes, effect="Deny"))}
        db.invalid("PutResourcePolicy", fatal)
        db.error("GetResourcePolicy", {"ResourceArn": ARN}, "PolicyNotFoundException", MISSING + ARN)
        put(db, grant([ADMIN], changes[:1], effect="Deny"))  # can be deleted
        db.ok("DeleteResourcePolicy", {"ResourceArn": ARN})
        other = as_user(BOUND)
        fatal["Policy"] = document(grant([BOUND], changes, effect="Deny"))
        other.ok("PutResourcePolicy", {**fatal, "ConfirmRemoveSelfResourceAccess": True})
        for operation, members in (("DeleteResourcePolicy", {}), ("PutResourcePolicy", {"Policy": fatal["Policy"]})):
            other.error(operation, {"ResourceArn": ARN, **members}, "AccessDeniedException", BOUND.denied(
                f"dynamodb:{operation}", ARN, "with an explicit deny in a resource-based policy"))

    def test_whom_it_names_must_be_there(self, db):
        db.invalid("PutResourcePolicy", {"ResourceArn": ARN, "Policy": document(grant([f"arn:aws:iam::{ACCOUNT}:user/ghost"], "dynamodb:*"))},
                   "One or more parameter values were invalid: Invalid policy document: Invalid principal in policy: "
                   f'"AWS":"arn:aws:iam::{ACCOUNT}:user/ghost"')

    def test_somebody_who_has_the_name_later_is_not_meant(self, db, guarded):
        iam = ADMIN.boto(guarded, "iam")

        def make_phoenix():
            iam.create_user(UserName="phoenix")
            key = iam.create_access_key(UserName="phoenix")["AccessKey"]
            user = User("phoenix", [])
            user.key_id, user.secret = key["AccessKeyId"], key["SecretAccessKey"]
            return user

        def remove_phoenix(user):
            iam.delete_access_key(UserName="phoenix", AccessKeyId=user.key_id)
            iam.delete_user(UserName="phoenix")

        first = make_phoenix()
        put(db, grant([first], "dynamodb:GetItem"))
        assert first.boto(guarded).get_item(**get_item())["Item"]
        remove_phoenix(first)
        second = make_phoenix()
        with pytest.raises(botocore.exceptions.ClientError) as told:
            second.boto(guarded).get_item(**get_item())
        assert told.value.response["Error"]["Code"] == "AccessDeniedException"
        put(db, grant([second], "dynamodb:GetItem"))  # the same text, but somebody else is meant
        assert second.boto(guarded).get_item(**get_item())["Item"]
        remove_phoenix(second)

    def test_a_table_is_born_with_it(self, db, as_user):
        name = tables.unique()
        members = {**tables.definition(name), "ResourcePolicy": document(grant([NOBODY], "dynamodb:Scan", [table_arn(name)]))}
        db.ok("CreateTable", members)
        assert as_user(NOBODY).ok("Scan", {"TableName": name})["Count"] == 0
        assert json.loads(db.ok("GetResourcePolicy", {"ResourceArn": table_arn(name)})["Policy"]) == json.loads(members["ResourcePolicy"])


def test_who_makes_a_table_with_a_policy_must_be_allowed_to_put_one(tmp_path):
    maker = User("maker", [allow(["dynamodb:CreateTable", "dynamodb:DescribeTable"])])
    with Server(tmp_path / "data", "--iam-file", write_file(tmp_path / "iam.toml", maker)) as server:
        name = tables.unique()
        members = {**tables.definition(name), "ResourcePolicy": document(grant([ACCOUNT], "dynamodb:Scan", [table_arn(name)]))}
        client = maker.raw(server)
        client.error("CreateTable", members, "AccessDeniedException", maker.denied("dynamodb:PutResourcePolicy", table_arn(name)))
        client.error("DescribeTable", {"TableName": name}, "ResourceNotFoundException")
        client.close()


def test_it_is_kept_and_in_force_after_kill(tmp_path):
    iam_file = write_file(tmp_path / "iam.toml", *USERS)
    with Server(tmp_path / "data", "--iam-file", iam_file) as server:
        db = ADMIN.raw(server)
        tables.create(db, name=TABLE)
        tables.fill(db, TABLE, [{"pk": s("a")}])
        revision = put(db, grant([NOBODY], "dynamodb:GetItem"))
        db.close()
        server.kill()
        server.start()
        db, nobody = ADMIN.raw(server), NOBODY.raw(server)
        assert db.ok("GetResourcePolicy", {"ResourceArn": ARN})["RevisionId"] == revision
        assert nobody.ok("GetItem", get_item())["Item"]
        nobody.error("Scan", {"TableName": TABLE}, "AccessDeniedException")
        db.close()
        nobody.close()
