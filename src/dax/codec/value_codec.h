// Attribute values in DAX's CBOR (2.2 of the protocol).
//
// What is decoded has model::Value's invariants (sorted maps and sets, no duplicates) and lives in the bytes it was
// read from and in the arena. A value that DynamoDB does not take is an error in its words, those of the operation;
// then the reader is behind the value all the same. Bytes that are no value turn the reader bad, whatever is returned:
// ask `reader.ok()` first. Memory is taken for what is there, never for what is announced. Pure.
#pragma once

#include <string>

#include "base/memory/arena.h"
#include "dax/codec/cbor.h"
#include "model/api_error.h"
#include "model/value.h"
#include "model/wording.h"

namespace armature::dax {

inline constexpr uint64_t kStringSetTag = 3321;
inline constexpr uint64_t kNumberSetTag = 3322;
inline constexpr uint64_t kBinarySetTag = 3323;

model::ApiResult<model::Value> DecodeValue(CborReader& reader, Arena& arena,
                                           const model::Wording& wording = model::kReadWording);

void AppendValue(std::string& out, const model::Value& value);
// The names and values of a map, without its head.
void AppendEntries(std::string& out, model::Item entries);

}  // namespace armature::dax
