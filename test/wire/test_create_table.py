"""CreateTable: the description it returns, what it stores, and what it refuses."""

import re

import pytest

from harness.tables import definition, unique, wait_active, wait_gone

OOM = "One or more parameter values were invalid: "


class TestDescription:
    def test_on_demand(self, db, new_name):
        name = new_name()
        table = db.ok("CreateTable", definition(name, "pk:S", "sk:N"))["TableDescription"]
        assert table["TableName"] == name
        assert table["TableStatus"] in ("CREATING", "ACTIVE")
        assert table["AttributeDefinitions"] == [{"AttributeName": "pk", "AttributeType": "S"},
                                                 {"AttributeName": "sk", "AttributeType": "N"}]
        assert table["KeySchema"] == [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
        assert table["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 0, "WriteCapacityUnits": 0}
        assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
        assert (table["TableSizeBytes"], table["ItemCount"]) == (0, 0)
        assert table["DeletionProtectionEnabled"] is False
        assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", table["TableId"])
        assert re.fullmatch(rf"arn:aws:dynamodb:[a-z0-9-]+:\d{{12}}:table/{re.escape(name)}", table["TableArn"])
        assert isinstance(table["CreationDateTime"], (int, float))

    def test_provisioned(self, db, new_name):
        name = new_name()
        request = definition(name, BillingMode="PROVISIONED", ProvisionedThroughput={"ReadCapacityUnits": 3, "WriteCapacityUnits": 7})
        table = db.ok("CreateTable", request)["TableDescription"]
        assert table["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 3, "WriteCapacityUnits": 7}
        assert "BillingModeSummary" not in table

    def test_a_new_id_on_re_creation(self, db, new_name):
        name = new_name()
        ids = set()
        for _ in range(2):
            ids.add(db.ok("CreateTable", definition(name))["TableDescription"]["TableId"])
            wait_active(db, name)
            db.ok("DeleteTable", {"TableName": name})
            wait_gone(db, name)
        assert len(ids) == 2

    def test_the_options_are_described(self, db, make_table):
        name = make_table(
            TableClass="STANDARD_INFREQUENT_ACCESS", DeletionProtectionEnabled=True, SSESpecification={"Enabled": True},
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
            OnDemandThroughput={"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 20})
        table = db.ok("DescribeTable", {"TableName": name})["Table"]
        assert table["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
        assert table["DeletionProtectionEnabled"] is True
        assert table["SSEDescription"]["SSEType"] == "KMS"
        assert table["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        assert table["LatestStreamArn"] == f"{table['TableArn']}/stream/{table['LatestStreamLabel']}"
        assert table["OnDemandThroughput"] == {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 20}
        db.ok("UpdateTable", {"TableName": name, "DeletionProtectionEnabled": False})
        wait_active(db, name)

    def test_with_boto3_and_its_waiter(self, client, new_name):
        name = new_name()
        client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST",
                            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])
        client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
        client.put_item(TableName=name, Item={"pk": {"S": "a"}})

    def test_tags_at_creation(self, db, make_table):
        name = make_table(Tags=[{"Key": "team", "Value": "blue"}])
        arn = db.ok("DescribeTable", {"TableName": name})["Table"]["TableArn"]
        assert db.ok("ListTagsOfResource", {"ResourceArn": arn})["Tags"] == [{"Key": "team", "Value": "blue"}]


class TestRefused:
    def test_an_existing_name(self, db, hash_table):
        db.error("CreateTable", definition(hash_table), "ResourceInUseException", f"Table already exists: {hash_table}")

    def test_boto3_sees_the_exception_class(self, client, hash_table):
        with pytest.raises(client.exceptions.ResourceInUseException):
            client.create_table(TableName=hash_table, BillingMode="PAY_PER_REQUEST",
                                AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])

    def test_a_missing_name(self, db):
        request = definition("x")
        del request["TableName"]
        db.invalid("CreateTable", request, "The parameter 'TableName' is required but was not present in the request")

    @pytest.mark.parametrize("name, rule", [
        ("ab", "Member must have length greater than or equal to 3"),
        ("a" * 256, "Member must have length less than or equal to 255"),
        ("has space", "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+")])
    def test_bad_names(self, db, name, rule):
        db.invalid("CreateTable", definition(name),
                   f"1 validation error detected: Value '{name}' at 'tableName' failed to satisfy constraint: {rule}")

    @pytest.mark.parametrize("change, message", [
        ({"KeySchema": [{"AttributeName": "pk", "KeyType": "RANGE"}]},
         "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"),
        ({"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "HASH"}],
          "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}]},
         "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"),
        ({"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "pk", "KeyType": "RANGE"}],
          "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}]},
         "Both the Hash Key and the Range Key element in the KeySchema have the same name"),
        ({"AttributeDefinitions": [{"AttributeName": "other", "AttributeType": "S"}]},
         OOM + "Some index key attributes are not defined in AttributeDefinitions. Keys: [pk], AttributeDefinitions: [other]"),
        ({"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "x", "AttributeType": "S"}]},
         OOM + "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions"),
        ({"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}},
         OOM + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"),
        ({"BillingMode": "PROVISIONED"},
         OOM + "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"),
        ({"LocalSecondaryIndexes": []}, OOM + "List of LocalSecondaryIndexes is empty"),
        ({"GlobalSecondaryIndexes": []}, OOM + "List of GlobalSecondaryIndexes is empty"),
        ({"StreamSpecification": {"StreamEnabled": False, "StreamViewType": "KEYS_ONLY"}},
         OOM + "Table is being created with a stream disabled, UpdateViewType should not be specified"),
    ])
    def test_definitions(self, db, change, message):
        db.invalid("CreateTable", {**definition(unique()), **change}, message)

    @pytest.mark.parametrize("change, path, rule", [
        ({"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "BOOL"}]},
         "Value 'BOOL' at 'attributeDefinitions.1.member.attributeType'", "Member must satisfy enum value set: [B, N, S]"),
        ({"KeySchema": [{"AttributeName": "pk", "KeyType": "OTHER"}]},
         "Value 'OTHER' at 'keySchema.1.member.keyType'", "Member must satisfy enum value set: [HASH, RANGE]"),
        ({"BillingMode": "FREE"}, "Value 'FREE' at 'billingMode'",
         "Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]"),
        ({"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 1}},
         "Value '0' at 'provisionedThroughput.readCapacityUnits'", "Member must have value greater than or equal to 1"),
    ])
    def test_constraints(self, db, change, path, rule):
        members = db.invalid("CreateTable", {**definition(unique()), **change})
        assert f"{path} failed to satisfy constraint: {rule}" in members["message"]

    def test_an_attribute_defined_twice_is_named(self, db):
        twice = [{"AttributeName": name, "AttributeType": kind} for name, kind in (("pk", "S"), ("again", "S"), ("again", "N"))]
        message = db.invalid("CreateTable", {**definition(unique()), "AttributeDefinitions": twice})["message"]
        assert "uplicate" in message and message.endswith("again")

    @pytest.mark.parametrize("local, global_", [("l1", "g1"), ("aa", "zz")])
    def test_names_of_global_indexes_are_told_before_those_of_local_ones(self, db, local, global_):
        def index(name, *keys):
            return [{"IndexName": name, "Projection": {"ProjectionType": "ALL"}, "KeySchema": [
                {"AttributeName": key, "KeyType": role} for key, role in zip(keys, ("HASH", "RANGE"))]}]

        def fault(name, member):
            return f"Value '{name}' at '{member}.1.member.indexName' failed to satisfy constraint: Member must have length greater than or equal to 3"
        request = definition(unique(), "pk:S", "sk:S", LocalSecondaryIndexes=index(local, "pk", "a"), GlobalSecondaryIndexes=index(global_, "g"))
        db.invalid("CreateTable", request, f"2 validation errors detected: {fault(global_, 'globalSecondaryIndexes')}; "
                                           f"{fault(local, 'localSecondaryIndexes')}")

    def test_nothing_is_created(self, db):
        name = unique()
        tags = [{"Key": f"k{number}", "Value": "v"} for number in range(51)]
        db.invalid("CreateTable", definition(name, Tags=tags))
        db.error("DescribeTable", {"TableName": name}, "ResourceNotFoundException")
