#include "table/latest_images.h"

#include <xxhash.h>

namespace armature::table {

uint64_t LatestImages::TagOf(std::string_view key) { return XXH3_64bits(key.data(), key.size()) | 1; }

size_t LatestImages::Position(const Stripe& stripe, uint64_t tag, std::string_view key) {
  for (size_t i = 0; i < kPerStripe; ++i)
    if (stripe.tags[i] == tag && stripe.images[i].key == key) return i;
  return kPerStripe;
}

const LatestImages::Image* LatestImages::Find(size_t stripe, std::string_view key) const {
  const Stripe* const entries = stripes_[stripe].get();
  if (!entries) return nullptr;
  const size_t position = Position(*entries, TagOf(key), key);
  return position == kPerStripe ? nullptr : &entries->images[position];
}

void LatestImages::Put(size_t stripe, std::string_view key, bool exists, std::string_view value) {
  if (value.size() > kLargestKept) return Forget(stripe, key);
  if (!stripes_[stripe]) stripes_[stripe] = std::make_unique<Stripe>();
  Stripe& entries = *stripes_[stripe];
  const uint64_t tag = TagOf(key);
  size_t position = Position(entries, tag, key);
  if (position == kPerStripe) {
    position = entries.next;
    entries.next = (entries.next + 1) % kPerStripe;
    entries.tags[position] = tag;
    entries.images[position].key.assign(key);
  }
  entries.images[position].exists = exists;
  entries.images[position].value.assign(value);
}

void LatestImages::Forget(size_t stripe, std::string_view key) {
  if (!stripes_[stripe]) return;
  Stripe& entries = *stripes_[stripe];
  const size_t position = Position(entries, TagOf(key), key);
  if (position != kPerStripe) entries.tags[position] = 0;
}

}  // namespace armature::table
