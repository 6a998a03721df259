"""ExecuteTransaction: all or nothing, EXISTS, cancellation reasons, where faults are reported, tokens, capacity."""

import threading

import botocore.exceptions
import pytest

from harness import tables
from harness.partiql import in_table

CANCELLED = "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]"


@pytest.fixture
def transact(client, hash_table):
    def execute(*statements, **more):
        return client.execute_transaction(
            TransactStatements=[{"Statement": in_table(text, hash_table)} for text in statements], **more)
    return execute


@pytest.fixture
def fault(transact):
    def execute(*statements, **more):
        with pytest.raises(botocore.exceptions.ClientError) as caught:
            transact(*statements, **more)
        assert caught.value.response["Error"]["Code"] == "ValidationException"
        return caught.value.response["Error"]["Message"]
    return execute


@pytest.fixture
def cancelled(client, transact):
    def execute(*statements):
        with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
            transact(*statements)
        reasons = caught.value.response["CancellationReasons"]
        message = caught.value.response["Error"]["Message"]
        assert message == CANCELLED.format(", ".join(reason["Code"] for reason in reasons))
        return reasons
    return execute


@pytest.fixture
def names(db, hash_table):
    """Four keys; the first two have items."""
    prefix = tables.unique("k")
    keys = [f"{prefix}-{n}" for n in range(4)]
    for key in keys[:2]:
        db.ok("PutItem", {"TableName": hash_table, "Item": {"pk": {"S": key}, "n": {"N": "1"}}})
    return keys


@pytest.fixture
def item(db, hash_table):
    def read(key):
        reply = db.ok("GetItem", {"TableName": hash_table, "Key": {"pk": {"S": key}}, "ConsistentRead": True})
        return reply.get("Item")
    return read


class TestWrites:
    def test_all(self, transact, names, item, hash_table):
        reply = transact(f"INSERT INTO T VALUE {{'pk': '{names[2]}'}}", f"UPDATE T SET n = n + 1 WHERE pk = '{names[0]}'",
                         f"DELETE FROM T WHERE pk = '{names[1]}'", ReturnConsumedCapacity="TOTAL")
        assert reply["ConsumedCapacity"] == [
            {"TableName": hash_table, "CapacityUnits": 6.0, "WriteCapacityUnits": 6.0}]
        assert item(names[0])["n"] == {"N": "2"} and item(names[1]) is None and item(names[2])

    def test_nothing(self, cancelled, names, item):
        assert cancelled(f"INSERT INTO T VALUE {{'pk': '{names[0]}'}}", f"UPDATE T SET n = 9 WHERE pk = '{names[1]}'",
                         f"UPDATE T SET n = 9 WHERE pk = '{names[2]}'") == [
            {"Code": "DuplicateItem", "Message": "Duplicate primary key exists in table"}, {"Code": "None"},
            {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}]
        assert item(names[1])["n"] == {"N": "1"}

    def test_exists(self, transact, cancelled, fault, names, item):
        transact(f"EXISTS(SELECT * FROM T WHERE pk = '{names[0]}' AND n = 1)",
                 f"INSERT INTO T VALUE {{'pk': '{names[2]}'}}")
        assert item(names[2])
        assert [reason["Code"] for reason in cancelled(
            f"EXISTS(SELECT * FROM T WHERE pk = '{names[0]}' AND n IS MISSING)",
            f"INSERT INTO T VALUE {{'pk': '{names[3]}'}}")] == ["ConditionalCheckFailed", "None"]
        assert fault(f"EXISTS(SELECT * FROM T WHERE pk = '{names[0]}')") == (
            "Validation failed in TransactStatements[0]: EXISTS() must contain a single item read with additional condition")

    def test_the_item_in_the_reason(self, db, hash_table, names):
        error = db.error("ExecuteTransaction", {"TransactStatements": [{
            "Statement": f"DELETE FROM \"{hash_table}\" WHERE pk = '{names[0]}' AND n = 5",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}]}, "TransactionCanceledException")
        assert error["CancellationReasons"][0]["Item"] == {"pk": {"S": names[0]}, "n": {"N": "1"}}

    def test_a_hundred_statements(self, client, hash_table):
        prefix = tables.unique("k")
        statements = [{"Statement": f"INSERT INTO \"{hash_table}\" VALUE {{'pk': ?}}", "Parameters": [{"S": f"{prefix}-{n}"}]}
                      for n in range(101)]
        client.execute_transaction(TransactStatements=statements[:100])
        with pytest.raises(botocore.exceptions.ClientError, match="length less than or equal to 100"):
            client.execute_transaction(TransactStatements=statements)

    def test_increments_are_not_lost(self, session, endpoint, hash_table, names, item):
        """Transactions that meet are refused or done, and every one that is done counts once."""
        done = []

        def work():
            client = session.client("dynamodb", endpoint_url=endpoint)
            for _ in range(20):
                try:
                    client.execute_transaction(TransactStatements=[
                        {"Statement": f"UPDATE \"{hash_table}\" SET n = n + 1 WHERE pk = '{name}'"} for name in names[:2]])
                    done.append(1)
                except client.exceptions.TransactionCanceledException:
                    pass
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert item(names[0])["n"] == item(names[1])["n"] == {"N": str(1 + len(done))}


class TestReads:
    def test_writes_respond_with_nothing_and_say_so(self, transact, names):
        statement = f"UPDATE T SET n = 5 WHERE pk = '{names[0]}'"
        assert transact(statement)["Responses"] == []
        token = names[0] + "-token"
        for _ in range(2):
            assert transact(statement, ClientRequestToken=token)["Responses"] == []

    def test_items_in_order(self, transact, names, hash_table):
        reply = transact(f"SELECT n FROM T WHERE pk = '{names[0]}'", f"SELECT * FROM T WHERE pk = '{names[3]}'",
                         ReturnConsumedCapacity="TOTAL")
        assert reply["Responses"] == [{"Item": {"n": {"N": "1"}}}, {}]
        assert reply["ConsumedCapacity"] == [{"TableName": hash_table, "CapacityUnits": 4.0, "ReadCapacityUnits": 4.0}]

    def test_faults(self, fault, names):
        prefix = "Validation failed in TransactStatements[0]: "
        assert fault("SELECT * FROM T WHERE n = 1") == prefix + (
            "Select statements within ExecuteTransaction must specify the primary key in the where clause.")
        assert fault("SELECT * FROM T.i WHERE n = 1") == prefix + "Reads on indices are not supported within transactions."
        assert fault(f"SELECT * FROM T WHERE pk = '{names[0]}'", f"DELETE FROM T WHERE pk = '{names[1]}'") == (
            "ExecuteTransaction API does not support both read and write operations in the same request.")
        assert fault(*[f"SELECT * FROM T WHERE pk = '{names[0]}'"] * 2) == (
            "Transaction request cannot include multiple operations on one item")


class TestFaults:
    def test_of_a_statement(self, fault, names):
        assert fault(f"DELETE FROM T WHERE pk = '{names[0]}'", "SELECT * FROM T WHERE") == (
            "Validation failed in TransactStatements[1]: Statement wasn't well formed, can't be processed: Unexpected term")
        assert fault(f"UPDATE T SET n = 1 WHERE pk = '{names[0]}' RETURNING ALL NEW *") == (
            "Validation failed in TransactStatements[0]: RETURNING clause is not supported in ExecuteTransaction.")

    def test_that_cancel(self, cancelled, names):
        assert cancelled(f"DELETE FROM T WHERE pk = '{names[0]}'", "DELETE FROM none_such WHERE pk = 'x'",
                         "UPDATE T SET n = 1 WHERE n = 1") == [
            {"Code": "None"}, {"Code": "ResourceNotFound", "Message": "Requested resource not found"},
            {"Code": "ValidationError", "Message": "The provided key element does not match the schema"}]


class TestTokens:
    def test_a_repetition_is_not_executed(self, transact, names, item):
        statement = f"UPDATE T SET n = n + 1 WHERE pk = '{names[0]}'"
        token = tables.unique("token")
        first = transact(statement, ClientRequestToken=token, ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"][0]
        again = transact(statement, ClientRequestToken=token, ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"][0]
        assert first["WriteCapacityUnits"] == 2.0 and again["ReadCapacityUnits"] == 2.0
        assert item(names[0])["n"] == {"N": "2"}

    def test_other_statements_under_a_used_token(self, client, transact, names):
        token = tables.unique("token")
        transact(f"UPDATE T SET n = 5 WHERE pk = '{names[0]}'", ClientRequestToken=token)
        with pytest.raises(client.exceptions.IdempotentParameterMismatchException):
            transact(f"UPDATE T SET n = 6 WHERE pk = '{names[0]}'", ClientRequestToken=token)
