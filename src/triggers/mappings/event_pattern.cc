#include "triggers/mappings/event_pattern.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/text/visible_text.h"

namespace armature::triggers {

namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

// A literal as it stands in a pattern or a record. Numbers are compared by value, whatever their spelling.
using Literal = std::variant<std::nullptr_t, bool, double, std::string>;

struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool has_low = true;  // the bound itself belongs to the range
  bool has_high = true;

  bool Contains(double value) const {
    return (has_low ? value >= low : value > low) && (has_high ? value <= high : value < high);
  }
};

enum class TextTest { kPrefix, kSuffix, kEqualsIgnoreCase };

struct TextCondition {
  TextTest test = TextTest::kPrefix;
  std::string text;
};
struct AnythingBut {
  std::vector<Literal> literals;
  std::vector<TextCondition> texts;
};
struct Exists {
  bool wanted = true;
};
using Condition = std::variant<Literal, Range, TextCondition, AnythingBut, Exists>;

char LowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return LowerCase(x) == LowerCase(y); });
}

bool Holds(const TextCondition& condition, std::string_view text) {
  switch (condition.test) {
    case TextTest::kPrefix: return text.starts_with(condition.text);
    case TextTest::kSuffix: return text.ends_with(condition.text);
    case TextTest::kEqualsIgnoreCase: return EqualsIgnoringCase(text, condition.text);
  }
  return false;
}

std::optional<double> NumberOf(element value) {
  double number = 0;
  if (value.get(number) == simdjson::SUCCESS) return number;  // integers convert
  return std::nullopt;
}

bool Equals(const Literal& literal, element value) {
  if (std::holds_alternative<std::nullptr_t>(literal)) return value.is_null();
  if (const bool* truth = std::get_if<bool>(&literal)) {
    bool actual = false;
    return value.get(actual) == simdjson::SUCCESS && actual == *truth;
  }
  if (const double* number = std::get_if<double>(&literal)) return NumberOf(value) == *number;
  std::string_view text;
  return value.get(text) == simdjson::SUCCESS && text == std::get<std::string>(literal);
}

// Whether one value (neither object nor array) satisfies one condition.
bool Satisfies(const Condition& condition, element value) {
  if (const auto* literal = std::get_if<Literal>(&condition)) return Equals(*literal, value);
  if (const auto* range = std::get_if<Range>(&condition)) {
    const auto number = NumberOf(value);
    return number && range->Contains(*number);
  }
  std::string_view text;
  const bool is_text = value.get(text) == simdjson::SUCCESS;
  if (const auto* wanted = std::get_if<TextCondition>(&condition)) return is_text && Holds(*wanted, text);
  if (const auto* unwanted = std::get_if<AnythingBut>(&condition)) {
    const auto equal = [&](const Literal& literal) { return Equals(literal, value); };
    const auto holds = [&](const TextCondition& t) { return is_text && Holds(t, text); };
    // Beside a prefix and its like only strings are "anything but".
    if (!unwanted->texts.empty() && !is_text) return false;
    return std::none_of(unwanted->literals.begin(), unwanted->literals.end(), equal) &&
           std::none_of(unwanted->texts.begin(), unwanted->texts.end(), holds);
  }
  return std::get<Exists>(condition).wanted;
}

}  // namespace

struct EventPattern::Node {
  struct Field {
    std::string name;
    std::vector<Condition> conditions;   // of a leaf
    std::shared_ptr<const Node> nested;  // else
  };
  std::vector<Field> fields;
  std::vector<std::vector<Node>> alternatives;  // one entry per $or
};

namespace {

using Node = EventPattern::Node;

// --- reading a pattern

// In one line, whatever the pattern holds: it goes into the log as well.
Status Bad(std::string_view reason) { return Status::InvalidArgument(VisibleText(reason)); }

Result<Literal> ReadLiteral(element value) {
  switch (value.type()) {
    case element_type::NULL_VALUE: return Literal(nullptr);
    case element_type::BOOL: return Literal(value.get_bool().value_unsafe());
    case element_type::STRING: return Literal(std::string(value.get_string().value_unsafe()));
    case element_type::INT64:
    case element_type::UINT64:
    case element_type::DOUBLE: return Literal(*NumberOf(value));
    default: return Bad("a literal is a string, a number, true, false or null");
  }
}

Result<std::string> ReadText(std::string_view test, element value) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) return Bad(fmt::format("{} needs a string", test));
  if (text.empty() && test != "equals-ignore-case")
    return Bad(fmt::format("{} needs a string that is not empty", test));
  return std::string(text);
}

std::optional<TextTest> TextTestNamed(std::string_view name) {
  if (name == "prefix") return TextTest::kPrefix;
  if (name == "suffix") return TextTest::kSuffix;
  if (name == "equals-ignore-case") return TextTest::kEqualsIgnoreCase;
  return std::nullopt;
}

Status NarrowRange(std::string_view comparison, double number, Range& range) {
  if (comparison == "=") range = {number, number, true, true};
  else if (comparison == ">" || comparison == ">=") range.low = number, range.has_low = comparison == ">=";
  else if (comparison == "<" || comparison == "<=") range.high = number, range.has_high = comparison == "<=";
  else return Bad(fmt::format("numeric knows =, <, <=, > and >=, not {}", comparison));
  return Status::Ok();
}

Result<Range> ReadRange(element value) {
  simdjson::dom::array parts;
  if (value.get(parts) != simdjson::SUCCESS || (parts.size() != 2 && parts.size() != 4))
    return Bad("numeric needs an array of one or two comparisons, each an operator and a number");
  Range range;
  std::string_view comparisons[2];
  for (size_t i = 0; i < parts.size(); i += 2) {
    std::string_view& comparison = comparisons[i / 2];
    if (parts.at(i).get(comparison) != simdjson::SUCCESS) return Bad("numeric needs an operator before each number");
    const auto number = NumberOf(parts.at(i + 1).value_unsafe());
    if (!number) return Bad("numeric needs a number behind each operator");
    if (Status status = NarrowRange(comparison, *number, range); !status.ok()) return status;
  }
  if (parts.size() == 4 && (comparisons[0][0] != '>' || comparisons[1][0] != '<'))
    return Bad("two comparisons of numeric are a lower and then an upper bound");
  const bool is_empty = range.low > range.high || (range.low == range.high && !(range.has_low && range.has_high));
  if (is_empty) return Bad("the lower bound of numeric must be below the upper one");
  return range;
}

Result<AnythingBut> ReadAnythingBut(element value) {
  AnythingBut result;
  simdjson::dom::object object;
  if (value.get(object) == simdjson::SUCCESS) {
    if (object.size() != 1) return Bad("anything-but takes one of prefix, suffix and equals-ignore-case");
    const auto [name, operand] = *object.begin();
    const auto test = TextTestNamed(name);
    if (!test) return Bad(fmt::format("anything-but does not know {}", name));
    std::vector<element> texts;
    simdjson::dom::array list;
    if (operand.get(list) == simdjson::SUCCESS) texts.assign(list.begin(), list.end());
    else texts.push_back(operand);
    if (texts.empty()) return Bad("anything-but needs at least one value");
    for (const element text : texts) {
      ARMATURE_TRY(std::string read, ReadText(name, text));
      result.texts.push_back({*test, std::move(read)});
    }
    return result;
  }
  simdjson::dom::array list;
  std::vector<element> values;
  if (value.get(list) == simdjson::SUCCESS) values.assign(list.begin(), list.end());
  else values.push_back(value);
  if (values.empty()) return Bad("anything-but needs at least one value");
  for (const element one : values) {
    ARMATURE_TRY(Literal literal, ReadLiteral(one));
    if (literal.index() < 2) return Bad("anything-but takes strings and numbers");
    result.literals.push_back(std::move(literal));
  }
  const size_t kind = result.literals.front().index();
  const auto is_other = [&](const Literal& literal) { return literal.index() != kind; };
  if (std::any_of(result.literals.begin(), result.literals.end(), is_other))
    return Bad("anything-but takes strings or numbers, not both");
  return result;
}

Result<Condition> ReadCondition(element value) {
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS) {
    if (value.is_array()) return Bad("an array of values may not hold another array");
    ARMATURE_TRY(Literal literal, ReadLiteral(value));
    return Condition(std::move(literal));
  }
  if (object.size() != 1) return Bad("only one key is allowed in a match expression");
  const auto [name, operand] = *object.begin();
  if (const auto test = TextTestNamed(name)) {
    ARMATURE_TRY(std::string text, ReadText(name, operand));
    return Condition(TextCondition{*test, std::move(text)});
  }
  if (name == "exists") {
    bool wanted = false;
    if (operand.get(wanted) != simdjson::SUCCESS) return Bad("exists needs true or false");
    return Condition(Exists{wanted});
  }
  if (name == "numeric") {
    ARMATURE_TRY(const Range range, ReadRange(operand));
    return Condition(range);
  }
  if (name == "anything-but") {
    ARMATURE_TRY(AnythingBut anything_but, ReadAnythingBut(operand));
    return Condition(std::move(anything_but));
  }
  return Bad(fmt::format("unrecognized match type {}", name));
}

Result<Node> ReadNode(simdjson::dom::object object);

Result<std::vector<Node>> ReadAlternatives(element value) {
  simdjson::dom::array list;
  if (value.get(list) != simdjson::SUCCESS || list.size() < 2) return Bad("$or needs an array of two or more objects");
  std::vector<Node> alternatives;
  for (const element one : list) {
    simdjson::dom::object object;
    if (one.get(object) != simdjson::SUCCESS) return Bad("$or needs an array of two or more objects");
    ARMATURE_TRY(Node node, ReadNode(object));
    alternatives.push_back(std::move(node));
  }
  return alternatives;
}

Result<Node::Field> ReadField(std::string_view name, element value) {
  Node::Field field;
  field.name = name;
  simdjson::dom::object object;
  simdjson::dom::array list;
  if (value.get(object) == simdjson::SUCCESS) {
    ARMATURE_TRY(Node nested, ReadNode(object));
    field.nested = std::make_shared<Node>(std::move(nested));
    return field;
  }
  if (value.get(list) != simdjson::SUCCESS) return Bad(fmt::format("\"{}\" must be an object or an array", name));
  if (list.size() == 0) return Bad("empty arrays are not allowed");
  for (const element one : list) {
    ARMATURE_TRY(Condition condition, ReadCondition(one));
    field.conditions.push_back(std::move(condition));
  }
  return field;
}

Result<Node> ReadNode(simdjson::dom::object object) {
  if (object.size() == 0) return Bad("empty objects are not allowed");
  Node node;
  for (const auto& [name, value] : object) {
    const auto has_name = [&, key = name](const Node::Field& field) { return field.name == key; };
    if (std::any_of(node.fields.begin(), node.fields.end(), has_name))
      return Bad(fmt::format("\"{}\" stands twice in an object", name));
    if (name == "$or") {
      ARMATURE_TRY(std::vector<Node> alternatives, ReadAlternatives(value));
      node.alternatives.push_back(std::move(alternatives));
      continue;
    }
    ARMATURE_TRY(Node::Field field, ReadField(name, value));
    node.fields.push_back(std::move(field));
  }
  return node;
}

// --- matching a record

// Whether a value behind `value` (itself, or an element of it if it is an array) satisfies the condition. Sets
// `has_leaf` if there is any: what `exists` asks for.
bool AnyLeafSatisfies(const Condition& condition, element value, bool& has_leaf) {
  if (value.is_object()) return false;
  simdjson::dom::array list;
  if (value.get(list) != simdjson::SUCCESS) {
    has_leaf = true;
    return Satisfies(condition, value);
  }
  for (const element one : list)
    if (AnyLeafSatisfies(condition, one, has_leaf)) return true;
  return false;
}

bool MatchesLeaf(const std::vector<Condition>& conditions, const element* value) {
  for (const Condition& condition : conditions) {
    bool has_leaf = false;
    const bool satisfied = value && AnyLeafSatisfies(condition, *value, has_leaf);
    const auto* exists = std::get_if<Exists>(&condition);
    if (exists ? exists->wanted == has_leaf : satisfied) return true;
  }
  return false;
}

// `object` is null where the record has no object: then only what must not exist matches.
bool MatchesNode(const Node& node, const element* object);

bool MatchesNested(const Node& node, const element* value) {
  simdjson::dom::array list;
  if (!value || value->get(list) != simdjson::SUCCESS)
    return MatchesNode(node, value && value->is_object() ? value : nullptr);
  for (const element one : list)
    if (MatchesNested(node, &one)) return true;
  return list.size() == 0 && MatchesNode(node, nullptr);
}

bool MatchesNode(const Node& node, const element* object) {
  for (const Node::Field& field : node.fields) {
    element child;
    const bool is_there = object && (*object)[field.name].get(child) == simdjson::SUCCESS;
    const element* value = is_there ? &child : nullptr;
    if (field.nested ? !MatchesNested(*field.nested, value) : !MatchesLeaf(field.conditions, value)) return false;
  }
  for (const auto& alternatives : node.alternatives) {
    const auto matches = [&](const Node& alternative) { return MatchesNode(alternative, object); };
    if (std::none_of(alternatives.begin(), alternatives.end(), matches)) return false;
  }
  return true;
}

}  // namespace

Result<EventPattern> EventPattern::Parse(std::string_view json) {
  if (json.size() > kMaxPatternBytes) return Bad(fmt::format("a pattern has at most {} bytes", kMaxPatternBytes));
  simdjson::dom::parser parser;
  element root;
  const auto error = parser.parse(json.data(), json.size()).get(root);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();  // not the pattern's fault
  if (error != simdjson::SUCCESS) return Bad("the pattern is not JSON");
  simdjson::dom::object object;
  if (root.get(object) != simdjson::SUCCESS) return Bad("a pattern is a JSON object");
  ARMATURE_TRY(Node node, ReadNode(object));
  return EventPattern(std::make_shared<Node>(std::move(node)));
}

bool EventPattern::Matches(element record) const { return MatchesNested(*root_, &record); }

Result<EventFilter> EventFilter::Parse(const std::vector<std::string>& patterns) {
  EventFilter filter;
  for (const std::string& text : patterns) {
    ARMATURE_TRY(EventPattern pattern, EventPattern::Parse(text));
    filter.patterns_.push_back(std::move(pattern));
  }
  return filter;
}

bool EventFilter::Matches(element record) const {
  if (patterns_.empty()) return true;
  return std::any_of(patterns_.begin(), patterns_.end(),
                     [&](const EventPattern& pattern) { return pattern.Matches(record); });
}

}  // namespace armature::triggers
