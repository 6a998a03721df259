"""Fixtures of the wire tests: a server, clients for it, and tables.

With ARMATURE_ENDPOINT set no server is started and the tests run against that address, AWS included
(credentials then come from the environment). A disagreement with AWS means that the test is wrong.
"""

import os

import boto3
import botocore.config
import pytest

from harness import tables
from harness.raw import RawClient
from harness.server import Server

REGION = os.environ.get("AWS_REGION", "us-east-1")


def credentials():
    return {
        "access_key": os.environ.get("AWS_ACCESS_KEY_ID", "fakeAccessKey"),
        "secret_key": os.environ.get("AWS_SECRET_ACCESS_KEY", "fakeSecretKey"),
        "token": os.environ.get("AWS_SESSION_TOKEN"),
    }


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The server under test, on disk, fully durable. None when an endpoint was given."""
    if os.environ.get("ARMATURE_ENDPOINT"):
        yield None
        return
    with Server(tmp_path_factory.mktemp("armature") / "data") as running:
        yield running


@pytest.fixture(scope="session")
def endpoint(server):
    return server.endpoint if server else os.environ["ARMATURE_ENDPOINT"]


@pytest.fixture(scope="session")
def db(endpoint):
    """Raw signed HTTP in the default region."""
    client = RawClient(endpoint, REGION, **credentials())
    yield client
    client.close()


@pytest.fixture(scope="session")
def raw_client(endpoint):
    """A factory of raw clients: other regions, other keys, own connections."""
    def make(**options):
        return RawClient(endpoint, **{"region": REGION, **credentials(), **options})
    return make


@pytest.fixture(scope="session")
def session(endpoint):
    keys = credentials()
    return boto3.session.Session(
        aws_access_key_id=keys["access_key"], aws_secret_access_key=keys["secret_key"],
        aws_session_token=keys["token"], region_name=REGION)


NO_RETRIES = botocore.config.Config(retries={"max_attempts": 0}, connect_timeout=10, read_timeout=60)


@pytest.fixture(scope="session")
def client(session, endpoint):
    return session.client("dynamodb", endpoint_url=endpoint, config=NO_RETRIES)


@pytest.fixture(scope="session")
def dynamodb(session, endpoint):
    return session.resource("dynamodb", endpoint_url=endpoint, config=NO_RETRIES)


@pytest.fixture
def make_table(db):
    """A factory of tables that disappear after the test."""
    made = []

    def make(hash_key="pk:S", range_key=None, **more):
        made.append(tables.create(db, hash_key, range_key, **more))
        return made[-1]

    yield make
    for name in made:
        tables.drop(db, name)


@pytest.fixture
def new_name(db):
    """A factory of table names for tests that create the table themselves; dropped after the test."""
    names = []

    def make():
        names.append(tables.unique())
        return names[-1]

    yield make
    for name in names:
        tables.drop(db, name)


@pytest.fixture(scope="session")
def hash_table(db):
    """One shared table with the key pk (S). Tests take fresh keys, so they do not meet."""
    name = tables.create(db)
    yield name
    tables.drop(db, name)


@pytest.fixture(scope="session")
def range_table(db):
    """One shared table with the keys pk (S) and sk (N)."""
    name = tables.create(db, "pk:S", "sk:N")
    yield name
    tables.drop(db, name)


@pytest.fixture
def pk():
    """A partition key value nobody else uses."""
    return {"S": tables.unique("k")}


@pytest.fixture
def put(db, hash_table, pk):
    """Stores an item under this test's pk in the shared table."""
    def store(**attributes):
        db.ok("PutItem", {"TableName": hash_table, "Item": {"pk": pk, **attributes}})
    return store


@pytest.fixture
def get(db, hash_table, pk):
    """Reads this test's item, strongly consistent; None if there is none."""
    def read(**more):
        request = {"TableName": hash_table, "Key": {"pk": pk}, "ConsistentRead": True, **more}
        return db.ok("GetItem", request).get("Item")
    return read
