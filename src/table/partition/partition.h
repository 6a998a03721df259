// Partition: a part of a table's items as this process has it: all that belongs to one range of hashes.
//
// Owns what is true only for as long as the partition is open: the latches of its items, the images of those written
// lately, and which commit was the newest; and shares the meter and the ceilings with whoever has had the partition
// before. It dies with its handle (storage/partition.h): whoever is refused with kFenced looks in the table for the one
// that has taken its place. Thread-safe as its parts are. Made by the catalogue; used by the read and write paths.
//
// Where a change of several partitions cannot be one commit (no multi_partition_atomic), it also has the rows that
// stand for what is half done: intents of transactions and notes for global indexes.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "base/async.h"
#include "base/result.h"
#include "storage/engine.h"
#include "table/partition/latches.h"
#include "table/partition/latest_images.h"
#include "table/partition/meter.h"
#include "table/partition/pending_rows.h"
#include "table/throttle/partition_ceilings.h"

namespace armature::table {

class Partition {
 public:
  // `before` is the same partition under another handle, whose meter and ceilings go on; null: there was none.
  explicit Partition(std::shared_ptr<storage::OpenPartition> handle, const Partition* before = nullptr)
      : handle_(std::move(handle)),
        meter_(before ? before->meter_ : std::make_shared<Meter>()),
        ceilings_(before ? before->ceilings_ : std::make_shared<PartitionCeilings>()),
        latches_(LatchesFor(handle_->info().hashes)),
        records_end_(handle_->newest() + 1) {}
  // With what the store has of half done changes.
  static Task<Result<std::shared_ptr<Partition>>> Open(storage::Engine& engine,
                                                       std::shared_ptr<storage::OpenPartition> handle,
                                                       const Partition* before = nullptr);
  Partition(const Partition&) = delete;
  Partition& operator=(const Partition&) = delete;

  storage::OpenPartition& handle() const { return *handle_; }
  storage::PartitionId id() const { return handle_->id(); }
  storage::Epoch epoch() const { return handle_->info().epoch; }
  const storage::HashRange& hashes() const { return handle_->info().hashes; }
  // It was split: only what is its own is still there.
  bool has_ended() const { return handle_->info().is_ended; }

  // The latches, and what they guard.
  LatchTable& latches() { return latches_; }
  // Of many partitions each has a part of the writers: together their latches, and the images under them, should stay
  // in the processor's cache.
  static size_t LatchesFor(const storage::HashRange& hashes);
  LatestImages& images() { return images_; }

  // What was used of it.
  Meter& meter() const { return *meter_; }
  // What may be used of it.
  const std::shared_ptr<PartitionCeilings>& ceilings() const { return ceilings_; }

  // Items that a transaction has announced to change, and those whose rows in global indexes are yet to follow.
  PendingRows& intents() { return intents_; }
  PendingRows& notes() { return notes_; }
  const PendingRows& notes() const { return notes_; }
  // One follows the notes at a time.
  LatchTable& follow_latch() { return follow_latch_; }
  // Held from comparing items with their rows in global indexes until the difference is ordered there, not until it is
  // durable: whoever puts another partition in the place of this one takes it first.
  LatchTable& rows_latch() { return rows_latch_; }
  // What a commit puts of these, made ready before it.
  struct Pending {
    Pending() = default;
    explicit Pending(const storage::Batch& batch);
    PendingRows::Made intents, notes;
  };
  // The commit has succeeded: enters and takes out what it has put and deleted of these, without taking memory.
  void TakePending(const storage::Batch& batch, Pending& put) noexcept;

  // Another has taken its place. What this one has committed up to `sequence` is there for good, what came behind is
  // not.
  void Succeeded(storage::Sequence sequence) {
    survived_to_.store(sequence, std::memory_order_relaxed);
    is_succeeded_.store(true, std::memory_order_release);
  }
  // REQUIRES: PartitionSet::LookAgain has found another.
  bool WasDone(storage::Sequence sequence) const {
    return sequence != 0 && is_succeeded_.load(std::memory_order_acquire) &&
           sequence <= survived_to_.load(std::memory_order_relaxed);
  }

  void CountWrite() { meter_->CountWrite(); }
  uint64_t TakeWrites() { return meter_->TakeWrites(); }

  // Whoever reveals latest state without writing waits for the newest commit.
  storage::Mark newest() const { return newest_.load(std::memory_order_acquire); }
  void NoteCommitted(storage::Mark mark) {
    storage::Mark seen = newest_.load(std::memory_order_relaxed);
    while (seen < mark && !newest_.compare_exchange_weak(seen, mark, std::memory_order_acq_rel)) {}
  }

  // Behind the newest change record (table/lanes/), or where the partition was opened: commits that record nothing,
  // such as those of its readers' cursors, do not move it. Noted after the commit's mark: whoever reads this and then
  // newest() knows what to wait for.
  storage::Sequence records_end() const { return records_end_.load(std::memory_order_acquire); }
  void NoteRecord(storage::Sequence sequence) {
    storage::Sequence seen = records_end_.load(std::memory_order_relaxed);
    while (seen <= sequence && !records_end_.compare_exchange_weak(seen, sequence + 1, std::memory_order_acq_rel)) {}
  }

 private:
  const std::shared_ptr<storage::OpenPartition> handle_;
  const std::shared_ptr<Meter> meter_;
  const std::shared_ptr<PartitionCeilings> ceilings_;
  LatchTable latches_;
  LatestImages images_{latches_.stripe_count()};
  std::atomic<storage::Mark> newest_{0};
  std::atomic<storage::Sequence> records_end_;
  PendingRows intents_;
  PendingRows notes_;
  LatchTable follow_latch_{1}, rows_latch_{1};
  std::atomic<storage::Sequence> survived_to_{0};
  std::atomic<bool> is_succeeded_{false};
};

}  // namespace armature::table
