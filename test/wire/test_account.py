"""DescribeLimits and DescribeEndpoints."""


def test_limits(db):
    assert db.ok("DescribeLimits", {}) == {
        "AccountMaxReadCapacityUnits": 80000, "AccountMaxWriteCapacityUnits": 80000,
        "TableMaxReadCapacityUnits": 40000, "TableMaxWriteCapacityUnits": 40000}


def test_endpoints(db):
    """One address, without a scheme, that can be used for further calls: the one we came by."""
    assert db.ok("DescribeEndpoints", {}) == {
        "Endpoints": [{"Address": db.url.netloc, "CachePeriodInMinutes": 1440}]}


def test_with_boto3(client):
    assert client.describe_limits()["TableMaxReadCapacityUnits"] == 40000
    assert len(client.describe_endpoints()["Endpoints"]) == 1
