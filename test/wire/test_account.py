"""DescribeLimits and DescribeEndpoints."""


def test_limits(db):
    assert db.ok("DescribeLimits", {}) == {
        "AccountMaxReadCapacityUnits": 80000, "AccountMaxWriteCapacityUnits": 80000,
        "TableMaxReadCapacityUnits": 40000, "TableMaxWriteCapacityUnits": 40000}


def test_endpoints(db):
    assert db.ok("DescribeEndpoints", {}) == {
        "Endpoints": [{"Address": "dynamodb.us-east-1.amazonaws.com", "CachePeriodInMinutes": 1440}]}


def test_with_boto3(client):
    assert client.describe_limits()["TableMaxReadCapacityUnits"] == 40000
    assert len(client.describe_endpoints()["Endpoints"]) == 1
