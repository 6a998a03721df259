"""UpdateTable: throughput, billing mode, class, protection, encryption, streams; the state machine."""

import pytest

from harness.tables import wait_active

OOM = "One or more parameter values were invalid: "
FIVE = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}


@pytest.fixture
def updated(db):
    def change(name, **members):
        reply = db.ok("UpdateTable", {"TableName": name, **members})["TableDescription"]
        assert reply["TableName"] == name
        return wait_active(db, name)
    return change


class TestChanges:
    def test_throughput(self, db, make_table, updated):
        name = make_table(BillingMode="PROVISIONED", ProvisionedThroughput=FIVE)
        table = updated(name, ProvisionedThroughput={"ReadCapacityUnits": 9, "WriteCapacityUnits": 5})
        assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 9
        assert "LastIncreaseDateTime" in table["ProvisionedThroughput"]
        table = updated(name, ProvisionedThroughput={"ReadCapacityUnits": 2, "WriteCapacityUnits": 5})
        assert table["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 1
        assert "LastDecreaseDateTime" in table["ProvisionedThroughput"]

    def test_billing_mode_there_and_back(self, make_table, updated):
        name = make_table(BillingMode="PROVISIONED", ProvisionedThroughput=FIVE)
        table = updated(name, BillingMode="PAY_PER_REQUEST")
        assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
        assert "LastUpdateToPayPerRequestDateTime" in table["BillingModeSummary"]
        table = updated(name, BillingMode="PROVISIONED", ProvisionedThroughput=FIVE)
        assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 5
        assert table["BillingModeSummary"]["BillingMode"] == "PROVISIONED", "it was on-demand once"

    def test_on_demand_throughput_merges_and_minus_one_removes(self, make_table, updated):
        name = make_table(OnDemandThroughput={"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 20})
        table = updated(name, OnDemandThroughput={"MaxReadRequestUnits": 50})
        assert table["OnDemandThroughput"] == {"MaxReadRequestUnits": 50, "MaxWriteRequestUnits": 20}
        table = updated(name, OnDemandThroughput={"MaxReadRequestUnits": -1})
        assert table["OnDemandThroughput"].get("MaxReadRequestUnits", -1) == -1

    def test_warm_throughput_can_be_raised(self, make_table, updated):
        name = make_table()
        table = updated(name, WarmThroughput={"ReadUnitsPerSecond": 13000, "WriteUnitsPerSecond": 5000})
        assert (table["WarmThroughput"]["ReadUnitsPerSecond"], table["WarmThroughput"]["WriteUnitsPerSecond"]) == (13000, 5000)

    def test_table_class(self, make_table, updated):
        table = updated(make_table(), TableClass="STANDARD_INFREQUENT_ACCESS")
        assert table["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"

    def test_stream_on_and_off(self, db, make_table, updated):
        name = make_table()
        table = updated(name, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
        arn = table["LatestStreamArn"]
        assert table["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
        db.invalid("UpdateTable", {"TableName": name, "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}},
                   f"Table already has an enabled stream: TableName: {name}")
        table = updated(name, StreamSpecification={"StreamEnabled": False})
        assert "StreamSpecification" not in table
        assert table["LatestStreamArn"] == arn

    def test_encryption(self, server, make_table, updated):
        table = updated(make_table(), SSESpecification={"Enabled": True})
        assert table["SSEDescription"]["SSEType"] == "KMS"
        # The server of these tests encrypts nothing, and does not claim it; one that does is test_encryption.py's.
        assert table["SSEDescription"]["Status"] in (("DISABLED",) if server else ("ENABLED", "UPDATING"))

    def test_data_is_served_while_updating(self, db, make_table):
        name = make_table()
        db.ok("UpdateTable", {"TableName": name, "TableClass": "STANDARD_INFREQUENT_ACCESS"})
        db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": "a"}}})
        wait_active(db, name)

    def test_items_survive(self, db, make_table, updated):
        name = make_table()
        db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": "a"}}})
        updated(name, BillingMode="PROVISIONED", ProvisionedThroughput=FIVE)
        assert db.ok("GetItem", {"TableName": name, "Key": {"pk": {"S": "a"}}})["Item"] == {"pk": {"S": "a"}}


class TestRefused:
    def test_nothing_to_do(self, db, hash_table):
        db.invalid("UpdateTable", {"TableName": hash_table},
                   "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates "
                   "or SSESpecification or ReplicaUpdates is required")

    def test_unknown_table(self, db):
        db.error("UpdateTable", {"TableName": "no-such-table", "BillingMode": "PAY_PER_REQUEST"}, "ResourceNotFoundException",
                 "Requested resource not found: Table: no-such-table not found")

    def test_the_same_throughput(self, db, make_table):
        name = make_table(BillingMode="PROVISIONED", ProvisionedThroughput=FIVE)
        db.invalid("UpdateTable", {"TableName": name, "ProvisionedThroughput": FIVE},
                   "The provisioned throughput for the table will not change. The requested value equals the current value. "
                   "Current ReadCapacityUnits provisioned for the table: 5. Requested ReadCapacityUnits: 5. "
                   "Current WriteCapacityUnits provisioned for the table: 5. Requested WriteCapacityUnits: 5. "
                   "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.")

    @pytest.mark.parametrize("change, message", [
        ({"BillingMode": "PROVISIONED"}, OOM + "ProvisionedThroughput must be specified when BillingMode is PROVISIONED"),
        ({"BillingMode": "PAY_PER_REQUEST", "ProvisionedThroughput": FIVE},
         OOM + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"),
    ])
    def test_billing_and_throughput(self, db, hash_table, change, message):
        db.invalid("UpdateTable", {"TableName": hash_table, **change}, message)

    def test_pay_per_request_again_is_accepted(self, db, make_table):
        name = make_table()
        db.ok("UpdateTable", {"TableName": name, "BillingMode": "PAY_PER_REQUEST"})
        wait_active(db, name)

    def test_disabling_no_stream(self, db, hash_table):
        db.invalid("UpdateTable", {"TableName": hash_table, "StreamSpecification": {"StreamEnabled": False}},
                   f"Table doesn't have a stream to disable: TableName: {hash_table}")
