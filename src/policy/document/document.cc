#include "policy/document/document.h"

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "model/messages/policies.h"
#include "policy/document/operators.h"
#include "policy/values/letter_case.h"

namespace armature::policy {

namespace {

namespace messages = model::messages;
using simdjson::dom::element;
using simdjson::dom::element_type;

// What a policy needs is six; simdjson refuses what is deeper before anything is built.
constexpr size_t kMostLevels = 16;

bool HasRepeatedKeys(simdjson::dom::object object) {
  std::vector<std::string_view> keys;
  for (const auto field : object) keys.push_back(field.key);
  std::ranges::sort(keys);
  return std::ranges::adjacent_find(keys) != keys.end();
}

// Each function gives false, or nothing, for what is a syntax error.
class Reader {
 public:
  explicit Reader(Arena& arena) : arena_(arena) {}

  bool ReadDocument(element root, Document& document) {
    simdjson::dom::object object;
    if (root.get(object) != simdjson::SUCCESS || HasRepeatedKeys(object)) return false;
    for (const auto field : object) {
      if (field.key == "Version") {
        document.version = Text(field.value);
        if (document.version != "2012-10-17" && document.version != "2008-10-17") return false;
      } else if (field.key == "Statement") {
        if (!ReadStatements(field.value, document)) return false;
      } else if (field.key != "Id" || !field.value.is_string()) {
        return false;
      }
    }
    return !document.statements.empty();
  }

 private:
  std::optional<std::string_view> Text(element value) {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) return std::nullopt;
    return arena_.Copy(text);
  }

  std::optional<std::string_view> Scalar(element value) {
    switch (value.type()) {
      case element_type::STRING: return Text(value);
      case element_type::BOOL: return value.get_bool().value_unsafe() ? "true" : "false";
      case element_type::INT64: return arena_.Copy(fmt::to_string(value.get_int64().value_unsafe()));
      case element_type::UINT64: return arena_.Copy(fmt::to_string(value.get_uint64().value_unsafe()));
      case element_type::DOUBLE: return arena_.Copy(fmt::to_string(value.get_double().value_unsafe()));
      default: return std::nullopt;
    }
  }

  // One value, or a list of them.
  std::optional<Texts> List(element value, std::optional<std::string_view> (Reader::*read)(element)) {
    std::vector<std::string_view> texts;
    simdjson::dom::array array;
    if (value.get(array) != simdjson::SUCCESS) {
      const auto text = (this->*read)(value);
      if (!text) return std::nullopt;
      texts.push_back(*text);
    } else {
      for (const element each : array) {
        const auto text = (this->*read)(each);
        if (!text) return std::nullopt;
        texts.push_back(*text);
      }
    }
    return arena_.Copy(texts);
  }
  std::optional<Texts> TextList(element value) { return List(value, &Reader::Text); }

  bool ReadStatements(element value, Document& document) {
    std::vector<DocumentStatement> statements;
    simdjson::dom::array array;
    if (value.get(array) != simdjson::SUCCESS) {
      if (!ReadStatement(value, statements.emplace_back())) return false;
    } else {
      for (const element each : array)
        if (!ReadStatement(each, statements.emplace_back())) return false;
    }
    document.statements = arena_.Copy(statements);
    return true;
  }

  bool ReadStatement(element value, DocumentStatement& statement) {
    simdjson::dom::object object;
    if (value.get(object) != simdjson::SUCCESS || HasRepeatedKeys(object)) return false;
    for (const auto field : object)
      if (!ReadElement(field.key, field.value, statement)) return false;
    return HasKnownEffect(statement) && !(statement.actions && statement.not_actions) &&
           !(statement.resources && statement.not_resources) && !(statement.principals && statement.not_principals);
  }

  bool ReadElement(std::string_view name, element value, DocumentStatement& statement) {
    if (name == "Sid") return (statement.sid = Text(value)).has_value();
    if (name == "Effect") {
      const auto effect = Text(value);
      statement.effect = effect.value_or("");
      return effect.has_value();
    }
    if (name == "Principal") return (statement.principals = Principals(value)).has_value();
    if (name == "NotPrincipal") return (statement.not_principals = Principals(value)).has_value();
    if (name == "Action") return (statement.actions = TextList(value)).has_value();
    if (name == "NotAction") return (statement.not_actions = TextList(value)).has_value();
    if (name == "Resource") return (statement.resources = TextList(value)).has_value();
    if (name == "NotResource") return (statement.not_resources = TextList(value)).has_value();
    if (name == "Condition") return ReadConditions(value, statement);
    return false;
  }

  // In any case of letters: a wrong one is another error.
  static bool HasKnownEffect(const DocumentStatement& statement) {
    return EqualsIgnoringCase(statement.effect, "Allow") || EqualsIgnoringCase(statement.effect, "Deny");
  }

  std::optional<std::span<const PrincipalEntry>> Principals(element value) {
    std::vector<PrincipalEntry> entries;
    simdjson::dom::object object;
    if (value.get(object) != simdjson::SUCCESS) {
      const auto text = Text(value);
      if (!text) return std::nullopt;
      entries.push_back({kBarePrincipal, arena_.Copy(std::vector<std::string_view>{*text})});
      return arena_.Copy(entries);
    }
    if (HasRepeatedKeys(object)) return std::nullopt;
    for (const auto field : object) {
      const auto texts = TextList(field.value);
      if (!texts) return std::nullopt;
      entries.push_back({arena_.Copy(field.key), *texts});
    }
    return arena_.Copy(entries);
  }

  bool ReadConditions(element value, DocumentStatement& statement) {
    std::vector<ConditionEntry> entries;
    simdjson::dom::object operators;
    if (value.get(operators) != simdjson::SUCCESS || HasRepeatedKeys(operators)) return false;
    for (const auto operation : operators) {
      simdjson::dom::object keys;
      if (operation.value.get(keys) != simdjson::SUCCESS || HasRepeatedKeys(keys)) return false;
      // An unknown operator is borne as long as it says nothing.
      if (keys.size() != 0 && !ParseOperator(operation.key)) return false;
      const std::string_view name = arena_.Copy(operation.key);
      for (const auto field : keys) {
        const auto values = List(field.value, &Reader::Scalar);
        if (!values) return false;
        entries.push_back({name, arena_.Copy(field.key), *values});
      }
    }
    statement.conditions = arena_.Copy(entries);
    return true;
  }

  Arena& arena_;
};

std::string_view NotJson(PolicyKind kind) {
  switch (kind) {
    case PolicyKind::kIdentity: return messages::kPolicySyntax;
    case PolicyKind::kTrust: return messages::kTrustPolicyNotJson;
    case PolicyKind::kResource: return messages::kResourcePolicyNotJson;
  }
  return messages::kPolicySyntax;
}

}  // namespace

Result<Document> ReadDocument(std::string_view json, PolicyKind kind, Arena& arena) {
  if (json.size() > kMostDocumentBytes) return Status::InvalidArgument(std::string(messages::kPolicySyntax));
  simdjson::dom::parser parser;
  // Not the document's fault, whatever it is.
  if (parser.allocate(std::max<size_t>(json.size(), 64), kMostLevels) != simdjson::SUCCESS) throw std::bad_alloc();
  element root;
  const auto error = parser.parse(json.data(), json.size()).get(root);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error != simdjson::SUCCESS) return Status::InvalidArgument(std::string(NotJson(kind)));
  Document document;
  if (!Reader(arena).ReadDocument(root, document)) return Status::InvalidArgument(std::string(messages::kPolicySyntax));
  return document;
}

}  // namespace armature::policy
