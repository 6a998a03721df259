"""Makes schema/iam and schema/sts from AWS's models of services that speak the Query protocol. Called by import_model.py.

Replies are described too, for they are written by generated code (generate_query.py). query_corrections.json says which
operations are taken, and where the service differs from its model.
"""
import json
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
LIMITS = ("min", "max", "pattern")


def load_corrections():
    return json.loads((HERE / "query_corrections.json").read_text())


def file_name(operation):
    """CreateOpenIDConnectProvider: create_open_id_connect_provider."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", re.sub(r"ID(?=[A-Z])", "Id", operation)).lower() + ".json"


class ServiceImport:
    def __init__(self, model, corrections):
        self.model = model
        self.name = model["metadata"]["endpointPrefix"]
        self.corrections = corrections[self.name]
        self.in_requests, self.in_replies = set(), set()
        for name in self.corrections["operations"]:
            operation = model["operations"][name]
            self.reach(operation.get("input"), self.in_requests)
            self.reach(operation.get("output"), self.in_replies)

    def reach(self, reference, found):
        """Notes a shape and all that it is made of."""
        if reference is None or reference["shape"] in found:
            return
        found.add(reference["shape"])
        shape = self.model["shapes"][reference["shape"]]
        for inner in [*shape.get("members", {}).values(), *(shape[k] for k in ("member", "key", "value") if k in shape)]:
            self.reach(inner, found)

    def members(self, reference, is_reply):
        shape = self.model["shapes"][reference["shape"]] if reference else {}
        required = set(shape.get("required", []))
        if is_reply:
            required |= set(self.corrections["always_in_replies"])
        out = {}
        for name, member in shape.get("members", {}).items():
            out[name] = {"shape": member["shape"]}
            if name in required:
                out[name]["required"] = True
            message = self.corrections["pattern_messages"].get(member["shape"])
            if message and not is_reply:
                out[name]["pattern_message"] = message.format(name[0].lower() + name[1:])
        return out

    def operation(self, name):
        operation = self.model["operations"][name]
        codes = [self.error_code(e["shape"]) for e in operation.get("errors", [])]
        return {
            "operation": name,
            "service": self.name,
            "kind": "read" if name.startswith(tuple(self.corrections["reads_begin_with"])) else "write",
            "iam_action": f"{self.name}:{name}",
            **({"unsigned": True} if name in self.corrections["unsigned"] else {}),
            "errors": codes,
            "input": self.members(operation.get("input"), is_reply=False),
            **({"output": self.members(operation["output"], is_reply=True)} if "output" in operation else {}),
        }

    def error_code(self, shape):
        return self.model["shapes"][shape].get("error", {}).get("code", shape)

    def service(self):
        errors = {}
        for name in self.corrections["operations"]:
            for error in self.model["operations"][name].get("errors", []):
                details = self.model["shapes"][error["shape"]].get("error", {})
                errors[self.error_code(error["shape"])] = details.get("httpStatusCode", 400)
        metadata = self.model["metadata"]
        return {
            "service": self.name,
            "version": metadata["apiVersion"],
            "namespace": metadata["xmlNamespace"],
            "echoes_values": self.corrections["echoes_values"],
            "errors": dict(sorted(errors.items())),
        }

    def shape(self, name):
        shape = self.model["shapes"][name]
        out = {"type": shape["type"]}
        if shape["type"] == "structure":
            reference = {"shape": name}
            out["members"] = self.members(reference, is_reply=name in self.in_replies and name not in self.in_requests)
        elif shape["type"] == "list":
            out["member"] = shape["member"]["shape"]
        elif shape["type"] == "map":
            out["key"], out["value"] = shape["key"]["shape"], shape["value"]["shape"]
        if name in self.in_requests:  # nobody checks what we say ourselves
            out |= {limit: shape[limit] for limit in LIMITS if limit in shape}
            if "enum" in shape:
                out["enum"] = shape["enum"]
        if shape.get("sensitive"):
            out["sensitive"] = True
        if name in self.corrections["percent_encoded_in_replies"]:
            out["percent_encoded_in_replies"] = True
        return out

    def shapes(self):
        """All but the requests and replies themselves, which stand with their operations."""
        outer = {self.model["operations"][o].get(k, {}).get("shape") for o in self.corrections["operations"] for k in ("input", "output")}
        return {name: self.shape(name) for name in sorted((self.in_requests | self.in_replies) - outer)}


def write_service(service, out, dump):
    folder = out / service.name
    dump(folder / "service.json", service.service())
    for name in service.corrections["operations"]:
        dump(folder / file_name(name), service.operation(name))
    files = {"enums": {}, "scalars": {}, "collections": {}, "structures": {}}
    for name, shape in service.shapes().items():
        kind = {"structure": "structures", "list": "collections", "map": "collections"}.get(shape["type"], "scalars")
        files["enums" if "enum" in shape else kind][name] = shape
    for file, content in files.items():
        if content:
            dump(folder / "shapes" / (file + ".json"), content)


def import_query_service(model, out, dump):
    write_service(ServiceImport(model, load_corrections()), out, dump)
