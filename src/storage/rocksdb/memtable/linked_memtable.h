// LinkedMemtable: RowList in the place of the list RocksDB has for the rows in memory.
//
// RocksDB's own list is linked forwards only, so that each step back is a search, and Debian's build of it checks its
// order with assertions on every level of every insert: half of what a small write cost. Rows written lately and read
// newest first are the common case of DynamoDB, so ours has links back, and its comparisons are inlined (row_list.h).
//
// It has its own memory (row_blocks.h), not the memtable's arena, and charges it to the WriteBufferManager as the arena
// would: block by block, and as being given back from the moment the memtable takes no more rows. One writer at a time
// (RocksDB's write thread). Knows neither prefix extractors nor comparators other than the bytewise one: with
// either, the factory says so in the log and gives RocksDB's own list. Used through RocksDB only.
#pragma once

#include <cstddef>
#include <memory>

namespace rocksdb {
class MemTableRepFactory;
class WriteBufferManager;
}  // namespace rocksdb

namespace armature::storage {

// `budget` may be null; then nothing is charged. Of memtables that have gone, blocks of up to `spare_bytes` are kept.
std::shared_ptr<rocksdb::MemTableRepFactory> MakeLinkedMemtables(size_t largest_block, size_t spare_bytes,
                                                                 std::shared_ptr<rocksdb::WriteBufferManager> budget);

}  // namespace armature::storage
