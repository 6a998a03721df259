#include "wire/testing/json_tree.h"

#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/text/json_writer.h"
#include "wire/json/json_document.h"

namespace armature::wire {

namespace dom = simdjson::dom;

namespace {

// REQUIRES: a document that was parsed; simdjson limits its depth.
JsonTree FromElement(dom::element json) {
  switch (json.type()) {
    case dom::element_type::STRING: return JsonTree::String(json.get_string().value_unsafe());
    case dom::element_type::ARRAY: {
      JsonTree out = JsonTree::Array();
      const dom::array array = json.get_array().value_unsafe();
      for (const dom::element element : array) out.elements.push_back(FromElement(element));
      return out;
    }
    case dom::element_type::OBJECT: {
      JsonTree out = JsonTree::Object();
      const dom::object object = json.get_object().value_unsafe();
      for (const dom::key_value_pair pair : object) out.With(pair.key, FromElement(pair.value));
      return out;
    }
    default: return JsonTree::Literal(simdjson::minify(json));
  }
}

}  // namespace

JsonTree JsonTree::Literal(std::string_view text) {
  JsonTree out;
  out.text = text;
  return out;
}

JsonTree JsonTree::String(std::string_view text) {
  JsonTree out = Literal(text);
  out.kind = Kind::kString;
  return out;
}

JsonTree JsonTree::Array(std::vector<JsonTree> elements) {
  JsonTree out;
  out.kind = Kind::kArray;
  out.elements = std::move(elements);
  return out;
}

JsonTree JsonTree::Object() {
  JsonTree out;
  out.kind = Kind::kObject;
  return out;
}

std::optional<JsonTree> JsonTree::Parse(std::string_view json) {
  const auto document = JsonDocument::Parse(json);
  if (!document) return std::nullopt;
  return FromElement(document->root());
}

JsonTree& JsonTree::With(std::string_view key, JsonTree value) {
  keys.emplace_back(key);
  elements.push_back(std::move(value));
  return *this;
}

JsonTree* JsonTree::Find(std::string_view key) {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return &elements[i];
  }
  return nullptr;
}

void JsonTree::Print(std::string& out) const {
  switch (kind) {
    case Kind::kLiteral: out += text; return;
    case Kind::kString: AppendJsonString(out, text); return;
    case Kind::kArray:
    case Kind::kObject: break;
  }
  const bool is_object = kind == Kind::kObject;
  out += is_object ? '{' : '[';
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i != 0) out += ',';
    if (is_object) {
      AppendJsonString(out, keys[i]);
      out += ':';
    }
    elements[i].Print(out);
  }
  out += is_object ? '}' : ']';
}

std::string JsonTree::ToString() const {
  std::string out;
  Print(out);
  return out;
}

}  // namespace armature::wire
