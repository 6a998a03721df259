#!/usr/bin/env python3
"""Generates the C++ that follows from schema/. Run by CMake at build time.

    generate.py --schema SCHEMA_DIR --out GENERATED_DIR wire|api|query|services

wire: wire/requests.h has one C++ structure per input and per shape a request can hold, with AWS's member names;
wire/requests.cc has the descriptors that the decoder and the validator walk, and the table of operations.

api: api/handlers.h declares the coroutine of every operation that is answered; api/operations.cc is the registry's
table of them.

query: requests, replies and tables of the services that speak the Query protocol (generate_query.py).

services: the same of those that speak JSON and are described whole: DAX (generate_json.py).
"""
import argparse
import json
import pathlib

import generate_json
import generate_query

BANNER = "// Generated from schema/ by tools/schema/generate.py. Do not edit.\n"
SCALARS = {  # schema type: (C++ type, Kind)
    "string": ("std::string_view", "kString"),
    "blob": ("std::string_view", "kBlob"),
    "integer": ("int64_t", "kInteger"),
    "long": ("int64_t", "kLong"),
    "double": ("double", "kDouble"),
    "boolean": ("bool", "kBoolean"),
    "timestamp": ("double", "kTimestamp"),
}
PATTERNS = {
    "[a-zA-Z0-9_.-]+": "kResourceName",
    "\\p{Print}+": "kPrintable",
    "[\\u0020-\\uD7FF\\uE000-\\uFFFD\\uD800\\uDC00-\\uDBFF\\uDFFF\\r\\n\\t]*": "kRoleArn",
    "^[^\\$]+$": "kNoDollar",
    "[A-Za-z0-9][A-Za-z0-9\\-\\_\\.]{0,126}[A-Za-z0-9]": "kInsightsRule",
    "[,;:|\\t ]": "kCsvDelimiter",
    "[\\x20-\\x21\\x23-\\x2B\\x2D-\\x7E]*": "kCsvHeader",
    "([0-9a-f]{16})+": "kHexGroups",
    "^[a-z0-9A-Z]+[\\.\\-\\w]*[a-z0-9A-Z]+$": "kS3Bucket",
    "[0-9]{12}": "kAccountId",
}
TURNS = {"alone": "kAlone", "last": "kLast"}
WORDINGS = {  # the rows of model/wording.h
    "item_write": "kItemWriteWording",
    "read": "kReadWording",
    "scan": "kScanWording",
    "batch_write": "kBatchWriteWording",
    "transaction": "kTransactionWording",
    "statement": "kStatementWording",
    "plain": "kPlainWording",
}
KINDS = {"read": "kRead", "write": "kWrite", "control": "kControl"}
NAMESPACE = "::armature::wire::"
AWS_PACKAGE = "com.amazonaws.dynamodb.v20120810."


def literal(text):
    return json.dumps(text, ensure_ascii=True)


class Schema:
    def __init__(self, folder):
        self.shapes = {"AttributeValue": {"type": "attribute_value"}}
        for path in sorted((folder / "shapes").glob("*.json")):
            for name, shape in json.loads(path.read_text()).items():
                assert name not in self.shapes, f"{name} twice"
                self.shapes[name] = shape
        files = [path for service in (".", "streams", "armature") for path in sorted((folder / service).glob("*.json"))]
        self.operations = [json.loads(path.read_text()) for path in files]
        for operation in self.operations:
            name = operation["operation"] + "Input"
            assert name not in self.shapes, f"{name} twice"
            self.shapes[name] = {"type": "structure", "members": operation["input"]}
        for name, shape in list(self.shapes.items()):
            for member_name, member in shape.get("members", {}).items():
                if "min_length" in member:  # a member's own limit: a variant of its shape
                    variant = f"{name}_{member_name}"
                    self.shapes[variant] = {**self.shapes[member["shape"]], "min": member["min_length"]}
                    member["shape"] = variant
        self._constrained = {}

    def is_attribute_map(self, name):
        shape = self.shapes[name]
        return shape["type"] == "map" and shape["value"] == "AttributeValue"

    def constrained(self, name):
        """Whether a value of the shape can break any rule."""
        if name not in self._constrained:
            self._constrained[name] = False  # while a recursive shape is being looked at
            shape = self.shapes[name]
            own = any(k in shape for k in ("min", "max", "pattern", "enum"))
            members = shape.get("members", {}).values()
            inside = any(m.get("required") or self.constrained(m["shape"]) for m in members)
            inside = inside or any(self.constrained(shape[k]) for k in ("member", "key", "value") if k in shape)
            self._constrained[name] = own or inside
        return self._constrained[name]

    def element_type(self, name):
        """The C++ type of a value standing in a list or map."""
        shape = self.shapes[name]
        if shape["type"] in SCALARS:
            return SCALARS[shape["type"]][0]
        if shape["type"] == "structure":
            return NAMESPACE + name
        return self.field_type(name)

    def field_type(self, name):
        """The C++ type of a member of a structure."""
        shape = self.shapes[name]
        if name == "AttributeValue":
            return "AttributeField"
        if self.is_attribute_map(name):
            return "AttributeMap"
        if shape["type"] in SCALARS:
            return f"Opt<{SCALARS[shape['type']][0]}>"
        if shape["type"] == "structure":
            return f"const {NAMESPACE}{name}*"
        if shape["type"] == "list":
            return f"List<{self.element_type(shape['member'])}>"
        return f"MapOf<{self.element_type(shape['value'])}>"

    def java_type(self, name):
        """How AWS names the collection in a type error."""
        shape = self.shapes[name]
        if shape["type"] == "structure" or name == "AttributeValue":
            return AWS_PACKAGE + name
        if shape["type"] == "map":
            return f"java.util.Map<java.lang.String, {self.java_type(shape['value'])}>"
        if shape["type"] == "list":
            return f"java.util.List<{self.java_type(shape['member'])}>"
        boxed = {"string": "java.lang.String", "blob": "java.nio.ByteBuffer", "integer": "java.lang.Integer", "long": "java.lang.Long",
                 "double": "java.lang.Double", "boolean": "java.lang.Boolean", "timestamp": "java.util.Date"}
        return boxed[shape["type"]]

    def structures(self):
        return sorted(n for n, s in self.shapes.items() if s["type"] == "structure")


def header(schema):
    inputs = {o["operation"] + "Input": o["operation"] for o in schema.operations}
    out = [BANNER, "#pragma once\n", "#include <cstdint>", "#include <span>", "#include <string_view>\n", '#include "wire/fields.h"',
           '#include "wire/shape.h"\n', "namespace armature::wire {\n"]
    out += [f"struct {name};" for name in schema.structures()]
    out.append("\nenum class OperationId : uint16_t {")
    out += [f"  k{o['operation']}," for o in schema.operations]
    out += ["};", f"inline constexpr size_t kOperationCount = {len(schema.operations)};\n"]
    for name in schema.structures():
        out.append(f"struct {name} {{")
        if name in inputs:
            out.append(f"  static constexpr OperationId kOperation = OperationId::k{inputs[name]};\n")
        out += [f"  {schema.field_type(m['shape'])} {field}{{}};" for field, m in schema.shapes[name]["members"].items()]
        out.append("};\n")
    out += ["// Every operation, by OperationId.", "std::span<const OperationSchema> AllOperations();",
            "const OperationSchema& SchemaOf(OperationId id);",
            "// The operation of a service prefix and a name, both case-sensitive; null if there is none.",
            "const OperationSchema* FindOperation(std::string_view service, std::string_view name);\n", "}  // namespace armature::wire"]
    return "\n".join(out) + "\n"


def member_line(schema, owner, name, member):
    members = list(schema.shapes[owner]["members"])
    fields = [f".name = {literal(name)}", f".path_name = {literal(name[0].lower() + name[1:])}", f".shape = &kShape{member['shape']}",
              f".offset = offsetof({owner}, {name})"]
    if member.get("required"):
        fields.append(".required = true")
    if "turn" in member:
        fields.append(f".turn = Turn::{TURNS[member['turn']]}")
    if member.get("verbatim_path"):
        fields.append(".verbatim_path = true")
    if "unless" in member:
        fields.append(f".unless = {members.index(member['unless'])}")
    for text in ("missing_message", "length_message", "enum_message", "newer_message"):
        if text in member:
            fields.append(f".{text} = {literal(member[text])}")
    if member.get("echoes_json"):
        fields.append(".echoes_json = true")
    return "    {" + ", ".join(fields) + "},"


def shape_fields(schema, name):
    shape = schema.shapes[name]
    fields = [f".name = {literal(name)}"]
    if name == "AttributeValue":
        kind = "kAttributeValue"
    elif schema.is_attribute_map(name):
        kind = "kAttributeMap"
    elif shape["type"] in SCALARS:
        kind = SCALARS[shape["type"]][1]
    else:
        kind = "k" + shape["type"].capitalize()
    fields.append(f".kind = Kind::{kind}")
    if "min" in shape:
        fields.append(".has_min = true")
    if "max" in shape:
        fields.append(".has_max = true")
    if "pattern" in shape:
        fields.append(f".pattern = Pattern::{PATTERNS[shape['pattern']]}")
    if schema.constrained(name):
        fields.append(".constrained = true")
    for limit in ("min", "max", "arn_max"):
        if limit in shape:
            fields.append(f".{limit} = {shape[limit]}")
    if "pattern" in shape:
        fields.append(f".pattern_text = {literal(shape['pattern'])}")
    if "enum" in shape:
        fields += [f".enum_text = {literal(', '.join(shape['enum']))}", f".enum_values = kEnum{name}"]
    if shape.get("members"):
        fields.append(f".members = kMembers{name}")
    if shape["type"] == "structure":
        fields.append(f".size = sizeof({name})")
    if shape["type"] == "list":
        fields += [f".element = &kShape{shape['member']}", f".size = sizeof({schema.element_type(shape['member'])})"]
    if shape["type"] == "map":
        fields += [f".element = &kShape{shape['value']}", f".key = &kShape{shape['key']}"]
        if not schema.is_attribute_map(name):
            entry = f"MapOf<{schema.element_type(shape['value'])}>::Entry"
            fields += [f".size = sizeof({entry})", f".value_offset = offsetof({entry}, value)"]
    fields.append(f".java_type = {literal(schema.java_type(name))}")
    return ", ".join(fields)


def slot_of(name, seed, mask):
    value = seed
    for byte in name.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return (value ^ (value >> 15)) & mask


def find_seed(names, mask):
    for seed in range(1, 1 << 20):
        if len({slot_of(n, seed, mask) for n in names}) == len(names):
            return seed
    raise SystemExit("no perfect hash found: enlarge the table")


def source(schema):
    out = [BANNER, '#include "wire/requests.h"\n', "#include <array>", "#include <cstddef>\n", "namespace armature::wire {", "namespace {\n"]
    names = sorted(schema.shapes)
    out += [f"extern const ShapeDesc kShape{name};" for name in names]
    out.append("")
    for name in names:
        shape = schema.shapes[name]
        if "enum" in shape:
            values = ", ".join(literal(v) for v in shape["enum"])
            out.append(f"constexpr std::string_view kEnum{name}[] = {{{values}}};")
        if shape.get("members"):
            out.append(f"constexpr MemberDesc kMembers{name}[] = {{")
            out += [member_line(schema, name, field, m) for field, m in shape["members"].items()]
            out.append("};")
        out.append(f"constinit const ShapeDesc kShape{name} = {{{shape_fields(schema, name)}}};\n")
    for operation in schema.operations:
        if operation["errors"]:
            values = ", ".join(literal(v) for v in operation["errors"])
            out.append(f"constexpr std::string_view kErrors{operation['operation']}[] = {{{values}}};")
    out.append(f"\nconstinit const std::array<OperationSchema, kOperationCount> kOperations = {{{{")
    for index, o in enumerate(schema.operations):
        name = o["operation"]
        errors = f", .errors = kErrors{name}" if o["errors"] else ""
        streams = "true" if "Streams" in o["service"] else "false"
        out.append(f"    {{.name = {literal(name)}, .service = {literal(o['service'])}, .iam_action = {literal(o['iam_action'])}, "
                   f".kind = OperationKind::{KINDS[o['kind']]}, .is_streams = {streams}, .index = {index}, "
                   f".input = &kShape{name}Input, .wording = &model::{WORDINGS[o.get('wording', 'plain')]}{errors}}},")
    out.append("}};\n")

    mask = 255
    operation_names = [o["operation"] for o in schema.operations]
    seed = find_seed(operation_names, mask)
    slots = [255] * (mask + 1)
    for index, name in enumerate(operation_names):
        slots[slot_of(name, seed, mask)] = index
    out.append("// A perfect hash of the operations' names.")
    out.append(f"constexpr uint8_t kSlots[{mask + 1}] = {{" + ", ".join(map(str, slots)) + "};\n")
    out += ["}  // namespace\n", "std::span<const OperationSchema> AllOperations() { return kOperations; }\n",
            "const OperationSchema& SchemaOf(OperationId id) { return kOperations[static_cast<size_t>(id)]; }\n",
            "const OperationSchema* FindOperation(std::string_view service, std::string_view name) {", f"  uint32_t hash = {seed};",
            "  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193u;", "  hash ^= hash >> 15;",
            f"  const uint8_t slot = kSlots[hash & {mask}];", "  if (slot >= kOperationCount) return nullptr;",
            "  const OperationSchema& found = kOperations[slot];",
            "  return found.name == name && found.service == service ? &found : nullptr;", "}\n", "}  // namespace armature::wire"]
    return "\n".join(out) + "\n"


def is_answered(operation):
    return operation.get("answered", True)


def handlers_header(schema):
    out = [BANNER, "#pragma once\n", '#include "api/request_context.h"', '#include "base/async.h"', '#include "model/api_error.h"',
           '#include "wire/requests.h"\n', "namespace armature::api {\n"]
    out += [f"Task<model::ApiResult<void>> {o['operation']}(RequestContext& context, const wire::{o['operation']}Input& request);"
            for o in schema.operations if is_answered(o)]
    out.append("\n}  // namespace armature::api")
    return "\n".join(out) + "\n"


def operations_source(schema):
    out = [BANNER, '#include "api/handlers.h"', '#include "api/registry.h"\n', "namespace armature::api {\n",
           "constinit const std::array<Operation, wire::kOperationCount> kOperations = {{"]
    for o in schema.operations:
        name = o["operation"]
        out.append(f"    OperationOf<wire::{name}Input, {name}>()," if is_answered(o) else f"    {{}},  // {name}")
    out += ["}};\n", "}  // namespace armature::api"]
    return "\n".join(out) + "\n"


PARTS = {  # what is generated of what
    "wire": (Schema, {"wire/requests.h": header, "wire/requests.cc": source}),
    "api": (Schema, {"api/handlers.h": handlers_header, "api/operations.cc": operations_source}),
    "query": (generate_query.load, generate_query.FILES),
    "services": (generate_json.load, generate_json.FILES),
}


def write_if_changed(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schema", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("part", choices=PARTS)
    arguments = parser.parse_args()
    load, files = PARTS[arguments.part]
    schema = load(arguments.schema)
    for path, make in files.items():
        write_if_changed(arguments.out / path, make(schema))


if __name__ == "__main__":
    main()
