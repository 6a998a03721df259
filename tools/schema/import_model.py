#!/usr/bin/env python3
"""Makes schema/ from AWS's API models. Run once per new model; the result is kept and may be corrected by hand.

    import_model.py --out SCHEMA_DIR dynamodb.json dynamodbstreams.json
    import_model.py --out SCHEMA_DIR iam.json sts.json
    import_model.py --out SCHEMA_DIR dax.json

One file per operation (members of its input in the order AWS checks them, errors, IAM action, kind) and the shapes they
share in shapes/. Only what a request can hold is taken: replies are written by code. corrections.json, beside this
script, says where the service differs from its model. Services with the Query protocol, and DAX, go other ways (query_model.py,
json_model.py).
"""
import argparse
import json
import pathlib
import re

import json_model
import query_model

HERE = pathlib.Path(__file__).resolve().parent
SHAPE_FILES = {"structure": "structures", "list": "collections", "map": "collections"}
# Written by hand in wire/: an attribute value and a map of them.
ATTRIBUTE_VALUE = "AttributeValue"


def snake_case(name):
    name = re.sub(r"(PartiQL|DynamoDB)", lambda m: m.group(1).capitalize(), name)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def ordered(members, first):
    names = [n for n in first if n in members] + [n for n in members if n not in first]
    return {n: members[n] for n in names}


def members_of(shape):
    required = shape.get("required", [])
    out = {}
    for name, member in shape.get("members", {}).items():
        out[name] = {"shape": member["shape"]}
        if name in required:
            out[name]["required"] = True
    return out


def correct_members(members, correction):
    for name, change in correction.get("members", {}).items():
        if name in members:
            members[name].update(change)
    return ordered(members, correction.get("order", []))


def import_shape(name, shape, corrections):
    correction = corrections["shapes"].get(name, {})
    out = {"type": shape["type"]}
    if shape["type"] == "structure":
        out["members"] = correct_members(members_of(shape), correction)
    elif shape["type"] == "list":
        out["member"] = shape["member"]["shape"]
    elif shape["type"] == "map":
        out["key"], out["value"] = shape["key"]["shape"], shape["value"]["shape"]
    for limit in ("min", "max", "pattern"):
        if limit in shape:
            out[limit] = shape[limit]
    if "enum" in shape:
        out["enum"] = corrections["enum_print_order"].get(name, shape["enum"])
        assert sorted(out["enum"]) == sorted(shape["enum"]), name
    out["key"] = correction["key"] if "key" in correction else out.get("key")
    if out["key"] is None:
        del out["key"]
    for limit in ("min", "max", "pattern", "arn_max"):
        if limit in correction:
            out[limit] = correction[limit]
            if out[limit] is None:
                del out[limit]
    return out


def references(shape):
    if "members" in shape:
        return [m["shape"] for m in shape["members"].values()]
    return [shape[k] for k in ("member", "key", "value") if k in shape]


def collect(name, models, corrections, shapes):
    if name in shapes or name == ATTRIBUTE_VALUE:
        return
    source = corrections["shapes"].get(name, {}).get("like", name)
    found = [m["shapes"][source] for m in models if source in m["shapes"]]
    shapes[name] = import_shape(name, found[0], corrections)
    for reference in references(shapes[name]):
        collect(reference, models, corrections, shapes)


def import_operation(name, model, corrections):
    operation = model["operations"][name]
    members = members_of(model["shapes"][operation["input"]["shape"]]) if "input" in operation else {}
    correct_members(members, corrections["every_operation"])
    if name in corrections["table_operations"]["operations"]:
        correct_members(members, corrections["table_operations"])
    members = correct_members(members, corrections["operations"].get(name, {}))
    wording = next((w for w, names in corrections["wordings"].items() if name in names), None)
    members = correct_members(members, {"members": corrections["wording_members"].get(wording, {}), "order": list(members)})
    kinds = [k for k, names in corrections["kinds"].items() if name in names]
    return {
        "operation": name,
        "service": model["metadata"]["targetPrefix"],
        "kind": kinds[0] if kinds else "control",
        "iam_action": corrections["iam_actions"].get(name, "dynamodb:" + name),
        **({"wording": wording} if wording else {}),
        "errors": [e["shape"] for e in operation.get("errors", [])],
        "input": members,
    }


def is_answered(path):
    """As the schema that is there says; what is new is not answered yet."""
    return path.exists() and json.loads(path.read_text()).get("answered", True)


def dump(path, value):
    """JSON with one member or shape per line: short enough to read, and a diff shows what changed."""
    def flat(v):
        return json.dumps(v, ensure_ascii=False)

    def render(v, depth):
        text = flat(v)
        if not isinstance(v, dict) or not v or (depth > 0 and len(text) + 2 * depth <= 130 and "members" not in v):
            return text
        pad = "  " * (depth + 1)
        return "{\n" + ",\n".join(f"{pad}{flat(k)}: {render(x, depth + 1)}" for k, x in v.items()) + "\n" + pad[2:] + "}"

    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(value, 0) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    corrections = json.loads((HERE / "corrections.json").read_text())
    models = [json.loads(path.read_text()) for path in arguments.models]
    for model in models:
        if model["metadata"]["protocol"] == "query":
            query_model.import_query_service(model, arguments.out, dump)
        elif json_model.is_described_whole(model):
            json_model.import_json_service(model, arguments.out, dump)
    models = [model for model in models if model["metadata"]["protocol"] != "query" and not json_model.is_described_whole(model)]

    shapes = {}
    for model in models:
        for name in model["operations"]:
            operation = import_operation(name, model, corrections)
            folder = arguments.out / "streams" if "Streams" in operation["service"] else arguments.out
            path = folder / (snake_case(name) + ".json")
            if not is_answered(path):
                operation = {"operation": name, "answered": False, **operation}
            dump(path, operation)
            for member in operation["input"].values():
                collect(member["shape"], models, corrections, shapes)

    files = {}
    for name in sorted(shapes):
        shape = shapes[name]
        file = "enums" if "enum" in shape else SHAPE_FILES.get(shape["type"], "scalars")
        files.setdefault(file, {})[name] = shape
    for file, content in files.items():
        dump(arguments.out / "shapes" / (file + ".json"), content)


if __name__ == "__main__":
    main()
