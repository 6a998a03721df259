// What clients hand back: shard iterators, NextTokens of statements, stream ARNs, sequence numbers.
//
// Input: a byte that chooses, then a token as text, or the bytes of one whose checksum is made to fit, as a hostile
// client can. What is accepted must be usable, and what was made comes back.
#include <string>

#include "api/partiql/next_token.h"
#include "api/streams/shard_iterator.h"
#include "base/bytes.h"
#include "base/codec/base64.h"
#include "base/testing/fuzz_check.h"
#include "model/names/arn.h"
#include "model/sequence_number.h"
#include "wire/envelope/crc32.h"

namespace armature::api {
namespace {

void CheckIterator(std::string_view text) {
  const auto iterator = ParseShardIterator(text);
  if (!iterator) return;
  std::string again;
  AppendShardIterator(*iterator, again);
  const auto twice = ParseShardIterator(again);
  Require(twice && twice->lane == iterator->lane && twice->position == iterator->position &&
              twice->issued_millis == iterator->issued_millis && twice->stream_arn == iterator->stream_arn,
          "an iterator comes back");
}

void CheckMadeIterator(std::string_view bytes) {
  ByteReader reader(bytes);
  ShardIterator iterator;
  iterator.lane = reader.BigEndian<uint64_t>();
  iterator.position = reader.BigEndian<uint64_t>();
  iterator.issued_millis = static_cast<int64_t>(reader.BigEndian<uint64_t>());
  iterator.stream_arn = reader.Bytes(reader.remaining());
  std::string text;
  AppendShardIterator(iterator, text);
  Require(ParseShardIterator(text).has_value(), "an iterator of ours is one");
  CheckIterator(text);
  // Any other character at the end is noticed.
  text.back() = text.back() == 'A' ? 'B' : 'A';
  CheckIterator(text);
}

const table::Keyspace& Keys() {
  static const table::Keyspace kKeys{
      "prefix", {{{"pk", model::Type::kS}}, {{"sk", model::Type::kN}}}, {{"b", model::Type::kB}}};
  return kKeys;
}

void CheckNextToken(std::string_view text) {
  constexpr table::ParameterHash kStatement{1, 2};
  Arena arena;
  const auto token = DecodeNextToken(text, kStatement, 3, Keys(), arena);
  if (!token) {
    Require(token.error().http_status == 400, "a bad token is the client's");
    return;
  }
  Require(token->read < 3, "a token names a read of the plan");
  if (!token->key.empty()) {
    std::string row;
    table::AppendRowKey(Keys(), token->key, row);  // what is done with it
    Require(table::RowKeyAttributes(Keys(), token->key, arena).size() == token->key.size(), "a key is whole");
  }
  const auto again = DecodeNextToken(EncodeNextToken(*token, kStatement), kStatement, 3, Keys(), arena);
  Require(again && again->read == token->read && again->key.size() == token->key.size(), "a token comes back");
}

// The bytes behind the statement's hash, wrapped as ours are.
void CheckForgedToken(std::string_view rest) {
  std::string bytes;
  AppendByte(bytes, 1);
  AppendBigEndian(bytes, uint64_t{1});
  AppendBigEndian(bytes, uint64_t{2});
  bytes += rest;
  AppendBigEndian(bytes, table::HashParameters(bytes)[0]);
  std::string text;
  AppendBase64(text, bytes);
  CheckNextToken(text);
}

void CheckNames(std::string_view text) {
  if (const auto parts = model::ParseStreamArn(text)) {
    const std::string again =
        model::MakeStreamArn(model::MakeTableArn(parts->region, parts->account, parts->table), parts->label);
    const auto twice = model::ParseStreamArn(again);
    Require(twice && twice->region == parts->region && twice->account == parts->account &&
                twice->table == parts->table && twice->label == parts->label,
            "an ARN made of its parts has the same");
  }
  if (const auto position = model::ParseSequenceNumber(text)) {
    const std::string canonical = model::SequenceNumber(*position, 7);
    const auto again = model::ParseSequenceNumber(canonical);
    Require(again.has_value(), "a sequence number of ours is one");
  }
  Arena arena;
  if (const auto bytes = DecodeBase64(text, arena)) {
    std::string encoded;
    AppendBase64(encoded, *bytes);
    const auto again = DecodeBase64(encoded, arena);
    Require(again && *again == *bytes, "base64 comes back");
  }
}

}  // namespace
}  // namespace armature::api

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace api = armature::api;
  if (size == 0) return 0;
  const std::string_view text = armature::FuzzText(data + 1, size - 1);
  switch (data[0] % 5) {
    case 0: api::CheckIterator(text); break;
    case 1: api::CheckMadeIterator(text); break;
    case 2: api::CheckNextToken(text); break;
    case 3: api::CheckForgedToken(text); break;
    default: api::CheckNames(text);
  }
  return 0;
}
