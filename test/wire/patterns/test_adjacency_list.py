"""Adjacency list: nodes and edges under one partition key, walked backwards through an index."""

import pytest
from boto3.dynamodb.conditions import Key

from harness.indexes import Index
from harness.sdk import CANCELLED, refused, settle

# Invoices hold bills and bills belong to several invoices; a node's own row has itself as sort key.
NODES = [{"PK": name, "SK": name, "label": name.lower()} for name in ("BILL#1", "BILL#2", "BILL#3", "INVOICE#1", "INVOICE#2")]
EDGES = [{"PK": "INVOICE#1", "SK": "BILL#1", "amount": 10}, {"PK": "INVOICE#1", "SK": "BILL#2", "amount": 20},
         {"PK": "INVOICE#2", "SK": "BILL#2", "amount": 22}, {"PK": "INVOICE#2", "SK": "BILL#3", "amount": 33}]


@pytest.fixture
def graph(filled):
    return filled(NODES + EDGES, gsi=[Index("backwards", "SK:S", "PK:S")])


def outgoing(graph, node, kind):
    return graph.query(KeyConditionExpression=Key("PK").eq(node) & Key("SK").begins_with(kind), ConsistentRead=True)["Items"]


def incoming(graph, node, kind):
    return graph.query(IndexName="backwards", KeyConditionExpression=Key("SK").eq(node) & Key("PK").begins_with(kind))["Items"]


def test_a_node_with_all_its_edges(graph):
    page = graph.query(KeyConditionExpression=Key("PK").eq("INVOICE#1"), ConsistentRead=True)
    assert page["Items"] == [EDGES[0], EDGES[1], NODES[3]]


def test_edges_of_one_kind(graph):
    assert outgoing(graph, "INVOICE#1", "BILL#") == EDGES[:2]
    assert outgoing(graph, "BILL#1", "INVOICE#") == []


def test_edges_that_come_in(graph):
    settle(lambda: incoming(graph, "BILL#2", "INVOICE#"), [EDGES[1], EDGES[2]])
    settle(lambda: incoming(graph, "BILL#1", "INVOICE#"), [EDGES[0]])


def test_every_row_is_in_the_index_once(graph):
    read = lambda: graph.scan(IndexName="backwards", Select="COUNT")["Count"]
    settle(read, len(NODES) + len(EDGES))


def test_two_steps_through_the_graph(graph):
    """Which invoices share a bill with invoice 1?"""
    def neighbours():
        found = set()
        for edge in outgoing(graph, "INVOICE#1", "BILL#"):
            found |= {back["PK"] for back in incoming(graph, edge["SK"], "INVOICE#")}
        return found - {"INVOICE#1"}
    settle(neighbours, {"INVOICE#2"})


def test_an_edge_is_removed_in_both_directions(graph):
    graph.delete_item(Key={"PK": "INVOICE#1", "SK": "BILL#2"})
    assert outgoing(graph, "INVOICE#1", "BILL#") == EDGES[:1]
    settle(lambda: incoming(graph, "BILL#2", "INVOICE#"), [EDGES[2]])


def test_a_node_and_its_edges_are_made_together(graph):
    rows = [{"PK": "INVOICE#3", "SK": "INVOICE#3", "label": "invoice#3"}, {"PK": "INVOICE#3", "SK": "BILL#1", "amount": 1},
            {"PK": "INVOICE#3", "SK": "BILL#3", "amount": 3}]
    graph.meta.client.transact_write_items(TransactItems=[
        {"ConditionCheck": {"TableName": graph.name, "Key": {"PK": "BILL#1", "SK": "BILL#1"}, "ConditionExpression": "attribute_exists(PK)"}},
        *({"Put": {"TableName": graph.name, "Item": row, "ConditionExpression": "attribute_not_exists(PK)"}} for row in rows)])
    assert graph.query(KeyConditionExpression=Key("PK").eq("INVOICE#3"), ConsistentRead=True)["Items"] == [rows[1], rows[2], rows[0]]
    settle(lambda: incoming(graph, "BILL#3", "INVOICE#"), [EDGES[3], rows[2]])


def test_an_edge_to_a_missing_node_is_not_made(graph):
    with refused(CANCELLED, "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]") as why:
        graph.meta.client.transact_write_items(TransactItems=[
            {"Put": {"TableName": graph.name, "Item": {"PK": "INVOICE#1", "SK": "BILL#9"}}},
            {"ConditionCheck": {"TableName": graph.name, "Key": {"PK": "BILL#9", "SK": "BILL#9"}, "ConditionExpression": "attribute_exists(PK)"}}])
    assert why.reasons == [{"Code": "None"}, {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}]
    assert outgoing(graph, "INVOICE#1", "BILL#") == EDGES[:2]


def test_the_whole_neighbourhood_in_one_read(graph):
    keys = [{"PK": edge["SK"], "SK": edge["SK"]} for edge in outgoing(graph, "INVOICE#2", "BILL#")]
    reply = graph.meta.client.batch_get_item(RequestItems={graph.name: {"Keys": keys, "ConsistentRead": True}})
    assert sorted(reply["Responses"][graph.name], key=lambda node: node["PK"]) == NODES[1:3]
    assert reply["UnprocessedKeys"] == {}
