#include <array>

#include "cli/bench/workload.h"
#include "cli/bench/workloads/workloads.h"

namespace armature::cli::bench {

std::span<const WorkloadInfo> Workloads() {
  static constexpr std::array kWorkloads = {
      WorkloadInfo{"put", "PutItem over --items keys, each in turn; the last writes are read back", Dataset::kTable,
                   false, MakePut},
      WorkloadInfo{"get", "GetItem of random items, eventually consistent", Dataset::kItems, false, MakeGet},
      WorkloadInfo{"get-consistent", "GetItem of random items with ConsistentRead", Dataset::kItems, false,
                   MakeGetConsistent},
      WorkloadInfo{"update-counter",
                   "UpdateItem adds 1 under a condition; returned values and the final sum are checked",
                   Dataset::kCounters, false, MakeUpdateCounter},
      WorkloadInfo{"conditional-put", "PutItem if absent: each key once to succeed, once to be refused",
                   Dataset::kTable, false, MakeConditionalPut},
      WorkloadInfo{"mixed-a", "YCSB A: half PutItem, half consistent GetItem, zipfian keys", Dataset::kFreshItems,
                   false, MakeMixedA},
      WorkloadInfo{"mixed-b", "YCSB B: 5 % PutItem, 95 % consistent GetItem, zipfian keys", Dataset::kFreshItems, false,
                   MakeMixedB},
      WorkloadInfo{"mixed-c", "YCSB C: consistent GetItem only, zipfian keys", Dataset::kFreshItems, false, MakeMixedC},
      WorkloadInfo{"query-10", "Query of 10 neighbouring items of a partition", Dataset::kOrdered, false, MakeQuery10},
      WorkloadInfo{"query-100", "Query of 100 neighbouring items of a partition", Dataset::kOrdered, false,
                   MakeQuery100},
      WorkloadInfo{"query-100-reverse", "Query of 100 neighbouring items of a partition, last first", Dataset::kOrdered,
                   false, MakeQuery100Reverse},
      WorkloadInfo{"scan", "Scan of 500 items from a random one on; the whole table at the end", Dataset::kOrdered,
                   false, MakeScan},
      WorkloadInfo{"scan-all", "Scan of all items in pages of 1 MB, a segment to each connection, then stops",
                   Dataset::kOrdered, true, MakeScanAll},
      WorkloadInfo{"put-tagged", "PutItem like put, of items with a sort key and a tag", Dataset::kTagged, false,
                   MakePutTagged},
      WorkloadInfo{"put-gsi", "The same into a table with a global index by tag, read back through it too",
                   Dataset::kTaggedGlobal, false, MakePutGlobalIndex},
      WorkloadInfo{"put-gsi-move", "The same with another tag in each put", Dataset::kTaggedGlobal, false,
                   MakePutGlobalIndexMove},
      WorkloadInfo{"put-lsi", "Like put-gsi with a local index", Dataset::kTaggedLocal, false, MakePutLocalIndex},
      WorkloadInfo{"put-lsi-move", "Like put-gsi-move with a local index", Dataset::kTaggedLocal, false,
                   MakePutLocalIndexMove},
      WorkloadInfo{"batch-write-25", "BatchWriteItem of 25 puts; the last writes are read back", Dataset::kTable, false,
                   MakeBatchWrite25},
      WorkloadInfo{"batch-get-100", "BatchGetItem of 100 items, eventually consistent", Dataset::kItems, false,
                   MakeBatchGet100},
      WorkloadInfo{"transact-4", "TransactWriteItems of 4 puts with a client token; the last writes are read back",
                   Dataset::kTable, false, MakeTransact4},
      WorkloadInfo{"load-ordered", "PutItem of every item under its sort key once, then stops", Dataset::kOrderedTable,
                   true, MakeLoadOrdered},
      WorkloadInfo{"load", "PutItem of every item once, then stops", Dataset::kTable, true, MakeLoad},
      WorkloadInfo{"load-expired", "PutItem of --items further items whose time is over, then stops", Dataset::kTable,
                   true, MakeLoadExpired},
      WorkloadInfo{"ttl-sweep", "GetItem of random items while Time to Live, turned on first, removes load-expired's",
                   Dataset::kExpiring, false, MakeGet},
      WorkloadInfo{"stream-put", "PutItem like put, into a table whose stream has both images", Dataset::kStreamed,
                   false, MakeStreamPut},
      WorkloadInfo{"stream-load", "PutItem of every item once into the table with the stream, then stops",
                   Dataset::kStreamed, true, MakeStreamLoad},
      WorkloadInfo{"stream-read", "GetRecords of full pages of 1000 records with both images", Dataset::kStreamPages,
                   false, MakeStreamRead},
      WorkloadInfo{"load-counters", "PutItem of every counter once, at 0, then stops", Dataset::kTable, true,
                   MakeLoadCounters},
      WorkloadInfo{"fixed", "GetItem-shaped requests to a server that always answers the body in --expect",
                   Dataset::kNothing, false, MakeFixed},
      WorkloadInfo{"get-denied", "GetItem of random items that the caller may not read", Dataset::kNothing, false,
                   MakeGetDenied},
  };
  return kWorkloads;
}

const WorkloadInfo* FindWorkload(std::string_view name) {
  for (const WorkloadInfo& info : Workloads()) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

}  // namespace armature::cli::bench
