// The record form of an item: what is stored, byte by byte in docs/design/formats.md.
//
// Encode writes a versioned, checksummed record; Decode checks it and rebuilds the item in an arena, its strings
// pointing into the record. A record whose checksum does not hold is kCorruption and is never served.
// Pure; used by table/ (and by anything that reads what table/ wrote).
#pragma once

#include <string>
#include <string_view>

#include "base/memory/arena.h"
#include "base/result.h"
#include "model/value.h"

namespace armature::model {

inline constexpr uint8_t kItemRecordVersion = 2;

// When and where an item was written. What is not known is not stored.
struct RecordStamp {
  uint64_t write_time = 0;  // base/hybrid_clock.h
  uint32_t origin = 0;      // number of the Region it comes from; 0: this one

  bool operator==(const RecordStamp&) const = default;
};

// Appends the record of `item`. `item_size` is ItemSize(item); it is stored so that capacity needs no second walk.
void EncodeItem(Item item, size_t item_size, std::string& out, RecordStamp stamp = {});

struct DecodedItem {
  Item item;
  size_t item_size = 0;
};

// REQUIRES: `record` outlives the decoded item.
Result<DecodedItem> DecodeItem(std::string_view record, Arena& arena);

// The stored item size alone, after checking the checksum.
Result<size_t> DecodeItemSize(std::string_view record);
// The same without checking anything, for what is only counted: whoever shows the item decodes it. Of what is no
// record: 0, and never more than an item can have.
size_t PeekItemSize(std::string_view record);

// The stamp alone; nothing is checked. Of what is no record: none.
RecordStamp StampOf(std::string_view record);

// Whether two records, either of which may be empty, are of equal items, whenever they were written. Attributes and
// sets are sorted and numbers have one form, so equal items have equal bytes.
bool HaveSameItem(std::string_view a, std::string_view b);

// Bare values, without version or checksum; for use inside other records.
void EncodeValue(const Value& value, std::string& out);
bool DecodeValue(ByteReader& reader, Arena& arena, Value* value, int depth = 0);

}  // namespace armature::model
