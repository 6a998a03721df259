// Primary keys of DAX clients, by every schema, and numbers as sort keys.
//
// Input: a byte for the schema, a byte for where to cut, then a key, which is also two numbers' texts. A key has one
// canonical form, which decodes to the same; ordered decimals sort as the numbers do.
#include <algorithm>
#include <string>

#include "base/memory/arena.h"
#include "base/testing/fuzz_check.h"
#include "dax/codec/key_codec.h"
#include "dax/codec/primitives/ordered_decimal.h"

namespace armature::dax {
namespace {

using model::Type;

constexpr Type kTypes[] = {Type::kS, Type::kN, Type::kB};

// Of one part or two, of every type.
TableSchema SchemaOf(uint8_t choice) {
  TableSchema schema{.name = "T", .number = 1, .parts = {{"p", kTypes[choice % 3]}}};
  if (choice / 3 % 4 != 3) schema.parts.push_back({"k", kTypes[choice / 3 % 4]});
  return schema;
}

void CheckKey(std::string_view bytes, const TableSchema& schema) {
  Arena arena;
  std::string canonical;
  const bool is_key = CanonicalKey(bytes, schema, canonical);
  const auto key = DecodeKey(bytes, schema, arena);
  Require(key.has_value() == is_key, "what has a canonical form can be decoded, and nothing else");
  if (!key) return;
  std::string written;
  Require(AppendKey(written, schema, *key) && written == canonical, "a key has one form");
  std::string again;
  Require(CanonicalKey(canonical, schema, again) && again == canonical, "which stays what it is");
  const auto decoded = DecodeKey(canonical, schema, arena);
  Require(decoded && model::Value::Map(*decoded) == model::Value::Map(*key), "and means the same");
}

void CheckOrder(std::string_view a, std::string_view b) {
  const auto x = model::Number::Parse(a);
  const auto y = model::Number::Parse(b);
  if (!x || !y) return;
  std::string x_bytes;
  std::string y_bytes;
  AppendOrderedDecimal(x_bytes, *x);
  AppendOrderedDecimal(y_bytes, *y);
  Require((x_bytes < y_bytes) == (*x < *y) && (x_bytes == y_bytes) == (*x == *y), "bytes sort as numbers do");
  const auto again = DecodeOrderedDecimal(x_bytes);
  Require(again && *again == *x, "and come back");
}

void CheckIndexKey(std::string_view bytes) {
  Arena arena;
  const auto key = DecodeIndexKey(bytes, arena);
  if (!key) return;
  std::string written;
  AppendIndexKey(written, *key);
  const auto again = DecodeIndexKey(written, arena);
  Require(again && model::Value::Map(*again) == model::Value::Map(*key), "a key of an index comes back");
}

}  // namespace
}  // namespace armature::dax

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes = armature::FuzzText(data + 2, size - 2);
  const size_t cut = std::min<size_t>(data[1], bytes.size());
  armature::dax::CheckKey(bytes, armature::dax::SchemaOf(data[0]));
  armature::dax::CheckOrder(bytes.substr(0, cut), bytes.substr(cut));
  armature::dax::CheckIndexKey(bytes);
  return 0;
}
