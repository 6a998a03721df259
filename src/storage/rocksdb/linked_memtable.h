// LinkedMemtable: the rows RocksDB holds in memory, as a skip list that is linked both ways.
//
// RocksDB's own list is linked forwards only, so that each step back is a search, and Debian's build of it checks its
// order with assertions on every level of every insert: half of what a small write cost. Rows written lately and read
// newest first are the common case of DynamoDB, so this list has links back, and its comparisons are inlined.
//
// One writer at a time (RocksDB's write thread), any number of readers beside it, without locks: a node is complete
// before it is linked, and is never unlinked. A reader that goes back past a node being linked may not see it; it is of
// a sequence number that reader's snapshot does not have. Orders keys as RocksDB does with its bytewise comparator,
// which is the only one we use: by bytes, then newest first. Memory is the memtable's arena. Used through RocksDB only.
#pragma once

#include <memory>

namespace rocksdb {
class MemTableRepFactory;
}  // namespace rocksdb

namespace armature::storage {

std::shared_ptr<rocksdb::MemTableRepFactory> MakeLinkedMemtables();

}  // namespace armature::storage
