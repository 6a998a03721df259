"""What the operations accept, read from schema/: every list and map of every request, and samples that reach them."""

import json
import pathlib

SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "schema"
SCALARS = {"integer": 1, "long": 1, "double": 1.5, "timestamp": 1.5, "boolean": True, "blob": "AAE="}
WORDS = {
    "TableArn": "Tbl", "TableName": "Tbl", "IndexName": "byN", "AttributeName": "a", "KeySchemaAttributeName": "pk",
    "ConditionExpression": "attribute_exists(pk)", "KeyExpression": "pk = :v", "ProjectionExpression": "pk", "UpdateExpression": "SET a = :v",
    "PartiQLStatement": "SELECT * FROM Tbl WHERE pk = ?", "ExpressionAttributeNameVariable": "#n", "ExpressionAttributeValueVariable": ":v",
    "ResourceArnString": "arn:aws:dynamodb:us-east-1:123456789012:table/Tbl",
}


class Schemas:
    def __init__(self):
        self.shapes = {"AttributeValue": {"type": "attribute_value"}}
        for path in sorted((SCHEMA / "shapes").glob("*.json")):
            self.shapes.update(json.loads(path.read_text()))
        files = [path for service in (".", "streams", "armature") for path in sorted((SCHEMA / service).glob("*.json"))]
        self.operations = [json.loads(path.read_text()) for path in files]
        for operation in self.operations:
            self.shapes[operation["operation"] + "Input"] = {"type": "structure", "members": operation["input"]}

    def sample(self, name):
        """A plausible value with no more than what is required."""
        shape = self.shapes[name]
        kind = shape["type"]
        if kind == "structure":
            return {member: self.sample(each["shape"]) for member, each in shape["members"].items() if each.get("required")}
        if kind == "list":
            return [self.sample(shape["member"])]
        if kind == "map":
            return {self.key(shape): self.sample(shape["value"])}
        if kind == "attribute_value":
            return {"S": "a"}
        if kind == "string":
            return shape["enum"][0] if "enum" in shape else WORDS.get(name, "a" * max(3, shape.get("min", 0)))
        return SCALARS[kind]

    def key(self, map_shape):
        return "pk" if map_shape["value"] == "AttributeValue" and map_shape["key"] == "AttributeName" else self.sample(map_shape["key"])

    def paths(self, name, above=()):
        """Every way down to an element of a list or map: tuples of (shape's name, member's name or None)."""
        if name in [shape for shape, _ in above]:
            return
        shape = self.shapes[name]
        for member, each in shape.get("members", {}).items():
            yield from self.paths(each["shape"], above + ((name, member),))
        element = shape.get("member") or shape.get("value")
        if element:
            yield above + ((name, None),)
            yield from self.paths(element, above + ((name, None),))

    def request(self, path, value, enum=0):
        """A request that holds `value` at the end of the path; `enum` chooses among the words of enums beside it."""
        if not path:
            return value
        (name, member), below = path[0], path[1:]
        shape = self.shapes[name]
        inner = self.request(below, value, enum)
        if shape["type"] == "list":
            return [inner]
        if shape["type"] == "map":
            return {self.key(shape): inner}
        request = self.sample(name)
        for other, each in shape["members"].items():
            words = self.shapes[each["shape"]].get("enum")
            if words and enum and other != member:
                request[other] = words[enum % len(words)]
        request[member] = inner
        return request
