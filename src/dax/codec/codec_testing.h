// For tests and fuzzers of DAX's bytes: bytes by their digits, as the protocol's examples are written, and values by
// chance. Not linked into the server.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec/hex.h"
#include "base/memory/arena.h"
#include "model/value.h"

namespace armature::dax {

// Of "c4 82 03 01".
inline std::string Bytes(std::string_view digits) {
  std::string dense;
  for (const char character : digits)
    if (character != ' ' && character != '\n') dense.push_back(character);
  return FromHex(dense).value();
}

inline model::Number Num(std::string_view text) { return model::Number::Parse(text).value(); }

class RandomValues {
 public:
  RandomValues(unsigned seed, Arena& arena) : random_(seed), arena_(arena) {}

  size_t Below(size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random_); }

  // Of up to 38 digits, many of them short.
  model::Number Number() {
    std::string text = Below(2) == 0 ? "-" : "";
    const size_t digits = 1 + Below(Below(2) == 0 ? 4 : 38);
    for (size_t i = 0; i < digits; ++i) text.push_back(static_cast<char>('0' + Below(10)));
    if (Below(3) == 0) text += "e" + std::to_string(static_cast<int>(Below(210)) - 125);
    const auto number = model::Number::Parse(text);
    return number ? *number : model::Number();
  }

  std::string_view Text(size_t most = 40) {
    std::string text;
    for (size_t i = Below(most + 1); i > 0; --i)
      text += Below(8) == 0 ? "é" : std::string(1, static_cast<char>('a' + Below(26)));
    return arena_.Copy(text);
  }

  model::Value Value(int depth = 0) {
    using model::Value;
    switch (Below(depth < 4 ? 10 : 5)) {
      case 0: return Value::String(Text());
      case 1: return Value::OfNumber(Number(), arena_);
      case 2: return Value::Binary(Text());
      case 3: return Value::Bool(Below(2) == 0);
      case 4: return Value::Null();
      case 5: return StringSet(model::Type::kSS);
      case 6: return StringSet(model::Type::kBS);
      case 7: return NumberSet();
      case 8: return List(depth);
      default: return Value::Map(Map(depth));
    }
  }

  model::Item Map(int depth = 0) {
    std::vector<model::MapEntry> entries(Below(6));
    for (model::MapEntry& entry : entries) entry = {arena_.Copy("n" + std::string(Text(3))), Value(depth + 1)};
    return model::SortMap(arena_.Copy(entries));
  }

 private:
  model::Value List(int depth) {
    // Sometimes longer than what is believed of a count.
    std::vector<model::Value> elements(Below(20) == 0 ? 300 : Below(6));
    for (model::Value& element : elements) element = Value(depth + (elements.size() > 10 ? 4 : 1));
    return model::Value::List(arena_.Copy(elements));
  }
  model::Value StringSet(model::Type type) {
    std::vector<std::string_view> members(1 + Below(4));
    for (size_t i = 0; i < members.size(); ++i) members[i] = arena_.Copy(std::string(Text()) + std::to_string(i));
    const auto set = arena_.Copy(members);
    model::SortStringSet(set);
    return type == model::Type::kSS ? model::Value::StringSet(set) : model::Value::BinarySet(set);
  }
  model::Value NumberSet() {
    std::vector<model::Number> members(1 + Below(4));
    for (size_t i = 0; i < members.size(); ++i)
      members[i] = model::Number::FromInt(static_cast<int64_t>(i * 100 + Below(100)));
    const auto set = arena_.Copy(members);
    model::SortNumberSet(set);
    return model::Value::NumberSet(set);
  }

  std::mt19937 random_;
  Arena& arena_;
};

}  // namespace armature::dax
