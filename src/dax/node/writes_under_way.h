// WritesUnderWay: the requests of a node that have begun writes, for when they are cut off (item_writes.h).
//
// Thread-safe but for Abandon. One for a node.
#pragma once

#include "base/mutex.h"

namespace armature::dax {

class ItemWrites;

class WritesUnderWay {
 public:
  void Add(ItemWrites& writes);
  void Remove(ItemWrites& writes);
  // Ends all of them with an unknown outcome. REQUIRES: none of their coroutines runs, nor ever will.
  void Abandon();

 private:
  Mutex mutex_;
  ItemWrites* first_ ARMATURE_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace armature::dax
