#include "table/keys/expiry.h"

#include <charconv>

#include "base/bytes.h"
#include "model/codec/key_codec.h"
#include "table/keys/key_layout.h"
#include "table/keys/keyspace.h"

namespace armature::table {

using model::Number;

namespace {

// Far beyond any clock, and small enough that adding one cannot overflow.
constexpr int64_t kLatestExpiry = int64_t{1} << 62;

// What comes before the rows' expiry.
std::string RowsPrefix() { return {static_cast<char>(Space::kExpiry)}; }

std::string ExpiryBound(int64_t seconds) {
  std::string bound = RowsPrefix();
  AppendBigEndian(bound, static_cast<uint64_t>(seconds < 0 ? 0 : seconds));
  return bound;
}

// REQUIRES: positive and not beyond kLatestExpiry.
int64_t RoundUp(const Number& number) {
  thread_local std::string text;
  text.clear();
  number.AppendTo(text);
  int64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  const bool has_decimals = end != text.data() + text.size();  // canonical text has no zeros there
  return has_decimals ? whole + 1 : whole;
}

}  // namespace

std::optional<int64_t> ExpirySeconds(model::Item item, std::string_view attribute) {
  static const Number kLatest = Number::FromInt(kLatestExpiry);
  const model::Value* value = model::FindAttribute(item, attribute);
  if (!value || !value->is(model::Type::kN)) return std::nullopt;
  const Number& number = value->number();
  if (number.is_zero() || number.is_negative() || number > kLatest) return std::nullopt;
  return RoundUp(number);
}

std::string ExpiryRowKey(int64_t expiry_seconds, std::string_view item_key) {
  std::string key = ExpiryBound(expiry_seconds);
  key.append(item_key.substr(1));  // without the space of the items
  return key;
}

storage::KeyRange ExpiryRows(int64_t from_seconds, int64_t until_seconds) {
  return {ExpiryBound(from_seconds), ExpiryBound(until_seconds)};
}

storage::KeyRange AllExpiryRows() { return {RowsPrefix(), PrefixEnd(RowsPrefix())}; }

int64_t ExpiryOfRow(std::string_view row_key) {
  return static_cast<int64_t>(ByteReader(row_key.substr(1)).BigEndian<uint64_t>());
}

bool ReadExpiryRow(std::string_view row_key, const model::KeySchema& schema, Arena& arena, ExpiryRow* row) {
  constexpr size_t kPrefixSize = 1;
  if (row_key.size() < kPrefixSize) return false;
  ByteReader reader(row_key.substr(kPrefixSize));
  row->expiry_seconds = static_cast<int64_t>(reader.BigEndian<uint64_t>());
  reader.BigEndian<uint64_t>();  // the hash
  if (!reader.ok()) return false;
  std::string_view rest = row_key.substr(kPrefixSize + 2 * sizeof(uint64_t));
  auto entries = arena.NewArray<model::MapEntry>(schema.hash.size() + schema.range.size());
  size_t count = 0;
  for (const auto* attributes : {&schema.hash, &schema.range}) {
    for (const auto& attribute : *attributes) {
      entries[count].name = arena.Copy(attribute.name);
      if (!model::ReadKeyValue(&rest, attribute.type, arena, &entries[count++].value)) return false;
    }
  }
  row->key = model::SortMap(entries);
  return rest.empty();
}

}  // namespace armature::table
