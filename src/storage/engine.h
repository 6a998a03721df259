// The storage seam: what an engine promises, and all that it promises.
//
// An engine stores ordered bytes. It knows nothing of tables, items, conditions or indexes; latches,
// conditions and the journal live above, in table/. The rules, checked for every engine by
// contract/:
//
//  Partitions  Everything lies in a partition (partition.h) and is read and written through its handle, which every
//              engine checks: one that is dead is refused with kFenced (or kNotFound, if dropped), a key that is not
//              the partition's with kInvalidArgument, and both change nothing. A Scan never leaves its partition.
//  Order       Keys are compared as unsigned bytes; Scan returns them in that order or its reverse.
//  Atomicity   A Commit is all or nothing, for one partition. CommitMany is all or nothing over several
//              partitions, and exists only where capabilities().multi_partition_atomic.
//  Fencing     Opening a partition under a higher epoch kills the handles of lower ones: when OpenPartition has
//              returned, no commit through them is still on its way.
//  Sequence    The commits of a partition take the numbers 1, 2, 3 … in their order, over restarts too: one each, or as
//              many as there are numbered puts in the batch. Between partitions there is no order.
//  Counts      A commit adds what its batch counts (Batch::Count) to the counts of its partition, atomically and
//              durable with it: OpenPartition::counts has every finished Commit, and after a crash exactly those that
//              are left.
//  Visibility  View::kLatest sees every finished Commit. View::kDurable sees only what no crash can take back, and
//              everything whose WhenDurable has finished: it never runs backwards. It sees the commits of a partition
//              in their order: with one all before it.
//  Durability  A finished Commit is ordered and readable, not yet durable. WhenDurable(mark) finishes when that commit
//              and all before it in its partition are (or reports why they cannot be).
//  Outcomes    ok; kFenced, kNoSpace, kUnavailable and kBusy (the queue is full): definitely not done; kUnknown: may be
//              done, or still happen. After kFenced and kUnknown the handle is dead, and of its commits any that was
//              not durable may be lost: so WhenDurable of one that was ok may end in kFenced (it is lost) or kUnknown
//              too. Opening the partition again under a higher epoch settles it: a commit is done if and only if its
//              `sequence`, which kUnknown leaves as the last number it would have taken, is not above the new handle's
//              opened_at(). The handle of the system partition never dies, so there the engine settles a commit before
//              it answers kUnknown: it is done if and only if View::kLatest has it from then on.
//  Threads     Every method may be called from any thread at any time between opening and Close.
//  Asynchrony  Calls take an operation object that the caller keeps alive, with the handle in it, until its `done`
//              finishes. An embedded engine finishes reads from memory before returning, commits at the latest with the
//              turn (base/tasks/turn.h), and what has to wait for the disk from another thread (but reads outside of an
//              executor, which nobody else needs); a remote one finishes all from a thread of its own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/async.h"
#include "base/result.h"
#include "storage/batch.h"
#include "storage/partition.h"

namespace armature::storage {

struct KeyRange {
  std::string begin;  // inclusive
  std::string end;    // exclusive; empty = to the very end
};

// A consistent view of the store, released when the last reference goes. A capability of embedded engines.
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
  const OpenPartition* partition = nullptr;
  std::string_view key;
  ReadAt at;
  // out: status ok and found, ok and not found, or an error
  Status status;
  bool found = false;
  std::string value;
  Completion done;
};

struct MultiGetOp {
  const OpenPartition* partition = nullptr;
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
  const OpenPartition* partition = nullptr;
  std::string_view begin;  // inclusive; of a space, but in the system partition
  std::string_view end;    // exclusive; empty = to the very end of the space
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
  OpenPartition* partition = nullptr;
  const Batch* batch = nullptr;
  Status status;
  Sequence sequence = 0;  // the last number it took, or, after kUnknown, would have taken
  Mark mark = 0;
  Completion done;
};

struct CommitManyOp {
  struct Part {
    OpenPartition* partition = nullptr;
    const Batch* batch = nullptr;
    Sequence sequence = 0;  // out, as above
  };
  std::span<Part> parts;  // of different partitions
  Status status;
  Mark mark = 0;  // of all the parts
  Completion done;
};

struct DurableOp {
  const OpenPartition* partition = nullptr;
  Mark mark = 0;
  Status status;
  Completion done;
  DurableOp* next = nullptr;  // the engine's list of parked operations
};

struct Capabilities {
  bool multi_partition_atomic = false;
  bool persistent = false;
  bool snapshots = false;
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
  // Commits of the handle up to here are durable. Of a dead one no more than it had made durable: what is lost with it
  // is not, however far its successors come.
  virtual Mark DurableUpTo(const OpenPartition& partition) const = 0;

  // Partitions. Durable when they return; rare, so they are tasks.

  virtual Task<Result<std::vector<PartitionInfo>>> ListPartitions() = 0;
  // The same partition again is no error; another one under a known id is kInvalidArgument.
  virtual Task<Status> CreatePartition(PartitionInfo info) = 0;
  // Under the epoch the partition has, or a higher one, which it then has; under a lower one kFenced. Again under the
  // same: the same handle.
  virtual Task<Result<std::shared_ptr<OpenPartition>>> OpenPartitionAt(PartitionId id, Epoch epoch) = 0;
  // The partition ends. Its hashes below `at` go to `low`, the others to `high`: new partitions at its epoch, whose
  // numbers go on behind its own and whose counts are together its own. What was committed before is durable when this
  // has returned, as after opening.
  virtual Task<Status> SplitPartition(PartitionId id, uint64_t at, PartitionId low, PartitionId high) = 0;
  // Forgets the partition and everything in it.
  virtual Task<Status> DropPartition(PartitionId id) = 0;
  // What belongs to hashes goes, in all partitions of the keyspace; what is a partition's own stays. REQUIRES: nobody
  // reads or writes it any more. Durable or not: what a crash brings back is dropped with the partitions.
  virtual Task<Status> DropRowsOfHashes(KeyspaceId keyspace) = 0;

  // The handle of the system partition, for as long as the engine lives.
  virtual OpenPartition& system() = 0;

  // A snapshot of the durable view; null where not capabilities().snapshots.
  virtual std::shared_ptr<const Snapshot> TakeSnapshot() = 0;
  // A complete, openable copy of the durable state in a new directory. kInvalidArgument where not persistent.
  virtual Task<Status> Checkpoint(std::string directory) = 0;

  // Encryption at rest, where the engine was opened with data keys (encryption/data_keys.h).
  // How many files there are under which key, by its number; a key that is not named here is needed no more, by this
  // store or a Checkpoint that is under way. Empty where nothing is encrypted.
  virtual Task<Result<std::map<uint32_t, uint64_t>>> FilesByDataKey();
  // Writes all tables anew, under the newest key, while the store is served; takes as long as that takes. Logs follow
  // when they are full, the manifest when the store is opened next. kUnavailable: the engine was closed meanwhile.
  virtual Task<Status> RewriteUnderNewestKey();

  virtual EngineStats stats() const = 0;

  // Makes everything committed durable, fails what is parked and cannot be, releases the directory.
  virtual Status Close() = 0;
};

inline Task<Result<std::map<uint32_t, uint64_t>>> Engine::FilesByDataKey() { co_return std::map<uint32_t, uint64_t>(); }
inline Task<Status> Engine::RewriteUnderNewestKey() { co_return Status::Ok(); }

}  // namespace armature::storage
