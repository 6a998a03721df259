#include "storage/rocksdb/cache/block_heap.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include <sys/mman.h>

namespace armature::storage {
namespace {

// Kept although they are empty, so that a block that comes and goes does not go to the system each time.
constexpr size_t kMostEmptyRegions = 4;

size_t RoundUp(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

uint32_t SpanMask(size_t first, size_t count) {
  const uint32_t ones = count == 32 ? ~uint32_t{0} : (uint32_t{1} << count) - 1;
  return ones << first;
}

}  // namespace

// --- sizes: up to twice the least in steps of an eighth of it, then sixteen to each power of two

size_t BlockHeap::SizeIndex(size_t bytes) {
  constexpr size_t kFirst = 2 * kLeastSlot, kFirstStep = kLeastSlot / 8;
  if (bytes <= kFirst) return bytes <= kLeastSlot ? 0 : (bytes - kLeastSlot + kFirstStep - 1) / kFirstStep;
  const size_t octave = std::bit_width(bytes - 1) - std::bit_width(kFirst - 1) - 1;  // (kFirst, 2 kFirst] is 0
  const size_t base = kFirst << octave, step = base / 16;
  return 8 + octave * 16 + (bytes - base + step - 1) / step;
}

size_t BlockHeap::SlotBytes(size_t size_index) {
  if (size_index <= 8) return kLeastSlot + size_index * (kLeastSlot / 8);
  const size_t octave = (size_index - 9) / 16, step = (size_index - 9) % 16 + 1;
  const size_t base = (2 * kLeastSlot) << octave;
  return base + step * (base / 16);
}

size_t BlockHeap::BytesFor(size_t bytes) {
  return bytes <= kMostSlot ? SlotBytes(SizeIndex(bytes)) : RoundUp(bytes, kSpanBytes);
}

// --- addresses

BlockHeap::BlockHeap(size_t most_bytes) {
  static_assert(kSizes == 8 + 16 * 4 + 1, "the last size is kMostSlot");
  with_room_.fill(kNone);
  most_bytes -= most_bytes % kRegionBytes;
  if (most_bytes == 0) return;
  reserved_ = most_bytes + kRegionBytes;
  void* const memory = mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  reservation_ = static_cast<char*>(memory);
  begin_ = reinterpret_cast<char*>(RoundUp(reinterpret_cast<uintptr_t>(memory), kRegionBytes));
  most_regions_ = most_bytes / kRegionBytes;
  madvise(begin_, most_bytes, MADV_HUGEPAGE);  // advice only
}

BlockHeap::~BlockHeap() {
  if (reservation_ != nullptr) munmap(reservation_, reserved_);
}

// --- regions

bool BlockHeap::HoldRegion() {
  const auto given_back = std::find_if(regions_.begin(), regions_.end(), [](const Region& r) { return !r.is_held; });
  const size_t index = static_cast<size_t>(given_back - regions_.begin());
  if (index == most_regions_) return false;
  if (mprotect(begin_ + index * kRegionBytes, kRegionBytes, PROT_READ | PROT_WRITE) != 0) return false;
  if (given_back == regions_.end()) {
    spans_.resize(spans_.size() + kSpans);
    regions_.emplace_back();
  }
  regions_[index] = {.free_spans = kAllSpans, .is_held = true};
  first_with_room_ = std::min(first_with_room_, index);
  ++held_regions_;
  ++empty_regions_;
  return true;
}

uint32_t BlockHeap::TakeSpans(size_t count) {
  for (size_t index = first_with_room_; index < regions_.size(); ++index) {
    Region& region = regions_[index];
    if (region.free_spans == 0 && index == first_with_room_) ++first_with_room_;
    for (size_t first = 0; first + count <= kSpans; ++first) {
      const uint32_t wanted = SpanMask(first, count);
      if ((region.free_spans & wanted) != wanted) continue;
      if (region.free_spans == kAllSpans) --empty_regions_;
      region.free_spans &= ~wanted;
      return static_cast<uint32_t>(index * kSpans + first);
    }
  }
  return HoldRegion() ? TakeSpans(count) : kNone;
}

// A region without blocks goes back to the system, for good reads of what is not there any more to fault: nobody has
// it.
void BlockHeap::GiveSpans(uint32_t first, size_t count) {
  const size_t index = first / kSpans;
  Region& region = regions_[index];
  region.free_spans |= SpanMask(first % kSpans, count);
  first_with_room_ = std::min(first_with_room_, index);
  if (region.free_spans != kAllSpans || ++empty_regions_ <= kMostEmptyRegions) return;
  char* const begin = begin_ + index * kRegionBytes;
  if (madvise(begin, kRegionBytes, MADV_DONTNEED) != 0) return;
  mprotect(begin, kRegionBytes, PROT_NONE);
  region = {};
  --held_regions_;
  --empty_regions_;
}

// --- spans with slots

void BlockHeap::Link(uint32_t span) {
  uint32_t& head = with_room_[spans_[span].size];
  spans_[span].previous = kNone;
  spans_[span].next = head;
  if (head != kNone) spans_[head].previous = span;
  head = span;
}

void BlockHeap::Unlink(uint32_t span) {
  const Span& links = spans_[span];
  if (links.next != kNone) spans_[links.next].previous = links.previous;
  if (links.previous != kNone) spans_[links.previous].next = links.next;
  else with_room_[links.size] = links.next;
}

char* BlockHeap::AllocateSlot(size_t bytes) {
  const size_t size = SizeIndex(bytes);
  if (with_room_[size] == kNone) {
    const uint32_t fresh = TakeSpans(1);
    if (fresh == kNone) return nullptr;
    Span& span = spans_[fresh];
    span = {};
    span.size = static_cast<uint8_t>(size);
    span.slots = static_cast<uint16_t>(kSpanBytes / SlotBytes(size));
    for (size_t slot = 0; slot < span.slots; ++slot)
      span.free[slot / kSlotsPerWord] |= uint64_t{1} << slot % kSlotsPerWord;
    Link(fresh);
  }
  const uint32_t index = with_room_[size];
  Span& span = spans_[index];
  size_t word = 0;
  while (span.free[word] == 0) ++word;
  const size_t slot = word * kSlotsPerWord + static_cast<size_t>(std::countr_zero(span.free[word]));
  span.free[word] &= span.free[word] - 1;
  if (++span.used == span.slots) Unlink(index);
  used_bytes_ += SlotBytes(size);
  return Address(index) + slot * SlotBytes(size);
}

void BlockHeap::FreeSlot(uint32_t index, const char* block) {
  Span& span = spans_[index];
  const size_t bytes = SlotBytes(span.size);
  const size_t slot = static_cast<size_t>(block - Address(index)) / bytes;
  assert((span.free[slot / kSlotsPerWord] >> slot % kSlotsPerWord & 1) == 0);
  span.free[slot / kSlotsPerWord] |= uint64_t{1} << slot % kSlotsPerWord;
  used_bytes_ -= bytes;
  if (span.used-- == span.slots) Link(index);
  if (span.used > 0) return;
  Unlink(index);
  span.slots = 0;
  GiveSpans(index, 1);
}

// --- blocks

char* BlockHeap::AllocateRun(size_t bytes) {
  const size_t count = RoundUp(bytes, kSpanBytes) / kSpanBytes;
  const uint32_t first = TakeSpans(count);
  if (first == kNone) return nullptr;
  spans_[first] = {};
  spans_[first].run = static_cast<uint8_t>(count);
  used_bytes_ += count * kSpanBytes;
  return Address(first);
}

char* BlockHeap::Allocate(size_t bytes) {
  const bool is_slot = bytes >= kLeastSlot && bytes <= kMostSlot;
  if (!is_slot && (bytes < kLeastRun || bytes > kMostRun)) return nullptr;
  MutexLock lock(mutex_);
  return is_slot ? AllocateSlot(bytes) : AllocateRun(bytes);
}

void BlockHeap::Free(const char* block) {
  assert(Owns(block));
  const auto index = static_cast<uint32_t>(static_cast<size_t>(block - begin_) / kSpanBytes);
  MutexLock lock(mutex_);
  const size_t run = spans_[index].run;
  if (run == 0) return FreeSlot(index, block);
  spans_[index].run = 0;
  used_bytes_ -= run * kSpanBytes;
  GiveSpans(index, run);
}

size_t BlockHeap::used_bytes() const {
  MutexLock lock(mutex_);
  return used_bytes_;
}

size_t BlockHeap::held_bytes() const {
  MutexLock lock(mutex_);
  return held_regions_ * kRegionBytes;
}

}  // namespace armature::storage
