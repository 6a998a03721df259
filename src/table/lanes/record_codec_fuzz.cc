// Journal records and journal states from hostile bytes.
//
// Input: a byte that chooses, then a change record as it is, two items' bodies from which a change is made, or the text
// of a journal's state. What decodes can be used, and what was encoded comes back.
#include <string>

#include <xxhash.h>

#include "base/bytes.h"
#include "base/memory/arena.h"
#include "base/testing/fuzz_check.h"
#include "model/codec/item_codec.h"
#include "model/item_size.h"
#include "table/lanes/journal_state.h"
#include "table/lanes/record_codec.h"

namespace armature::table {
namespace {

const model::KeySchema& Keys() {
  static const model::KeySchema kKeys{{{"pk", model::Type::kS}}, {{"sk", model::Type::kN}}};
  return kKeys;
}

void Walk(model::Item item) {
  (void)model::ItemSize(item);
  for (const model::MapEntry& entry : item) (void)model::NestingLevels(entry.value);
}

void CheckRecord(std::string_view record) {
  for (const model::Images images : {model::kNoImages, model::kOldImage, model::kNewImage, model::kBothImages}) {
    Arena arena;
    const auto change = DecodeChange(record, Keys(), images, arena);
    if (!change) continue;
    for (const model::Item item : {change->keys, change->old_image, change->new_image}) Walk(item);
    Require((images & model::kOldImage) != 0 || !change->has_old, "images that were not asked for are not there");
    Require((images & model::kNewImage) != 0 || !change->has_new, "nor are these");
  }
}

// An item's record whose checksum holds whatever its body is.
std::string WithHeader(std::string_view body) {
  std::string record;
  AppendByte(record, model::kItemRecordVersion);
  AppendBigEndian(record, static_cast<uint32_t>(XXH3_64bits(body.data(), body.size())));
  record += body;
  return record;
}

void CheckEncoded(std::string_view bytes) {
  if (bytes.empty()) return;
  const size_t cut = std::min<size_t>(static_cast<uint8_t>(bytes[0]), bytes.size() - 1);
  const std::string old_record = cut == 0 ? "" : WithHeader(bytes.substr(1, cut));
  const std::string new_record = WithHeader(bytes.substr(1 + cut));
  const model::MapEntry key[] = {{"pk", model::Value::String("k")}};
  RawChange raw;
  raw.key = key;
  raw.old_record = old_record;
  raw.new_record = new_record;
  for (const model::Images images : {model::kNoImages, model::kOldImage, model::kNewImage, model::kBothImages}) {
    std::string record;
    EncodeChange(raw, images, 1'234'567, record);
    CheckRecord(record);
    Arena arena;
    const auto change = DecodeChange(record, Keys(), images, arena);
    if (images == model::kNoImages) {
      Require(change && change->keys.size() == 1 && change->created_millis == 1'234'567, "keys alone come back");
    } else if (images == model::kNewImage) {
      const auto item = model::DecodeItem(new_record, arena);
      Require(item.has_value() == change.has_value(), "an image is as readable as its item");
      if (item) Require(change->has_new && change->new_image.size() == item->item.size(), "and is that item");
    }
  }
}

void CheckState(std::string_view record) {
  const auto state = DecodeJournalState(record);
  if (!state) return;
  const std::string text = EncodeJournalState(*state);
  const auto again = DecodeJournalState(text);
  Require(again.has_value(), "a state that was read can be stored");
  Require(EncodeJournalState(*again) == text, "and is the same");
  (void)state->is_followed();
  (void)state->images();
  for (const StreamWindow& stream : state->streams) (void)state->LanesOf(stream);
  for (const Follower& follower : state->followers) (void)state->LanesOf(follower);
}

}  // namespace
}  // namespace armature::table

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = armature::FuzzText(data + 1, size - 1);
  switch (data[0] % 3) {
    case 0: armature::table::CheckRecord(bytes); break;
    case 1: armature::table::CheckEncoded(bytes); break;
    default: armature::table::CheckState(bytes);
  }
  return 0;
}
