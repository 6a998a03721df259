"""TagResource, UntagResource, ListTagsOfResource."""

import pytest

from harness.waiting import poll_until


@pytest.fixture
def arn(db, make_table):
    return db.ok("DescribeTable", {"TableName": make_table()})["Table"]["TableArn"]


def tags_become(db, arn, expected):
    """Tags are applied asynchronously at AWS; wait until they are as expected."""
    poll_until(lambda: {tag["Key"]: tag["Value"] for tag in db.ok("ListTagsOfResource", {"ResourceArn": arn})["Tags"]},
               lambda tags: tags == expected)


def tag(db, arn, **tags):
    reply = db.post("TagResource", {"ResourceArn": arn, "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]})
    assert (reply.status, reply.body) == (200, b""), "an empty body"


def test_life_of_tags(db, arn):
    tag(db, arn, a="1", b="")
    tags_become(db, arn, {"a": "1", "b": ""})
    tag(db, arn, a="2")
    tags_become(db, arn, {"a": "2", "b": ""})
    reply = db.post("UntagResource", {"ResourceArn": arn, "TagKeys": ["b", "never-there"]})
    assert (reply.status, reply.body) == (200, b"")
    tags_become(db, arn, {"a": "2"})


def test_fifty_at_most(db, arn):
    fifty = {f"k{number}": "v" for number in range(50)}
    tag(db, arn, **fifty)
    tags_become(db, arn, fifty)
    assert db.post("TagResource", {"ResourceArn": arn, "Tags": [{"Key": "one-more", "Value": "v"}]}).status == 400


def test_reserved_prefix(db, arn):
    db.invalid("TagResource", {"ResourceArn": arn, "Tags": [{"Key": "aws:mine", "Value": "v"}]})


def test_no_tags(db, arn):
    db.invalid("TagResource", {"ResourceArn": arn, "Tags": []}, "Atleast one Tag needs to be provided as Input.")
    db.invalid("UntagResource", {"ResourceArn": arn, "TagKeys": []}, "Atleast one Tag Key needs to be provided as Input.")


def test_an_unknown_table(db, arn):
    other = arn.rsplit("/", 1)[0] + "/no-such-table"
    for operation, more in (("TagResource", {"Tags": [{"Key": "a", "Value": "b"}]}), ("UntagResource", {"TagKeys": ["a"]}),
                            ("ListTagsOfResource", {})):
        db.error(operation, {"ResourceArn": other, **more}, "ResourceNotFoundException",
                 f"Requested resource not found: ResourcArn: {other} not found")


def test_not_an_arn(db, arn):
    for wrong in ("nonsense", f"{arn}/index/i"):
        members = db.invalid("ListTagsOfResource", {"ResourceArn": wrong})
        assert members["message"].startswith("Invalid TableArn")


def test_what_does_not_begin_as_an_arn_is_told_so(db):
    members = db.invalid("TagResource", {"ResourceArn": "I_do_not_exist", "Tags": [{"Key": "a", "Value": "b"}]})
    assert "ARNs must start with 'arn:'" in members["message"]


def test_boto3(client, arn):
    client.tag_resource(ResourceArn=arn, Tags=[{"Key": "via", "Value": "boto3"}])
    client.untag_resource(ResourceArn=arn, TagKeys=["other"])
    assert {"Key": "via", "Value": "boto3"} in client.list_tags_of_resource(ResourceArn=arn)["Tags"]
