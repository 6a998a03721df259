// Where the RocksDB engine keeps its partitions: two records each, under the reserved first byte 0x00.
//
//   0x00 'p' [partition id, 8 bytes big-endian]  ->  EncodePartition (storage/partition_table.h)
//   0x00 'n' [partition id, 8 bytes big-endian]  ->  the number of its newest commit, 8 bytes big-endian, and
//                                                    its counts (AppendCounts, storage/counts.h)
//
// Callers of the engine never see these keys: theirs lie behind 0x01 or more (storage/embedded_partition.h).
#pragma once

#include <string>

#include <rocksdb/db.h>

#include "base/result.h"
#include "storage/partition_table.h"

namespace armature::storage {

// Where what is not the engine's own begins.
inline constexpr std::string_view kFirstUserKey{"\x01", 1};

std::string PartitionRecordKey(PartitionId id);
std::string NewestCommitKey(PartitionId id);
void AppendNewestCommit(Sequence newest, const Counts& counts, std::string& out);
// Reads every record into `table`. Called at opening, before other threads exist.
Status LoadPartitions(rocksdb::DB& db, PartitionTable& table);

}  // namespace armature::storage
