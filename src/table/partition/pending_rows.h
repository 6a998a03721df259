// PendingRows: rows of a partition that somebody still has to deal with, as they are stored.
//
// Intents of transactions and notes of what indexes have yet to follow up. A row is entered when its commit has
// succeeded and taken out when the commit that deletes it has, so that this is what the latest view of the partition
// has; where the partition is opened it is read from the store. Each row has a version: whoever has dealt with one
// finds by it whether it was replaced meanwhile. Thread-safe; a row is changed only by who holds the latch of its item.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"

namespace armature::table {

class PendingRows {
  struct Entry {
    std::string value;
    uint64_t version = 0;
  };
  using ByKey = std::map<std::string, Entry, std::less<>>;
  using ByVersion = std::map<uint64_t, ByKey::const_iterator>;

 public:
  struct Row {
    std::string key;
    std::string value;
    uint64_t version = 0;
  };

  // Rows made ready before the commit that puts them, so that entering them takes no memory: what is committed is
  // never missed here.
  class Made {
   public:
    void Add(std::string_view key, std::string_view value);

   private:
    friend class PendingRows;
    struct Node {
      ByKey::node_type row;
      ByVersion::node_type place;
    };
    std::vector<Node> nodes_;
  };

  bool empty() const { return size() == 0; }
  size_t size() const { return size_.load(std::memory_order_acquire); }
  // Versions ascend in the order in which rows are entered. 0: none was.
  uint64_t newest_version() const;

  std::optional<Row> Find(std::string_view key) const;
  // In the order of keys.
  std::vector<Row> FindPrefix(std::string_view prefix) const;
  // The oldest up to `version`, at most so many.
  std::vector<Row> Oldest(size_t most, uint64_t version = UINT64_MAX) const;

  // Takes them, in their order; what is there of the same key is replaced.
  void Enter(Made& made) noexcept;
  void Put(std::string_view key, std::string_view value);
  void Erase(std::string_view key) noexcept;

 private:
  mutable Mutex mutex_;
  ByKey rows_ ARMATURE_GUARDED_BY(mutex_);
  ByVersion by_version_ ARMATURE_GUARDED_BY(mutex_);
  uint64_t newest_ ARMATURE_GUARDED_BY(mutex_) = 0;
  std::atomic<size_t> size_{0};
};

}  // namespace armature::table
