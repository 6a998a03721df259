"""Multi-tenant keys: the tenant leads every key, so one tenant's reads cannot reach another's rows."""

import pytest
from boto3.dynamodb.conditions import Attr, Key

from harness.indexes import Index
from harness.sdk import INVALID, all_items, insist, pages, race, refused, settle

TENANTS = ["1", "10", "2"]


def row(tenant, number):
    return {"PK": f"TENANT#{tenant}", "SK": f"USER#{number:03}", "tenant_role": f"TENANT#{tenant}#ROLE#{('admin', 'guest')[number % 2]}", "number": number}


SIZES = {"1": 7, "10": 12, "2": 30}
ROWS = {tenant: [row(tenant, number) for number in range(size)] for tenant, size in SIZES.items()}


@pytest.fixture
def tenants(filled):
    return filled([item for items in ROWS.values() for item in items], gsi=[Index("by-role", "tenant_role:S", "SK:S")])


def of(table, tenant, **more):
    return all_items(table.query, KeyConditionExpression=Key("PK").eq(f"TENANT#{tenant}"), ConsistentRead=True, **more)


@pytest.mark.parametrize("tenant", TENANTS)
def test_a_tenant_sees_its_rows_only(tenants, tenant):
    assert of(tenants, tenant) == ROWS[tenant], "TENANT#1 is not a prefix here"
    assert of(tenants, tenant, Limit=5) == ROWS[tenant]
    assert of(tenants, tenant, Limit=5, ScanIndexForward=False) == ROWS[tenant][::-1]


@pytest.mark.parametrize("tenant", TENANTS)
def test_a_tenants_rows_through_an_index(tenants, tenant):
    read = lambda: tenants.query(IndexName="by-role", KeyConditionExpression=Key("tenant_role").eq(f"TENANT#{tenant}#ROLE#guest"))["Items"]
    settle(read, [item for item in ROWS[tenant] if item["number"] % 2])


def test_the_same_user_in_two_tenants(tenants):
    tenants.update_item(Key={"PK": "TENANT#1", "SK": "USER#001"}, UpdateExpression="SET #n = :n", ExpressionAttributeNames={"#n": "name"},
                        ExpressionAttributeValues={":n": "Ann"})
    assert tenants.get_item(Key={"PK": "TENANT#1", "SK": "USER#001"}, ConsistentRead=True)["Item"] == {**ROWS["1"][1], "name": "Ann"}
    assert of(tenants, "10") == ROWS["10"]
    assert of(tenants, "2") == ROWS["2"]


def test_one_tenants_cursor_is_no_use_to_another(tenants):
    first = tenants.query(KeyConditionExpression=Key("PK").eq("TENANT#1"), Limit=2)
    with refused(INVALID, "The provided starting key is outside query boundaries based on provided conditions"):
        tenants.query(KeyConditionExpression=Key("PK").eq("TENANT#2"), ExclusiveStartKey=first["LastEvaluatedKey"])


def test_a_tenant_is_removed_whole_and_alone(tenants):
    for page in pages(tenants.query, KeyConditionExpression=Key("PK").eq("TENANT#2"), ProjectionExpression="PK, SK", Limit=25):
        requests = [{"DeleteRequest": {"Key": key}} for key in page["Items"]]
        if requests:
            reply = tenants.meta.client.batch_write_item(RequestItems={tenants.name: requests})
            assert reply["UnprocessedItems"] == {}
    assert of(tenants, "2") == []
    assert of(tenants, "1") == ROWS["1"]
    assert of(tenants, "10") == ROWS["10"]
    settle(lambda: tenants.scan(IndexName="by-role", Select="COUNT")["Count"], SIZES["1"] + SIZES["10"])


def test_moving_a_user_between_tenants(tenants):
    moved = {**ROWS["1"][0], "PK": "TENANT#2", "SK": "USER#900", "tenant_role": "TENANT#2#ROLE#moved"}
    tenants.meta.client.transact_write_items(TransactItems=[
        {"Delete": {"TableName": tenants.name, "Key": {"PK": "TENANT#1", "SK": "USER#000"}, "ConditionExpression": "attribute_exists(PK)"}},
        {"Put": {"TableName": tenants.name, "Item": moved, "ConditionExpression": "attribute_not_exists(PK)"}}])
    assert of(tenants, "1") == ROWS["1"][1:]
    assert of(tenants, "2") == [*ROWS["2"], moved]
    settle(lambda: tenants.query(IndexName="by-role", KeyConditionExpression=Key("tenant_role").eq("TENANT#2#ROLE#moved"))["Items"], [moved])


def test_a_quota_per_tenant_under_load(table):
    """Each tenant may make five projects; a counter row guards it, in one transaction with the project."""
    projects, quota = table(), 5

    def make(number):
        made = 0
        for turn in range(4):
            for tenant in TENANTS:
                guard = {"TableName": projects.name, "Key": {"PK": f"TENANT#{tenant}", "SK": "#QUOTA"}, "UpdateExpression": "ADD used :one",
                         "ConditionExpression": "attribute_not_exists(used) OR used < :max", "ExpressionAttributeValues": {":one": 1, ":max": quota}}
                item = {"PK": f"TENANT#{tenant}", "SK": f"PROJECT#{number}-{turn}"}
                try:
                    insist(lambda: projects.meta.client.transact_write_items(TransactItems=[{"Update": guard}, {"Put": {"TableName": projects.name, "Item": item}}]))
                    made += 1
                except projects.meta.client.exceptions.TransactionCanceledException as error:
                    assert [reason["Code"] for reason in error.response["CancellationReasons"]] == ["ConditionalCheckFailed", "None"]
        return made

    assert sum(race(5, make)) == quota * len(TENANTS)
    for tenant in TENANTS:
        rows = of(projects, tenant)
        assert rows[0] == {"PK": f"TENANT#{tenant}", "SK": "#QUOTA", "used": quota}
        assert len(rows) == 1 + quota


class TestMisuse:
    def test_a_prefix_over_all_tenants(self, tenants):
        with refused(INVALID, "Query key condition not supported"):
            tenants.query(KeyConditionExpression="begins_with(PK, :t)", ExpressionAttributeValues={":t": "TENANT#1"})
        with refused(INVALID, "Query key condition not supported"):
            tenants.query(KeyConditionExpression="begins_with(PK, :t) AND SK = :u", ExpressionAttributeValues={":t": "TENANT#1", ":u": "USER#001"})

    @pytest.mark.parametrize("condition", [Key("PK").gt("TENANT#1"), Key("PK").between("TENANT#1", "TENANT#2")])
    def test_a_range_of_tenants(self, tenants, condition):
        with refused(INVALID, "Query key condition not supported"):
            tenants.query(KeyConditionExpression=condition)

    def test_two_tenants_in_one_query(self, tenants):
        with refused(INVALID, "Invalid operator used in KeyConditionExpression: IN"):
            tenants.query(KeyConditionExpression="PK IN (:a, :b)", ExpressionAttributeValues={":a": "TENANT#1", ":b": "TENANT#2"})

    def test_a_scan_may_use_the_prefix_and_pays_for_everything(self, tenants):
        page = tenants.scan(FilterExpression=Attr("PK").begins_with("TENANT#1"))
        assert (page["Count"], page["ScannedCount"]) == (SIZES["1"] + SIZES["10"], sum(SIZES.values()))

    def test_an_empty_tenant(self, tenants):
        with refused(INVALID, "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
                              "empty string value. Key: PK"):
            tenants.put_item(Item={"PK": "", "SK": "USER#001"})
