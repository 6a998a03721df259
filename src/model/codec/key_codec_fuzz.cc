// Key values: order and round trip of what is encoded, and hostile bytes read as keys.
//
// Input: a byte for the type, a byte for where to cut, then two values' bytes (of numbers: their texts).
#include <algorithm>
#include <optional>
#include <string>

#include "base/memory/arena.h"
#include "base/testing/fuzz_check.h"
#include "model/codec/key_codec.h"

namespace armature::model {
namespace {

constexpr Type kKeyTypes[] = {Type::kS, Type::kN, Type::kB};

int Sign(int order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

std::optional<Value> Make(Type type, std::string_view text, Arena& arena) {
  if (type == Type::kS) return Value::String(text);
  if (type == Type::kB) return Value::Binary(text);
  const auto number = Number::Parse(text);
  if (!number) return std::nullopt;
  return Value::OfNumber(*number, arena);
}

int Order(const Value& a, const Value& b) {
  if (!a.is(Type::kN)) return Sign(a.str().compare(b.str()));  // char_traits compares unsigned bytes
  const auto order = a.number() <=> b.number();
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

std::string Encode(const Value& value) {
  std::string out;
  AppendKeyValue(value, out);
  return out;
}

void CheckAlone(const Value& value, Arena& arena) {
  // Two in a row, as partition and sort key lie: each is read up to its own end.
  const std::string twice = Encode(value) + Encode(value) + "tail";
  std::string_view rest = twice;
  for (int i = 0; i < 2; ++i) {
    Value read;
    Require(ReadKeyValue(&rest, value.type(), arena, &read) && read == value, "a key value comes back");
  }
  Require(rest == "tail", "a key value ends where it ends");
}

void CheckPair(const Value& a, const Value& b) {
  const std::string x = Encode(a);
  const std::string y = Encode(b);
  Require(Sign(x.compare(y)) == Order(a, b), "bytes sort as the values do");
  // A sort key behind it never changes the order of different partition keys.
  if (Order(a, b) != 0)
    Require(Sign((x + "\xff").compare(y + std::string(1, '\0'))) == Order(a, b), "no key is a prefix");
  if (a.is(Type::kN)) return;
  std::string prefix;
  AppendKeyPrefix(a.str(), prefix);
  Require(y.starts_with(prefix) == b.str().starts_with(a.str()), "prefixes are prefixes");
}

void CheckBytes(std::string_view bytes, Type type, Arena& arena) {
  std::string_view rest = bytes;
  Value value;
  if (!ReadKeyValue(&rest, type, arena, &value)) return;
  Require(rest.size() <= bytes.size(), "reading goes forward");
  CheckAlone(value, arena);
  // Strings have one form only. Of numbers a hostile one may have others; what is read is a number all the same.
  if (type != Type::kN) Require(Encode(value) == bytes.substr(0, bytes.size() - rest.size()), "one form per string");
}

}  // namespace
}  // namespace armature::model

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace model = armature::model;
  if (size < 2) return 0;
  const model::Type type = model::kKeyTypes[data[0] % 3];
  const std::string_view text = armature::FuzzText(data + 2, size - 2);
  const size_t cut = std::min<size_t>(data[1], text.size());
  armature::Arena arena;
  model::CheckBytes(text, type, arena);
  const auto a = model::Make(type, text.substr(0, cut), arena);
  const auto b = model::Make(type, text.substr(cut), arena);
  if (a) model::CheckAlone(*a, arena);
  if (a && b) model::CheckPair(*a, *b);
  return 0;
}
