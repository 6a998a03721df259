// The storage seam: what an engine promises, and all that it promises.
//
// An engine stores ordered bytes. It knows nothing of tables, items, conditions or indexes; latches,
// conditions and the journal live above, in table/. The rules, checked for every engine by
// contract_test.cc:
//
//  Order       Keys are compared as unsigned bytes; Scan returns them in that order or its reverse.
//  Atomicity   A Commit is all or nothing, for one partition. CommitMany is all or nothing over several
//              partitions, and exists only where capabilities().multi_partition_atomic.
//  Fencing     Every commit carries the epoch its caller believes to own the partition under. An epoch
//              older than the partition's is refused with kFenced and changes nothing; an unknown partition is
//              kNotFound. When FencePartition has returned, no older commit is still on its way.
//  Visibility  View::kLatest sees every finished Commit. View::kDurable sees only what no crash can take back, and
//              everything whose WhenDurable has finished: it never runs backwards.
//  Durability  A finished Commit is ordered and readable, not yet durable. WhenDurable(sequence) finishes
//              when that commit and all before it are (or reports why they cannot be).
//  Threads     Every method may be called from any thread at any time between opening and Close.
//  Asynchrony  Calls take an operation object that the caller keeps alive until its `done` finishes. An embedded
//              engine finishes reads before returning, commits at the latest with the turn (base/tasks/turn.h) or, if
//              the store would hold them back, from another thread; a remote one finishes all from a thread of its own.
//
// Keys begin with a byte of 0x01 or more: 0x00 is the engine's own. They are whole (they contain the table's prefix); a
// partition is a range of them, so that a split moves no data in an embedded engine. Items are written by table/ alone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/async.h"
#include "base/result.h"
#include "storage/batch.h"

namespace armature::storage {

using PartitionId = uint64_t;
using Epoch = uint64_t;
using Sequence = uint64_t;

// The partition that holds the catalogue and other records of the house itself; always exists.
inline constexpr PartitionId kSystemPartition = 0;

struct KeyRange {
  std::string begin;  // inclusive
  std::string end;    // exclusive; empty = to the very end
};

// A consistent view of the store, released when the last reference goes.
class Snapshot {
 public:
  virtual ~Snapshot() = default;
};

enum class View { kDurable, kLatest };

struct ReadAt {
  View view = View::kDurable;
  const Snapshot* snapshot = nullptr;  // when set, `view` does not matter
};

struct GetOp {
  // in
  PartitionId partition = 0;
  std::string_view key;
  ReadAt at;
  // out: status ok and found, ok and not found, or an error
  Status status;
  bool found = false;
  std::string value;
  Completion done;
};

struct MultiGetOp {
  PartitionId partition = 0;
  std::span<const std::string_view> keys;
  ReadAt at;
  Status status;
  struct Entry {
    bool found = false;
    std::string value;
  };
  std::vector<Entry> entries;  // one per key, in the order of keys
  Completion done;
};

struct ScanOp {
  PartitionId partition = 0;
  std::string_view begin;  // inclusive
  std::string_view end;    // exclusive; empty = to the very end
  bool is_reverse = false;
  // Stops after the row that reaches either limit; at least one row is returned if there is one.
  size_t limit_rows = SIZE_MAX;
  size_t limit_bytes = SIZE_MAX;  // of keys and values
  ReadAt at;
  Status status;
  struct Row {
    std::string_view key;    // points into `buffer`
    std::string_view value;  // points into `buffer`
  };
  std::vector<Row> rows;
  std::string buffer;
  bool has_more = false;  // a limit stopped the scan (there may or may not be another row)
  Completion done;
};

struct CommitOp {
  PartitionId partition = 0;
  Epoch epoch = 0;
  const Batch* batch = nullptr;
  Status status;
  Sequence sequence = 0;
  Completion done;
};

struct CommitManyOp {
  struct Part {
    PartitionId partition = 0;
    Epoch epoch = 0;
    const Batch* batch = nullptr;
  };
  std::span<const Part> parts;
  Status status;
  Sequence sequence = 0;
  Completion done;
};

struct DurableOp {
  Sequence sequence = 0;
  Status status;
  Completion done;
  DurableOp* next = nullptr;  // the engine's list of parked operations
};

struct PartitionInfo {
  PartitionId id = 0;
  Epoch epoch = 0;
  KeyRange range;
};

struct Capabilities {
  bool multi_partition_atomic = false;
  bool persistent = false;
};

struct EngineStats {
  uint64_t commits = 0;
  uint64_t syncs = 0;
  uint64_t commits_made_durable = 0;
  uint64_t approximate_bytes_on_disk = 0;
  uint64_t memory_bytes = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual Capabilities capabilities() const = 0;

  virtual void Get(GetOp& op) = 0;
  virtual void MultiGet(MultiGetOp& op) = 0;
  virtual void Scan(ScanOp& op) = 0;

  virtual void Commit(CommitOp& op) = 0;
  virtual void CommitMany(CommitManyOp& op) = 0;
  virtual void WhenDurable(DurableOp& op) = 0;
  virtual Sequence DurableUpTo() const = 0;

  // Partitions. Durable when they return; rare, so they are tasks.
  virtual Task<Result<std::vector<PartitionInfo>>> ListPartitions() = 0;
  // The same partition again is no error; another range or epoch under a known id is kInvalidArgument.
  virtual Task<Status> CreatePartition(PartitionInfo info) = 0;
  // Forgets the partition and every key in its range.
  virtual Task<Status> DropPartition(PartitionId id) = 0;
  // Keys from `at` on move to `new_id`, which starts at the old partition's epoch.
  virtual Task<Status> SplitPartition(PartitionId id, std::string at, PartitionId new_id) = 0;
  // Takes the partition over: later commits with an epoch below `epoch` are refused.
  virtual Task<Status> FencePartition(PartitionId id, Epoch epoch) = 0;

  // A snapshot of the durable view.
  virtual std::shared_ptr<const Snapshot> TakeSnapshot() = 0;
  // A complete, openable copy of the durable state in a new directory. kInvalidArgument where not persistent.
  virtual Task<Status> Checkpoint(std::string directory) = 0;

  virtual EngineStats stats() const = 0;

  // Makes everything committed durable, fails what is parked and cannot be, releases the directory.
  virtual Status Close() = 0;
};

}  // namespace armature::storage
