"""Unique constraints: a user together with its e-mail and user name, each guarded by its own row in one transaction."""

import pytest
from botocore.exceptions import ClientError

from harness.sdk import CANCELLED, INVALID, all_items, code_of, insist, race, refused

FAILED = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
NONE = {"Code": "None"}


class Registry:
    """Users, e-mails and user names in three tables."""

    def __init__(self, client, table):
        self.client = client
        self.users, self.emails, self.names = (table(hash_key=key, range_key=None).name for key in ("id:S", "email:S", "username:S"))

    def put(self, table, key, **item):
        return {"Put": {"TableName": table, "Item": {name: {"S": value} for name, value in item.items()},
                        "ConditionExpression": f"attribute_not_exists({key})", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}}

    def register(self, user, email, name):
        self.client.transact_write_items(TransactItems=[
            self.put(self.users, "id", id=user, email=email, username=name),
            self.put(self.emails, "email", email=email, owner=user),
            self.put(self.names, "username", username=name, owner=user)])

    def change_email(self, user, old, new):
        self.client.transact_write_items(TransactItems=[
            {"Update": {"TableName": self.users, "Key": {"id": {"S": user}}, "UpdateExpression": "SET email = :new",
                        "ConditionExpression": "email = :old", "ExpressionAttributeValues": {":new": {"S": new}, ":old": {"S": old}}}},
            {"Delete": {"TableName": self.emails, "Key": {"email": {"S": old}}, "ConditionExpression": "#o = :user",
                        "ExpressionAttributeNames": {"#o": "owner"}, "ExpressionAttributeValues": {":user": {"S": user}}}},
            self.put(self.emails, "email", email=new, owner=user)])

    def dump(self, table, *attributes):
        rows = all_items(self.client.scan, TableName=table, ConsistentRead=True)
        return sorted(tuple(row[name]["S"] for name in attributes) for row in rows)

    def everything(self):
        return self.dump(self.users, "id", "email", "username"), self.dump(self.emails, "email", "owner"), self.dump(self.names, "username", "owner")


@pytest.fixture
def registry(client, table):
    made = Registry(client, table)
    made.register("u1", "ann@example.com", "ann")
    return made


BEFORE = ([("u1", "ann@example.com", "ann")], [("ann@example.com", "u1")], [("ann", "u1")])


def test_a_new_user_takes_all_three(registry):
    registry.register("u2", "bob@example.com", "bob")
    assert registry.everything() == ([("u1", "ann@example.com", "ann"), ("u2", "bob@example.com", "bob")],
                                     [("ann@example.com", "u1"), ("bob@example.com", "u2")], [("ann", "u1"), ("bob", "u2")])


USER = {**FAILED, "Item": {"id": {"S": "u1"}, "email": {"S": "ann@example.com"}, "username": {"S": "ann"}}}
EMAIL = {**FAILED, "Item": {"email": {"S": "ann@example.com"}, "owner": {"S": "u1"}}}
NAME = {**FAILED, "Item": {"username": {"S": "ann"}, "owner": {"S": "u1"}}}


@pytest.mark.parametrize("user, email, name, reasons", [
    ("u1", "x@example.com", "x", [USER, NONE, NONE]), ("u9", "ann@example.com", "x", [NONE, EMAIL, NONE]),
    ("u9", "x@example.com", "ann", [NONE, NONE, NAME]), ("u9", "ann@example.com", "ann", [NONE, EMAIL, NAME]),
    ("u1", "ann@example.com", "ann", [USER, EMAIL, NAME])])
def test_what_is_taken_is_told_in_order_and_nothing_is_written(registry, user, email, name, reasons):
    codes = ", ".join(reason["Code"] for reason in reasons)
    with refused(CANCELLED, f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]") as why:
        registry.register(user, email, name)
    assert why.reasons == reasons
    assert registry.everything() == BEFORE


def test_changing_the_email_frees_the_old_one(registry):
    registry.change_email("u1", "ann@example.com", "ann@new.example")
    registry.register("u2", "ann@example.com", "bob")
    assert registry.dump(registry.emails, "email", "owner") == [("ann@example.com", "u2"), ("ann@new.example", "u1")]


def test_changing_to_a_taken_email_changes_nothing(registry):
    registry.register("u2", "bob@example.com", "bob")
    before = registry.everything()
    with refused(CANCELLED) as why:
        registry.change_email("u1", "ann@example.com", "bob@example.com")
    assert why.codes == ["None", "None", "ConditionalCheckFailed"]
    assert registry.everything() == before


def test_giving_away_an_email_of_another(registry):
    with refused(CANCELLED) as why:
        registry.change_email("u9", "ann@example.com", "u9@example.com")
    assert why.reasons == [FAILED, FAILED, NONE], "no Item unless it was asked for"
    assert registry.everything() == BEFORE


def test_in_a_race_for_one_name_exactly_one_wins(registry):
    for turn in range(8):
        def attempt(number):
            try:
                insist(lambda: registry.register(f"r{turn}-{number}", f"r{turn}-{number}@example.com", f"name{turn}"))
                return True
            except ClientError as error:
                assert code_of(error) == CANCELLED
                assert [reason["Code"] for reason in error.response["CancellationReasons"]] == ["None", "None", "ConditionalCheckFailed"]
                return False
        won = race(6, attempt)
        assert won.count(True) == 1
        winner = f"r{turn}-{won.index(True)}"
        users, emails, names = registry.everything()
        assert (f"name{turn}", winner) in names
        assert [row for row in users if row[0].startswith(f"r{turn}-")] == [(winner, f"{winner}@example.com", f"name{turn}")]
        assert [row for row in emails if row[0].startswith(f"r{turn}-")] == [(f"{winner}@example.com", winner)]


def test_swaps_in_a_race_keep_the_tables_in_step(registry):
    """Every thread moves the same user between addresses; afterwards users and e-mails must agree."""
    addresses = [f"a{number}@example.com" for number in range(3)]

    def wander(number):
        moved = 0
        for turn in range(20):
            old = registry.client.get_item(TableName=registry.users, Key={"id": {"S": "u1"}}, ConsistentRead=True)["Item"]["email"]["S"]
            new = addresses[(number + turn) % len(addresses)]
            if new == old:
                continue
            try:
                insist(lambda: registry.change_email("u1", old, new))
                moved += 1
            except ClientError as error:
                assert code_of(error) == CANCELLED
        return moved

    assert sum(race(4, wander)) > 0
    users, emails, _ = registry.everything()
    assert emails == [(users[0][1], "u1")], "one address, the one the user has"


class TestMisuse:
    def test_two_actions_on_one_item(self, registry):
        with refused(INVALID, "Transaction request cannot include multiple operations on one item"):
            registry.client.transact_write_items(TransactItems=[
                registry.put(registry.emails, "email", email="x@example.com", owner="a"),
                {"ConditionCheck": {"TableName": registry.emails, "Key": {"email": {"S": "x@example.com"}}, "ConditionExpression": "attribute_not_exists(email)"}}])

    def test_members_are_not_called_as_the_operations_are(self, db, registry):
        reply = db.post("TransactWriteItems", {"TransactItems": [{"PutItem": {"TableName": registry.users, "Item": {"id": {"S": "u9"}}}}]})
        assert reply.status == 400 and reply.json["__type"].endswith("#ValidationException")
        assert registry.everything() == BEFORE

    def test_an_unknown_table(self, registry):
        with refused("ResourceNotFoundException", "Requested resource not found"):
            registry.client.transact_write_items(TransactItems=[
                registry.put(registry.users, "id", id="u9", email="x", username="x"), registry.put("no-such-table", "id", id="x")])
        assert registry.everything() == BEFORE

    def test_an_empty_name(self, registry):
        with refused(INVALID, "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
                              "empty string value. Key: username"):
            registry.register("u9", "x@example.com", "")
        assert registry.everything() == BEFORE
