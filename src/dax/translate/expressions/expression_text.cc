#include "dax/translate/expressions/expression_text.h"

#include <utility>

#include <fmt/core.h>

#include "dax/codec/value_codec.h"
#include "model/messages/expressions.h"
#include "wire/json/attribute_json.h"

namespace armature::dax {

namespace {

using Op = ExpressionOp;

// What binds closer has the higher number; an argument that binds less than its place wants stands in parentheses.
enum Precedence { kAnything, kOfOr, kOfAnd, kOfNot, kOfComparison, kOfSum, kOfOperand };

Precedence PrecedenceOf(Op op) {
  switch (op) {
    case Op::kOr: return kOfOr;
    case Op::kAnd: return kOfAnd;
    case Op::kNot: return kOfNot;
    case Op::kEqual:
    case Op::kNotEqual:
    case Op::kLess:
    case Op::kGreaterOrEqual:
    case Op::kGreater:
    case Op::kLessOrEqual:
    case Op::kBetween:
    case Op::kIn: return kOfComparison;
    case Op::kPlus:
    case Op::kMinus: return kOfSum;
    default: return kOfOperand;
  }
}

std::string_view KeywordOf(Op section) {
  switch (section) {
    case Op::kSet: return "SET ";
    case Op::kAdd: return "ADD ";
    case Op::kDelete: return "DELETE ";
    default: return "REMOVE ";
  }
}

// A number in few characters: 0 … 9, a … z, A … Z, 00 …
void AppendPlaceholder(char sign, size_t number, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  char digits[16];
  size_t count = 0;
  for (size_t left = number + 1; left > 0; left = (left - 1) / kDigits.size())
    digits[count++] = kDigits[(left - 1) % kDigits.size()];
  out.push_back(sign);
  while (count > 0) out.push_back(digits[--count]);
}

// A single letter is a name to every parser of expressions, and no reserved word is that short.
bool StandsForItself(std::string_view name) {
  return name.size() == 1 && ((name[0] >= 'a' && name[0] <= 'z') || (name[0] >= 'A' && name[0] <= 'Z'));
}

}  // namespace

model::ApiResult<std::string> ExpressionWriter::Condition(std::string_view bytes, std::string_view parameter) {
  ARMATURE_TRY(const ExpressionTree tree, ReadCondition(bytes, parameter, arena_));
  tree_values_ = tree.values;
  text_.clear();
  WriteNode(*tree.root, kAnything);
  if (bad_value_) return *bad_value_;
  return std::exchange(text_, {});
}

model::ApiResult<std::string> ExpressionWriter::Update(std::string_view bytes) {
  ARMATURE_TRY(const ExpressionTree tree, ReadUpdate(bytes, arena_));
  tree_values_ = tree.values;
  text_.clear();
  // Sections in the order of their first actions, as the client had them.
  bool is_written[static_cast<size_t>(Op::kMinus) + 1] = {};
  for (const ExpressionNode* action : tree.actions)
    if (!std::exchange(is_written[static_cast<size_t>(action->op)], true)) WriteSection(action->op, tree.actions);
  if (bad_value_) return *bad_value_;
  return std::exchange(text_, {});
}

model::ApiResult<std::string> ExpressionWriter::Projection(std::string_view bytes) {
  ARMATURE_TRY(const auto paths, ReadProjection(bytes, arena_));
  text_.clear();
  for (const DocumentPath path : paths) {
    if (!text_.empty()) text_ += ',';
    WritePath(path);
  }
  return std::exchange(text_, {});
}

void ExpressionWriter::WriteSection(Op op, std::span<const ExpressionNode* const> actions) {
  bool is_first = true;
  for (const ExpressionNode* action : actions) {
    if (action->op != op) continue;
    if (!is_first) {
      text_ += ',';
    } else {
      if (!text_.empty()) text_ += ' ';
      text_ += KeywordOf(op);
    }
    is_first = false;
    WriteAction(*action);
  }
}

void ExpressionWriter::WriteAction(const ExpressionNode& action) {
  WriteNode(*action.arguments[0], kOfOperand);
  if (action.op == Op::kRemove) return;
  text_ += action.op == Op::kSet ? '=' : ' ';
  WriteNode(*action.arguments[1], action.op == Op::kSet ? kOfSum : kOfOperand);
}

void ExpressionWriter::WriteNode(const ExpressionNode& node, int least_precedence) {
  const bool needs_parentheses = PrecedenceOf(node.op) < least_precedence;
  if (needs_parentheses) text_ += '(';
  WriteBare(node);
  if (needs_parentheses) text_ += ')';
}

void ExpressionWriter::WriteBare(const ExpressionNode& node) {
  switch (node.op) {
    case Op::kEqual: return WriteBetween(node, "=", kOfSum);
    case Op::kNotEqual: return WriteBetween(node, "<>", kOfSum);
    case Op::kLess: return WriteBetween(node, "<", kOfSum);
    case Op::kGreaterOrEqual: return WriteBetween(node, ">=", kOfSum);
    case Op::kGreater: return WriteBetween(node, ">", kOfSum);
    case Op::kLessOrEqual: return WriteBetween(node, "<=", kOfSum);
    // How a chain of ANDs is nested makes no difference.
    case Op::kAnd: return WriteBetween(node, " AND ", kOfAnd);
    case Op::kOr: return WriteBetween(node, " OR ", kOfOr);
    case Op::kPlus: return WriteBetween(node, "+", kOfOperand);
    case Op::kMinus: return WriteBetween(node, "-", kOfOperand);
    case Op::kNot: text_ += "NOT "; return WriteNode(*node.arguments[0], kOfNot);
    case Op::kBetween:
      WriteNode(*node.arguments[0], kOfSum);
      text_ += " BETWEEN ";
      WriteNode(*node.arguments[1], kOfSum);
      text_ += " AND ";
      return WriteNode(*node.arguments[2], kOfSum);
    case Op::kIn:
      WriteNode(*node.arguments[0], kOfSum);
      text_ += " IN ";
      return WriteArguments(node.arguments.subspan(1));
    case Op::kAttributeExists: return WriteCall("attribute_exists", node);
    case Op::kAttributeNotExists: return WriteCall("attribute_not_exists", node);
    case Op::kAttributeType: return WriteCall("attribute_type", node);
    case Op::kBeginsWith: return WriteCall("begins_with", node);
    case Op::kContains: return WriteCall("contains", node);
    case Op::kSize: return WriteCall("size", node);
    case Op::kIfNotExists: return WriteCall("if_not_exists", node);
    case Op::kListAppend: return WriteCall("list_append", node);
    case Op::kValue: return WriteValue(tree_values_[node.value]);
    case Op::kPath: return WritePath(node.path);
    // Not below the root of an update, as ReadUpdate and ReadCondition have seen to.
    case Op::kSet:
    case Op::kAdd:
    case Op::kDelete:
    case Op::kRemove: return;
  }
}

void ExpressionWriter::WriteBetween(const ExpressionNode& node, std::string_view word, int least_precedence) {
  WriteNode(*node.arguments[0], least_precedence);
  text_ += word;
  WriteNode(*node.arguments[1], least_precedence);
}

void ExpressionWriter::WriteCall(std::string_view function, const ExpressionNode& node) {
  text_ += function;
  WriteArguments(node.arguments);
}

void ExpressionWriter::WriteArguments(std::span<const ExpressionNode* const> arguments) {
  text_ += '(';
  bool is_first = true;
  for (const ExpressionNode* argument : arguments) {
    if (!std::exchange(is_first, false)) text_ += ',';
    WriteNode(*argument, kAnything);
  }
  text_ += ')';
}

void ExpressionWriter::WritePath(DocumentPath path) {
  bool is_first = true;
  for (const PathElement& element : path) {
    if (element.is_index) {
      text_ += '[';
      text_ += std::to_string(element.index);
      text_ += ']';
    } else {
      if (!is_first) text_ += '.';
      WriteName(element.name);
    }
    is_first = false;
  }
}

void ExpressionWriter::WriteName(std::string_view name) {
  if (StandsForItself(name)) {
    text_ += name;
    return;
  }
  const auto [found, is_new] = name_numbers_.emplace(name, names_.size());
  if (is_new) names_.push_back(name);
  AppendPlaceholder('#', found->second, text_);
}

void ExpressionWriter::WriteValue(std::string_view cbor) {
  const auto [found, is_new] = value_numbers_.emplace(cbor, values_.size());
  if (is_new) {
    CborReader reader(cbor);
    auto value = DecodeValue(reader, arena_, wording_);
    values_.push_back(value ? *value : model::Value());
    if (!value) NoteBadValue(std::move(value).error(), values_.size() - 1);
  }
  AppendPlaceholder(':', found->second, text_);
}

// The placeholder is not the client's, which nobody knows.
void ExpressionWriter::NoteBadValue(model::ApiError error, size_t number) {
  if (bad_value_) return;
  if (wording_.names_bad_values) {
    std::string placeholder;
    AppendPlaceholder(':', number, placeholder);
    error.message = fmt::format(model::messages::kAttributeMapInvalidValue, "ExpressionAttributeValues", error.message,
                                placeholder);
  }
  bad_value_ = std::move(error);
}

void ExpressionWriter::WriteAttributeMaps(JsonWriter& json) const {
  std::string placeholder;
  if (!names_.empty()) {
    json.Key("ExpressionAttributeNames");
    json.BeginObject();
    for (size_t i = 0; i < names_.size(); ++i) {
      placeholder.clear();
      AppendPlaceholder('#', i, placeholder);
      json.Member(placeholder, names_[i]);
    }
    json.EndObject();
  }
  if (values_.empty()) return;
  json.Key("ExpressionAttributeValues");
  json.BeginObject();
  for (size_t i = 0; i < values_.size(); ++i) {
    placeholder.clear();
    AppendPlaceholder(':', i, placeholder);
    json.Key(placeholder);
    json.BeginValue();
    wire::AppendValueAsJson(values_[i], json.out());
  }
  json.EndObject();
}

}  // namespace armature::dax
