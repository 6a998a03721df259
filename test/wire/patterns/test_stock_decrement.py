"""Conditional stock decrement: stock, order and balance change together in three tables, or not at all."""

import pytest
from botocore.exceptions import ClientError

from harness.sdk import CANCELLED, INVALID, all_items, code_of, insist, race, refused
from harness.tables import unique

FAILED = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
NONE = {"Code": "None"}


class Shop:
    def __init__(self, dynamodb_table):
        self.products, self.orders, self.customers = (dynamodb_table(hash_key=key, range_key=None) for key in ("product:S", "number:S", "customer:S"))
        self.client = self.products.meta.client

    def buy(self, number, customer, product="apple", quantity=1, price=10, **more):
        self.client.transact_write_items(TransactItems=[
            {"Update": {"TableName": self.products.name, "Key": {"product": product}, "UpdateExpression": "SET stock = stock - :q",
                        "ConditionExpression": "stock >= :q", "ExpressionAttributeValues": {":q": quantity}}},
            {"Put": {"TableName": self.orders.name, "Item": {"number": number, "customer": customer, "quantity": quantity},
                     "ConditionExpression": "attribute_not_exists(#n)", "ExpressionAttributeNames": {"#n": "number"}}},
            {"Update": {"TableName": self.customers.name, "Key": {"customer": customer},
                        "UpdateExpression": "SET balance = balance - :p ADD orders :one", "ConditionExpression": "balance >= :p",
                        "ExpressionAttributeValues": {":p": quantity * price, ":one": 1}}}], **more)

    def stock(self, product="apple"):
        return self.products.get_item(Key={"product": product}, ConsistentRead=True)["Item"]["stock"]

    def customer(self, name):
        return self.customers.get_item(Key={"customer": name}, ConsistentRead=True)["Item"]

    def order_count(self):
        return len(all_items(self.orders.scan, ConsistentRead=True))


@pytest.fixture
def shop(table):
    made = Shop(table)
    made.products.put_item(Item={"product": "apple", "stock": 20})
    for name, balance in (("ann", 1000), ("bob", 15), ("cid", 0)):
        made.customers.put_item(Item={"customer": name, "balance": balance})
    return made


def test_all_three_change(shop):
    shop.buy("o1", "ann", quantity=3)
    assert shop.stock() == 17
    assert shop.orders.get_item(Key={"number": "o1"}, ConsistentRead=True)["Item"] == {"number": "o1", "customer": "ann", "quantity": 3}
    assert shop.customer("ann") == {"customer": "ann", "balance": 970, "orders": 1}


@pytest.mark.parametrize("number, customer, quantity, reasons", [
    ("o2", "ann", 21, [FAILED, NONE, NONE]), ("o1", "ann", 1, [NONE, FAILED, NONE]), ("o2", "bob", 2, [NONE, NONE, FAILED]),
    ("o1", "cid", 99, [FAILED, FAILED, FAILED]), ("o2", "nobody", 1, [NONE, NONE, FAILED])])
def test_if_one_cannot_none_does(shop, number, customer, quantity, reasons):
    shop.orders.put_item(Item={"number": "o1", "customer": "ann", "quantity": 0})
    codes = ", ".join(reason["Code"] for reason in reasons)
    with refused(CANCELLED, f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]") as why:
        shop.buy(number, customer, quantity=quantity)
    assert why.reasons == reasons
    assert (shop.stock(), shop.order_count()) == (20, 1)
    assert shop.orders.get_item(Key={"number": "o1"})["Item"]["quantity"] == 0
    assert shop.customer("ann") == {"customer": "ann", "balance": 1000}
    assert "Item" not in shop.customers.get_item(Key={"customer": "nobody"}, ConsistentRead=True)


def test_a_missing_product_has_no_stock(shop):
    with refused(CANCELLED) as why:
        shop.buy("o1", "ann", product="pear")
    assert why.codes == ["ConditionalCheckFailed", "None", "None"]
    assert "Item" not in shop.products.get_item(Key={"product": "pear"}, ConsistentRead=True)


def test_a_retry_with_the_same_token_buys_once(shop):
    token = unique("token")
    for _ in range(3):
        shop.buy("o1", "ann", quantity=2, ClientRequestToken=token)
    assert (shop.stock(), shop.order_count()) == (18, 1)
    assert shop.customer("ann") == {"customer": "ann", "balance": 980, "orders": 1}


def test_a_token_belongs_to_its_request(shop):
    token = unique("token")
    shop.buy("o1", "ann", quantity=2, ClientRequestToken=token)
    with refused("IdempotentParameterMismatchException"):
        shop.buy("o1", "ann", quantity=3, ClientRequestToken=token)
    assert shop.stock() == 18


def test_what_it_costs(shop):
    request = [{"Put": {"TableName": shop.orders.name, "Item": {"number": "a"}}}, {"Put": {"TableName": shop.orders.name, "Item": {"number": "b", "text": "x" * 1100}}},
               {"ConditionCheck": {"TableName": shop.products.name, "Key": {"product": "apple"}, "ConditionExpression": "stock > :z", "ExpressionAttributeValues": {":z": 0}}}]
    reply = shop.client.transact_write_items(TransactItems=request, ReturnConsumedCapacity="TOTAL")
    units = {entry["TableName"]: entry["CapacityUnits"] for entry in reply["ConsumedCapacity"]}
    assert units == {shop.orders.name: 6.0, shop.products.name: 2.0}, "twice a plain write, checks too"


def test_reading_all_three_at_one_moment(shop):
    shop.buy("o1", "ann", quantity=3)
    gets = [{"Get": {"TableName": table.name, "Key": key}} for table, key in (
        (shop.products, {"product": "apple"}), (shop.orders, {"number": "o1"}), (shop.customers, {"customer": "ann"}), (shop.orders, {"number": "none"}))]
    reply = shop.client.transact_get_items(TransactItems=gets)
    assert reply["Responses"] == [{"Item": {"product": "apple", "stock": 17}}, {"Item": {"number": "o1", "customer": "ann", "quantity": 3}},
                                  {"Item": {"customer": "ann", "balance": 970, "orders": 1}}, {}]


def test_a_run_on_the_last_pieces_sells_no_more_than_there_is(shop):
    threads, tries = 6, 6
    for number in range(threads):
        shop.customers.put_item(Item={"customer": f"c{number}", "balance": 10 * tries})

    def shopper(number):
        bought = 0
        for turn in range(tries):
            try:
                insist(lambda: shop.buy(f"{number}-{turn}", f"c{number}"))
                bought += 1
            except ClientError as error:
                assert code_of(error) == CANCELLED
                assert [reason["Code"] for reason in error.response["CancellationReasons"]] == ["ConditionalCheckFailed", "None", "None"]
        return bought

    bought = race(threads, shopper)
    assert sum(bought) == 20
    assert shop.stock() == 0
    assert shop.order_count() == 20
    for number, count in enumerate(bought):
        customer = shop.customer(f"c{number}")
        assert (customer["balance"], customer.get("orders", 0)) == (10 * (tries - count), count)


def test_readers_never_see_half_a_purchase(shop):
    """Stock and money together are constant in every TransactGetItems while purchases go on."""
    shop.products.put_item(Item={"product": "apple", "stock": 60})
    gets = [{"Get": {"TableName": shop.products.name, "Key": {"product": "apple"}}}, {"Get": {"TableName": shop.customers.name, "Key": {"customer": "ann"}}}]

    def work(number):
        if number < 2:
            for turn in range(30):
                insist(lambda: shop.buy(f"{number}-{turn}", "ann"))
            return []
        seen = []
        while not seen or seen[-1][0] > 0:
            items = [answer["Item"] for answer in insist(lambda: shop.client.transact_get_items(TransactItems=gets))["Responses"]]
            seen.append((items[0]["stock"], items[1]["balance"], items[1].get("orders", 0)))
        return seen

    seen = [state for states in race(4, work) for state in states]
    assert {(balance - 10 * stock, stock + orders) for stock, balance, orders in seen} == {(400, 60)}


class TestMisuse:
    def test_setting_from_a_missing_attribute_cancels(self, shop):
        shop.products.put_item(Item={"product": "fig"})
        with refused(CANCELLED) as why:
            shop.client.transact_write_items(TransactItems=[
                {"Put": {"TableName": shop.orders.name, "Item": {"number": "o1"}}},
                {"Update": {"TableName": shop.products.name, "Key": {"product": "fig"}, "UpdateExpression": "SET stock = stock - :q", "ExpressionAttributeValues": {":q": 1}}}])
        assert why.reasons == [NONE, {"Code": "ValidationError", "Message": "The provided expression refers to an attribute that does not exist in the item"}]
        assert shop.order_count() == 0

    def test_a_check_without_a_condition(self, db, shop):
        reply = db.post("TransactWriteItems", {"TransactItems": [{"ConditionCheck": {"TableName": shop.products.name, "Key": {"product": {"S": "apple"}}}}]})
        assert reply.status == 400 and reply.json["__type"].endswith("#ValidationException"), reply

    def test_more_than_a_hundred_actions(self, shop):
        with refused(INVALID) as why:
            shop.client.transact_write_items(TransactItems=[{"Put": {"TableName": shop.orders.name, "Item": {"number": str(number)}}} for number in range(101)])
        assert "Member must have length less than or equal to 100" in why.message
        assert shop.order_count() == 0
