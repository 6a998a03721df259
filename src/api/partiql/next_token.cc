#include "api/partiql/next_token.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/codec/base64.h"
#include "model/codec/item_codec.h"
#include "model/codec/key_codec.h"
#include "model/item_size.h"
#include "model/messages/partiql.h"

namespace armature::api {

using model::ApiResult;
using model::ValidationException;
namespace messages = model::messages;

namespace {

constexpr uint8_t kVersion = 1;
constexpr size_t kChecksumBytes = sizeof(uint64_t);

model::ApiError Invalid() { return ValidationException(std::string(messages::kPartiqlInvalidToken)); }

uint64_t Checksum(std::string_view bytes) { return table::HashParameters(bytes)[0]; }

// Whether `key` is that of a row: every attribute of its key, the rest of the table's key in an index too, and no
// other.
bool IsRowKey(const table::Keyspace& keyspace, model::Item key) {
  if (key.size() != keyspace.attribute_count() || !table::HasRow(keyspace, key)) return false;
  return std::all_of(keyspace.tail.begin(), keyspace.tail.end(), [&](const model::KeyAttribute& attribute) {
    const model::Value* value = model::FindAttribute(key, attribute.name);
    return value && value->is(attribute.type) && model::KeyValueSize(*value) <= model::kMaxHashKeyBytes;
  });
}

}  // namespace

table::ParameterHash HashStatement(std::string_view text, const StatementParameters& parameters) {
  std::string canonical;
  AppendLengthPrefixed(canonical, text);
  for (const wire::AttributeField& parameter : parameters) model::EncodeValue(*parameter, canonical);
  return table::HashParameters(canonical);
}

std::string EncodeNextToken(const NextToken& token, table::ParameterHash statement) {
  std::string bytes;
  AppendByte(bytes, kVersion);
  for (const uint64_t part : statement) AppendBigEndian(bytes, part);
  AppendVarint(bytes, token.read);
  model::EncodeValue(model::Value::Map(token.key), bytes);
  AppendBigEndian(bytes, Checksum(bytes));
  std::string text;
  AppendBase64(text, bytes);
  return text;
}

ApiResult<NextToken> DecodeNextToken(std::string_view text, table::ParameterHash statement, size_t read_count,
                                     const table::Keyspace& keyspace, Arena& arena) {
  const auto decoded = DecodeBase64(text, arena);
  if (!decoded || decoded->size() < kChecksumBytes) return Invalid();
  const std::string_view bytes = decoded->substr(0, decoded->size() - kChecksumBytes);
  if (ReadBigEndian<uint64_t>(decoded->data() + bytes.size()) != Checksum(bytes)) return Invalid();
  ByteReader reader(bytes);
  if (reader.Byte() != kVersion) return Invalid();
  for (const uint64_t part : statement) {
    if (reader.BigEndian<uint64_t>() != part) return ValidationException(std::string(messages::kPartiqlOtherToken));
  }
  NextToken token;
  token.read = reader.Varint();
  model::Value key;
  if (!model::DecodeValue(reader, arena, &key) || !reader.ok() || !reader.at_end() || !key.is(model::Type::kM))
    return Invalid();
  token.key = key.map();
  // The table may have been made anew with other keys, and whatever comes from outside is not trusted.
  const bool fits = token.key.empty() || IsRowKey(keyspace, token.key);
  if (!fits || token.read >= read_count) return Invalid();
  return token;
}

}  // namespace armature::api
