"""Data directories that are encrypted: nothing of items, keys and secrets can be read in them, whatever a kill leaves; wrong, missing and new keys."""

import json
import os
import signal
import subprocess
import threading

import boto3
import botocore.config
import pytest

from harness.principals import administrator, allow, policy, write_file
from harness.server import Server, StartFailed, binary
from harness.waiting import wait_until

ONE, TWO = "1f" * 32, "2e" * 32
# What must not be found: of an item the key, an attribute's name and its value; a table's name; a user's secret.
PARTS = {"table": "UnmistakableTable", "key": "unmistakable-key", "name": "UnmistakableAttribute", "value": "unmistakable-value-" + "v" * 40}
ITEMS = 300


def master_key(path, *keys):
    path.write_text("".join(f"{key}\n" for key in keys))
    path.chmod(0o600)
    return path


@pytest.fixture
def key(tmp_path):
    return master_key(tmp_path / "master.key", ONE)


def encrypted(data, key, *arguments):
    return Server(data, "--encrypt", "--encrypt-key", key, *arguments)


def boto(server, user=None):
    if user:
        return user.boto(server)
    return boto3.client("dynamodb", endpoint_url=server.endpoint, region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b",
                        config=botocore.config.Config(retries={"max_attempts": 0}))


def item(number):
    return {"pk": {"S": f"{PARTS['key']}-{number}"}, PARTS["name"]: {"S": f"{PARTS['value']}-{number}"}}


def make_table(client, name=PARTS["table"], **more):
    client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}], **more)


def put_items(client, count=ITEMS):
    for number in range(count):
        client.put_item(TableName=PARTS["table"], Item=item(number))


def assert_items(client, count=ITEMS):
    for number in range(0, count, 37):
        assert client.get_item(TableName=PARTS["table"], Key={"pk": item(number)["pk"]})["Item"] == item(number)


def files_of(data):
    return {path: path.read_bytes() for path in sorted(data.rglob("*")) if path.is_file()}


def places_of(texts, data):
    """Where in the directory one of the texts stands, as it is or as UTF-16."""
    return [(path.name, text) for path, content in files_of(data).items() for text in texts
            if text.encode() in content or text.encode("utf-16-le") in content or path.name.find(text) >= 0]


def start_error(*arguments, **options):
    with pytest.raises(StartFailed) as failed:
        Server(*arguments, **options).start()
    assert failed.value.returncode == 1 and failed.value.stdout == ""
    lines = failed.value.stderr.splitlines()
    assert len(lines) == 1, lines
    return lines[0]


def with_variable(value):
    """For preexec: the variable is in the environment of the server only."""
    return lambda: os.environ.__setitem__("ARMATURE_ENCRYPTION_KEY", value)


def hang_up(server, line):
    before = len(server.errors)
    os.kill(server.pid, signal.SIGHUP)
    wait_until(lambda: any(line in told for told in server.errors[before:]), problem=f"it was not told: {line}")


def test_nothing_of_an_item_a_key_or_a_secret_is_in_the_directory(tmp_path, data, key):
    user = administrator()
    file = write_file(tmp_path / "iam.toml", user)
    server = encrypted(data, key, "--iam-file", file, "--cache-mib", "8").start()
    client = boto(server, user)
    make_table(client)
    put_items(client)
    made = user.boto(server, "iam").create_access_key()["AccessKey"]
    secrets = [*PARTS.values(), user.secret, made["SecretAccessKey"], ONE]
    assert places_of(secrets, data) == []
    server.kill()
    assert places_of(secrets, data) == []
    assert not (data / "iam.key").exists()
    # Recovery writes tables from the log, a stop flushes and closes.
    server = encrypted(data, key, "--iam-file", file).start()
    assert_items(boto(server, user))
    put_items(boto(server, user), 50)
    assert places_of(secrets, data) == []
    server.stop()
    assert places_of(secrets, data) == []
    with encrypted(data, key, "--iam-file", file) as server:
        assert_items(boto(server, user))


# Of what hangs on items and principals: index keys, names of indexes and roles, what a policy says, a session's credentials.
HANGING = {"index": "UnmistakableIndex", "local": "UnmistakableLocalIndex", "sort": "unmistakable-sort-key", "role": "UnmistakableRole",
           "tag": "unmistakable-tag-value", "session": "UnmistakableSession"}


def make_table_with_all(client):
    names = {"pk": "S", "sk": "S", PARTS["name"]: "S"}
    projected = {"Projection": {"ProjectionType": "ALL"}}

    def keys(*attributes):
        return {"KeySchema": [{"AttributeName": name, "KeyType": kind} for name, kind in zip(attributes, ("HASH", "RANGE"))]}

    client.create_table(TableName=PARTS["table"], BillingMode="PAY_PER_REQUEST", **keys("pk", "sk"),
                        AttributeDefinitions=[{"AttributeName": name, "AttributeType": kind} for name, kind in names.items()],
                        GlobalSecondaryIndexes=[{"IndexName": HANGING["index"], **keys(PARTS["name"], "sk"), **projected}],
                        LocalSecondaryIndexes=[{"IndexName": HANGING["local"], **keys("pk", PARTS["name"]), **projected}],
                        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
                        Tags=[{"Key": "team", "Value": HANGING["tag"]}])


def session_of_a_role(server, admin):
    iam = admin.boto(server, "iam")
    trust = {"Effect": "Allow", "Principal": {"AWS": admin.arn}, "Action": "sts:AssumeRole"}
    document = {"Version": "2012-10-17", "Statement": [trust]}
    role = iam.create_role(RoleName=HANGING["role"], AssumeRolePolicyDocument=json.dumps(document))["Role"]
    iam.put_role_policy(RoleName=HANGING["role"], PolicyName="all", PolicyDocument=policy(allow("dynamodb:*")))
    return admin.boto(server, "sts").assume_role(RoleArn=role["Arn"], RoleSessionName=HANGING["session"],
                                                 Policy=policy(allow("dynamodb:*")))["Credentials"]


def as_session(server, service, credentials):
    return boto3.client(service, endpoint_url=server.endpoint, region_name="us-east-1", aws_access_key_id=credentials["AccessKeyId"],
                        aws_secret_access_key=credentials["SecretAccessKey"], aws_session_token=credentials["SessionToken"],
                        config=botocore.config.Config(retries={"max_attempts": 0}))


def put_sorted_items(client):
    for number in range(ITEMS):
        client.put_item(TableName=PARTS["table"], Item={**item(number), "sk": {"S": f"{HANGING['sort']}-{number}"}})


def use_all(client, streams):
    """Reads what was written by every way that leads to it; the stream's records are there to be read."""
    of_index = {"TableName": PARTS["table"], "IndexName": HANGING["index"], "KeyConditionExpression": "#n = :v", "ExpressionAttributeNames": {"#n": PARTS["name"]},
                "ExpressionAttributeValues": {":v": {"S": f"{PARTS['value']}-7"}}}
    wait_until(lambda: client.query(**of_index)["Count"] == 1)
    arn = client.describe_table(TableName=PARTS["table"])["Table"]["LatestStreamArn"]
    shards = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    found = 0
    for shard in shards:
        at = streams.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        found += len(streams.get_records(ShardIterator=at)["Records"])
    assert found > 0


def test_nothing_of_indexes_streams_and_sessions_is_in_the_directory(tmp_path, data, key):
    admin = administrator()
    file = write_file(tmp_path / "iam.toml", admin)
    server = encrypted(data, key, "--iam-file", file, "--cache-mib", "8").start()
    make_table_with_all(boto(server, admin))
    credentials = session_of_a_role(server, admin)
    client = as_session(server, "dynamodb", credentials)
    put_sorted_items(client)
    use_all(client, as_session(server, "dynamodbstreams", credentials))
    secrets = [*PARTS.values(), *HANGING.values(), admin.secret, credentials["SecretAccessKey"], credentials["SessionToken"], ONE]
    assert places_of(secrets, data) == []
    server.kill()
    assert places_of(secrets, data) == []
    server = encrypted(data, key, "--iam-file", file).start()
    # The session outlives the server that gave it.
    use_all(as_session(server, "dynamodb", credentials), as_session(server, "dynamodbstreams", credentials))
    put_sorted_items(as_session(server, "dynamodb", credentials))
    server.stop()
    assert places_of(secrets, data) == []


def test_the_search_finds_what_hangs_on_items_where_it_is_not_encrypted(tmp_path, data):
    admin = administrator()
    with Server(data, "--iam-file", write_file(tmp_path / "iam.toml", admin)) as server:
        make_table_with_all(boto(server, admin))
        credentials = session_of_a_role(server, admin)
        put_sorted_items(as_session(server, "dynamodb", credentials))
    # A session is nowhere stored, by no name.
    assert {text for _, text in places_of([*PARTS.values(), *HANGING.values(), credentials["SessionToken"]], data)} == {
        *PARTS.values(), *(text for name, text in HANGING.items() if name != "session")}


def test_the_search_finds_what_is_not_encrypted(data):
    with Server(data) as server:
        client = boto(server)
        make_table(client)
        put_items(client, 1)
    assert {text for _, text in places_of(PARTS.values(), data)} == set(PARTS.values())


def test_a_wrong_a_missing_and_a_needless_key_are_one_line_and_change_nothing(tmp_path, data, key):
    with encrypted(data, key) as server:
        assert f"encrypted data in {data}" in server.ready_line
        make_table(boto(server))
    before = files_of(data)
    wrong = master_key(tmp_path / "wrong.key", TWO)
    line = start_error(data, "--encrypt", "--encrypt-key", wrong)
    assert line.startswith(f"armature: {data}/KEYS is sealed under the master key ") and f", and {wrong} has " in line
    needs = "by --encrypt-key FILE, --encrypt-key-command COMMAND or in ARMATURE_ENCRYPTION_KEY"
    assert start_error(data) == f"armature: {data} is encrypted: its master key is to be given {needs}"
    assert start_error(data, "--encrypt") == f"armature: {data} is encrypted: its master key is to be given {needs}"
    assert start_error(data, "--encrypt-key", tmp_path / "none") == f"armature: there is no file {tmp_path}/none"
    assert start_error(data, "--encrypt-key-command", f"echo {ONE}; exit 4") == "armature: --encrypt-key-command: it ended with exit status 4"
    assert "give it once" in start_error(data, "--encrypt-key", key, "--encrypt-key-command", "true")
    assert files_of(data) == before
    keys = data / "KEYS"
    text = keys.read_bytes()
    keys.write_bytes(text[:-20])
    assert start_error(data, "--encrypt-key", key).startswith(f"armature: {keys} is damaged")
    keys.unlink()
    assert start_error(data, "--encrypt-key", key).startswith(f"armature: the files of {data} are encrypted, but {keys} is missing")
    assert start_error(data).startswith(f"armature: the files of {data} are encrypted, but {keys} is missing")
    keys.write_bytes(text)
    with encrypted(data, key) as server:
        assert boto(server).list_tables()["TableNames"] == [PARTS["table"]]


def test_data_that_is_not_encrypted_stays_so(data, key):
    with Server(data) as server:
        make_table(boto(server))
    before = files_of(data)
    assert start_error(data, "--encrypt", "--encrypt-key", key).startswith(f"armature: {data} holds data that is not encrypted: ")
    assert files_of(data) == before
    assert start_error(data.parent / "new", "--encrypt").startswith("armature: --encrypt needs a master key, which `armature encryption new-key` prints")
    assert not (data.parent / "new").exists()


def test_the_key_may_come_from_a_command_or_the_environment_which_nobody_sees_then(data):
    with Server(data, "--encrypt", "--encrypt-key-command", f"echo {ONE}") as server:
        make_table(boto(server))
    with Server(data, preexec=with_variable(ONE)) as server:
        assert boto(server).list_tables()["TableNames"] == [PARTS["table"]]
        with open(f"/proc/{server.pid}/environ", "rb") as environment:
            assert ONE.encode() not in environment.read()


def test_commands_on_the_directory_take_the_same_keys(data, key):
    made = subprocess.run([binary(), "iam", "init", "--data", data, "--encrypt", "--encrypt-key", key], capture_output=True, text=True, timeout=60)
    assert made.returncode == 0, made.stderr
    secret = made.stdout.splitlines()[1].split("=", 1)[1]
    assert places_of([secret, ONE], data) == [] and not (data / "iam.key").exists()

    def check(*arguments):
        return subprocess.run([binary(), "iam", "check", "--data", data, "--principal", "arn:aws:iam::123456789012:user/administrator", "--action",
                               "dynamodb:GetItem", "--resource", "*", *arguments], capture_output=True, text=True, timeout=60)

    assert check("--encrypt-key", key).returncode == 0
    without = check()
    assert without.returncode == 2 and without.stderr.startswith(f"armature iam: {data} is encrypted: ")
    with encrypted(data, key) as server:
        assert server.ready_line.rstrip().endswith("signatures are verified)")
    doctor = subprocess.run([binary(), "doctor", data, "--encrypt-key", key], capture_output=True, text=True, timeout=60)
    assert doctor.returncode == 0, doctor.stdout + doctor.stderr
    assert "sound       nothing is missing" in doctor.stdout
    without = subprocess.run([binary(), "doctor", data], capture_output=True, text=True, timeout=60)
    assert without.returncode == 2 and without.stderr.startswith(f"armature doctor: {data} is encrypted: ")


def test_a_master_key_is_replaced_while_the_server_works(data, key):
    with encrypted(data, key) as server:
        make_table(boto(server))
        stop, errors, written = threading.Event(), [], []

        def write():
            client = boto(server)
            try:
                while not stop.is_set():
                    client.put_item(TableName=PARTS["table"], Item=item(len(written)))
                    written.append(len(written))
            except BaseException as error:  # noqa: B902 - a thread's failure belongs to the test
                errors.append(error)

        thread = threading.Thread(target=write)
        thread.start()
        try:
            wait_until(lambda: len(written) > 20 or errors)
            hang_up(server, "the master key is the one that was in use")
            master_key(key, "nonsense")
            hang_up(server, f"SIGHUP received, but the master key stays what it was: {key}: line 1: ")
            master_key(key, TWO, ONE)
            hang_up(server, "new files get data key 2")
            told = len(written)
            wait_until(lambda: len(written) > told + 20 or errors)
        finally:
            stop.set()
            thread.join()
        assert not errors
        metrics = server.metrics()
        assert (metrics["armature_encryption_data_keys"], metrics["armature_encryption_newest_data_key"]) == (2, 2)
        wait_until(lambda: any("tables were written anew under data key 2" in line for line in server.errors))
        server.kill()
        old = master_key(key.parent / "old.key", ONE)
        assert "is sealed under the master key" in start_error(data, "--encrypt-key", old)
        master_key(key, TWO)
        server.start()
        assert_items(boto(server), len(written))
        # Recovery has written the rest anew: nothing needs the data key that the old master key has opened.
        wait_until(lambda: server.metrics()["armature_encryption_data_keys"] == 1)
        metrics = server.metrics()
        assert (metrics["armature_encryption_newest_data_key"], metrics["armature_encryption_older_files"]) == (2, 0)
        server.kill()
        server.start()
        assert_items(boto(server), len(written))


@pytest.mark.parametrize("is_made", [False, True])
def test_a_crash_while_keys_are_written_leaves_those_that_were_there(data, key, is_made):
    """Before the name changes there is KEYS.new beside it, or beside nothing; after it there is nothing to see."""
    if is_made:
        with encrypted(data, key) as server:
            make_table(boto(server))
    data.mkdir(exist_ok=True)
    (data / "KEYS.new").write_bytes(b"armature keys 1\nstore 00")
    with encrypted(data, key) as server:
        if not is_made:
            make_table(boto(server))
        master_key(key, TWO, ONE)
        hang_up(server, "new files get data key 2")
    assert not (data / "KEYS.new").exists()
    master_key(key, TWO)
    with encrypted(data, key) as server:
        assert boto(server).list_tables()["TableNames"] == [PARTS["table"]]


def test_a_kill_in_the_middle_of_rotations_loses_no_key(data, key):
    server = encrypted(data, key).start()
    make_table(boto(server))
    put_items(boto(server), 40)
    for turn in range(6):
        first, second = (TWO, ONE) if turn % 2 == 0 else (ONE, TWO)
        master_key(key, first, second)
        os.kill(server.pid, signal.SIGHUP)
        server.kill()
        server = encrypted(data, key).start()
        assert_items(boto(server), 40)
        boto(server).put_item(TableName=PARTS["table"], Item=item(turn))
    server.stop()


def test_a_stopped_directory_is_rotated_by_a_command(data, key):
    with encrypted(data, key) as server:
        make_table(boto(server))
        rotated = subprocess.run([binary(), "encryption", "rotate", "--data", data, "--encrypt-key", key], capture_output=True, text=True, timeout=60)
        assert rotated.returncode == 1 and "is in use: let its server rotate, by SIGHUP" in rotated.stderr
    made = subprocess.run([binary(), "encryption", "new-key"], capture_output=True, text=True, timeout=60)
    new = made.stdout.strip()
    master_key(key, new, ONE)
    rotated = subprocess.run([binary(), "encryption", "rotate", "--data", data, "--encrypt-key", key], capture_output=True, text=True, timeout=60)
    assert rotated.returncode == 0 and "new files get data key 2" in rotated.stdout, rotated.stderr
    master_key(key, new)
    with encrypted(data, key) as server:
        assert boto(server).list_tables()["TableNames"] == [PARTS["table"]]


def test_descriptions_say_enabled_where_it_is_so(data, key):
    asked = {"SSESpecification": {"Enabled": True}}
    with encrypted(data, key) as server:
        client = boto(server)
        make_table(client, **asked)
        told = client.describe_table(TableName=PARTS["table"])["Table"]["SSEDescription"]
        assert told["Status"] == "ENABLED" and told["SSEType"] == "KMS" and told["KMSMasterKeyArn"].startswith("arn:aws:kms:")
        make_table(client, "Other")
        assert "SSEDescription" not in client.describe_table(TableName="Other")["Table"], "as on Amazon with a key of its own"
    with Server() as server:
        client = boto(server)
        make_table(client, **asked)
        assert client.describe_table(TableName=PARTS["table"])["Table"]["SSEDescription"]["Status"] == "DISABLED"


def test_a_handler_of_triggers_does_not_see_the_key(tmp_path, data):
    seen, handler = tmp_path / "seen", tmp_path / "handler.sh"
    handler.write_text(f"env > {seen}.new\nmv {seen}.new {seen}\nexec cat\n")
    with Server(data, "--encrypt", "--function", f"spy=sh {handler}", preexec=with_variable(ONE)) as server:
        client = boto(server)
        make_table(client, StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
        arn = client.describe_table(TableName=PARTS["table"])["Table"]["LatestStreamArn"]
        boto3.client("lambda", endpoint_url=server.endpoint, region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b").create_event_source_mapping(
            EventSourceArn=arn, FunctionName="spy", StartingPosition="TRIM_HORIZON")
        client.put_item(TableName=PARTS["table"], Item=item(1))
        wait_until(seen.exists)
    assert "PATH=" in seen.read_text() and ONE not in seen.read_text()
