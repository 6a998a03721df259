"""Single-table design: users, orders and order items in one table, GSI1PK/GSI1SK overloaded per entity."""

import pytest
from boto3.dynamodb.conditions import Attr, Key

from harness.indexes import Index
from harness.sdk import INVALID, all_items, refused, settle

RESERVED_STATUS = "Attribute name is a reserved keyword; reserved keyword: status"


def user(number):
    return {"PK": f"USER#{number}", "SK": "PROFILE", "type": "user", "name": f"User {number}",
            "GSI1PK": f"EMAIL#{number}@example.com", "GSI1SK": "USER"}


def order(number, buyer, day, status):
    return {"PK": f"USER#{buyer}", "SK": f"ORDER#{day}#{number}", "type": "order", "status": status,
            "GSI1PK": f"ORDER#{number}", "GSI1SK": "#HEADER"}


def line(number, position, product, quantity):
    return {"PK": f"ORDER#{number}", "SK": f"ITEM#{position:03}", "type": "item", "quantity": quantity,
            "product": product, "GSI1PK": f"ORDER#{number}", "GSI1SK": f"ITEM#{position:03}"}


USERS = [user(1), user(2), user(3)]
ORDERS = [order("o1", 1, "2026-01-05", "shipped"), order("o2", 1, "2026-02-10", "open"),
          order("o3", 1, "2026-02-11", "open"), order("o4", 2, "2026-01-20", "open")]
LINES = [line("o1", 1, "apple", 3), line("o1", 2, "pear", 1), line("o2", 1, "apple", 7), line("o4", 1, "plum", 2)]


@pytest.fixture
def shop(filled):
    return filled(USERS + ORDERS + LINES, gsi=[Index("GSI1", "GSI1PK:S", "GSI1SK:S")])


def test_a_user_and_the_orders_in_one_query(shop):
    page = shop.query(KeyConditionExpression=Key("PK").eq("USER#1"))
    assert page["Items"] == ORDERS[:3] + USERS[:1], "ORDER# sorts before PROFILE"
    assert (page["Count"], page["ScannedCount"]) == (4, 4)
    assert "LastEvaluatedKey" not in page


def test_only_the_orders_of_a_user(shop):
    page = shop.query(KeyConditionExpression="PK = :user AND begins_with(SK, :kind)",
                      ExpressionAttributeValues={":user": "USER#1", ":kind": "ORDER#"})
    assert page["Items"] == ORDERS[:3]


def test_the_latest_order_first(shop):
    page = shop.query(KeyConditionExpression=Key("PK").eq("USER#1") & Key("SK").begins_with("ORDER#"),
                      ScanIndexForward=False, Limit=2)
    assert page["Items"] == [ORDERS[2], ORDERS[1]]
    assert page["LastEvaluatedKey"] == {"PK": "USER#1", "SK": "ORDER#2026-02-10#o2"}


def test_orders_between_two_days(shop):
    page = shop.query(KeyConditionExpression=Key("PK").eq("USER#1") & Key("SK").between("ORDER#2026-02-01", "ORDER#2026-02-11"))
    assert page["Items"] == [ORDERS[1]], "ORDER#2026-02-11#o3 lies behind its own prefix"


def test_a_user_by_email(shop):
    read = lambda: shop.query(IndexName="GSI1", KeyConditionExpression=Key("GSI1PK").eq("EMAIL#2@example.com"))["Items"]
    settle(read, [USERS[1]])


def test_an_order_with_its_items(shop):
    read = lambda: shop.query(IndexName="GSI1", KeyConditionExpression=Key("GSI1PK").eq("ORDER#o1"))["Items"]
    settle(read, [ORDERS[0], LINES[0], LINES[1]])


def test_an_order_without_its_items(shop):
    read = lambda: shop.query(IndexName="GSI1", KeyConditionExpression=Key("GSI1PK").eq("ORDER#o1") & Key("GSI1SK").eq("#HEADER"))["Items"]
    settle(read, [ORDERS[0]])


def test_a_filter_counts_what_it_threw_away(shop):
    page = shop.query(KeyConditionExpression=Key("PK").eq("USER#1") & Key("SK").begins_with("ORDER#"),
                      FilterExpression=Attr("status").eq("open"))
    assert page["Items"] == ORDERS[1:3]
    assert (page["Count"], page["ScannedCount"]) == (2, 3)


def test_one_entity_type_by_scan(shop):
    items = all_items(shop.scan, FilterExpression=Attr("type").eq("item"))
    assert sorted(items, key=lambda item: (item["PK"], item["SK"])) == LINES


def test_an_entity_that_changes_its_index_key_moves(shop):
    shop.update_item(Key={"PK": "USER#2", "SK": "PROFILE"}, UpdateExpression="SET GSI1PK = :email",
                     ExpressionAttributeValues={":email": "EMAIL#new@example.com"})
    found = lambda email: shop.query(IndexName="GSI1", KeyConditionExpression=Key("GSI1PK").eq(email))["Items"]
    settle(lambda: found("EMAIL#new@example.com"), [{**USERS[1], "GSI1PK": "EMAIL#new@example.com"}])
    settle(lambda: found("EMAIL#2@example.com"), [])


def test_a_deleted_entity_leaves_the_index(shop):
    shop.delete_item(Key={"PK": "ORDER#o1", "SK": "ITEM#001"})
    read = lambda: shop.query(IndexName="GSI1", KeyConditionExpression=Key("GSI1PK").eq("ORDER#o1"))["Items"]
    settle(read, [ORDERS[0], LINES[1]])


class TestMisuse:
    def test_a_prefix_of_the_partition_key(self, shop):
        with refused(INVALID, "Query key condition not supported"):
            shop.query(KeyConditionExpression=Key("PK").begins_with("USER#"))

    def test_a_filter_on_the_key(self, shop):
        with refused(INVALID, "Filter Expression can only contain non-primary key attributes: Primary key attribute: SK"):
            shop.query(KeyConditionExpression=Key("PK").eq("USER#1"), FilterExpression=Attr("SK").begins_with("ORDER#"))

    def test_the_table_key_may_be_filtered_in_an_index(self, shop):
        read = lambda: shop.query(IndexName="GSI1", KeyConditionExpression=Key("GSI1PK").eq("ORDER#o1"),
                                  FilterExpression=Attr("PK").begins_with("USER#"))["Items"]
        settle(read, [ORDERS[0]])

    def test_the_index_key_may_not(self, shop):
        with refused(INVALID, "Filter Expression can only contain non-primary key attributes: Primary key attribute: GSI1SK"):
            shop.query(IndexName="GSI1", KeyConditionExpression=Key("GSI1PK").eq("ORDER#o1"),
                       FilterExpression=Attr("GSI1SK").begins_with("ITEM#"))

    def test_a_reserved_word_in_a_filter(self, shop):
        with refused(INVALID, f"Invalid FilterExpression: {RESERVED_STATUS}"):
            shop.query(KeyConditionExpression=Key("PK").eq("USER#1"), FilterExpression="status = :open",
                       ExpressionAttributeValues={":open": "open"})

    def test_a_reserved_word_in_a_projection(self, shop):
        with refused(INVALID, f"Invalid ProjectionExpression: {RESERVED_STATUS}"):
            shop.query(KeyConditionExpression=Key("PK").eq("USER#1"), ProjectionExpression="SK, status")

    def test_the_sort_key_alone(self, shop):
        with refused(INVALID, "Query condition missed key schema element: PK"):
            shop.query(KeyConditionExpression=Key("SK").eq("PROFILE"))

    def test_the_tables_key_in_an_index(self, shop):
        with refused(INVALID, "Query condition missed key schema element: GSI1PK"):
            shop.query(IndexName="GSI1", KeyConditionExpression=Key("PK").eq("USER#1"))

    def test_an_index_that_is_not_there(self, shop):
        with refused(INVALID, "The table does not have the specified index: GSI2"):
            shop.query(IndexName="GSI2", KeyConditionExpression=Key("GSI2PK").eq("x"))

    def test_a_consistent_read_of_the_index(self, shop):
        with refused(INVALID, "Consistent reads are not supported on global secondary indexes"):
            shop.query(IndexName="GSI1", KeyConditionExpression=Key("GSI1PK").eq("ORDER#o1"), ConsistentRead=True)
