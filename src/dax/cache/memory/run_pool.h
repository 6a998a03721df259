// RunPool: memory for entries of any size, in which free space is never lost to the shape it has.
//
// It is divided into granules of 16 bytes; a *run* is some granules in a row, used or free, and two free ones never lie
// side by side. An allocation is one run if one is large enough. If none is, but enough are free together, Gather
// takes several: the *pieces* of the allocation, one behind the other like the extents of a file. So all that is free
// can be used, and what is allocated never exceeds what the pool may hold, whatever the order of sizes.
//
// A run costs four bytes, the pieces of an allocation four more each but the last; a run has two granules at least.
// Free runs are in lists by size: exact up to a kilobyte, an eighth apart from there on. Finding one is a few steps.
// Not thread-safe. Used by EntryShard.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dax/cache/memory/reserved_memory.h"

namespace armature::dax {

class RunPool {
 public:
  using Index = uint32_t;  // of a run's first granule
  static constexpr Index kNone = 0;
  static constexpr size_t kGranule = 16;
  static constexpr size_t kMostBytes = (size_t{1} << 29) * kGranule;
  // The first piece of every allocation has room for so much.
  static constexpr size_t kLeastFirstPiece = 2 * kGranule - 8;

  // May hold so much, at most kMostBytes.
  explicit RunPool(size_t most_bytes);

  // One run with room for `bytes`; kNone: there is none, and the pool holds all that it may.
  Index AllocateWhole(size_t bytes);

  // An allocation in pieces, under way.
  struct Gathering {
    size_t missing;
    Index first = kNone;
    Index last = kNone;
  };
  // Takes free runs, the largest first, until nothing is missing. False: there are none left. Then more are to be freed
  // and Gather called again, or what was gathered (if anything) is to be freed.
  bool Gather(Gathering& gathering);

  // All pieces of the allocation.
  void Free(Index first);
  // Nothing is allocated any more, and nothing held.
  void Reset();

  // What may be written of a piece; the last one may have more room than was asked for.
  std::span<char> Piece(Index run) const {
    const uint32_t head = Word(run, 0);
    const size_t bytes = LengthOf(head) * kGranule;
    return {At(run) + kHeadBytes, bytes - kHeadBytes - ((head & kHasMore) != 0 ? kLinkBytes : 0)};
  }
  // kNone: that was the last.
  Index Next(Index run) const { return (Word(run, 0) & kHasMore) != 0 ? LastWord(run) : kNone; }

  size_t free_bytes() const { return free_granules_ * kGranule; }  // of what is held
  size_t held_bytes() const { return memory_.held_bytes(); }
  size_t most_bytes() const { return memory_.most_bytes(); }

 private:
  // A run's first word is its length and these; a free one has the next and the previous of its list behind it, and its
  // length once more as its last word. The last word of a piece that is not the last is the next piece.
  static constexpr uint32_t kIsUsed = 1, kFollowsFree = 2, kHasMore = 4;
  static constexpr int kFlagBits = 3;
  static constexpr size_t kHeadBytes = 4, kLinkBytes = 4;
  static constexpr size_t kLeastRun = 2;
  static constexpr size_t kExact = 64;  // shorter runs have a list for each length
  static constexpr size_t kLists = kExact + 8 * 24;
  static constexpr size_t kLooksInList = 8;

  static size_t LengthOf(uint32_t head) { return head >> kFlagBits; }
  static size_t GranulesFor(size_t bytes);
  static size_t ListFor(size_t granules);

  char* At(Index run) const { return memory_.begin() + size_t{run} * kGranule; }
  uint32_t& Word(Index run, size_t word) const { return reinterpret_cast<uint32_t*>(At(run))[word]; }
  uint32_t& LastWord(Index run) const {
    return reinterpret_cast<uint32_t*>(At(run) + LengthOf(Word(run, 0)) * kGranule)[-1];
  }

  // A free run that is long enough, or else the longest list's first; kNone: none is free.
  Index BestRun(size_t granules) const;
  // Makes it used; what it has beyond `granules` stays free if it is a run by itself.
  void Claim(Index run, size_t granules);
  void MakeFree(Index run, size_t granules);
  // Holds more, if it may, so that a run of so many granules is free at the end of all. False: it holds no more than
  // before.
  bool Grow(size_t granules);
  void SetFollowsFree(Index run, bool follows_free);
  void Link(Index run);
  void Unlink(Index run);

  ReservedMemory memory_;
  size_t end_ = 0;                 // of the granules held
  bool end_follows_free_ = false;  // the last run is free
  size_t free_granules_ = 0;
  std::array<Index, kLists> lists_{};
  std::array<uint64_t, kLists / 64> has_runs_{};  // a bit for each list
};

}  // namespace armature::dax
