#include "api/item/distinct_items.h"

#include <xxhash.h>

#include "base/bytes.h"
#include "model/codec/item_codec.h"

namespace armature::api {

namespace {
constexpr size_t kFirstSlots = 64;
}

DistinctItems::DistinctItems() : slots_(kFirstSlots) { bytes_.reserve(1024); }

bool DistinctItems::Add(uint64_t table_id, model::Item key) {
  if (2 * (count_ + 1) > slots_.size()) Grow();
  const size_t begin = bytes_.size();
  AppendBigEndian(bytes_, table_id);
  for (const model::MapEntry& entry : key) {
    AppendBigEndian(bytes_, static_cast<uint32_t>(entry.name.size()));
    bytes_.append(entry.name);
    model::EncodeValue(entry.value, bytes_);
  }
  const std::string_view bytes = std::string_view(bytes_).substr(begin);
  const uint64_t hash = XXH3_64bits(bytes.data(), bytes.size());
  Slot& slot = Find(hash, bytes);
  if (slot.size != 0) return false;
  slot = {hash, begin, bytes.size()};
  ++count_;
  return true;
}

DistinctItems::Slot& DistinctItems::Find(uint64_t hash, std::string_view bytes) {
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    Slot& slot = slots_[i];
    if (slot.size == 0 || (slot.hash == hash && BytesOf(slot) == bytes)) return slot;
  }
}

void DistinctItems::Grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old)
    if (slot.size != 0) Find(slot.hash, BytesOf(slot)) = slot;
}

}  // namespace armature::api
