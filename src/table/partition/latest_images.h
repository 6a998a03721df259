// LatestImages: the stored form of items that were written lately, so that the next write of one need not look it up.
//
// Grouped by latch stripe, and read and changed only by whoever holds that stripe's latch: the latch that keeps others
// from changing the item keeps them from its image too, so there is no lock here and nothing that can be stale.
// Bounded: a few small items per stripe, the oldest gives way, and so many in the whole process, however many tables
// and partitions there are: who comes when there are no more has to do with what it has. Allocated when first used.
// Images are entered before their commit, through PendingImages, which takes them out again unless the commit succeeds.
// Used by the write path only; readers have the durable view.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "table/partition/lazy_array.h"

namespace armature::table {

class LatestImages {
 public:
  static constexpr size_t kLargestKept = 512;

  static constexpr size_t kMostOfAll = size_t{128} << 10;  // in the process; typically 40 MiB

  explicit LatestImages(size_t stripe_count) : stripes_(stripe_count) {}
  ~LatestImages();

  class Image {
   public:
    bool exists() const { return exists_; }
    std::string_view value() const { return std::string_view(bytes_).substr(key_size_); }

   private:
    friend class LatestImages;
    std::string_view key() const { return std::string_view(bytes_).substr(0, key_size_); }

    std::string bytes_;  // key and value, in one piece
    uint32_t key_size_ = 0;
    bool exists_ = false;
  };

  // Null if it is not known here.
  const Image* Find(size_t stripe, std::string_view key) const;

 private:
  friend class PendingImages;
  static constexpr size_t kPerStripe = 16;
  static constexpr size_t kNowhere = kPerStripe;  // as a position
  struct Stripe {
    std::array<uint64_t, kPerStripe> tags{};  // hashes of the keys; 0 = empty
    std::vector<Image> images;                // as many as were ever needed: stripes are many, most have few
    size_t next = 0;
  };

  // Where the next image of the stripe goes; kNowhere if it has none and there may be no more.
  size_t MakeRoom(Stripe& stripe);
  static uint64_t TagOf(std::string_view key);
  static size_t Position(const Stripe& stripe, uint64_t tag, std::string_view key);

  // Where it was entered; kNowhere if it is too large to be kept. When it throws, the item is not known here.
  size_t Put(size_t stripe, std::string_view key, bool exists, std::string_view value);
  void Drop(size_t stripe, size_t position) noexcept {
    if (position != kNowhere) stripes_[stripe]->tags[position] = 0;
  }

  static std::atomic<size_t> of_all_;
  std::atomic<size_t> own_{0};
  LazyArray<std::unique_ptr<Stripe>> stripes_;
};

// PendingImages: the images of one commit, from their making to its end.
//
// Made per commit, under the latches of its items; whatever was not kept when it goes (the commit failed, was never
// made, or an exception came between) is taken out, so that nobody can take for stored what was not. Not thread-safe.
class PendingImages {
 public:
  explicit PendingImages(LatestImages& images) : images_(images) {}
  PendingImages(const PendingImages&) = delete;
  PendingImages& operator=(const PendingImages&) = delete;
  ~PendingImages();

  // REQUIRES: the stripe's latch is held until this object has gone.
  void Put(size_t stripe, std::string_view key, bool exists, std::string_view value);

  // The commit has succeeded.
  void Keep() noexcept;

 private:
  struct Entry {
    size_t stripe = 0;
    size_t position = LatestImages::kNowhere;
  };

  LatestImages& images_;
  // Most commits have one, those of tables with local indexes two.
  std::array<Entry, 2> first_{};
  size_t count_ = 0;         // of first_
  std::vector<Entry> rest_;  // when first_ is full
};

}  // namespace armature::table
