// LatestImages: the stored form of items that were written lately, so that the next write of one need not look it up.
//
// Grouped by latch stripe, and read and changed only by whoever holds that stripe's latch: the latch that keeps others
// from changing the item keeps them from its image too, so there is no lock here and nothing that can be stale.
// Bounded: a few small items per stripe, the oldest gives way; allocated when first used. Whoever enters an image
// before its commit takes it out again if the commit fails. Used by the write path only; readers have the durable view.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace armature::table {

class LatestImages {
 public:
  static constexpr size_t kLargestKept = 512;

  explicit LatestImages(size_t stripe_count) : stripes_(stripe_count) {}

  struct Image {
    std::string key;
    std::string value;
    bool exists = false;
  };

  // Null if it is not known here.
  const Image* Find(size_t stripe, std::string_view key) const;
  void Put(size_t stripe, std::string_view key, bool exists, std::string_view value);
  void Forget(size_t stripe, std::string_view key);

 private:
  static constexpr size_t kPerStripe = 16;
  struct Stripe {
    std::array<uint64_t, kPerStripe> tags{};  // hashes of the keys; 0 = empty
    std::array<Image, kPerStripe> images;
    size_t next = 0;
  };

  static uint64_t TagOf(std::string_view key);
  static size_t Position(const Stripe& stripe, uint64_t tag, std::string_view key);

  std::vector<std::unique_ptr<Stripe>> stripes_;
};

}  // namespace armature::table
