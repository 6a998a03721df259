"""Generates the C++ of services that speak JSON and have a folder of their own in schema/. Called by generate.py.

wire/services/SERVICE.h: what generate_query.py makes of requests, replies and errors, and the table of operations, each
described as DynamoDB's are (wire/shape.h), so that the same decoder and validator read them. wire/services/SERVICE.cc:
descriptors, writers of the replies, the table.
"""
import generate_query
from generate_query import BANNER, literal

SERVICES = ("dax",)
JAVA_TYPES = {"string": "java.lang.String", "integer": "java.lang.Integer", "boolean": "java.lang.Boolean", "timestamp": "java.util.Date"}


class JsonService(generate_query.Service):
    SCHEMA = "OperationSchema"
    SCHEMA_HEADER = "wire/shape.h"

    def operation_row(self, o, index, number, first_index):
        name = o["operation"]
        errors = f", .errors = kErrors{name}" if o["errors"] else ""
        return (f"{{.name = {literal(name)}, .service = {literal(self.details['target_prefix'])}, .iam_action = {literal(o['iam_action'])}, "
                f".kind = OperationKind::kControl, .index = {index}, .input = &kInput{name}, "
                f".wording = &model::kPlainWording{errors}}}")

    def error_lines(self, code, status):
        return ["  model::ApiError error;", "  error.family = model::ErrorFamily::kUnprefixed;", f"  error.name = {literal(code)};",
                f"  error.http_status = {status};", "  error.message = std::move(message);", "  return error;"]

    def java_type(self, name):
        """How AWS names a structure or collection in a type error."""
        shape = self.shapes.get(name, {"type": "structure"})
        if shape["type"] == "list":
            return f"java.util.List<{self.java_type(shape['member'])}>"
        return JAVA_TYPES.get(shape["type"]) or f"com.amazonaws.{self.name}.v{self.details['version'].replace('-', '')}.{name}"

    def shape_extras(self, name):
        return [f".java_type = {literal(self.java_type(name))}"]


def header(service):
    text = generate_query.header(service)
    end = text.rindex("}  // namespace")
    return text[:end] + "\n".join([
        "// --- the operations\n",
        f"inline constexpr std::string_view kTargetPrefix = {literal(service.details['target_prefix'])};",
        f"inline constexpr std::string_view kVersion = {literal(service.version)};",
        f"inline constexpr size_t kOperationCount = {len(service.operations)};",
        "// By OperationSchema::index, which is the order of their names.",
        "std::span<const OperationSchema> Operations();",
        "// Case-sensitive; null if there is none.",
        "const OperationSchema* FindOperation(std::string_view name);\n\n"]) + text[end:]


def source(service):
    body = generate_query.service_source(service, 0, 0)
    out = [BANNER, f'#include "wire/services/{service.name}.h"\n', "#include <cstddef>\n", '#include "model/wording.h"\n', *body[:-1]]
    out += ["std::span<const OperationSchema> Operations() { return kOperations; }\n",
            "const OperationSchema* FindOperation(std::string_view name) {", "  for (const OperationSchema& operation : kOperations)",
            "    if (operation.name == name) return &operation;", "  return nullptr;", "}\n", body[-1]]
    return "\n".join(out)


def load(folder):
    return {name: JsonService(folder / name) for name in SERVICES}


FILES = {}
for _name in SERVICES:
    FILES[f"wire/services/{_name}.h"] = lambda services, name=_name: header(services[name])
    FILES[f"wire/services/{_name}.cc"] = lambda services, name=_name: source(services[name])
