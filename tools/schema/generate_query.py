"""Generates the C++ of the services whose replies are described too. Called by generate.py.

Here is what they have in common, and what those need that speak the Query protocol (schema/iam, schema/sts);
generate_json.py has the rest of those that speak JSON.

wire/query/SERVICE.h: one structure per request (views into the request, named SomethingInput, as is everything within
it), one per reply (owning, SomethingOutput; what is within it has AWS's name), and a function per modelled error.
wire/query/services.cc: descriptors of the requests, writers of the replies, the tables of operations and services.
"""
import json
import sys
import unicodedata

BANNER = "// Generated from schema/ by tools/schema/generate.py. Do not edit.\n"
SERVICES = ("iam", "sts")
REQUEST_SCALARS = {  # schema type: (C++ type, Kind)
    "string": ("std::string_view", "kString"),
    "integer": ("int64_t", "kInteger"),
    "boolean": ("bool", "kBoolean"),
    "timestamp": ("double", "kTimestamp"),
}
# A blob is written as it is: whoever makes one gives it in base64.
REPLY_SCALARS = {"string": "std::string", "blob": "std::string", "integer": "int64_t", "boolean": "bool", "timestamp": "Timestamp"}
PATTERNS = {
    "[\\w+=,.@-]+": "kIamName",
    "[\\w+=,.@-]*": "kIamNameOrEmpty",
    "[\\w]+": "kWord",
    "[\\w]*": "kWordOrEmpty",
    "[\\d]*": "kDigitsOrEmpty",
    "[\\w+=/:,.@-]*": "kSerialNumber",
    "[\\w+=,.@:\\/-]*": "kExternalId",
    "[\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]+": "kTagKey",
    "[\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*": "kTagValue",
    "[\\u0009\\u000A\\u000D\\u0020-\\u007E\\u00A1-\\u00FF]*": "kDescription",
    "[\\u0020-\\u00FF]+": "kMarker",
    "[\\u0009\\u000A\\u000D\\u0020-\\u00FF]+": "kPolicyDocument",
    "[\\u0009\\u000A\\u000D\\u0020-\\u007E\\u0085\\u00A0-\\uD7FF\\uE000-\\uFFFD\\u10000-\\u10FFFF]+": "kXmlText",
    "(\\u002F)|(\\u002F[\\u0021-\\u007E]+\\u002F)": "kPath",
    "((/[A-Za-z0-9\\.,\\+@=_-]+)*)/": "kPolicyPath",
    "\\u002F[\\u0021-\\u007F]*": "kPathPrefix",
    "^[a-z0-9]([a-z0-9]|-(?!-)){1,61}[a-z0-9]$": "kAccountAlias",
    "v[1-9][0-9]*(\\.[A-Za-z0-9-]*)?": "kPolicyVersion",
}


def literal(text):
    return json.dumps(text, ensure_ascii=True)


def flag(value):
    return "true" if value else "false"


class Service:
    SCHEMA = "QueryOperationSchema"
    SCHEMA_HEADER = "wire/query/query_schema.h"

    def __init__(self, folder):
        details = json.loads((folder / "service.json").read_text())
        self.details = details
        self.name, self.version, self.errors = details["service"], details["version"], details["errors"]
        self.shapes = {}
        for path in sorted((folder / "shapes").glob("*.json")):
            self.shapes |= json.loads(path.read_text())
        self.operations = [json.loads(p.read_text()) for p in sorted(folder.glob("*.json")) if p.name != "service.json"]
        self.requests = self.reached(o["input"] for o in self.operations)
        self.replies = self.reached(o["output"] for o in self.operations if "output" in o)
        taken = {*self.reply_structures(), *(f"{n}Input" for n in self.request_structures())}
        assert not taken & set(self.errors), "an error and a structure have one name"

    def parts(self, shape):
        return [m["shape"] for m in shape.get("members", {}).values()] + [shape[k] for k in ("member", "key", "value") if k in shape]

    def reached(self, many_members):
        """The names of all shapes within these members, each behind what it is made of."""
        found = []

        def visit(name, above):
            assert name not in above, f"{name} holds itself: nothing bounds how deep a request may be"
            if name in found:
                return
            for part in self.parts(self.shapes[name]):
                visit(part, above | {name})
            found.append(name)

        for members in many_members:
            for member in members.values():
                visit(member["shape"], frozenset())
        return found

    def request_structures(self):
        return [n for n in self.requests if self.shapes[n]["type"] == "structure"]

    def reply_structures(self):
        return [n for n in self.replies if self.shapes[n]["type"] == "structure"]

    # --- what protocols differ in

    def operation_row(self, o, index, number, first_index):
        """How the table of operations describes one of them."""
        name = o["operation"]
        errors = f", .errors = kErrors{name}" if o["errors"] else ""
        return (f"{{.name = {literal(name)}, .service = &kQueryServices[{number}], .iam_action = {literal(o['iam_action'])}, "
                f".changes_state = {flag(o['kind'] == 'write')}, .is_unsigned = {flag(o.get('unsigned'))}, "
                f".has_result = {flag('output' in o)}, .index = {first_index + index}, .input = &kInput{name}{errors}}}")

    def error_lines(self, code, status):
        """The body of the function that makes a modelled error."""
        return [f"  return QueryError({literal(code)}, {status}, std::move(message));"]

    def shape_extras(self, name):
        """What the description of a request's shape has besides."""
        return []

    # --- requests

    def request_element(self, name):
        """The C++ type of a value standing in a list."""
        shape = self.shapes[name]
        if shape["type"] in REQUEST_SCALARS:
            return REQUEST_SCALARS[shape["type"]][0]
        return f"{name}Input" if shape["type"] == "structure" else self.request_field(name)

    def request_field(self, name):
        shape = self.shapes[name]
        if shape["type"] in REQUEST_SCALARS:
            return f"Opt<{REQUEST_SCALARS[shape['type']][0]}>"
        if shape["type"] == "structure":
            return f"const {name}Input*"
        assert shape["type"] == "list", f"{name}: no request has a {shape['type']} yet"
        return f"List<{self.request_element(shape['member'])}>"

    def constrained(self, members):
        return any(m.get("required") or self.shape_constrained(m["shape"]) for m in members.values())

    def shape_constrained(self, name):
        shape = self.shapes[name]
        own = any(k in shape for k in ("min", "max", "pattern", "enum"))
        inside = "member" in shape and self.shape_constrained(shape["member"])
        return own or inside or self.constrained(shape.get("members", {}))

    # --- replies

    def reply_type(self, name):
        shape = self.shapes[name]
        if shape["type"] in REPLY_SCALARS:
            return REPLY_SCALARS[shape["type"]]
        if shape["type"] == "structure":
            return f"::armature::wire::{self.name}::{name}"  # members may have the names of their types
        if shape["type"] == "list":
            return f"std::vector<{self.reply_type(shape['member'])}>"
        return f"std::map<std::string, {self.reply_type(shape['value'])}>"

    def reply_field(self, member):
        of = self.reply_type(member["shape"])
        return of if member.get("required") else f"std::optional<{of}>"


def load(folder):
    return [Service(folder / name) for name in SERVICES]


# --- headers


def structure(name, fields, first_lines=()):
    lines = [f"struct {name} {{", *first_lines, *(f"  {of} {field}{{}};" for field, of in fields), "};\n"]
    return "\n".join(lines)


def header(service):
    out = [BANNER, "#pragma once\n", "#include <cstdint>", "#include <map>", "#include <optional>", "#include <string>",
           "#include <string_view>", "#include <utility>", "#include <vector>\n", '#include "model/api_error.h"', '#include "wire/fields.h"',
           *sorted([f'#include "{service.SCHEMA_HEADER}"', '#include "wire/reply_writer.h"']), "",
           f"namespace armature::wire::{service.name} {{\n", "// --- errors, by AWS's codes\n"]
    out += [f"[[gnu::cold]] model::ApiError {code}(std::string message);" for code in service.errors]
    out.append("\n// --- what requests are made of\n")
    for name in service.request_structures():
        members = service.shapes[name]["members"]
        out.append(structure(f"{name}Input", [(field, service.request_field(m["shape"])) for field, m in members.items()]))
    for o in service.operations:
        fields = [(field, service.request_field(m["shape"])) for field, m in o["input"].items()]
        out.append(structure(f"{o['operation']}Input", fields, [f"  static const {service.SCHEMA}& Schema();"]))
    out.append("// --- what replies are made of\n")
    for name in service.reply_structures():
        members = service.shapes[name]["members"]
        out.append(structure(name, [(field, service.reply_field(m)) for field, m in members.items()]))
        out.append(f"void Write(ReplyWriter& writer, const {name}& value);\n")
    for o in service.operations:
        if "output" in o:
            out.append(structure(f"{o['operation']}Output", [(field, service.reply_field(m)) for field, m in o["output"].items()]))
            out.append(f"void Write(ReplyWriter& writer, const {o['operation']}Output& value);\n")
    out.append(f"}}  // namespace armature::wire::{service.name}")
    return "\n".join(out) + "\n"


# --- the source


def member_line(owner, name, member):
    fields = [f".name = {literal(name)}", f".path_name = {literal(name[0].lower() + name[1:])}", f".shape = &kShape{member['shape']}",
              f".offset = offsetof({owner}, {name})"]
    if member.get("required"):
        fields.append(".required = true")
    if "pattern_message" in member:
        fields.append(f".pattern_message = {literal(member['pattern_message'])}")
    return "    {" + ", ".join(fields) + "},"


def structure_descriptor(service, cpp_name, shape_name, members):
    out = []
    fields = [f".name = {literal(shape_name)}", ".kind = Kind::kStructure"]
    if service.constrained(members):
        fields.append(".constrained = true")
    if members:
        out += [f"constexpr MemberDesc kMembers{cpp_name}[] = {{", *(member_line(cpp_name, n, m) for n, m in members.items()), "};"]
        fields.append(f".members = kMembers{cpp_name}")
    fields.append(f".size = sizeof({cpp_name})")
    fields += service.shape_extras(shape_name)
    return out, ", ".join(fields)


def descriptor(service, name):
    shape = service.shapes[name]
    if shape["type"] == "structure":
        before, fields = structure_descriptor(service, f"{name}Input", name, shape["members"])
        return [*before, f"constinit const ShapeDesc kShape{name} = {{{fields}}};"]
    before = []
    kind = "kList" if shape["type"] == "list" else REQUEST_SCALARS[shape["type"]][1]
    fields = [f".name = {literal(name)}", f".kind = Kind::{kind}"]
    fields += [f".has_{limit} = true" for limit in ("min", "max") if limit in shape]
    if "pattern" in shape:
        fields.append(f".pattern = Pattern::{PATTERNS[shape['pattern']]}")
    if service.shape_constrained(name):
        fields.append(".constrained = true")
    fields += [f".{limit} = {shape[limit]}" for limit in ("min", "max") if limit in shape]
    if "pattern" in shape:
        fields.append(f".pattern_text = {literal(shape['pattern'])}")
    if "enum" in shape:
        before.append(f"constexpr std::string_view kEnum{name}[] = {{{', '.join(map(literal, shape['enum']))}}};")
        fields += [f".enum_text = {literal(', '.join(shape['enum']))}", f".enum_values = kEnum{name}"]
    if shape["type"] == "list":
        fields += [f".element = &kShape{shape['member']}", f".size = sizeof({service.request_element(shape['member'])})"]
    if shape.get("sensitive"):
        fields.append(".sensitive = true")
    fields += service.shape_extras(name)
    return [*before, f"constinit const ShapeDesc kShape{name} = {{{', '.join(fields)}}};"]


def writer(service, name, members):
    out = [f"void Write(ReplyWriter& writer, const {name}& value) {{"]
    if not members:
        out[0] = f"void Write(ReplyWriter&, const {name}&) {{"
    for field, member in members.items():
        encoded = service.shapes[member["shape"]].get("percent_encoded_in_replies")
        out.append(f"  writer.{'EncodedMember' if encoded else 'Member'}({literal(field)}, value.{field});")
    return [*out, "}\n"]


def service_source(service, number, first_index):
    out = [f"namespace armature::wire::{service.name} {{\n", "namespace {\n"]
    for name in service.requests:
        out += descriptor(service, name)
    for o in service.operations:
        before, fields = structure_descriptor(service, f"{o['operation']}Input", f"{o['operation']}Request", o["input"])
        out += [*before, f"constinit const ShapeDesc kInput{o['operation']} = {{{fields}}};"]
        if o["errors"]:
            out.append(f"constexpr std::string_view kErrors{o['operation']}[] = {{{', '.join(map(literal, o['errors']))}}};")
    out.append(f"\nconstexpr {service.SCHEMA} kOperations[] = {{")
    out += [f"    {service.operation_row(o, index, number, first_index)}," for index, o in enumerate(service.operations)]
    out += ["};\n", "}  // namespace\n"]
    for index, o in enumerate(service.operations):
        out.append(f"const {service.SCHEMA}& {o['operation']}Input::Schema() {{ return kOperations[{index}]; }}")
    out.append("")
    for code, status in service.errors.items():
        out += [f"model::ApiError {code}(std::string message) {{", *service.error_lines(code, status), "}"]
    out.append("")
    for name in service.reply_structures():
        out += writer(service, name, service.shapes[name]["members"])
    for o in service.operations:
        if "output" in o:
            out += writer(service, o["operation"] + "Output", o["output"])
    return [*out, f"}}  // namespace armature::wire::{service.name}\n"]


def source(services):
    out = [BANNER, "#include <cstddef>", "#include <iterator>\n", '#include "wire/query/query_errors.h"',
           *(f'#include "wire/query/{s.name}.h"' for s in services), '#include "wire/shape.h"\n', "namespace armature::wire {\n"]
    out.append(f"constexpr QueryService kQueryServices[] = {{")
    first = 0
    firsts = []
    for s in services:
        firsts.append(first)
        out.append(f"    {{.name = {literal(s.name)}, .version = {literal(s.version)}, "
                   f".xml_namespace = {literal(s.details['namespace'])}, .echoes_values = {flag(s.details['echoes_values'])}}},")
        first += len(s.operations)
    out += ["};\n", "}  // namespace armature::wire\n"]
    for number, s in enumerate(services):
        out += service_source(s, number, firsts[number])
    out += ["namespace armature::wire {\n", "std::span<const QueryService> QueryServices() { return kQueryServices; }\n",
            "std::span<const QueryOperationSchema> OperationsOf(const QueryService& service) {"]
    out += [f"  if (&service == &kQueryServices[{i}]) return {s.name}::kOperations;" for i, s in enumerate(services[:-1])]
    out += [f"  return {services[-1].name}::kOperations;", "}\n", "}  // namespace armature::wire"]
    return "\n".join(out) + "\n"


# --- characters of tags


def tag_characters(_):
    """\\p{L}\\p{Z}\\p{N} as ranges."""
    ranges = []
    for code in range(0x80, sys.maxunicode + 1):
        if unicodedata.category(chr(code))[0] not in "LZN":
            continue
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    out = [BANNER, '#include "wire/tag_characters.h"\n', "namespace armature::wire {", "namespace {\n",
           f"// Unicode {unicodedata.unidata_version}.", "constexpr CharacterRange kRanges[] = {"]
    line = "   "
    for first, last in ranges:
        entry = f" {{{first:#x}, {last:#x}}},"
        if len(line) + len(entry) > 118:
            out.append(line)
            line = "   "
        line += entry
    out += [line, "};\n", "}  // namespace\n", "std::span<const CharacterRange> LettersNumbersAndSeparators() { return kRanges; }\n",
            "}  // namespace armature::wire"]
    return "\n".join(out) + "\n"


FILES = {
    "wire/query/iam.h": lambda services: header(services[0]),
    "wire/query/sts.h": lambda services: header(services[1]),
    "wire/query/services.cc": source,
    "wire/tag_characters.cc": tag_characters,
}
