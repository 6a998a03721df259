// AttributeListTable: attribute lists of all accounts, by id and by account and names, found without a lock.
//
// Lists are only ever added, by one thread at a time, and never change or go: so what a reader has found stays right,
// and readers meet nobody, not even at a counter. It grows by chunks up to the number of lists it was made for. Used by
// AttributeLists, which decides what is added.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "dax/attributes/attribute_list_store.h"

namespace armature::dax {

inline constexpr uint64_t kEmptyAttributeList = 1;
inline constexpr uint64_t kFirstAttributeList = 2;

class AttributeListTable {
 public:
  // `seed`: of the hashes of names, so that nobody can choose names that meet.
  AttributeListTable(size_t most_lists, uint64_t seed);

  uint64_t Hash(std::string_view account, std::span<const std::string_view> names) const;
  // The id of the account's list, or 0.
  uint64_t Find(std::string_view account, std::span<const std::string_view> names, uint64_t hash) const;
  // Null: no such id, or another account's.
  const AttributeNames* Find(std::string_view account, uint64_t id) const;

  // One caller at a time, from here on. The next id; of lists that are the same the first is found by its names.
  // REQUIRES: there is room.
  uint64_t Add(std::shared_ptr<const AttributeList> list, uint64_t hash);
  size_t size() const { return entries_.size(); }
  bool is_full() const { return size() >= most_lists_; }

 private:
  static constexpr size_t kBuckets = 1 << 14;
  static constexpr size_t kChunk = 1024;

  struct Entry {
    std::shared_ptr<const AttributeList> list;
    uint64_t hash = 0;
    uint64_t id = 0;
    const Entry* next = nullptr;  // with the same bucket
  };
  using Chunk = std::array<std::atomic<const Entry*>, kChunk>;

  const size_t most_lists_;
  const uint64_t seed_;
  std::deque<Entry> entries_;  // the writer's: readers come by pointers
  std::vector<std::atomic<const Entry*>> buckets_;
  std::vector<std::unique_ptr<Chunk>> chunks_;       // the writer's
  std::vector<std::atomic<Chunk*>> chunk_pointers_;  // the same, for readers
};

}  // namespace armature::dax
