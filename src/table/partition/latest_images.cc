#include "table/partition/latest_images.h"

#include <xxhash.h>

namespace armature::table {

std::atomic<size_t> LatestImages::of_all_{0};

LatestImages::~LatestImages() { of_all_.fetch_sub(own_.load(std::memory_order_relaxed), std::memory_order_relaxed); }

uint64_t LatestImages::TagOf(std::string_view key) { return XXH3_64bits(key.data(), key.size()) | 1; }

size_t LatestImages::Position(const Stripe& stripe, uint64_t tag, std::string_view key) {
  for (size_t i = 0; i < stripe.images.size(); ++i)
    if (stripe.tags[i] == tag && stripe.images[i].key() == key) return i;
  return kNowhere;
}

const LatestImages::Image* LatestImages::Find(size_t stripe, std::string_view key) const {
  const auto* const of_stripe = stripes_.Find(stripe);
  const Stripe* const entries = of_stripe ? of_stripe->get() : nullptr;
  if (!entries) return nullptr;
  const size_t position = Position(*entries, TagOf(key), key);
  return position == kNowhere ? nullptr : &entries->images[position];
}

size_t LatestImages::MakeRoom(Stripe& stripe) {
  if (stripe.next == stripe.images.size()) {
    if (of_all_.load(std::memory_order_relaxed) < kMostOfAll) {
      stripe.images.emplace_back();
      own_.fetch_add(1, std::memory_order_relaxed);
      of_all_.fetch_add(1, std::memory_order_relaxed);
    } else if (stripe.images.empty()) {
      return kNowhere;
    } else {
      stripe.next = 0;
    }
  }
  const size_t position = stripe.next;
  stripe.next = (stripe.next + 1) % kPerStripe;
  stripe.tags[position] = 0;
  return position;
}

size_t LatestImages::Put(size_t stripe, std::string_view key, bool exists, std::string_view value) {
  auto& of_stripe = stripes_[stripe];
  if (!of_stripe) {
    if (value.size() > kLargestKept) return kNowhere;
    of_stripe = std::make_unique<Stripe>();
  }
  Stripe& entries = *of_stripe;
  const uint64_t tag = TagOf(key);
  size_t position = Position(entries, tag, key);
  // What is there is no longer true; it is known again when nothing below can fail any more.
  if (position != kNowhere) entries.tags[position] = 0;
  if (value.size() > kLargestKept) return kNowhere;
  if (position == kNowhere) position = MakeRoom(entries);
  if (position == kNowhere) return kNowhere;
  Image& image = entries.images[position];
  image.bytes_.clear();
  image.bytes_.reserve(key.size() + value.size());
  image.bytes_.append(key).append(value);
  image.key_size_ = static_cast<uint32_t>(key.size());
  image.exists_ = exists;
  entries.tags[position] = tag;
  return position;
}

PendingImages::~PendingImages() {
  for (size_t i = 0; i < count_; ++i) images_.Drop(first_[i].stripe, first_[i].position);
  for (const Entry& entry : rest_) images_.Drop(entry.stripe, entry.position);
}

void PendingImages::Put(size_t stripe, std::string_view key, bool exists, std::string_view value) {
  // The entry comes first: an image that nobody would take out must not be entered.
  Entry& entry = count_ < first_.size() ? first_[count_++] : rest_.emplace_back();
  entry = {stripe, LatestImages::kNowhere};
  entry.position = images_.Put(stripe, key, exists, value);
}

void PendingImages::Keep() noexcept {
  count_ = 0;
  rest_.clear();
}

}  // namespace armature::table
