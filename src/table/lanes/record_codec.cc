#include "table/lanes/record_codec.h"

#include <new>

#include "base/bytes.h"
#include "model/codec/item_codec.h"
#include "model/item_size.h"

namespace armature::table {

using model::ChangeRecord;

namespace {

constexpr uint8_t kVersion = 1;
// Flags: two bits of kind, then what is there.
constexpr uint8_t kKindMask = 0x03;
constexpr uint8_t kByTtl = 0x04;
constexpr uint8_t kHasKeys = 0x08;
constexpr uint8_t kHasOld = 0x10;
constexpr uint8_t kHasNew = 0x20;

model::Item KeysOf(model::Item item, const model::KeySchema& schema, Arena& arena) {
  auto* first = static_cast<model::MapEntry*>(arena.Allocate(2 * sizeof(model::MapEntry), alignof(model::MapEntry)));
  size_t count = 0;
  // In the order of the item, which is that of their names.
  for (const model::MapEntry& entry : item)
    if (count < 2 && schema.Find(entry.name)) new (first + count++) model::MapEntry(entry);
  return {first, count};
}

}  // namespace

void EncodeChange(const RawChange& change, model::Images images, int64_t created_millis, std::string& out) {
  const bool keeps_old = !change.old_record.empty() && (images & model::kOldImage);
  const bool keeps_new = !change.new_record.empty() && (images & model::kNewImage);
  auto kind = ChangeRecord::Kind::kModify;
  if (change.old_record.empty()) kind = ChangeRecord::Kind::kInsert;
  else if (change.new_record.empty()) kind = ChangeRecord::Kind::kRemove;
  auto flags = static_cast<uint8_t>(kind);
  if (change.by_ttl) flags |= kByTtl;
  if (keeps_old) flags |= kHasOld;
  if (keeps_new) flags |= kHasNew;
  if (!keeps_old && !keeps_new) flags |= kHasKeys;

  AppendByte(out, kVersion);
  AppendByte(out, flags);
  AppendBigEndian(out, static_cast<uint64_t>(created_millis));
  if (flags & kHasKeys) {
    thread_local std::string keys;
    keys.clear();
    model::EncodeItem(change.key, model::ItemSize(change.key), keys);
    AppendLengthPrefixed(out, keys);
  }
  if (keeps_old) AppendLengthPrefixed(out, change.old_record);
  if (keeps_new) AppendLengthPrefixed(out, change.new_record);
}

Result<ChangeRecord> DecodeChange(std::string_view record, const model::KeySchema& key_schema, model::Images images,
                                  Arena& arena) {
  ByteReader reader(record);
  const uint8_t version = reader.Byte();
  if (reader.ok() && version != kVersion) return Status::Format("a change record has an unknown version");
  const uint8_t flags = reader.Byte();
  ChangeRecord change;
  change.kind = static_cast<ChangeRecord::Kind>(flags & kKindMask);
  change.by_ttl = (flags & kByTtl) != 0;
  change.created_millis = static_cast<int64_t>(reader.BigEndian<uint64_t>());
  std::string_view keys, old_record, new_record;
  if (flags & kHasKeys) keys = reader.LengthPrefixed();
  if (flags & kHasOld) old_record = reader.LengthPrefixed();
  if (flags & kHasNew) new_record = reader.LengthPrefixed();
  if (!reader.ok() || !reader.at_end() || (flags & kKindMask) == kKindMask)
    return Status::Corruption("a change record is malformed");

  change.has_old = (flags & kHasOld) && (images & model::kOldImage);
  change.has_new = (flags & kHasNew) && (images & model::kNewImage);
  const auto decode = [&](std::string_view image, model::Item& item, size_t& size) -> Status {
    auto decoded = model::DecodeItem(image, arena);
    if (!decoded) return decoded.error();
    item = decoded->item;
    size = decoded->item_size;
    return Status::Ok();
  };
  if (change.has_old)
    if (Status status = decode(old_record, change.old_image, change.old_size); !status.ok()) return status;
  if (change.has_new)
    if (Status status = decode(new_record, change.new_image, change.new_size); !status.ok()) return status;
  if (change.has_new || change.has_old) {
    change.keys = KeysOf(change.has_new ? change.new_image : change.old_image, key_schema, arena);
  } else {
    model::Item item;
    size_t size = 0;
    const std::string_view source = !keys.empty() ? keys : !new_record.empty() ? new_record : old_record;
    if (Status status = decode(source, item, size); !status.ok()) return status;
    change.keys = KeysOf(item, key_schema, arena);
  }
  change.keys_size = model::ItemSize(change.keys);
  return change;
}

}  // namespace armature::table
