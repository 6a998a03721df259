// Partitions as storage knows them: what they are, and the handle through which an open one is used.
//
// A partition is a keyspace (a table, or a global index) and a range of hashes. Keys are relative to it. Their first
// byte is their space, which says what they belong to:
//
//   0x10 … 0x7f  to a hash, 8 bytes big-endian at HashOffset(space): they go with their hash when a partition is split
//   0x80 … 0xff  to the partition itself: they stay with it when it has ended
//
// The system partition has neither hashes nor spaces: its keys are any bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "storage/counts.h"

namespace armature::storage {

using KeyspaceId = uint64_t;   // seven bytes; never used again
using PartitionId = uint64_t;  // seven bytes; never used again
using Epoch = uint64_t;
// Of a partition: its commits are numbered without gaps, from 1 on and over restarts. What a partition was split into
// goes on with its numbers, and it gives out none any more: later commits to what is its own have its last.
using Sequence = uint64_t;
// Of a commit, for whoever waits until it is durable. Of two commits of a partition the later has no lower one.
using Mark = uint64_t;

// The partition that holds the catalogue and other records of the house itself; always exists.
inline constexpr PartitionId kSystemPartition = 0;

struct HashRange {
  uint64_t first = 0;
  uint64_t last = UINT64_MAX;  // inclusive

  bool Contains(uint64_t hash) const { return first <= hash && hash <= last; }
  bool is_all() const { return first == 0 && last == UINT64_MAX; }
  bool operator==(const HashRange&) const = default;
};

struct PartitionInfo {
  PartitionId id = 0;
  KeyspaceId keyspace = 0;
  HashRange hashes = {};
  Epoch epoch = 0;
  bool is_ended = false;  // was split: only what belongs to the partition itself is still there

  bool operator==(const PartitionInfo&) const = default;
};

inline constexpr uint8_t kFirstOwnSpace = 0x80;

inline bool IsOfHash(std::string_view key) { return !key.empty() && static_cast<uint8_t>(key[0]) < kFirstOwnSpace; }

// Where in a key of that space its hash lies: behind the id of a local index in 0x20 … 0x2f, behind a time in 0x50 …
// 0x5f, else at once.
inline size_t HashOffset(uint8_t space) {
  switch (space >> 4) {
    case 0x2: return 1 + sizeof(uint32_t);
    case 0x5: return 1 + sizeof(uint64_t);
    default: return 1;
  }
}

// REQUIRES: IsOfHash(key). False: the key is too short to have one.
inline bool FindHash(std::string_view key, uint64_t* hash) {
  const size_t offset = HashOffset(static_cast<uint8_t>(key[0]));
  if (key.size() < offset + sizeof(uint64_t)) return false;
  *hash = ReadBigEndian<uint64_t>(key.data() + offset);
  return true;
}

// A partition that was opened: made by an engine, used by its owner for as long as it lives. It dies as a whole, when
// somebody else opens the partition under a higher epoch, when it ends or goes, or when the outcome of a commit is not
// known: from then on everything asked of it is refused with kFenced (kNotFound: the partition is known to be dropped),
// and whoever has it looks for another.
class OpenPartition {
 public:
  OpenPartition(const PartitionInfo& info, Sequence newest, const Counts& counts = {})
      : info_(info), opened_at_(newest), newest_(newest), counts_(counts) {}
  virtual ~OpenPartition() = default;
  OpenPartition(const OpenPartition&) = delete;
  OpenPartition& operator=(const OpenPartition&) = delete;

  const PartitionInfo& info() const { return info_; }
  PartitionId id() const { return info_.id; }
  // The number of the newest commit. What is numbered higher comes later.
  Sequence newest() const { return newest_.load(std::memory_order_acquire); }
  // The number of the newest commit when it was opened: what a handle of a lower epoch has committed beyond it is not
  // there and never will be, what it has up to here is.
  Sequence opened_at() const { return opened_at_; }
  // What all its commits up to the newest have counted (Batch::Count), over restarts too. After a split the counts of
  // the children are together what the parent's were, divided by their shares of the hashes: each alone is an estimate,
  // and may be below zero.
  RowCount count(uint32_t slot = 0) const { return counts_.of(slot); }
  Counts counts() const { return counts_.all(); }
  bool is_system() const { return info_.id == kSystemPartition; }
  bool is_alive() const { return is_alive_.load(std::memory_order_acquire); }

  // Whether a key is one of this partition's: in its range of hashes, or its own.
  bool Has(std::string_view key) const {
    if (is_system() || !IsOfHash(key)) return is_system() || !key.empty();
    uint64_t hash = 0;
    return !info_.is_ended && FindHash(key, &hash) && info_.hashes.Contains(hash);
  }

  bool is_dropped() const { return is_dropped_.load(std::memory_order_relaxed); }

  // The engine's.
  void SetNewest(Sequence newest) { newest_.store(newest, std::memory_order_release); }
  void AddCounts(const Counts& deltas) { counts_.Add(deltas); }  // of a commit, before SetNewest
  void SetCounts(const Counts& counts) { counts_.Set(counts); }
  void Kill() { is_alive_.store(false, std::memory_order_release); }
  void Drop() {
    is_dropped_.store(true, std::memory_order_relaxed);
    Kill();
  }

 private:
  const PartitionInfo info_;
  const Sequence opened_at_;
  std::atomic<Sequence> newest_;
  LiveCounts counts_;
  std::atomic<bool> is_alive_{true};
  std::atomic<bool> is_dropped_{false};
};

}  // namespace armature::storage
