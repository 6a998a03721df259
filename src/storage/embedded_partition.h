// EmbeddedPartition: an open partition of an engine that keeps all of them in one ordered store.
//
// Says where in the store its keys lie. What belongs to hashes lies under the keyspace, in the same place whichever
// partition has it, so that a split moves nothing; what belongs to the partition itself lies under its id:
//
//   0x01 key                            the system partition
//   0x02 keyspace, 7 bytes  key         of hashes
//   0x03 partition, 7 bytes  key        of the partition
//
// 0x00 is the engine's own. Used by engines.
#pragma once

#include <string>
#include <string_view>

#include "storage/engine.h"

namespace armature::storage {

class EmbeddedPartition final : public OpenPartition {
 public:
  EmbeddedPartition(const PartitionInfo& info, Sequence newest, const Counts& counts = {});

  // Where a key of the partition lies in the store; what comes in front of it there.
  std::string_view PrefixOf(std::string_view key) const { return IsOfHash(key) ? of_hashes_ : own_; }
  void AppendStored(std::string_view key, std::string& out) const { out.append(PrefixOf(key)).append(key); }

  // The part of the store that a scan looks at. It may hold rows of other partitions of the keyspace: `must_look` says
  // whether Has is to be asked of every key found.
  struct Stored {
    KeyRange range;
    size_t prefix_size = 0;  // of each key in it
    bool must_look = false;
    bool is_empty = false;
  };
  Stored StoredRange(std::string_view begin, std::string_view end) const;

  // What goes from the store with the partition: its own, and the whole keyspace with the last of its partitions. A
  // partition of several never goes alone but when it has ended, and then has nothing else.
  std::vector<KeyRange> RangesToDrop(bool is_last) const;

 private:
  std::string of_hashes_;
  std::string own_;
};

// How many numbers a commit takes. What has ended has given out its last: its children go on behind that.
inline size_t NumbersOf(const OpenPartition& partition, const Batch& batch) {
  return partition.info().is_ended ? 0 : batch.numbers();
}

// The stored rows of a keyspace that belong to hashes.
KeyRange RowsOfHashes(KeyspaceId keyspace);

// The first key behind all that begin with `prefix`. REQUIRES: not all of its bytes are 0xff.
std::string BehindPrefix(std::string_view prefix);

// Refused by every engine alike: ok, or what is wrong with the handle or the keys.
Status CheckAlive(const OpenPartition* partition);
Status CheckKey(const OpenPartition& partition, std::string_view key);
Status CheckScan(const ScanOp& op);
Status CheckBatch(const OpenPartition& partition, const Batch& batch);

}  // namespace armature::storage
