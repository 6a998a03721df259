// CheckStream, CheckIndex and CheckStaleReads: whether what follows a table agrees with its items.
//
// A stream must have, item by item, one record for each effective write: rising sequence numbers, each old image equal
// to the new one before it, every acknowledged write exactly once, one of unknown outcome at most once, none that
// failed, and in the end the table itself. An index must have a row for each item that has its key, and no other.
// A read that may be old must show, or an index lack, an item as it can have been at some instant of its interval, by
// the stream's order of versions. Pure; no threads.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "arena/history/history.h"

namespace armature::arena {

struct StreamRecord {
  uint32_t key = 0;
  std::string sequence_number;  // as the stream prints it
  std::string event;            // INSERT, MODIFY or REMOVE
  ItemState before;
  ItemState after;
  uint32_t stream = 0;  // sequence numbers are one stream's own
};

using Items = std::map<uint32_t, ItemState>;  // those that exist, by key

struct StreamVerdict {
  Findings findings;
  // By key: its versions in the stream's order, named as in VersionOrders.
  std::vector<std::vector<int64_t>> orders;
};

// `records` in the order they were read, shard after shard, parents first; `items` is the table at the end.
StreamVerdict CheckStream(const History& history, const std::vector<StreamRecord>& records, const Items& items);

// `rows` are (key, state) as the index has them. `name` is for the message.
Findings CheckIndex(const History& history, const std::string& name, const Items& items,
                    const std::vector<std::pair<uint32_t, ItemState>>& rows);

// REQUIRES: CheckStream accepted the records.
Findings CheckStaleReads(const History& history, const std::vector<StreamRecord>& records);

}  // namespace armature::arena
