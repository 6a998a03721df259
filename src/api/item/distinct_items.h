// DistinctItems: whether a request names an item twice.
//
// Made for one request and told of its items in turn; keeps their keys in one piece of memory. The same number in two
// spellings is the same key. For the hundred items a request may name, and told of no more: the hash is not keyed, so
// whoever may send many could make them meet. Not thread-safe. Used by batches and transactions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/value.h"

namespace armature::api {

class DistinctItems {
 public:
  DistinctItems();

  // False: this item was there already. `key` is what tells items of the table apart.
  bool Add(uint64_t table_id, model::Item key);

 private:
  // A key in `bytes_`; of size 0: none.
  struct Slot {
    uint64_t hash = 0;
    size_t begin = 0;
    size_t size = 0;
  };

  std::string_view BytesOf(const Slot& slot) const { return std::string_view(bytes_).substr(slot.begin, slot.size); }
  // Where it is, or the free place where it belongs.
  Slot& Find(uint64_t hash, std::string_view bytes);
  void Grow();

  std::string bytes_;
  std::vector<Slot> slots_;  // by hash, then the next free one; a power of two, at most half are taken
  size_t count_ = 0;
};

}  // namespace armature::api
