// Item records and table definitions from hostile bytes.
//
// Input: a byte that chooses, then a record as it is, a record's body to which version and checksum are made to fit, or
// the text of a table definition. What decodes must encode to something that decodes to the same.
#include <string>

#include <xxhash.h>

#include "base/bytes.h"
#include "base/memory/arena.h"
#include "base/testing/fuzz_check.h"
#include "model/codec/item_codec.h"
#include "model/codec/table_def_codec.h"
#include "model/item_size.h"

namespace armature::model {
namespace {

bool SameItems(Item a, Item b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].name != b[i].name || !(a[i].value == b[i].value)) return false;
  return true;
}

void CheckItem(std::string_view record) {
  Arena arena;
  const auto decoded = DecodeItem(record, arena);
  const auto size = DecodeItemSize(record);
  if (!decoded) return;
  Require(size && *size == decoded->item_size, "the size alone is the size");
  std::string again;
  EncodeItem(decoded->item, decoded->item_size, again);
  const auto twice = DecodeItem(again, arena);
  Require(twice.has_value(), "what was decoded can be encoded");
  Require(twice->item_size == decoded->item_size && SameItems(twice->item, decoded->item), "and is the same");
  // What else is done with items that were read.
  (void)ItemSize(decoded->item);
  (void)FindAttribute(decoded->item, "pk");
  for (const MapEntry& entry : decoded->item) {
    (void)NestingLevels(entry.value);
    const Value copy = DeepCopy(entry.value, arena);
    Require(copy == entry.value, "a copy is equal");
  }
}

void CheckFlips(std::string record) {
  // Any one wrong bit is noticed.
  Arena arena;
  if (!DecodeItem(record, arena) || record.size() > 64) return;
  for (size_t bit = 0; bit < record.size() * 8; ++bit) {
    record[bit / 8] = static_cast<char>(record[bit / 8] ^ (1 << bit % 8));
    Require(!DecodeItem(record, arena), "a flipped bit is seen");
    record[bit / 8] = static_cast<char>(record[bit / 8] ^ (1 << bit % 8));
  }
}

std::string WithHeader(std::string_view body) {
  std::string record;
  AppendByte(record, kItemRecordVersion);
  AppendBigEndian(record, static_cast<uint32_t>(XXH3_64bits(body.data(), body.size())));
  record += body;
  return record;
}

void CheckTableDef(std::string_view record) {
  const auto table = DecodeTableDef(record);
  if (!table) return;
  const std::string text = EncodeTableDef(*table);
  const auto again = DecodeTableDef(text);
  Require(again.has_value(), "a definition that was read can be stored");
  Require(EncodeTableDef(*again) == text, "and is the same");
}

}  // namespace
}  // namespace armature::model

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace model = armature::model;
  if (size == 0) return 0;
  const std::string_view bytes = armature::FuzzText(data + 1, size - 1);
  switch (data[0] % 3) {
    case 0: model::CheckItem(bytes); break;
    case 1: {
      const std::string record = model::WithHeader(bytes);
      model::CheckItem(record);
      model::CheckFlips(record);
      break;
    }
    default: model::CheckTableDef(bytes);
  }
  return 0;
}
