// Where the RocksDB engine keeps its partitions: one record each, under the reserved first byte 0x00.
//
//   0x00 'p' [partition id, 8 bytes big-endian]  ->  EncodePartition (storage/partition_table.h)
//
// Callers of the engine never see these keys: theirs begin with 0x01 or more.
#pragma once

#include <string>

#include <rocksdb/db.h>

#include "base/result.h"
#include "storage/partition_table.h"

namespace armature::storage {

// The smallest key a caller of the engine may use.
inline constexpr std::string_view kFirstUserKey{"\x01", 1};

std::string PartitionRecordKey(PartitionId id);
// Reads every record into `table`. Called at opening, before other threads exist.
Status LoadPartitions(rocksdb::DB& db, PartitionTable& table);

}  // namespace armature::storage
