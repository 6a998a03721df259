"""Clusters: what clients learn of them, how writes reach every node's cache, and nodes that die while requests run."""

import collections
import itertools
import threading
import time

import boto3
import botocore.config
import pytest

from harness import tables
from harness.dax import KINDS, DaxError, DaxServer, dax_only
from harness.dax_wire import DaxConnection, nodes
from harness.raw import RawClient
from harness.waiting import poll_until

pytestmark = dax_only

NODES = 3


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with DaxServer(tmp_path_factory.mktemp("cluster") / "data", "--dax-nodes", NODES) as server:
        yield server


@pytest.fixture(scope="module")
def db(cluster):
    client = RawClient(cluster.endpoint)
    yield client
    client.close()


@pytest.fixture(scope="module", params=KINDS)
def dax(node, cluster, request):
    client = node.open(request.param, cluster.dax)
    yield client
    client.close()


@pytest.fixture
def table(make_table):
    return make_table()


@pytest.fixture
def connections(cluster):
    """One to each node, the leader first."""
    made = [DaxConnection(each["url"]) for each in nodes(cluster.dax)]
    yield made
    for connection in made:
        connection.close()


def put(client, table, value, key="a"):
    client.ok("PutItem", {"TableName": table, "Item": {"pk": {"S": key}, "v": {"S": value}}})


def at_every_node(connections, table, key="a"):
    return [(connection.get(table, key) or {}).get("v") for connection in connections]


def test_discovery(cluster):
    """Every node tells the same: one leader, replicas, an address each, and one zone at least."""
    told = nodes(cluster.dax)
    assert [each["role"] for each in told] == [1, 2, 2]
    assert len({each["url"] for each in told}) == len({each["id"] for each in told}) == NODES
    assert all(each["zone"] for each in told)
    for each in told:
        assert nodes(each["url"]) == told


def test_writes_reach_every_cache(dax, db, cluster, connections, table):
    put(dax, table, "old")
    assert at_every_node(connections, table) == ["old"] * NODES
    put(db, table, "around")
    before = cluster.counted("item_cache_misses")
    assert at_every_node(connections, table) == ["old"] * NODES
    assert cluster.counted("item_cache_misses") == before
    put(dax, table, "new")
    assert at_every_node(connections, table) == ["new"] * NODES
    dax.ok("DeleteItem", {"TableName": table, "Key": {"pk": {"S": "a"}}})
    assert at_every_node(connections, table) == [None] * NODES


def test_writes_by_a_replica(db, connections, table):
    """A write that is tried again goes to another node, so each has to take them."""
    for number, connection in enumerate(connections):
        connection.put(table, "a", {"v": str(number)})
        assert at_every_node(connections, table) == [str(number)] * NODES
        assert db.ok("GetItem", {"TableName": table, "Key": {"pk": {"S": "a"}}})["Item"]["v"] == {"S": str(number)}


def test_names_mean_the_same_at_every_node(connections):
    names = ["a", tables.unique(), "z"]
    numbers = {connection.call("defineAttributeListId", names) for connection in connections}
    assert len(numbers) == 1
    assert [connection.call("defineAttributeList", next(iter(numbers))) for connection in connections] == [names] * NODES


def test_reads_go_to_all_nodes(dax, db, cluster, table):
    """Each node has to read the item once; then all have it."""
    put(db, table, "old")
    before = cluster.counted("item_cache_misses")
    for _ in range(60):
        assert dax.ok("GetItem", {"TableName": table, "Key": {"pk": {"S": "a"}}})["Item"]["v"] == {"S": "old"}
    assert cluster.counted("item_cache_misses") - before == NODES


def test_a_transaction_reaches_every_cache(dax, connections, table):
    put(dax, table, "old")
    assert at_every_node(connections, table) == ["old"] * NODES
    dax.ok("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": table, "Item": {"pk": {"S": "a"}, "v": {"S": "new"}}}}]})
    assert at_every_node(connections, table) == ["new"] * NODES


# --- a node goes down under load


class Load:
    """Writers that count their keys up, each the only one of its key, and readers of all of them, until stopped."""

    WRITERS, READERS = 4, 8
    LIMIT = 5  # seconds

    def __init__(self, client, table):
        self.client, self.table = client, table
        self.sent, self.acknowledged, self.done = collections.Counter(), collections.Counter(), collections.Counter()
        self.lost, self.hung = [], []
        self.is_stopped = threading.Event()
        self.threads = [threading.Thread(target=self.write, args=(number,)) for number in range(self.WRITERS)]
        self.threads += [threading.Thread(target=self.read, args=(number % self.WRITERS,)) for number in range(self.READERS)]
        for thread in self.threads:
            thread.start()

    def call(self, operation, request):
        try:
            answer = self.client.ok(operation, request, limit=self.LIMIT)
            self.done[operation] += 1
            return answer
        except DaxError as error:
            # A request by a connection that was idle when its node went never ends: the client's defect (PROTOCOL.md §11.1).
            (self.hung if error.code == "DriverTimeout" else self.lost).append((operation, error.code, error.message))

    def write(self, number):
        for value in itertools.count(1):
            if self.is_stopped.is_set():
                return
            self.sent[number] = value
            item = {"pk": {"S": f"k{number}"}, "n": {"N": str(value)}}
            if self.call("PutItem", {"TableName": self.table, "Item": item}) is not None:
                self.acknowledged[number] = value

    def read(self, number):
        while not self.is_stopped.is_set():
            least = self.acknowledged[number]
            answer = self.call("GetItem", {"TableName": self.table, "Key": {"pk": {"S": f"k{number}"}}})
            if answer is not None and least:
                found = int(answer.get("Item", {"n": {"N": "0"}})["n"]["N"])
                if found < least:
                    self.lost.append(("stale", number, f"{found} < {least}"))

    def wait_for(self, more):
        """Until so many more calls of each kind are done."""
        wanted = {operation: self.done[operation] + more for operation in ("PutItem", "GetItem")}
        poll_until(lambda: dict(self.done), lambda done: all(done.get(operation, 0) >= count for operation, count in wanted.items()), 60)

    def stop(self):
        self.is_stopped.set()
        for thread in self.threads:
            thread.join()


@pytest.fixture(scope="module")
def managed(cluster):
    """A cluster of three that the control plane has made: its client, and DescribeClusters of it."""
    dax_control = boto3.client("dax", endpoint_url=cluster.endpoint, region_name="us-east-1", aws_access_key_id="fakeAccessKey",
                               aws_secret_access_key="fakeSecretKey", config=botocore.config.Config(retries={"max_attempts": 0}))
    dax_control.create_cluster(ClusterName="managed", NodeType="dax.t3.small", ReplicationFactor=NODES,
                               IamRoleArn="arn:aws:iam::123456789012:role/dax")

    def describe():
        return dax_control.describe_clusters(ClusterNames=["managed"])["Clusters"][0]

    is_available(describe)
    return dax_control, describe


def is_available(describe):
    return poll_until(describe, lambda found: found["Status"] == "available" and [each["NodeStatus"] for each in found["Nodes"]] == ["available"] * NODES)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("victim", ["replica", "leader"])
def test_a_node_restarts_under_load(node, db, table, managed, kind, victim):
    """No request is lost, nothing acknowledged is missing, and nobody is shown what is older."""
    dax_control, describe = managed
    where = describe()["ClusterDiscoveryEndpoint"]
    url = f"dax://{where['Address']}:{where['Port']}"
    told = nodes(url)
    port = int((told[0] if victim == "leader" else told[-1])["url"].rsplit(":", 1)[1])
    name = next(each["NodeId"] for each in describe()["Nodes"] if each["Endpoint"]["Port"] == port)
    client = node.open(kind, url)
    load = Load(client, table)
    load.wait_for(100)
    dax_control.reboot_node(ClusterName="managed", NodeId=name)
    load.wait_for(300)
    is_available(describe)
    time.sleep(5)  # the clients look for changes every four seconds
    load.wait_for(100)
    load.stop()
    assert not load.lost, load.lost[:5]
    assert len(load.hung) <= Load.WRITERS + Load.READERS, load.hung[:5]
    for number, value in load.acknowledged.items():
        item = db.ok("GetItem", {"TableName": table, "Key": {"pk": {"S": f"k{number}"}}, "ConsistentRead": True})["Item"]
        assert value <= int(item["n"]["N"]) <= load.sent[number]
    client.close()
