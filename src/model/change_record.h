// ChangeRecord: one change of one item, as the journal tells it to those who follow it.
//
// Plain data in a reader's arena and page buffer; lives as long as they do. Read by table/journal, printed by
// wire/json/change_json.h, used by api/streams, triggers/ and workers/. No I/O, no threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/value.h"

namespace armature::model {

// Which images a record carries, or a follower needs: bits. 0 is KEYS_ONLY.
using Images = uint8_t;
inline constexpr Images kNoImages = 0;
inline constexpr Images kOldImage = 1;
inline constexpr Images kNewImage = 2;
inline constexpr Images kBothImages = kOldImage | kNewImage;

// "KEYS_ONLY", "OLD_IMAGE", "NEW_IMAGE", "NEW_AND_OLD_IMAGES" and back. Any other text is KEYS_ONLY.
constexpr Images ImagesOfViewType(std::string_view view_type) {
  if (view_type == "OLD_IMAGE") return kOldImage;
  if (view_type == "NEW_IMAGE") return kNewImage;
  return view_type == "NEW_AND_OLD_IMAGES" ? kBothImages : kNoImages;
}
constexpr std::string_view ViewTypeName(Images images) {
  constexpr std::string_view kNames[] = {"KEYS_ONLY", "OLD_IMAGE", "NEW_IMAGE", "NEW_AND_OLD_IMAGES"};
  return kNames[images & kBothImages];
}

struct ChangeRecord {
  enum class Kind : uint8_t { kInsert, kModify, kRemove };

  Kind kind = Kind::kInsert;
  bool by_ttl = false;         // the service itself removed an expired item
  uint64_t partition = 0;      // where it is, and at which place:
  uint64_t position = 0;       // text form of both in model/sequence_number.h
  int64_t created_millis = 0;  // when it was written
  uint64_t event_id[2] = {};   // the same at every reading

  Item keys;
  size_t keys_size = 0;  // ItemSize(keys)
  // Those images that were asked for, are in the journal and exist.
  bool has_old = false;
  bool has_new = false;
  Item old_image;
  Item new_image;
  size_t old_size = 0;
  size_t new_size = 0;
};

}  // namespace armature::model
