// Board: what the clients of one round share: the items they fight for, and what somebody has last seen of each.
//
// Items lie four to a partition, in two tables: "plain" has a global index, "local" a local one too (its writers latch
// whole partitions). Only a window of items is in use at a time and moves on, so that few items are hot and no item's
// history becomes too long to be decided. Thread-safe.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace armature::arena {

struct RoundOptions {
  uint32_t keys = 96;
  uint32_t window = 8;
  uint64_t calls = 20'000;
  uint32_t clients = 16;
  std::string prefix;  // of the tables' names
};

class Board {
 public:
  explicit Board(const RoundOptions& options)
      : options_(options), seen_(std::make_unique<std::atomic<int64_t>[]>(options.keys)) {}

  const RoundOptions& options() const { return options_; }
  uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }
  // One more call; false if the round has had all of its calls.
  bool TakeTurn() { return calls_.fetch_add(1, std::memory_order_relaxed) < options_.calls; }
  void Stop() { calls_.store(options_.calls, std::memory_order_relaxed); }

  uint32_t WindowBegin() const {
    const uint64_t done = std::min(calls(), options_.calls);
    return static_cast<uint32_t>(done * (options_.keys - options_.window) / options_.calls);
  }
  int64_t NewId() { return ids_.fetch_add(1, std::memory_order_relaxed) + 1; }

  // The version somebody was last shown; 0 for none.
  int64_t LastSeen(uint32_t key) const { return seen_[key].load(std::memory_order_relaxed); }
  void Saw(uint32_t key, int64_t version) { seen_[key].store(version, std::memory_order_relaxed); }

  static constexpr uint32_t kTables = 2;
  static constexpr uint32_t kPerPartition = 4;
  static constexpr int64_t kGroups = 5;
  static uint32_t TableOf(uint32_t key) { return key / kPerPartition % kTables; }
  std::string TableName(uint32_t table) const { return options_.prefix + (table == 0 ? "plain" : "local"); }
  static std::string PartitionOf(uint32_t key) { return "p" + std::to_string(key / kPerPartition); }
  static uint32_t SortKeyOf(uint32_t key) { return key % kPerPartition; }
  std::string Name(uint32_t key) const {
    return TableName(TableOf(key)) + "/" + PartitionOf(key) + "/" + std::to_string(SortKeyOf(key));
  }

 private:
  const RoundOptions options_;
  std::atomic<uint64_t> calls_{0};
  std::atomic<int64_t> ids_{0};
  std::unique_ptr<std::atomic<int64_t>[]> seen_;
};

}  // namespace armature::arena
