// BlockHeap: places for the blocks of a cache, on huge pages.
//
// A cache of gigabytes is read here and there: on 4 KiB pages (two translations of each, in a virtual machine) the page
// walks were an eighth of a GetItem among ten million items. So blocks lie in regions of 2 MiB, which are one page
// where the kernel gives such. A region has 32 spans; a span is cut into slots of one size, a sixteenth apart from the
// next size, or several spans in a row are one large block. A span without blocks serves any size again, and a region
// without blocks is given back but for a few. So what can be lost to fragmentation are slots beside blocks that stay.
//
// Sizes for which a slot or a run of spans would waste too much are refused, and so is everything once the heap is
// full: the caller then takes memory elsewhere. The heap reserves addresses for all it may ever hold, and no memory.
// Thread-safe; an allocation is a few steps under one lock. Used by BlockAllocator.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/mutex.h"

namespace armature::storage {

class BlockHeap {
 public:
  static constexpr size_t kRegionBytes = size_t{2} << 20;
  static constexpr size_t kSpanBytes = size_t{64} << 10;
  // What it takes: from a small block to several slots a span, and from several spans to a region.
  static constexpr size_t kLeastSlot = 512, kMostSlot = size_t{16} << 10;
  static constexpr size_t kLeastRun = size_t{192} << 10, kMostRun = kRegionBytes;

  // Regions for `most_bytes`, rounded down. If not even the addresses can be had there are none.
  explicit BlockHeap(size_t most_bytes);
  ~BlockHeap();  // REQUIRES: nobody uses its blocks any more
  BlockHeap(const BlockHeap&) = delete;
  BlockHeap& operator=(const BlockHeap&) = delete;

  // Null: it is full, or not for blocks of that size.
  char* Allocate(size_t bytes);
  // REQUIRES: Owns(block); given back once.
  void Free(const char* block);
  bool Owns(const void* memory) const {
    const auto* const at = static_cast<const char*>(memory);
    return at >= begin_ && at < begin_ + most_regions_ * kRegionBytes;
  }
  // What a block of that size takes here. REQUIRES: Allocate takes blocks of that size.
  static size_t BytesFor(size_t bytes);

  size_t used_bytes() const;  // by slots and spans with blocks in them
  size_t held_bytes() const;  // taken from the system

 private:
  static constexpr size_t kSpans = kRegionBytes / kSpanBytes;  // of a region
  static constexpr uint32_t kAllSpans = ~uint32_t{0};
  static_assert(kSpans == 32, "a region's spans are the bits of a number");
  static constexpr size_t kMostSlots = kSpanBytes / kLeastSlot;
  static constexpr size_t kSlotsPerWord = 64;
  static constexpr size_t kSizes = 73;  // of slots
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Span {
    // Of a span with slots. Those that have a free one are in a list by size.
    std::array<uint64_t, kMostSlots / kSlotsPerWord> free{};
    uint32_t next = kNone, previous = kNone;
    uint16_t slots = 0;
    uint16_t used = 0;
    uint8_t size = 0;  // index of the slots' size
    // Of the first span of a run: how many; 0: it is not one.
    uint8_t run = 0;
  };
  struct Region {
    uint32_t free_spans = 0;  // of one that is held
    bool is_held = false;
  };

  static size_t SizeIndex(size_t bytes);
  static size_t SlotBytes(size_t size_index);

  char* AllocateSlot(size_t bytes) ARMATURE_WITH_LOCK(mutex_);
  char* AllocateRun(size_t bytes) ARMATURE_WITH_LOCK(mutex_);
  void FreeSlot(uint32_t span, const char* block) ARMATURE_WITH_LOCK(mutex_);
  // The first of so many free spans in a row; kNone: there are none.
  uint32_t TakeSpans(size_t count) ARMATURE_WITH_LOCK(mutex_);
  void GiveSpans(uint32_t first, size_t count) ARMATURE_WITH_LOCK(mutex_);
  // Takes another region from the system; false: there are no more, or no memory.
  bool HoldRegion() ARMATURE_WITH_LOCK(mutex_);
  void Link(uint32_t span) ARMATURE_WITH_LOCK(mutex_);
  void Unlink(uint32_t span) ARMATURE_WITH_LOCK(mutex_);
  char* Address(uint32_t span) const { return begin_ + size_t{span} * kSpanBytes; }

  char* reservation_ = nullptr;
  size_t reserved_ = 0;
  char* begin_ = nullptr;  // of the first region
  size_t most_regions_ = 0;
  mutable Mutex mutex_;
  std::vector<Region> regions_
      ARMATURE_GUARDED_BY(mutex_);                       // that have ever been held, in the order of their addresses
  std::vector<Span> spans_ ARMATURE_GUARDED_BY(mutex_);  // theirs
  std::array<uint32_t, kSizes> with_room_ ARMATURE_GUARDED_BY(mutex_);  // by size: a span that has a free slot
  size_t first_with_room_ ARMATURE_GUARDED_BY(mutex_) = 0;              // no region before it has a free span
  size_t held_regions_ ARMATURE_GUARDED_BY(mutex_) = 0;
  size_t empty_regions_ ARMATURE_GUARDED_BY(mutex_) = 0;  // of these, those without blocks
  size_t used_bytes_ ARMATURE_GUARDED_BY(mutex_) = 0;
};

}  // namespace armature::storage
