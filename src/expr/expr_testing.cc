#include "expr/expr_testing.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace armature::expr {
namespace {

using model::Item;
using model::MapEntry;
using model::Number;
using model::Value;

class ValueReader {
 public:
  ValueReader(Arena& arena, std::string_view text) : arena_(arena), text_(text) {}

  Value Read() {
    if (Accept("NULL")) return Value::Null();
    if (Accept("BOOL:")) return Value::Bool(Word() == "true");
    if (Accept("SS[")) return Strings(true);
    if (Accept("BS[")) return Strings(false);
    if (Accept("NS[")) return Numbers();
    if (Accept("L[")) return List();
    if (Accept("M{")) return Value::Map(Entries('}'));
    if (Accept("S:")) return Value::String(arena_.Copy(Word()));
    if (Accept("B:")) return Value::Binary(arena_.Copy(Word()));
    if (Accept("N:")) return Value::OfNumber(ReadNumber(), arena_);
    Die();
  }

  Item Entries(char end) {
    std::vector<MapEntry> entries;
    while (!Done(end)) {
      const size_t equals = text_.find('=', at_);
      if (equals == std::string_view::npos) Die();
      const std::string_view name = arena_.Copy(text_.substr(at_, equals - at_));
      at_ = equals + 1;
      entries.push_back({name, Read()});
    }
    return model::SortMap(arena_.Copy(entries));
  }

 private:
  [[noreturn]] void Die() const {
    std::fprintf(stderr, "bad test value at %zu: %.*s\n", at_, static_cast<int>(text_.size()), text_.data());
    std::abort();
  }
  bool Accept(std::string_view prefix) {
    if (!text_.substr(at_).starts_with(prefix)) return false;
    at_ += prefix.size();
    return true;
  }
  // At a comma: steps over it. At the end: true.
  bool Done(char end) {
    if (at_ < text_.size() && text_[at_] == ',') ++at_;
    if (at_ >= text_.size()) {
      if (end != '\0') Die();
      return true;
    }
    if (text_[at_] != end) return false;
    ++at_;
    return true;
  }
  std::string_view Word() {
    const size_t end = std::min(text_.find_first_of(",]}", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    return word;
  }
  Number ReadNumber() {
    auto number = Number::Parse(Word());
    if (!number) Die();
    return *number;
  }
  Value Strings(bool text) {
    std::vector<std::string_view> members;
    while (!Done(']')) members.push_back(arena_.Copy(Word()));
    const auto copy = arena_.Copy(members);
    if (!model::SortStringSet(copy)) Die();
    return text ? Value::StringSet(copy) : Value::BinarySet(copy);
  }
  Value Numbers() {
    std::vector<Number> members;
    while (!Done(']')) members.push_back(ReadNumber());
    const auto copy = arena_.Copy(members);
    if (!model::SortNumberSet(copy)) Die();
    return Value::NumberSet(copy);
  }
  Value List() {
    std::vector<Value> elements;
    while (!Done(']')) elements.push_back(Read());
    return Value::List(arena_.Copy(elements));
  }

  Arena& arena_;
  const std::string_view text_;
  size_t at_ = 0;
};

template <class Range, class Print>
std::string Join(const Range& range, Print print) {
  std::string out;
  for (const auto& each : range) {
    if (!out.empty()) out += ",";
    out += print(each);
  }
  return out;
}

}  // namespace

Value V(Arena& arena, std::string_view text) { return ValueReader(arena, text).Read(); }

Item MakeItem(Arena& arena, std::string_view text) { return ValueReader(arena, text).Entries('\0'); }

std::string Show(Item item) {
  return Join(item, [](const MapEntry& entry) { return std::string(entry.name) + "=" + Show(entry.value); });
}

std::string Show(const Value& value) {
  const auto text = [](std::string_view member) { return std::string(member); };
  switch (value.type()) {
    case model::Type::kS: return "S:" + std::string(value.str());
    case model::Type::kB: return "B:" + std::string(value.str());
    case model::Type::kN: return "N:" + value.number().ToString();
    case model::Type::kBool: return value.boolean() ? "BOOL:true" : "BOOL:false";
    case model::Type::kNull: return "NULL";
    case model::Type::kSS: return "SS[" + Join(value.strings(), text) + "]";
    case model::Type::kBS: return "BS[" + Join(value.strings(), text) + "]";
    case model::Type::kNS: return "NS[" + Join(value.numbers(), [](const Number& n) { return n.ToString(); }) + "]";
    case model::Type::kL: return "L[" + Join(value.list(), [](const Value& each) { return Show(each); }) + "]";
    case model::Type::kM: return "M{" + Show(value.map()) + "}";
  }
  return "";
}

TestRequest::TestRequest(Pairs names, Pairs values) {
  for (const auto& [alias, name] : names) names_.push_back({alias, name});
  for (const auto& [ref, value] : values) values_.push_back({ref, V(arena_, value)});
  std::optional<std::span<const NameBinding>> name_span;
  std::optional<std::span<const ValueBinding>> value_span;
  if (!names_.empty()) name_span = names_;
  if (!values_.empty()) value_span = values_;
  set_ = std::make_unique<ExpressionSet>(arena_, name_span, value_span);
}

std::string TestRequest::Check(std::string_view condition, std::string_view item, ExpressionKind kind) {
  const auto bound = set_->AddCondition(kind, arena_.Copy(condition));
  if (!bound) return bound.error().message;
  const model::Item made = MakeItem(arena_, item);
  const bool holds = Evaluate(**bound, made);
  // Both ways of evaluating are always asked.
  if (RunBlocking(EvaluateInTurns(*(*bound)->root, made)) != holds) return "the two evaluators disagree";
  return holds ? "true" : "false";
}

std::string TestRequest::Update(std::string_view update, std::string_view item, std::string_view key) {
  const auto bound = set_->AddUpdate(arena_.Copy(update));
  if (!bound) return bound.error().message;
  const bool exists = item != "(none)";
  const auto updated =
      ApplyUpdate(**bound, exists ? MakeItem(arena_, item) : Item(), exists, MakeItem(arena_, key), arena_);
  if (!updated) return updated.error().message;
  return updated->exists ? Show(updated->item) : "(none)";
}

std::string TestRequest::Updated(std::string_view update, std::string_view item, std::string_view key) {
  const auto bound = set_->AddUpdate(arena_.Copy(update));
  if (!bound) return bound.error().message;
  const bool exists = item != "(none)";
  const Item old_item = exists ? MakeItem(arena_, item) : Item();
  const auto updated = ApplyUpdate(**bound, old_item, exists, MakeItem(arena_, key), arena_);
  if (!updated) return updated.error().message;
  return "old: " + Show(ProjectUpdatedOld(**bound, old_item, arena_)) +
         " new: " + Show(ProjectUpdatedNew(**bound, updated->item, arena_));
}

std::string TestRequest::Project(std::string_view projection, std::string_view item) {
  const auto bound = set_->AddProjection(arena_.Copy(projection));
  if (!bound) return bound.error().message;
  return Show(expr::Project(**bound, MakeItem(arena_, item), arena_));
}

std::string TestRequest::CheckBindings() {
  auto checked = set_->CheckBindings();
  return checked ? "" : checked.error().message;
}

std::string TestRequest::CheckAllUsed() {
  auto checked = set_->CheckAllUsed();
  return checked ? "" : checked.error().message;
}

}  // namespace armature::expr
