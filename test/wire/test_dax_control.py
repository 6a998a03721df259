"""The control plane of DAX: boto3's dax client and the AWS CLI, unchanged."""

import datetime
import json
import os
import shutil
import socket
import ssl
import subprocess

import boto3
import botocore.config
import pytest

from harness.audit import AuditLog
from harness.principals import ACCOUNT, REGION, User, administrator, allow, write_file
from harness.sdk import refused
from harness.server import Server, binary
from harness.waiting import wait_until

ROLE = f"arn:aws:iam::{ACCOUNT}:role/dax"
BAD = "InvalidParameterValueException"
COMBINATION = "InvalidParameterCombinationException"

pytestmark = pytest.mark.skipif("ARMATURE_ENDPOINT" in os.environ, reason="DAX has an endpoint of its own on AWS")


def dax_client(server, region=REGION):
    return boto3.client("dax", endpoint_url=server.endpoint, region_name=region, aws_access_key_id="fake", aws_secret_access_key="fake",
                        config=botocore.config.Config(retries={"max_attempts": 0}))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("armature") / "data") as running:
        yield running


@pytest.fixture(scope="module")
def dax(server):
    return dax_client(server)


def rejected(code, call, *values, **members):
    """The text with which a call fails that has to fail so."""
    with refused(code) as refusal:
        call(*values, **members)
    return refusal.message


def arn_of(name, region=REGION):
    return f"arn:aws:dax:{region}:{ACCOUNT}:cache/{name}"


def create(dax, name, nodes=1, **more):
    return dax.create_cluster(ClusterName=name, NodeType="dax.r5.large", ReplicationFactor=nodes, IamRoleArn=ROLE, **more)["Cluster"]


def describe(dax, name):
    return dax.describe_clusters(ClusterNames=[name])["Clusters"][0]


def is_gone(dax, name):
    return name not in [cluster["ClusterName"] for cluster in dax.describe_clusters()["Clusters"]]


def settled(dax, name):
    """The cluster once nothing is under way any more."""
    def look():
        cluster = describe(dax, name)
        is_ready = cluster["Status"] == "available" and all(node["NodeStatus"] == "available" for node in cluster["Nodes"])
        return cluster if is_ready and cluster["ParameterGroup"]["ParameterApplyStatus"] == "in-sync" else None
    return wait_until(look, problem=f"{name} is not available")


def delete(dax, name):
    settled(dax, name)
    dax.delete_cluster(ClusterName=name)
    wait_until(lambda: is_gone(dax, name), problem=f"{name} is not gone")


@pytest.fixture
def cluster(dax):
    """A cluster of two nodes that runs."""
    create(dax, "shared", 2)
    yield settled(dax, "shared")
    delete(dax, "shared")


def is_taken(port):
    with socket.socket() as other:
        try:
            other.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


# --- clusters


def test_a_cluster_is_created_and_deleted(dax):
    created = create(dax, "Full-Cluster", 3, Description="of a test", PreferredMaintenanceWindow="Mon:01:00-mon:02:30",
                     SecurityGroupIds=["sg-1"], NotificationTopicArn=f"arn:aws:sns:{REGION}:{ACCOUNT}:t", SSESpecification={"Enabled": True},
                     Tags=[{"Key": "team", "Value": "red"}], ClusterEndpointEncryptionType="NONE",
                     AvailabilityZones=["us-east-1a", "us-east-1b", "us-east-1a"])
    assert created["Status"] == "creating"
    assert created["ClusterName"] == "full-cluster"
    assert (created["TotalNodes"], created["ActiveNodes"]) == (3, 0)
    shown = settled(dax, "full-cluster")
    nodes, endpoint = shown.pop("Nodes"), shown.pop("ClusterDiscoveryEndpoint")
    shown.pop("NetworkType", None)  # not every boto3 knows it
    assert shown == {
        "ClusterName": "full-cluster", "Description": "of a test", "ClusterArn": arn_of("full-cluster"), "TotalNodes": 3, "ActiveNodes": 3,
        "NodeType": "dax.r5.large", "Status": "available", "PreferredMaintenanceWindow": "mon:01:00-mon:02:30",
        "NotificationConfiguration": {"TopicArn": f"arn:aws:sns:{REGION}:{ACCOUNT}:t", "TopicStatus": "active"}, "SubnetGroup": "default",
        "SecurityGroups": [{"SecurityGroupIdentifier": "sg-1", "Status": "active"}], "IamRoleArn": ROLE,
        "ParameterGroup": {"ParameterGroupName": "default.dax1.0", "ParameterApplyStatus": "in-sync", "NodeIdsToReboot": []},
        "SSEDescription": {"Status": "ENABLED"}, "ClusterEndpointEncryptionType": "NONE"}
    assert [node["NodeId"] for node in nodes] == ["full-cluster-a", "full-cluster-b", "full-cluster-c"]
    assert [node["AvailabilityZone"] for node in nodes] == ["us-east-1a", "us-east-1b", "us-east-1a"]
    assert {node["ParameterGroupStatus"] for node in nodes} == {"in-sync"}
    age = datetime.datetime.now(datetime.timezone.utc) - nodes[0]["NodeCreateTime"]
    assert abs(age) < datetime.timedelta(minutes=5)
    assert endpoint == {**nodes[0]["Endpoint"], "URL": f"dax://127.0.0.1:{endpoint['Port']}"}
    ports = [node["Endpoint"]["Port"] for node in nodes]
    assert len(set(ports)) == 3 and all(is_taken(port) for port in ports)
    deleted = dax.delete_cluster(ClusterName="full-cluster")["Cluster"]
    assert deleted["Status"] == "deleting"
    wait_until(lambda: is_gone(dax, "full-cluster"))
    assert not any(is_taken(port) for port in ports)
    rejected("ClusterNotFoundFault", dax.describe_clusters, ClusterNames=["full-cluster"])


def test_tls_is_in_the_url(dax, tmp_path):
    assert "--tls-cert" in rejected(BAD, create, dax, "secure", ClusterEndpointEncryptionType="TLS")
    subprocess.run([binary(), "tls", "self-signed", "--out", str(tmp_path)], check=True, capture_output=True, timeout=60)
    with Server(None, "--tls-cert", tmp_path / "cert.pem", "--tls-key", tmp_path / "key.pem", "--tls-port", "0") as server:
        secure = dax_client(server)
        create(secure, "secure", ClusterEndpointEncryptionType="TLS")
        shown = settled(secure, "secure")
        assert shown["ClusterEndpointEncryptionType"] == "TLS"
        port = shown["ClusterDiscoveryEndpoint"]["Port"]
        assert shown["ClusterDiscoveryEndpoint"]["URL"] == f"daxs://127.0.0.1:{port}"
        trust = ssl.create_default_context(cafile=tmp_path / "cert.pem")
        with socket.create_connection(("127.0.0.1", port), timeout=60) as plain, trust.wrap_socket(plain, server_hostname="localhost") as speaks:
            assert speaks.version() in ("TLSv1.2", "TLSv1.3")


def test_what_a_new_cluster_may_not_be(dax, cluster):
    rejected("ClusterAlreadyExistsFault", create, dax, "SHARED")
    for name in ("", "1a", "a-", "a--b", "a_b", "a" * 21):
        rejected(BAD, create, dax, name)
    rejected(BAD, create, dax, "c", 0)
    rejected("NodeQuotaForClusterExceededFault", create, dax, "c", 12)
    rejected("SubnetGroupNotFoundFault", create, dax, "c", SubnetGroupName="none")
    rejected("ParameterGroupNotFoundFault", create, dax, "c", ParameterGroupName="none")
    rejected(BAD, create, dax, "c", AvailabilityZones=["us-east-1a", "us-east-1b"])
    rejected(BAD, create, dax, "c", PreferredMaintenanceWindow="sun:05:00-sun:05:30")
    rejected("ValidationException", create, dax, "c", ClusterEndpointEncryptionType="SSL")
    rejected(BAD, create, dax, "c", NotificationTopicArn="topic")
    rejected(BAD, create, dax, "c", Tags=[{"Key": "aws:x", "Value": "y"}])
    rejected("TagQuotaPerResourceExceeded", create, dax, "c", Tags=[{"Key": str(i), "Value": ""} for i in range(51)])
    rejected(BAD, dax.create_cluster, ClusterName="c", NodeType="r5.large", ReplicationFactor=1, IamRoleArn=ROLE)
    rejected(BAD, dax.create_cluster, ClusterName="c", NodeType="dax.r5.large", ReplicationFactor=1, IamRoleArn="role")
    rejected(BAD, dax.create_cluster, ClusterName="c", NodeType="dax.r5.large", ReplicationFactor=1,
            IamRoleArn="arn:aws:iam::999999999999:role/dax")
    assert [c["ClusterName"] for c in dax.describe_clusters()["Clusters"]] == ["shared"]


def test_a_region_has_fifty_nodes(server):
    dax = dax_client(server, "eu-west-1")
    for number in range(4):
        create(dax, f"c{number}", 11)
    rejected("NodeQuotaForCustomerExceededFault", create, dax, "more", 7)
    for number in range(4):
        delete(dax, f"c{number}")


def test_clusters_of_another_region_are_not_seen(server, cluster):
    elsewhere = dax_client(server, "eu-north-1")
    assert elsewhere.describe_clusters()["Clusters"] == []
    rejected("ClusterNotFoundFault", elsewhere.describe_clusters, ClusterNames=["shared"])


def test_clusters_are_paged(server):
    dax = dax_client(server, "ap-south-1")
    names = [f"p{number:02}" for number in range(21)]
    for name in names:
        create(dax, name)
    pages = list(dax.get_paginator("describe_clusters").paginate(PaginationConfig={"PageSize": 20}))
    assert [len(page["Clusters"]) for page in pages] == [20, 1]
    assert [cluster["ClusterName"] for page in pages for cluster in page["Clusters"]] == names
    rejected(BAD, dax.describe_clusters, MaxResults=5)
    rejected(BAD, dax.describe_clusters, NextToken="what")
    for name in names:
        delete(dax, name)


def test_a_cluster_is_updated(dax, cluster):
    dax.create_parameter_group(ParameterGroupName="mine")
    updated = dax.update_cluster(ClusterName="shared", Description="new", ParameterGroupName="mine", SecurityGroupIds=["sg-9"],
                                 PreferredMaintenanceWindow="tue:01:00-tue:02:00", NotificationTopicArn=f"arn:aws:sns:{REGION}:{ACCOUNT}:t",
                                 NotificationTopicStatus="inactive")["Cluster"]
    assert updated["Status"] == "modifying"
    shown = settled(dax, "shared")
    assert (shown["Description"], shown["PreferredMaintenanceWindow"]) == ("new", "tue:01:00-tue:02:00")
    assert shown["ParameterGroup"]["ParameterGroupName"] == "mine"
    assert shown["NotificationConfiguration"]["TopicStatus"] == "inactive"
    assert shown["SecurityGroups"] == [{"SecurityGroupIdentifier": "sg-9", "Status": "active"}]
    rejected(COMBINATION, dax.update_cluster, ClusterName="shared")
    rejected("ParameterGroupNotFoundFault", dax.update_cluster, ClusterName="shared", ParameterGroupName="none")
    rejected("ClusterNotFoundFault", dax.update_cluster, ClusterName="none", Description="x")
    rejected("InvalidParameterGroupStateFault", dax.delete_parameter_group, ParameterGroupName="mine")
    dax.update_cluster(ClusterName="shared", ParameterGroupName="default.dax1.0")
    dax.delete_parameter_group(ParameterGroupName="mine")


def test_nodes_come_and_go(dax, cluster):
    assert dax.increase_replication_factor(ClusterName="shared", NewReplicationFactor=4, AvailabilityZones=["us-east-1c"] * 2)["Cluster"]["Status"] \
        == "modifying"
    shown = settled(dax, "shared")
    assert [node["AvailabilityZone"] for node in shown["Nodes"]][2:] == ["us-east-1c"] * 2
    leaving = dax.decrease_replication_factor(ClusterName="shared", NewReplicationFactor=3, NodeIdsToRemove=["shared-b"])["Cluster"]
    assert leaving["NodeIdsToRemove"] == ["shared-b"]
    shown = settled(dax, "shared")
    assert [node["NodeId"] for node in shown["Nodes"]] == ["shared-a", "shared-c", "shared-d"]
    assert shown["ClusterDiscoveryEndpoint"] == cluster["ClusterDiscoveryEndpoint"]
    dax.decrease_replication_factor(ClusterName="shared", NewReplicationFactor=2, AvailabilityZones=["us-east-1c"])
    assert [node["NodeId"] for node in settled(dax, "shared")["Nodes"]] == ["shared-a", "shared-c"]
    rejected(BAD, dax.increase_replication_factor, ClusterName="shared", NewReplicationFactor=2)
    rejected("NodeQuotaForClusterExceededFault", dax.increase_replication_factor, ClusterName="shared", NewReplicationFactor=12)
    rejected(BAD, dax.increase_replication_factor, ClusterName="shared", NewReplicationFactor=3, AvailabilityZones=["mars-1a"])
    rejected(BAD, dax.decrease_replication_factor, ClusterName="shared", NewReplicationFactor=0)
    rejected(BAD, dax.decrease_replication_factor, ClusterName="shared", NewReplicationFactor=2)
    rejected("NodeNotFoundFault", dax.decrease_replication_factor, ClusterName="shared", NewReplicationFactor=1, NodeIdsToRemove=["x"])
    rejected(COMBINATION, dax.decrease_replication_factor, ClusterName="shared", NewReplicationFactor=1, NodeIdsToRemove=["shared-a"],
            AvailabilityZones=["us-east-1a"])
    rejected("ClusterNotFoundFault", dax.increase_replication_factor, ClusterName="none", NewReplicationFactor=3)
    rejected("ClusterNotFoundFault", dax.decrease_replication_factor, ClusterName="none", NewReplicationFactor=1)


def test_a_node_is_rebooted(dax, cluster):
    rebooting = dax.reboot_node(ClusterName="shared", NodeId="shared-b")["Cluster"]
    assert [node["NodeStatus"] for node in rebooting["Nodes"]] == ["available", "rebooting"]
    assert rebooting["Status"] == "available"
    assert [node["Endpoint"] for node in settled(dax, "shared")["Nodes"]] == [node["Endpoint"] for node in cluster["Nodes"]]
    rejected("NodeNotFoundFault", dax.reboot_node, ClusterName="shared", NodeId="shared-z")
    rejected("ClusterNotFoundFault", dax.reboot_node, ClusterName="none", NodeId="none-a")


def test_a_cluster_that_changes_is_left_alone(tmp_path):
    with Server(tmp_path / "data", "--control-plane-delay", "1500") as slow:
        dax = dax_client(slow)
        create(dax, "c")
        for call, more in ((dax.delete_cluster, {}), (dax.update_cluster, {"Description": "x"}), (dax.reboot_node, {"NodeId": "c-a"}),
                           (dax.increase_replication_factor, {"NewReplicationFactor": 2})):
            rejected("InvalidClusterStateFault", call, ClusterName="c", **more)
        settled(dax, "c")
        dax.delete_cluster(ClusterName="c")
        rejected("InvalidClusterStateFault", dax.delete_cluster, ClusterName="c")
        rejected("InvalidClusterStateFault", dax.tag_resource, ResourceName=arn_of("c"), Tags=[{"Key": "k", "Value": "v"}])
        wait_until(lambda: is_gone(dax, "c"))


# --- groups


def test_parameter_groups(dax):
    assert dax.create_parameter_group(ParameterGroupName="Group.1", Description="d")["ParameterGroup"] == {
        "ParameterGroupName": "group.1", "Description": "d"}
    rejected("ParameterGroupAlreadyExistsFault", dax.create_parameter_group, ParameterGroupName="group.1")
    rejected(BAD, dax.create_parameter_group, ParameterGroupName="1")
    names = [group["ParameterGroupName"] for group in dax.describe_parameter_groups()["ParameterGroups"]]
    assert names == ["default.dax1.0", "group.1"]
    rejected("ParameterGroupNotFoundFault", dax.describe_parameter_groups, ParameterGroupNames=["none"])
    dax.update_parameter_group(ParameterGroupName="group.1", ParameterNameValues=[{"ParameterName": "query-ttl-millis", "ParameterValue": "0"}])
    parameters = {p["ParameterName"]: p for p in dax.describe_parameters(ParameterGroupName="group.1")["Parameters"]}
    assert {name: p["ParameterValue"] for name, p in parameters.items()} == {"query-ttl-millis": "0", "record-ttl-millis": "300000"}
    parameter = parameters["query-ttl-millis"]
    assert parameter.pop("Description")
    assert parameter == {"ParameterName": "query-ttl-millis", "ParameterType": "DEFAULT", "ParameterValue": "0", "NodeTypeSpecificValues": [],
                         "Source": "user", "DataType": "integer", "AllowedValues": "0-", "IsModifiable": "TRUE", "ChangeType": "IMMEDIATE"}
    for name, value in (("query-ttl-millis", "-1"), ("query-ttl-millis", "x"), ("other", "1")):
        rejected(BAD, dax.update_parameter_group, ParameterGroupName="group.1",
                ParameterNameValues=[{"ParameterName": name, "ParameterValue": value}])
    rejected("InvalidParameterGroupStateFault", dax.update_parameter_group, ParameterGroupName="default.dax1.0",
            ParameterNameValues=[{"ParameterName": "query-ttl-millis", "ParameterValue": "1"}])
    rejected("InvalidParameterGroupStateFault", dax.delete_parameter_group, ParameterGroupName="default.dax1.0")
    rejected("ParameterGroupNotFoundFault", dax.describe_parameters, ParameterGroupName="none")
    rejected("ParameterGroupNotFoundFault", dax.update_parameter_group, ParameterGroupName="none",
            ParameterNameValues=[{"ParameterName": "query-ttl-millis", "ParameterValue": "1"}])
    assert "group.1" in dax.delete_parameter_group(ParameterGroupName="group.1")["DeletionMessage"]
    rejected("ParameterGroupNotFoundFault", dax.delete_parameter_group, ParameterGroupName="group.1")


def test_the_default_parameters(dax):
    parameters = dax.describe_default_parameters()["Parameters"]
    assert {p["ParameterName"]: p["ParameterValue"] for p in parameters} == {"query-ttl-millis": "300000", "record-ttl-millis": "300000"}


def test_parameters_of_a_group_in_use_are_applied(dax, cluster):
    dax.create_parameter_group(ParameterGroupName="used")
    dax.update_cluster(ClusterName="shared", ParameterGroupName="used")
    settled(dax, "shared")
    dax.update_parameter_group(ParameterGroupName="used", ParameterNameValues=[{"ParameterName": "record-ttl-millis", "ParameterValue": "5"}])
    assert settled(dax, "shared")["ParameterGroup"]["ParameterApplyStatus"] == "in-sync"
    dax.update_cluster(ClusterName="shared", ParameterGroupName="default.dax1.0")
    settled(dax, "shared")
    dax.delete_parameter_group(ParameterGroupName="used")


def test_there_are_twenty_parameter_groups(server):
    dax = dax_client(server, "sa-east-1")
    for number in range(20):
        dax.create_parameter_group(ParameterGroupName=f"p{number}")
    rejected("ParameterGroupQuotaExceededFault", dax.create_parameter_group, ParameterGroupName="more")


def test_subnet_groups(dax):
    group = dax.create_subnet_group(SubnetGroupName="Nets", Description="d", SubnetIds=["subnet-1", "subnet-2"])["SubnetGroup"]
    assert group["SubnetGroupName"] == "nets"
    assert [subnet["SubnetIdentifier"] for subnet in group["Subnets"]] == ["subnet-1", "subnet-2"]
    assert [subnet["SubnetAvailabilityZone"] for subnet in group["Subnets"]] == ["us-east-1a", "us-east-1b"]
    rejected("SubnetGroupAlreadyExistsFault", dax.create_subnet_group, SubnetGroupName="nets", SubnetIds=["subnet-1"])
    rejected("InvalidSubnet", dax.create_subnet_group, SubnetGroupName="other", SubnetIds=["net"])
    rejected("SubnetQuotaExceededFault", dax.create_subnet_group, SubnetGroupName="other", SubnetIds=[f"subnet-{i}" for i in range(21)])
    create(dax, "netted", 2, SubnetGroupName="nets")
    settled(dax, "netted")
    rejected("SubnetGroupInUseFault", dax.delete_subnet_group, SubnetGroupName="nets")
    rejected("SubnetInUse", dax.update_subnet_group, SubnetGroupName="nets", SubnetIds=["subnet-1"])
    updated = dax.update_subnet_group(SubnetGroupName="nets", Description="e", SubnetIds=["subnet-1", "subnet-2", "subnet-3"])["SubnetGroup"]
    assert (updated["Description"], len(updated["Subnets"])) == ("e", 3)
    delete(dax, "netted")
    rejected("SubnetGroupNotFoundFault", dax.update_subnet_group, SubnetGroupName="none")
    rejected("SubnetGroupNotFoundFault", dax.describe_subnet_groups, SubnetGroupNames=["none"])
    assert [g["SubnetGroupName"] for g in dax.describe_subnet_groups()["SubnetGroups"]] == ["default", "nets"]
    assert "nets" in dax.delete_subnet_group(SubnetGroupName="nets")["DeletionMessage"]
    rejected("SubnetGroupNotFoundFault", dax.delete_subnet_group, SubnetGroupName="nets")


def test_there_are_fifty_subnet_groups(server):
    dax = dax_client(server, "sa-east-1")
    for number in range(50):
        dax.create_subnet_group(SubnetGroupName=f"s{number}", SubnetIds=["subnet-1"])
    rejected("SubnetGroupQuotaExceededFault", dax.create_subnet_group, SubnetGroupName="more", SubnetIds=["subnet-1"])


# --- tags and events


def test_tags(dax, cluster):
    arn = cluster["ClusterArn"]
    assert dax.tag_resource(ResourceName=arn, Tags=[{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}])["Tags"] == [
        {"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}]
    assert dax.untag_resource(ResourceName=arn, TagKeys=["a"])["Tags"] == [{"Key": "b", "Value": "2"}]
    assert dax.list_tags(ResourceName=arn)["Tags"] == [{"Key": "b", "Value": "2"}]
    rejected("TagNotFoundFault", dax.untag_resource, ResourceName=arn, TagKeys=["a"])
    rejected("TagQuotaPerResourceExceeded", dax.tag_resource, ResourceName=arn, Tags=[{"Key": str(i), "Value": ""} for i in range(50)])
    for call, more in ((dax.list_tags, {}), (dax.tag_resource, {"Tags": [{"Key": "k", "Value": "v"}]}), (dax.untag_resource, {"TagKeys": ["k"]})):
        rejected("InvalidARNFault", call, ResourceName="shared", **more)
        rejected("ClusterNotFoundFault", call, ResourceName=arn_of("none"), **more)
        rejected("ClusterNotFoundFault", call, ResourceName=arn_of("shared", "eu-north-1"), **more)


def test_events(server):
    dax = dax_client(server, "ca-central-1")
    create(dax, "c")
    settled(dax, "c")
    dax.create_parameter_group(ParameterGroupName="p")
    events = dax.describe_events()["Events"]
    assert [(event["SourceType"], event["SourceName"]) for event in events] == [("CLUSTER", "c"), ("PARAMETER_GROUP", "p")]
    assert dax.describe_events(SourceType="CLUSTER", SourceName="c", Duration=10)["Events"] == events[:1]
    now = datetime.datetime.now(datetime.timezone.utc)
    assert dax.describe_events(StartTime=now - datetime.timedelta(days=2), EndTime=now - datetime.timedelta(days=1))["Events"] == []
    rejected(COMBINATION, dax.describe_events, SourceName="c")
    rejected(COMBINATION, dax.describe_events, StartTime=now, EndTime=now - datetime.timedelta(days=1))
    rejected(BAD, dax.describe_events, Duration=0)
    delete(dax, "c")
    assert [event["Message"] for event in dax.describe_events(SourceType="CLUSTER")["Events"]][-1] == "Cluster deleted."


# --- restarts


def test_clusters_survive_kill_9(tmp_path):
    server = Server(tmp_path / "data").start()
    dax = dax_client(server)
    dax.create_parameter_group(ParameterGroupName="p")
    dax.update_parameter_group(ParameterGroupName="p", ParameterNameValues=[{"ParameterName": "record-ttl-millis", "ParameterValue": "7"}])
    dax.create_subnet_group(SubnetGroupName="s", SubnetIds=["subnet-1"])
    create(dax, "c", 3, ParameterGroupName="p", SubnetGroupName="s", Tags=[{"Key": "k", "Value": "v"}])
    before, events = settled(dax, "c"), dax.describe_events()["Events"]
    server.kill()
    with Server(tmp_path / "data") as again:
        dax = dax_client(again)
        assert describe(dax, "c") == before, "its ports too"
        assert all(is_taken(node["Endpoint"]["Port"]) for node in before["Nodes"])
        assert dax.describe_events()["Events"] == events
        assert dax.list_tags(ResourceName=arn_of("c"))["Tags"] == [{"Key": "k", "Value": "v"}]
        values = [p["ParameterValue"] for p in dax.describe_parameters(ParameterGroupName="p")["Parameters"]]
        assert sorted(values) == ["300000", "7"]


def test_what_kill_9_interrupts_goes_on(tmp_path):
    server = Server(tmp_path / "data", "--control-plane-delay", "2000").start()
    dax = dax_client(server)
    assert create(dax, "c", 2)["Status"] == "creating"
    server.kill()
    with Server(tmp_path / "data") as again:
        dax = dax_client(again)
        assert settled(dax, "c")["ActiveNodes"] == 2
        dax.increase_replication_factor(ClusterName="c", NewReplicationFactor=4)
        again.kill()
        again.start()
        dax = dax_client(again)
        assert len(settled(dax, "c")["Nodes"]) == 4
        dax.delete_cluster(ClusterName="c")
        again.kill()
        again.start()
        wait_until(lambda: is_gone(dax_client(again), "c"))


def test_a_port_that_is_taken_gives_way(tmp_path):
    server = Server(tmp_path / "data").start()
    dax = dax_client(server)
    create(dax, "c")
    before = settled(dax, "c")["ClusterDiscoveryEndpoint"]["Port"]
    server.stop()
    with socket.socket() as other:
        other.bind(("127.0.0.1", before))
        with Server(tmp_path / "data") as again:
            after = settled(dax_client(again), "c")["ClusterDiscoveryEndpoint"]["Port"]
            assert after != before and is_taken(after)


# --- who may, and what is remembered


ADMIN = administrator()
READER = User("reader", [allow(["dax:DescribeClusters", "dax:ListTags"], arn_of("open*"))])
MAKER = User("maker", [allow("dax:*"), allow("iam:PassRole", ROLE, StringEquals={"iam:PassedToService": "dax.amazonaws.com"})])
TAGGER = User("tagger", [allow("dax:TagResource", "*", StringEquals={"aws:ResourceTag/team": "red", "aws:RequestTag/size": "big"})])


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("guarded")
    write_file(folder / "iam.toml", ADMIN, READER, MAKER, TAGGER)
    with Server(folder / "data", "--iam-file", folder / "iam.toml", "--audit-log", folder / "log") as server:
        server.log = AuditLog(folder / "log")
        for name, service in (("dax", "dax.amazonaws.com"), ("lambda", "lambda.amazonaws.com")):
            trust = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
            ADMIN.boto(server, "iam").create_role(
                RoleName=name, AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [trust]}))
        dax = ADMIN.boto(server, "dax")
        create(dax, "open", Tags=[{"Key": "team", "Value": "red"}])
        create(dax, "closed")
        settled(dax, "open")
        settled(dax, "closed")
        yield server


def test_policies_name_clusters(guarded):
    reader = READER.boto(guarded, "dax")
    assert describe(reader, "open")["ClusterName"] == "open"
    assert reader.list_tags(ResourceName=arn_of("open"))["Tags"]
    error = rejected("AccessDeniedException", reader.describe_clusters, ClusterNames=["closed"])
    assert error == READER.denied("dax:DescribeClusters", arn_of("closed"))
    rejected("AccessDeniedException", reader.describe_clusters)
    rejected("AccessDeniedException", reader.describe_clusters, ClusterNames=["none"])
    error = rejected("AccessDeniedException", reader.describe_events)
    assert error == READER.denied("dax:DescribeEvents", "*")


def test_every_operation_is_guarded(guarded):
    nobody = READER.boto(guarded, "dax")
    arn = arn_of("closed")
    calls = [
        (nobody.create_cluster, {"ClusterName": "c", "NodeType": "dax.r5.large", "ReplicationFactor": 1, "IamRoleArn": ROLE}),
        (nobody.delete_cluster, {"ClusterName": "closed"}), (nobody.update_cluster, {"ClusterName": "closed", "Description": "x"}),
        (nobody.increase_replication_factor, {"ClusterName": "closed", "NewReplicationFactor": 2}),
        (nobody.decrease_replication_factor, {"ClusterName": "closed", "NewReplicationFactor": 1}),
        (nobody.reboot_node, {"ClusterName": "closed", "NodeId": "closed-a"}), (nobody.create_parameter_group, {"ParameterGroupName": "p"}),
        (nobody.describe_parameter_groups, {}), (nobody.update_parameter_group, {"ParameterGroupName": "p", "ParameterNameValues": []}),
        (nobody.delete_parameter_group, {"ParameterGroupName": "p"}), (nobody.describe_parameters, {"ParameterGroupName": "p"}),
        (nobody.describe_default_parameters, {}), (nobody.create_subnet_group, {"SubnetGroupName": "s", "SubnetIds": ["subnet-1"]}),
        (nobody.describe_subnet_groups, {}), (nobody.update_subnet_group, {"SubnetGroupName": "s"}),
        (nobody.delete_subnet_group, {"SubnetGroupName": "s"}), (nobody.describe_events, {}), (nobody.list_tags, {"ResourceName": arn}),
        (nobody.tag_resource, {"ResourceName": arn, "Tags": [{"Key": "k", "Value": "v"}]}),
        (nobody.untag_resource, {"ResourceName": arn, "TagKeys": ["k"]}), (nobody.describe_clusters, {})]
    assert len(calls) == 21
    for call, arguments in calls:
        rejected("AccessDeniedException", call, **arguments)


def test_a_role_is_given_only_by_who_may(guarded):
    maker = MAKER.boto(guarded, "dax")
    create(maker, "mine")
    other = f"arn:aws:iam::{ACCOUNT}:role/other"
    error = rejected("AccessDeniedException", maker.create_cluster, ClusterName="yours", NodeType="dax.r5.large", ReplicationFactor=1,
                    IamRoleArn=other)
    assert error == MAKER.denied("iam:PassRole", other)
    delete(maker, "mine")


def test_a_role_that_does_not_trust_dax_is_not_taken(guarded):
    dax = ADMIN.boto(guarded, "dax")
    for name in ("lambda", "none"):
        role = f"arn:aws:iam::{ACCOUNT}:role/{name}"
        error = rejected(BAD, dax.create_cluster, ClusterName="c", NodeType="dax.r5.large", ReplicationFactor=1, IamRoleArn=role)
        assert error == f"No permission to assume role: {role}"


def test_tags_count_in_policies(guarded):
    tagger = TAGGER.boto(guarded, "dax")
    tagger.tag_resource(ResourceName=arn_of("open"), Tags=[{"Key": "size", "Value": "big"}])
    rejected("AccessDeniedException", tagger.tag_resource, ResourceName=arn_of("open"), Tags=[{"Key": "size", "Value": "small"}])
    rejected("AccessDeniedException", tagger.tag_resource, ResourceName=arn_of("closed"), Tags=[{"Key": "size", "Value": "big"}])


def test_a_signature_for_another_service_is_refused(guarded):
    wrong = boto3.client("dax", endpoint_url=guarded.endpoint, region_name=REGION, aws_access_key_id=ADMIN.key_id, aws_secret_access_key="wrong")
    rejected("InvalidSignatureException", wrong.describe_clusters)


def test_the_audit_remembers(guarded):
    dax = ADMIN.boto(guarded, "dax")
    create(dax, "remembered", Description="d")
    event = guarded.log.find("CreateCluster", eventSource="dax.amazonaws.com", requestParameters={
        "clusterName": "remembered", "description": "d", "iamRoleArn": ROLE, "nodeType": "dax.r5.large", "replicationFactor": 1})
    assert event["responseElements"]["cluster"]["status"] == "creating"
    assert event["apiVersion"] == "2017-04-19"
    assert not event["readOnly"] and event["managementEvent"]
    assert [(r["type"], r["ARN"]) for r in event["resources"]] == [("AWS::DAX::Cluster", arn_of("remembered")), ("AWS::IAM::Role", ROLE)]
    delete(dax, "remembered")
    rejected("ClusterNotFoundFault", dax.delete_cluster, ClusterName="remembered")
    assert guarded.log.find("DeleteCluster", errorCode="ClusterNotFoundFault")["errorMessage"] == "Cluster remembered not found."
    rejected("AccessDeniedException", READER.boto(guarded, "dax").describe_events)
    assert guarded.log.find("DescribeEvents", errorCode="AccessDeniedException")["readOnly"]


# --- the command line


def test_the_aws_cli(server):
    program = "/usr/bin/aws" if os.path.exists("/usr/bin/aws") else shutil.which("aws")
    if not program:
        pytest.skip("there is no AWS CLI")

    def aws(*arguments):
        environment = {**os.environ, "AWS_ACCESS_KEY_ID": "fake", "AWS_SECRET_ACCESS_KEY": "fake", "AWS_DEFAULT_REGION": "eu-central-1",
                       "AWS_PAGER": ""}
        done = subprocess.run([program, "--endpoint-url", server.endpoint, "dax", *arguments], env=environment, capture_output=True, text=True,
                              timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    dax = dax_client(server, "eu-central-1")
    aws("create-parameter-group", "--parameter-group-name", "p")
    aws("update-parameter-group", "--parameter-group-name", "p", "--parameter-name-values", "ParameterName=record-ttl-millis,ParameterValue=1000")
    aws("create-subnet-group", "--subnet-group-name", "s", "--subnet-ids", "subnet-1", "subnet-2")
    created = aws("create-cluster", "--cluster-name", "c", "--node-type", "dax.t3.small", "--replication-factor", "2", "--iam-role-arn", ROLE,
                  "--parameter-group-name", "p", "--subnet-group-name", "s", "--tags", "Key=k,Value=v", "--sse-specification", "Enabled=true")
    assert created["Cluster"]["Status"] == "creating"
    settled(dax, "c")
    assert aws("describe-clusters", "--cluster-names", "c")["Clusters"][0]["ActiveNodes"] == 2
    assert aws("describe-parameters", "--parameter-group-name", "p")["Parameters"][1]["ParameterValue"] == "1000"
    aws("update-cluster", "--cluster-name", "c", "--description", "new")
    settled(dax, "c")
    aws("increase-replication-factor", "--cluster-name", "c", "--new-replication-factor", "3")
    settled(dax, "c")
    aws("decrease-replication-factor", "--cluster-name", "c", "--new-replication-factor", "1")
    settled(dax, "c")
    aws("reboot-node", "--cluster-name", "c", "--node-id", "c-a")
    assert aws("list-tags", "--resource-name", arn_of("c", "eu-central-1"))["Tags"] == [{"Key": "k", "Value": "v"}]
    aws("tag-resource", "--resource-name", arn_of("c", "eu-central-1"), "--tags", "Key=l,Value=w")
    aws("untag-resource", "--resource-name", arn_of("c", "eu-central-1"), "--tag-keys", "k")
    assert aws("describe-events", "--duration", "60")["Events"]
    settled(dax, "c")
    assert aws("delete-cluster", "--cluster-name", "c")["Cluster"]["Status"] == "deleting"
    wait_until(lambda: is_gone(dax, "c"))
    aws("update-subnet-group", "--subnet-group-name", "s", "--description", "d")
    aws("delete-subnet-group", "--subnet-group-name", "s")
    aws("delete-parameter-group", "--parameter-group-name", "p")
    assert aws("describe-parameter-groups")["ParameterGroups"][0]["ParameterGroupName"] == "default.dax1.0"
    assert aws("describe-subnet-groups")["SubnetGroups"][0]["SubnetGroupName"] == "default"
    assert len(aws("describe-default-parameters")["Parameters"]) == 2
