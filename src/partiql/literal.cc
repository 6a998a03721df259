#include "partiql/literal.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/messages/items.h"
#include "model/messages/partiql.h"

namespace armature::partiql {
namespace {

namespace messages = model::messages;
using model::Type;
using model::Value;

// A document has this many levels at most.
constexpr size_t kMaxLevels = 32;

// What a node is called where a constant ought to be.
std::string_view Describe(const Node& node) {
  switch (node.kind) {
    case NodeKind::kParameter: return "Parameter";
    case NodeKind::kCall: return node.text;
    case NodeKind::kPath: return node.path.empty() ? "Path" : node.path.front().name;
    case NodeKind::kMissing: return "LiteralMissing";
    case NodeKind::kStatement: return "Select";
    case NodeKind::kIs: return "Typed";
    default: return "NAry";
  }
}

class Folder {
 public:
  explicit Folder(Arena& arena) : arena_(arena) {}

  const std::optional<std::string>& error() const { return error_; }

  // A node where a value may stand, but also an expression: everything constant below it is folded.
  bool Fold(Node* node) {
    switch (node->kind) {
      case NodeKind::kNumber:
      case NodeKind::kList:
      case NodeKind::kBag:
      case NodeKind::kStruct: {
        std::string path = "root";
        return FoldValue(node, path, 0);
      }
      case NodeKind::kIn: {
        Node* right = node->children[1];
        if (right->kind != NodeKind::kList && right->kind != NodeKind::kBag) break;
        return Fold(node->children[0]) && FoldAll(right->children);
      }
      default: break;
    }
    return FoldAll(node->children);
  }

  // The value of an attribute to be inserted: a constant or a parameter.
  bool FoldAttribute(Node* node) {
    if (node->kind == NodeKind::kParameter) return true;
    std::string path = "root";
    return FoldValue(node, path, 0);
  }

 private:
  bool FoldAll(std::span<Node* const> nodes) {
    return std::ranges::all_of(nodes, [&](Node* node) { return Fold(node); });
  }

  template <class... Args>
  bool Fail(std::string_view text, const Args&... args) {
    error_ = fmt::format(fmt::runtime(text), args...);
    return false;
  }

  bool Become(Node* node, const Value& value) {
    node->kind = NodeKind::kLiteral;
    node->value = value;
    node->children = {};
    return true;
  }

  // `path` says where in the constant the node is.
  bool FoldValue(Node* node, std::string& path, size_t level) {
    if (level >= kMaxLevels) return Fail(messages::kPartiqlUnderRoot, messages::kPartiqlTooDeep, path);
    switch (node->kind) {
      case NodeKind::kLiteral: return true;
      case NodeKind::kNumber: return FoldNumber(node, path);
      case NodeKind::kList: return FoldList(node, path, level);
      case NodeKind::kBag: return FoldBag(node, path);
      case NodeKind::kStruct: return FoldStruct(node, path, level);
      default: return Fail(messages::kPartiqlDataType, Describe(*node), path, node->at.ToString());
    }
  }

  bool FoldNumber(Node* node, const std::string& path) {
    const std::string text = fmt::format("{}{}", node->is_negated ? "-" : "", node->text);
    auto number = model::Number::Parse(text, model::NumberReading::kStatement);
    // An exponent of more than 32 bits: AWS's parser gives up.
    if (!number && number.error().message == fmt::format(messages::kNotANumber, text))
      return Fail(messages::kPartiqlNotWellFormed, "");
    if (!number) return Fail(messages::kPartiqlUnderRoot, number.error().message, path);
    return Become(node, Value::OfNumber(*number, arena_));
  }

  bool FoldList(Node* node, std::string& path, size_t level) {
    std::span<Value> values = arena_.NewArray<Value>(node->children.size());
    const size_t size = path.size();
    for (size_t i = 0; i < values.size(); ++i) {
      path += fmt::format("[{}]", i);
      if (!FoldValue(node->children[i], path, level + 1)) return false;
      path.resize(size);
      values[i] = node->children[i]->value;
    }
    return Become(node, Value::List(values));
  }

  bool FoldStruct(Node* node, std::string& path, size_t level) {
    std::span<model::MapEntry> entries = arena_.NewArray<model::MapEntry>(node->children.size() / 2);
    const size_t size = path.size();
    for (size_t i = 0; i < entries.size(); ++i) {
      const Node& name = *node->children[2 * i];
      if (name.kind != NodeKind::kLiteral || !name.value.is(Type::kS))
        return Fail(messages::kPartiqlDataType, Describe(name), path, name.at.ToString());
      path.append(".").append(name.value.str());
      Node* value = node->children[2 * i + 1];
      if (!FoldValue(value, path, level + 1)) return false;
      path.resize(size);
      entries[i] = {name.value.str(), value->value};
    }
    return Become(node, Value::Map(model::SortMap(entries)));
  }

  bool FoldBag(Node* node, const std::string& path) {
    const auto members = node->children;
    if (members.empty()) return Fail(messages::kPartiqlEmptyBag);
    const bool is_numbers = members[0]->kind == NodeKind::kNumber;
    for (const Node* member : members) {
      const bool fits = is_numbers ? member->kind == NodeKind::kNumber
                                   : member->kind == NodeKind::kLiteral && member->value.is(Type::kS);
      if (!fits) return Fail(messages::kPartiqlBagMembers);
    }
    return is_numbers ? FoldNumberSet(node, path) : FoldStringSet(node);
  }

  bool FoldStringSet(Node* node) {
    std::span<std::string_view> strings = arena_.NewArray<std::string_view>(node->children.size());
    std::ranges::transform(node->children, strings.begin(), [](const Node* member) { return member->value.str(); });
    const std::vector<std::string_view> written(strings.begin(), strings.end());
    if (!model::SortStringSet(strings)) return Fail(messages::kDuplicatesInStringSet, fmt::join(written, ", "));
    return Become(node, Value::StringSet(strings));
  }

  bool FoldNumberSet(Node* node, const std::string& path) {
    std::span<model::Number> numbers = arena_.NewArray<model::Number>(node->children.size());
    std::vector<std::string> written;
    for (size_t i = 0; i < numbers.size(); ++i) {
      Node* member = node->children[i];
      written.push_back(fmt::format("{}{}", member->is_negated ? "-" : "", member->text));
      if (!FoldNumber(member, path)) return false;
      numbers[i] = member->value.number();
    }
    if (!model::SortNumberSet(numbers)) return Fail(messages::kPartiqlDuplicateNumbers, fmt::join(written, ", "), path);
    return Become(node, Value::NumberSet(numbers));
  }

  Arena& arena_;
  std::optional<std::string> error_;
};

}  // namespace

std::optional<std::string> FoldLiterals(const Body& body, Arena& arena) {
  Folder folder(arena);
  for (const Assignment& assignment : body.assignments)
    if (assignment.value != nullptr && !folder.Fold(assignment.value)) return folder.error();
  for (const InsertedAttribute& attribute : body.item)
    if (!folder.FoldAttribute(attribute.value)) return folder.error();
  if (body.where != nullptr && !folder.Fold(body.where)) return folder.error();
  return std::nullopt;
}

}  // namespace armature::partiql
