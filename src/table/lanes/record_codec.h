// The stored form of a change record, byte by byte in docs/design/formats.md.
//
//   version 1 | flags | created, 8 bytes | { length, varint | item record } for each of keys, old image, new image that
//   is there
//
// Images are the items' own records (model/codec/item_codec.h), copied as they are, each with its checksum. The keys
// are there only if no image is. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/memory/arena.h"
#include "base/result.h"
#include "model/change_record.h"
#include "model/table_def.h"

namespace armature::table {

// A change as the write path has it: images in their stored form, empty if there is none.
struct RawChange {
  model::Item key;
  std::string_view old_record;
  std::string_view new_record;
  bool by_ttl = false;
};

void EncodeChange(const RawChange& change, model::Images images, int64_t created_millis, std::string& out);

// Decodes what `images` asks for; position and event id are the caller's. REQUIRES: `record` and the key schema outlive
// the result.
Result<model::ChangeRecord> DecodeChange(std::string_view record, const model::KeySchema& key_schema,
                                         model::Images images, Arena& arena);

}  // namespace armature::table
