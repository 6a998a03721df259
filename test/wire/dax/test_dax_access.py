"""Who may do what through DAX: the caller at the cluster, the cluster's role at the tables, and how fast a change of either counts."""

import contextlib
import json

import pytest

from harness import tables
from harness.dax import KINDS, DaxError, DaxServer, dax_only
from harness.dax_wire import HANDSHAKE, DaxConnection, Refused, authorisation, request
from harness.principals import ACCOUNT, REGION, User, administrator, allow, deny, policy, table_arn, write_file
from harness.raw import RawClient
from harness.waiting import wait_until

pytestmark = dax_only

# What every client asks before it can do anything.
BASICS = ["dax:Endpoints", "dax:DefineKeySchema", "dax:DefineAttributeList", "dax:DefineAttributeListId"]
READS = ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:Scan", "dynamodb:DescribeTable"]
CLUSTER = f"arn:aws:dax:{REGION}:{ACCOUNT}:cache/books"
OF_OPTIONS = f"arn:aws:dax:{REGION}:{ACCOUNT}:cache/armature"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/books"

ADMIN = administrator()
CALLER = User("caller", [allow("dax:*", CLUSTER)])
READER = User("reader", [allow([*BASICS, "dax:GetItem"], CLUSTER)])
CHANGING = User("changing", [allow("dax:*", CLUSTER)])
NOBODY = User("nobody", [])
FOREIGNER = User("foreigner", [allow("*")], account="999999999999")
OWNER = User("owner", [allow("dax:*", OF_OPTIONS), deny("dynamodb:*")])


def keys(user):
    return {"access_key": user.key_id, "secret_key": user.secret}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dax-access")
    write_file(folder / "iam.toml", ADMIN, CALLER, READER, CHANGING, NOBODY, FOREIGNER, OWNER)
    with DaxServer(folder / "data", "--iam-file", folder / "iam.toml") as running:
        yield running


@pytest.fixture(scope="module")
def db(server):
    with contextlib.closing(ADMIN.raw(server)) as client:
        yield client


@pytest.fixture(scope="module")
def iam(server):
    return ADMIN.boto(server, "iam")


def grant(iam, *statements):
    """All that the role may do from here on."""
    iam.put_role_policy(RoleName="books", PolicyName="own", PolicyDocument=policy(*statements))


def make_role(iam, name):
    trust = {"Effect": "Allow", "Principal": {"Service": "dax.amazonaws.com"}, "Action": "sts:AssumeRole"}
    iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [trust]}))


def make_cluster(dax, name, role):
    """Its address, once it is there."""
    dax.create_cluster(ClusterName=name, NodeType="dax.r5.large", ReplicationFactor=1, IamRoleArn=role)

    def address():
        cluster = dax.describe_clusters(ClusterNames=[name])["Clusters"][0]
        return cluster["ClusterDiscoveryEndpoint"]["URL"] if cluster["Status"] == "available" else None
    return wait_until(address, problem="the cluster is not available")


@pytest.fixture(scope="module")
def books(server, db, iam):
    """The address of a cluster whose role may read the table Books, which lies beside a table Secrets."""
    for name in ("Books", "Secrets"):
        tables.create(db, name=name)
        tables.fill(db, name, [{"pk": {"S": str(number)}, "v": {"N": str(number)}} for number in range(100)])
    make_role(iam, "books")
    grant(iam, allow(READS, table_arn("Books")))
    return make_cluster(ADMIN.boto(server, "dax"), "books", ROLE)


@pytest.fixture
def role(iam, books):
    """The role's policy may be changed; it is what it was afterwards."""
    yield
    grant(iam, allow(READS, table_arn("Books")))


@pytest.fixture(scope="module", params=KINDS)
def opened(node, request):
    """Opens clients of Amazon's as somebody."""
    clients = []

    def as_user(user, address):
        clients.append(node.open(request.param, address, credentials={"accessKeyId": user.key_id, "secretAccessKey": user.secret}))
        return clients[-1]
    yield as_user
    for client in clients:
        client.close()


def get(table, key):
    return {"TableName": table, "Key": {"pk": {"S": str(key)}}}


def item(key):
    return {"pk": {"S": str(key)}, "v": {"N": str(key)}}


# --- the role at the tables


def test_a_cluster_reads_what_its_role_may(opened, books):
    client = opened(CALLER, books)
    assert client.ok("GetItem", get("Books", 1))["Item"] == item(1)
    assert client.ok("BatchGetItem", {"RequestItems": {"Books": {"Keys": [{"pk": {"S": "2"}}]}}})["Responses"]["Books"] == [item(2)]
    query = {"TableName": "Books", "KeyConditionExpression": "pk = :k", "ExpressionAttributeValues": {":k": {"S": "3"}}}
    assert client.ok("Query", query)["Items"] == [item(3)]
    assert client.ok("Scan", {"TableName": "Books", "Select": "COUNT"})["Count"] == 100
    assert client.ok("GetItem", {**get("Books", 4), "ConsistentRead": True})["Item"] == item(4)


def test_it_writes_nothing_that_its_role_may_not(opened, books, db):
    client = opened(CALLER, books)
    denied = f"User: arn:aws:sts::{ACCOUNT}:assumed-role/books/DAX is not authorized to perform: dynamodb:"
    key = {"pk": {"S": "5"}}
    for operation, members in (("PutItem", {"Item": {**key, "v": {"N": "0"}}}), ("DeleteItem", {"Key": key}),
                               ("UpdateItem", {"Key": key, "UpdateExpression": "REMOVE v"})):
        error = client.error(operation, {"TableName": "Books", **members}, "AccessDeniedException")
        assert error.message.startswith(f"{denied}{operation} on resource: {table_arn('Books')}"), error
    batch = {"RequestItems": {"Books": [{"DeleteRequest": {"Key": key}}]}}
    client.error("BatchWriteItem", batch, "AccessDeniedException")
    client.error("TransactWriteItems", {"TransactItems": [{"Delete": {"TableName": "Books", "Key": key}}]}, "AccessDeniedException")
    assert db.ok("GetItem", get("Books", 5))["Item"] == item(5)
    # Nor does the cache believe that something was written.
    assert client.ok("GetItem", get("Books", 5))["Item"] == item(5)


def test_it_does_not_even_tell_the_keys_of_other_tables(opened, books):
    client = opened(CALLER, books)
    for table in ("Secrets", "NotThere"):
        error = client.error("GetItem", get(table, 1), "AccessDeniedException")
        assert f"dynamodb:DescribeTable on resource: {table_arn(table)}" in error.message
    with DaxConnection(books, **keys(CALLER)) as connection:
        with pytest.raises(Refused) as refused:
            connection.call("defineKeySchema", b"Secrets")
        assert refused.value.code == "AccessDeniedException"


def test_a_permission_taken_from_the_role_ends_with_the_next_uncached_request(opened, books, iam, role):
    client = opened(CALLER, books)
    asked = 12 if client.kind == "v2" else 13  # nobody before
    client.ok("GetItem", get("Books", 10))
    grant(iam, allow("dynamodb:DescribeTable"))
    client.error("GetItem", get("Books", asked), "AccessDeniedException")
    client.error("GetItem", {**get("Books", 10), "ConsistentRead": True}, "AccessDeniedException")
    # What is cached is given until its time is over: nobody asks the table, and so nobody its policies.
    assert client.ok("GetItem", get("Books", 10))["Item"] == item(10)
    grant(iam, allow(READS, table_arn("Books")))
    assert client.ok("GetItem", get("Books", asked))["Item"] == item(asked), "and it comes back"


def test_a_role_that_trusts_dax_no_more_does_nothing(books, iam):
    def trust(service):
        statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
        iam.update_assume_role_policy(RoleName="books", PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [statement]}))
    with DaxConnection(books, **keys(CALLER)) as connection:
        trust("lambda.amazonaws.com")
        try:
            with pytest.raises(Refused) as refused:
                connection.get("Books", "14")
            assert (refused.value.code, refused.value.message) == ("AccessDeniedException", "The cluster's role does not let DAX assume it")
        finally:
            trust("dax.amazonaws.com")
        assert connection.get("Books", "14") == {"v": 14}, "and it comes back"


def test_a_permission_given_to_the_role_counts_at_once(opened, books, iam, role, db):
    client = opened(CALLER, books)
    put = {"TableName": "Books", "Item": item(200)}
    client.error("PutItem", put, "AccessDeniedException")
    grant(iam, allow([*READS, "dynamodb:PutItem"], table_arn("Books")))
    client.ok("PutItem", put)
    assert db.ok("GetItem", get("Books", 200))["Item"] == item(200)


# --- the caller at the cluster


def test_a_caller_without_the_action_is_refused_before_the_cache_is_asked(opened, books):
    client = opened(CALLER, books)
    client.ok("GetItem", get("Books", 20))
    reader = opened(READER, books)
    assert reader.ok("GetItem", get("Books", 20))["Item"] == item(20)
    requests = {
        "PutItem": {"TableName": "Books", "Item": item(20)}, "DeleteItem": get("Books", 20), "UpdateItem": get("Books", 20),
        "BatchGetItem": {"RequestItems": {"Books": {"Keys": [{"pk": {"S": "20"}}]}}},
        "BatchWriteItem": {"RequestItems": {"Books": [{"DeleteRequest": {"Key": {"pk": {"S": "20"}}}}]}},
        "Scan": {"TableName": "Books"},
        "Query": {"TableName": "Books", "KeyConditionExpression": "pk = :k", "ExpressionAttributeValues": {":k": {"S": "3"}}}}
    for operation, members in requests.items():
        error = reader.error(operation, members, "AccessDeniedException")
        assert error.message == READER.denied(f"dax:{operation}", CLUSTER)


def test_transactions_are_asked_about_by_what_they_do(opened, books):
    reader = opened(READER, books)
    assert reader.ok("TransactGetItems", {"TransactItems": [{"Get": get("Books", 1)}]})["Responses"]
    check = {"ConditionCheck": {**get("Books", 1), "ConditionExpression": "attribute_exists(pk)"}}
    for action, asked in ((check, "ConditionCheckItem"), ({"Delete": get("Books", 1)}, "DeleteItem"),
                          ({"Put": {"TableName": "Books", "Item": item(1)}}, "PutItem"),
                          ({"Update": {**get("Books", 1), "UpdateExpression": "REMOVE v"}}, "UpdateItem")):
        error = reader.error("TransactWriteItems", {"TransactItems": [action]}, "AccessDeniedException")
        assert error.message == READER.denied(f"dax:{asked}", CLUSTER)


def test_who_may_nothing_does_not_learn_which_nodes_there_are(books):
    with DaxConnection(books, **keys(NOBODY)) as connection:
        for method, arguments in (("endpoints", ()), ("defineKeySchema", (b"Books",)), ("defineAttributeList", (2,)),
                                  ("defineAttributeListId", (["a"],)), ("getItem", (b"Books", b"1", {}))):
            with pytest.raises(Refused) as refused:
                connection.call(method, *arguments)
            assert refused.value.code == "AccessDeniedException", method


def test_another_account_is_refused(node, books, server):
    with DaxConnection(books, **keys(FOREIGNER)) as connection:
        with pytest.raises(Refused) as refused:
            connection.get("Books", "1")
        assert refused.value.code == "UnrecognizedClientException"
    # Amazon's clients do not even find a node, and say so after some seconds.
    credentials = {"accessKeyId": FOREIGNER.key_id, "secretAccessKey": FOREIGNER.secret}
    clients = [node.open(kind, books, credentials=credentials) for kind in KINDS]
    calls = [client.start("GetItem", get("Books", 1)) for client in clients]
    for call, client in zip(calls, clients):
        with pytest.raises(DaxError):
            call.result(120)
        client.close()
    # The node of the options serves everybody's tables while nobody is verified; from then on its own account's.
    with DaxConnection(server.dax, **keys(FOREIGNER)) as connection:
        with pytest.raises(Refused) as refused:
            connection.get("Books", "1")
        assert refused.value.code == "AccessDeniedException"


def test_names_of_attributes_are_told_to_their_own_account_only(server, books):
    """Numbers are given in turn by one process, so that anybody could count through those of its other accounts."""
    make_role(FOREIGNER.boto(server, "iam"), "theirs")
    theirs = make_cluster(FOREIGNER.boto(server, "dax"), "theirs", f"arn:aws:iam::{FOREIGNER.account}:role/theirs")
    with DaxConnection(books, **keys(CALLER)) as ours, DaxConnection(theirs, **keys(FOREIGNER)) as foreign:
        number = ours.call("defineAttributeListId", ["salary"])
        assert ours.call("defineAttributeList", number) == ["salary"]
        for other in range(2, number + 1):
            with pytest.raises(Refused) as refused:
                foreign.call("defineAttributeList", other)
            assert refused.value.code == "ValidationException"
        assert foreign.call("defineAttributeListId", ["salary"]) > number
        assert ours.call("defineAttributeList", number) == ["salary"]


def test_the_node_of_the_options_acts_as_the_account(opened, server, books):
    """Who may use it needs no permission of DynamoDB's: `dax:` is all that guards the tables there."""
    owner = opened(OWNER, server.dax)
    assert owner.ok("GetItem", get("Secrets", 1))["Item"] == item(1)
    owner.ok("PutItem", {"TableName": "Secrets", "Item": item(300)})
    with contextlib.closing(OWNER.raw(server)) as direct:
        assert direct.post("GetItem", get("Secrets", 1)).json["__type"].endswith("#AccessDeniedException")
    with DaxConnection(server.dax, **keys(CALLER)) as connection:
        with pytest.raises(Refused) as refused:
            connection.get("Secrets", "1")
        assert refused.value.message == CALLER.denied("dax:GetItem", OF_OPTIONS)


# --- how fast a change counts


def test_a_change_of_the_callers_policies_counts_on_open_connections(opened, books, iam):
    client = opened(CHANGING, books)
    assert client.ok("GetItem", get("Books", 30))["Item"] == item(30)
    iam.put_user_policy(UserName="changing", PolicyName="own", PolicyDocument=policy(allow([*BASICS, "dax:Scan"], CLUSTER)))
    client.error("GetItem", get("Books", 30), "AccessDeniedException", CHANGING.denied("dax:GetItem", CLUSTER))
    iam.put_user_policy(UserName="changing", PolicyName="own", PolicyDocument=policy(allow("dax:*", CLUSTER)))
    assert client.ok("GetItem", get("Books", 30))["Item"] == item(30)


def new_key(iam):
    key = iam.create_access_key(UserName="changing")["AccessKey"]
    return {"access_key": key["AccessKeyId"], "secret_key": key["SecretAccessKey"]}


def test_a_key_that_is_taken_away_ends_what_was_signed_with_it(books, iam):
    key = new_key(iam)
    with DaxConnection(books, **key) as connection:
        assert connection.get("Books", "31") == {"v": 31}
        iam.update_access_key(UserName="changing", AccessKeyId=key["access_key"], Status="Inactive")
        with pytest.raises(Refused) as refused:
            connection.get("Books", "31")
        assert refused.value.code == "UnrecognizedClientException"
        assert refused.value.sequence == [4, 23, 31, 33], "clients sign again, perhaps with another key"
        iam.update_access_key(UserName="changing", AccessKeyId=key["access_key"], Status="Active")
        connection.send(authorisation(**key))
        assert connection.get("Books", "31") == {"v": 31}
    iam.delete_access_key(UserName="changing", AccessKeyId=key["access_key"])


def test_the_rate_of_a_principal_counts_requests(tmp_path):
    with DaxServer(tmp_path / "data", "--request-rate-per-principal", "1:20") as server:
        with DaxConnection(server.dax) as first, DaxConnection(server.dax) as second:
            answered = 0
            with pytest.raises(Refused) as refused:
                while answered < 100:
                    first.call("endpoints")
                    answered += 1
            assert refused.value.code == "ThrottlingException"
            assert 10 <= answered <= 30
            with pytest.raises(Refused) as refused:
                for _ in range(3):
                    second.call("endpoints")
            assert (refused.value.code, refused.value.message) == ("ThrottlingException", "Rate exceeded")


def test_one_set_of_tables_is_the_same_for_all_regions(tmp_path):
    with DaxServer(tmp_path / "data", "--shared-db") as server, contextlib.closing(RawClient(server.endpoint)) as db:
        tables.create(db, name="Books")
        with DaxConnection(server.dax, region="us-east-1") as here, DaxConnection(server.dax, region="eu-west-1", access_key="other") as there:
            here.put("Books", "1", {"v": 1})
            assert there.get("Books", "1") == {"v": 1}


def test_what_comes_unsigned_is_refused(books):
    with DaxConnection(books, is_greeting=False) as connection:
        connection.send(HANDSHAKE + request("endpoints"))
        with pytest.raises(Refused) as refused:
            connection.answer()
        assert refused.value.code == "MissingAuthenticationTokenException"
