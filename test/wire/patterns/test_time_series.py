"""Time series: a partition per device and day, read newest first."""

from decimal import Decimal

import pytest
from boto3.dynamodb.conditions import Key

from harness.sdk import INVALID, all_items, pages, refused

DAYS = ["2026-03-01", "2026-03-02", "2026-03-03"]
PER_DAY = 20
READINGS = [{"PK": f"DEVICE#7#{day}", "SK": f"{day}T{hour:02}:00:00Z", "value": Decimal(hour)} for day in DAYS for hour in range(PER_DAY)]


@pytest.fixture
def series(filled):
    return filled(READINGS)


def of_day(day):
    return [reading for reading in READINGS if reading["PK"] == f"DEVICE#7#{day}"]


def test_the_newest_first(series):
    page = series.query(KeyConditionExpression=Key("PK").eq(f"DEVICE#7#{DAYS[0]}"), ScanIndexForward=False, Limit=5)
    assert page["Items"] == of_day(DAYS[0])[:-6:-1]
    assert page["LastEvaluatedKey"] == {"PK": f"DEVICE#7#{DAYS[0]}", "SK": f"{DAYS[0]}T15:00:00Z"}


def test_a_window(series):
    window = Key("SK").between(f"{DAYS[1]}T05:00:00Z", f"{DAYS[1]}T08:00:00Z")
    page = series.query(KeyConditionExpression=Key("PK").eq(f"DEVICE#7#{DAYS[1]}") & window)
    assert page["Items"] == of_day(DAYS[1])[5:9], "both ends belong to it"
    backwards = series.query(KeyConditionExpression=Key("PK").eq(f"DEVICE#7#{DAYS[1]}") & window, ScanIndexForward=False)
    assert backwards["Items"] == of_day(DAYS[1])[8:4:-1]


def test_an_empty_window(series):
    window = Key("SK").between(f"{DAYS[1]}T05:00:01Z", f"{DAYS[1]}T05:59:59Z")
    page = series.query(KeyConditionExpression=Key("PK").eq(f"DEVICE#7#{DAYS[1]}") & window)
    assert (page["Items"], page["Count"], page["ScannedCount"]) == ([], 0, 0)
    assert "LastEvaluatedKey" not in page


def test_since_and_before(series):
    noon, key = f"{DAYS[2]}T12:00:00Z", Key("PK").eq(f"DEVICE#7#{DAYS[2]}")
    day = of_day(DAYS[2])
    for condition, expected in [(Key("SK").gt(noon), day[13:]), (Key("SK").gte(noon), day[12:]), (Key("SK").lt(noon), day[:12]), (Key("SK").lte(noon), day[:13])]:
        assert series.query(KeyConditionExpression=key & condition)["Items"] == expected
        assert series.query(KeyConditionExpression=key & condition, ScanIndexForward=False)["Items"] == expected[::-1]


def test_the_value_may_stand_on_the_left(series):
    page = series.query(KeyConditionExpression=":noon < SK AND PK = :day",
                        ExpressionAttributeValues={":noon": f"{DAYS[2]}T12:00:00Z", ":day": f"DEVICE#7#{DAYS[2]}"})
    assert page["Items"] == of_day(DAYS[2])[13:]


@pytest.mark.parametrize("size", [1, 3, 7, 20, 100])
def test_pages_backwards_through_a_day(series, size):
    found = all_items(series.query, KeyConditionExpression=Key("PK").eq(f"DEVICE#7#{DAYS[0]}"), ScanIndexForward=False, Limit=size)
    assert found == of_day(DAYS[0])[::-1]


def test_the_latest_fifty_over_several_days(series):
    found = []
    for day in reversed(DAYS):
        for page in pages(series.query, KeyConditionExpression=Key("PK").eq(f"DEVICE#7#{day}"), ScanIndexForward=False, Limit=8):
            found += page["Items"]
    assert found[:50] == READINGS[::-1][:50]
    assert len(found) == len(READINGS)


class TestNumericTime:
    TIMES = [Decimal(text) for text in ("-1E+3", "-5", "-0.5", "0", "0.25", "2", "10", "9999999999", "1700000000000.123456", "1E+30")]

    @pytest.fixture
    def numeric(self, filled):
        return filled([{"PK": "d", "SK": time} for time in reversed(self.TIMES)], range_key="SK:N")

    def test_numbers_sort_by_value(self, numeric):
        page = numeric.query(KeyConditionExpression=Key("PK").eq("d"))
        assert [item["SK"] for item in page["Items"]] == self.TIMES
        page = numeric.query(KeyConditionExpression=Key("PK").eq("d"), ScanIndexForward=False)
        assert [item["SK"] for item in page["Items"]] == self.TIMES[::-1]

    def test_a_numeric_window(self, numeric):
        page = numeric.query(KeyConditionExpression=Key("PK").eq("d") & Key("SK").between(Decimal("-5"), Decimal("2.0")))
        assert [item["SK"] for item in page["Items"]] == self.TIMES[1:6]

    def test_a_window_the_wrong_way_round(self, numeric):
        with refused(INVALID) as why:
            numeric.query(KeyConditionExpression=Key("PK").eq("d") & Key("SK").between(2, 1))
        assert why.message.startswith("Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound; ")

    def test_time_as_text_does_not_match(self, numeric):
        with refused(INVALID, "One or more parameter values were invalid: Condition parameter type does not match schema type"):
            numeric.query(KeyConditionExpression=Key("PK").eq("d") & Key("SK").gt("2026"))


class TestMisuse:
    def test_a_reserved_word_as_sort_key(self, filled):
        table = filled([{"PK": "d", "timestamp": 1}], range_key="timestamp:N")
        with refused(INVALID, "Invalid KeyConditionExpression: Attribute name is a reserved keyword; reserved keyword: timestamp"):
            table.query(KeyConditionExpression="PK = :d AND timestamp > :t", ExpressionAttributeValues={":d": "d", ":t": 0})
        page = table.query(KeyConditionExpression="PK = :d AND #t > :t", ExpressionAttributeValues={":d": "d", ":t": 0},
                           ExpressionAttributeNames={"#t": "timestamp"})
        assert page["Items"] == [{"PK": "d", "timestamp": 1}]

    def test_or_between_two_days(self, series):
        with refused(INVALID, "Invalid operator used in KeyConditionExpression: OR"):
            series.query(KeyConditionExpression="PK = :a OR PK = :b", ExpressionAttributeValues={":a": "x", ":b": "y"})
