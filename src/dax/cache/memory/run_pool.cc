#include "dax/cache/memory/run_pool.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace armature::dax {
namespace {

constexpr size_t kStepBytes = size_t{64} << 10;  // it grows by

}  // namespace

RunPool::RunPool(size_t most_bytes) : memory_(std::min(most_bytes, kMostBytes)) { static_assert(kLists % 64 == 0); }

void RunPool::Reset() {
  memory_.GiveBack();
  end_ = 0;
  end_follows_free_ = false;
  free_granules_ = 0;
  lists_.fill(kNone);
  has_runs_.fill(0);
}

size_t RunPool::GranulesFor(size_t bytes) {
  return std::max(kLeastRun, (bytes + kHeadBytes + kGranule - 1) / kGranule);
}

// --- lists of free runs

size_t RunPool::ListFor(size_t granules) {
  if (granules < kExact) return granules;
  const auto octave = static_cast<size_t>(std::bit_width(granules) - std::bit_width(kExact));
  return kExact + octave * 8 + (granules >> (std::bit_width(granules) - 4)) % 8;
}

void RunPool::Link(Index run) {
  const size_t list = ListFor(LengthOf(Word(run, 0)));
  Word(run, 1) = lists_[list];
  Word(run, 2) = kNone;
  if (lists_[list] != kNone) Word(lists_[list], 2) = run;
  lists_[list] = run;
  has_runs_[list / 64] |= uint64_t{1} << list % 64;
}

void RunPool::Unlink(Index run) {
  const Index next = Word(run, 1), previous = Word(run, 2);
  if (next != kNone) Word(next, 2) = previous;
  if (previous != kNone) {
    Word(previous, 1) = next;
    return;
  }
  const size_t list = ListFor(LengthOf(Word(run, 0)));
  lists_[list] = next;
  if (next == kNone) has_runs_[list / 64] &= ~(uint64_t{1} << list % 64);
}

RunPool::Index RunPool::BestRun(size_t granules) const {
  size_t list = ListFor(granules);
  if (list >= kExact) {
    // Its runs may be a little too short, or a little longer than is needed.
    Index run = lists_[list];
    for (size_t looks = 0; run != kNone && looks < kLooksInList; ++looks, run = Word(run, 1))
      if (LengthOf(Word(run, 0)) >= granules) return run;
    ++list;
  }
  if (list < kLists) {
    uint64_t bits = has_runs_[list / 64] & (~uint64_t{0} << list % 64);
    for (size_t word = list / 64;; bits = has_runs_[word]) {
      if (bits != 0) return lists_[word * 64 + static_cast<size_t>(std::countr_zero(bits))];
      if (++word == has_runs_.size()) break;
    }
  }
  for (size_t word = has_runs_.size(); word-- > 0;)
    if (has_runs_[word] != 0) return lists_[word * 64 + static_cast<size_t>(std::bit_width(has_runs_[word])) - 1];
  return kNone;
}

// --- runs

void RunPool::SetFollowsFree(Index run, bool follows_free) {
  if (run == end_) end_follows_free_ = follows_free;
  else if (follows_free) Word(run, 0) |= kFollowsFree;
  else Word(run, 0) &= ~kFollowsFree;
}

void RunPool::Claim(Index run, size_t granules) {
  const size_t length = LengthOf(Word(run, 0));
  Unlink(run);
  const bool is_divided = length >= granules + kLeastRun;
  const size_t claimed = is_divided ? granules : length;
  // What is before a free run is used.
  Word(run, 0) = static_cast<uint32_t>(claimed << kFlagBits) | kIsUsed;
  free_granules_ -= claimed;
  if (!is_divided) return SetFollowsFree(static_cast<Index>(run + claimed), false);
  const auto rest = static_cast<Index>(run + claimed);
  Word(rest, 0) = static_cast<uint32_t>((length - claimed) << kFlagBits);
  LastWord(rest) = static_cast<uint32_t>(length - claimed);
  Link(rest);
}

void RunPool::MakeFree(Index run, size_t granules) {
  free_granules_ += granules;
  const auto behind = static_cast<Index>(run + granules);
  if (behind != end_ && (Word(behind, 0) & kIsUsed) == 0) {
    Unlink(behind);
    granules += LengthOf(Word(behind, 0));
  }
  if ((Word(run, 0) & kFollowsFree) != 0) {
    const auto before = static_cast<Index>(run - Word(run - 1, 3));  // the last word before the run
    Unlink(before);
    granules += run - before;
    run = before;
  }
  Word(run, 0) = static_cast<uint32_t>(granules << kFlagBits);
  LastWord(run) = static_cast<uint32_t>(granules);
  SetFollowsFree(static_cast<Index>(run + granules), true);
  Link(run);
}

bool RunPool::Grow(size_t granules) {
  const size_t first = std::max<size_t>(end_, 1);  // the granule 0 is nobody's, for kNone is none
  const size_t free_at_end = end_follows_free_ ? Word(static_cast<Index>(end_ - 1), 3) : 0;
  if (granules <= free_at_end) return false;
  const size_t wanted = (first + granules - free_at_end) * kGranule;
  const size_t stepped = (wanted + kStepBytes - 1) / kStepBytes * kStepBytes;
  if (!memory_.Hold(std::min(stepped, memory_.most_bytes()))) return false;
  const size_t end = memory_.held_bytes() / kGranule;
  if (end == end_) return false;
  const auto run = static_cast<Index>(first);
  Word(run, 0) = kIsUsed | (end_follows_free_ ? kFollowsFree : 0);
  end_ = end;
  MakeFree(run, end - first);
  return true;
}

// --- allocations

RunPool::Index RunPool::AllocateWhole(size_t bytes) {
  const size_t granules = GranulesFor(bytes);
  for (;;) {
    const Index run = BestRun(granules);
    if (run != kNone && LengthOf(Word(run, 0)) >= granules) {
      Claim(run, granules);
      return run;
    }
    if (!Grow(granules)) return kNone;
  }
}

bool RunPool::Gather(Gathering& gathering) {
  while (gathering.missing > 0) {
    const size_t granules = GranulesFor(gathering.missing);
    const Index run = BestRun(granules);
    if (run == kNone) return false;
    Claim(run, granules);
    if (gathering.last == kNone) {
      gathering.first = run;
    } else {
      // Its last word was room for what was written; nothing has been written yet.
      Word(gathering.last, 0) |= kHasMore;
      LastWord(gathering.last) = run;
    }
    gathering.last = run;
    const size_t room = LengthOf(Word(run, 0)) * kGranule - kHeadBytes;
    if (room >= gathering.missing) gathering.missing = 0;
    else gathering.missing -= room - kLinkBytes;
  }
  return true;
}

void RunPool::Free(Index first) {
  for (Index run = first; run != kNone;) {
    const Index next = Next(run);
    MakeFree(run, LengthOf(Word(run, 0)));
    run = next;
  }
}

}  // namespace armature::dax
