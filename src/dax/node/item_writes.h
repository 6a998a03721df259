// ItemWrites: the writes of one request, as the caches of all nodes of its cluster hear of them.
//
// Begun before the table is asked, ended behind its answer and before the client's. A node that came meanwhile may have
// read what was there before, and is told at the end. What goes without a word has an unknown outcome: a request that
// failed by an exception, and one that was cut off when its node stopped. Its coroutine is never gone on with and never
// destroyed, but other nodes live on: so the node has a list of what is under way (WritesUnderWay), and ends it.
// ItemWrites is one coroutine's, on one thread at a time; the list is thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dax/cache/item_cache.h"
#include "dax/node/dax_cluster.h"
#include "dax/node/writes_under_way.h"

namespace armature::dax {

class ItemWrites {
 public:
  // Both must outlive it.
  ItemWrites(DaxCluster& cluster, WritesUnderWay& list);
  ~ItemWrites();
  ItemWrites(const ItemWrites&) = delete;
  ItemWrites& operator=(const ItemWrites&) = delete;

  // Before the table is asked. `item`: its number in the request. `key`: canonical.
  void Begin(size_t item, uint32_t table, std::string_view key);

  // The table has this now. Of an item that was not begun, or has ended, nothing is told.
  void EndItem(size_t item, std::string_view blob);
  void EndAbsent(size_t item);
  // All that have not ended yet: the table has what it had ...
  void EndUnchanged();
  // ... or nobody knows what.
  void EndUnknown();

 private:
  friend class WritesUnderWay;
  struct Write {
    size_t item;
    uint32_t table;
    std::string key;
    std::vector<ItemWrite> cached;  // in the order of nodes_; none: it has ended
  };

  void End(Write& write, const std::function<void(ItemWrite&)>& end);

  DaxCluster& cluster_;
  WritesUnderWay& list_;
  NodeList nodes_;  // when it began
  std::vector<Write> writes_;
  ItemWrites* next_ = nullptr;  // in the list
  ItemWrites* previous_ = nullptr;
};

}  // namespace armature::dax
