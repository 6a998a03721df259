#include "expr/apply/evaluate.h"

#include <algorithm>
#include <cassert>

#include "base/tasks/work_meter.h"
#include "base/text/find_bytes.h"
#include "expr/compare.h"

namespace armature::expr {
namespace {

using model::Item;
using model::Number;
using model::Type;
using model::Value;

// What an operand stands for: a value of the request or the item, a number computed by size(), or nothing.
struct Evaluated {
  const Value* value = nullptr;
  bool is_size = false;
  Number size{};

  bool present() const { return value != nullptr || is_size; }
  Type type() const { return is_size ? Type::kN : value->type(); }
  const Number& number() const { return is_size ? size : value->number(); }
};

bool EvaluateNode(const ConditionNode& node, Item item);

Evaluated Get(const Operand& operand, Item item) {
  if (operand.kind == Operand::Kind::kValue) return {.value = operand.value};
  if (operand.kind == Operand::Kind::kCondition) {
    static const Value kTruth[] = {Value::Bool(false), Value::Bool(true)};
    return {.value = &kTruth[EvaluateNode(*operand.condition, item) ? 1 : 0]};
  }
  const Value* found = FindPath(item, operand.path);
  if (operand.kind == Operand::Kind::kPath || found == nullptr) return {.value = found};
  const auto size = SizeOf(*found);
  if (found->is(Type::kS)) WorkMeter::Add(found->str().size() / 4);
  if (!size) return {};
  return {.is_size = true, .size = Number::FromInt(*size)};
}

// Comparing goes many bytes at a time, and mostly not far.
void CountComparison(const Value& a, const Value& b) {
  if (a.is(Type::kS) || a.is(Type::kB)) WorkMeter::Add(std::min(a.str().size(), b.str().size()) / 16);
}

bool Equal(const Evaluated& a, const Evaluated& b) {
  if (!a.present() || !b.present() || a.type() != b.type()) return false;
  if (a.is_size || b.is_size) return a.number() == b.number();
  CountComparison(*a.value, *b.value);
  return *a.value == *b.value;  // NOLINT: present
}

// Whether both are there, of one ordered type, and compare as `holds` wants.
template <class Holds>
bool Ordered(const Evaluated& a, const Evaluated& b, Holds holds) {
  if (!a.present() || !b.present()) return false;
  const Type type = a.type();
  if (type != b.type() || !IsOrdered(type)) return false;
  if (type == Type::kN) return holds(a.number() <=> b.number());
  assert(a.value && b.value);  // what is no number is no size
  CountComparison(*a.value, *b.value);
  return holds(a.value->str() <=> b.value->str());
}

// REQUIRES: both are S, or both B.
bool Occurs(const Value& wanted, const Value& in) {
  assert(wanted.type() == in.type());
  size_t work = 0;
  const bool occurs = ContainsBytes(in.str(), wanted.str(), work);
  WorkMeter::Add(work);
  return occurs;
}

bool BeginsWith(const Evaluated& text, const Evaluated& prefix) {
  if (!text.value || !prefix.value || text.type() != prefix.type()) return false;
  if (text.type() != Type::kS && text.type() != Type::kB) return false;
  return text.value->str().starts_with(prefix.value->str());
}

bool Contains(const Evaluated& container, const Evaluated& wanted) {
  if (!container.value || !wanted.present()) return false;
  const Value& in = *container.value;
  switch (in.type()) {
    case Type::kS:
    case Type::kB: return wanted.value && wanted.type() == in.type() && Occurs(*wanted.value, in);
    case Type::kSS:
    case Type::kBS:
      return wanted.value && wanted.type() == (in.is(Type::kSS) ? Type::kS : Type::kB) &&
             std::ranges::binary_search(in.strings(), wanted.value->str());
    case Type::kNS: return wanted.type() == Type::kN && std::ranges::binary_search(in.numbers(), wanted.number());
    case Type::kL:
      WorkMeter::Add(in.list().size());
      return std::ranges::any_of(in.list(), [&](const Value& element) { return Equal({.value = &element}, wanted); });
    default: return false;
  }
}

bool EvaluateNode(const ConditionNode& node, Item item) {
  WorkMeter::Add(8 + 8 * node.operands.size());
  const auto operand = [&](size_t i) { return Get(node.operands[i], item); };
  const auto child = [&](const ConditionNode* condition) { return EvaluateNode(*condition, item); };
  switch (node.op) {
    case ConditionOp::kAnd: return std::ranges::all_of(node.children, child);
    case ConditionOp::kOr: return std::ranges::any_of(node.children, child);
    case ConditionOp::kNot: return !child(node.children[0]);
    case ConditionOp::kEqual: return Equal(operand(0), operand(1));
    // Also true when an operand is missing, even both.
    case ConditionOp::kNotEqual: return !Equal(operand(0), operand(1));
    case ConditionOp::kLess: return Ordered(operand(0), operand(1), [](auto o) { return o < 0; });
    case ConditionOp::kLessEqual: return Ordered(operand(0), operand(1), [](auto o) { return o <= 0; });
    case ConditionOp::kGreater: return Ordered(operand(0), operand(1), [](auto o) { return o > 0; });
    case ConditionOp::kGreaterEqual: return Ordered(operand(0), operand(1), [](auto o) { return o >= 0; });
    case ConditionOp::kBetween: {
      const Evaluated value = operand(0);
      return Ordered(value, operand(1), [](auto o) { return o >= 0; }) &&
             Ordered(value, operand(2), [](auto o) { return o <= 0; });
    }
    case ConditionOp::kIn: {
      const Evaluated value = operand(0);
      return std::ranges::any_of(node.operands.subspan(1),
                                 [&](const Operand& candidate) { return Equal(value, Get(candidate, item)); });
    }
    case ConditionOp::kAttributeExists: return FindPath(item, node.operands[0].path) != nullptr;
    case ConditionOp::kAttributeNotExists: return FindPath(item, node.operands[0].path) == nullptr;
    case ConditionOp::kAttributeType: {
      const Evaluated value = operand(0);
      return value.present() && value.type() == node.type;
    }
    case ConditionOp::kBeginsWith: return BeginsWith(operand(0), operand(1));
    case ConditionOp::kContains: return Contains(operand(0), operand(1));
  }
  return false;
}

// AWS documents bytes, but counts as Java does: code points beyond the first 65536 (four bytes in UTF-8) are two.
int64_t Utf16Units(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }) +
         std::ranges::count_if(text, [](char c) { return static_cast<uint8_t>(c) >= 0xf0; });
}

}  // namespace

std::optional<int64_t> SizeOf(const Value& value) {
  switch (value.type()) {
    case Type::kS: return Utf16Units(value.str());
    case Type::kB: return static_cast<int64_t>(value.str().size());
    case Type::kSS:
    case Type::kBS: return static_cast<int64_t>(value.strings().size());
    case Type::kNS: return static_cast<int64_t>(value.numbers().size());
    case Type::kL: return static_cast<int64_t>(value.list().size());
    case Type::kM: return static_cast<int64_t>(value.map().size());
    default: return std::nullopt;
  }
}

bool Evaluate(const ConditionNode& condition, Item item) { return EvaluateNode(condition, item); }

Task<bool> EvaluateInTurns(const ConditionNode& condition, Item item) {
  if (condition.op == ConditionOp::kNot) co_return !co_await EvaluateInTurns(*condition.children[0], item);
  if (condition.op != ConditionOp::kAnd && condition.op != ConditionOp::kOr) {
    const bool holds = EvaluateNode(condition, item);
    co_await YieldIfDue();
    co_return holds;
  }
  const bool decides = condition.op == ConditionOp::kOr;
  for (const ConditionNode* child : condition.children)
    if (co_await EvaluateInTurns(*child, item) == decides) co_return decides;
  co_return !decides;
}

}  // namespace armature::expr
