// Partition: a part of a table's items as this process has it: all that belongs to one range of hashes.
//
// Owns what is true only for as long as the partition is open: the latches of its items, the images of those written
// lately, and which commit was the newest. It dies with its handle (storage/partition.h): whoever is refused with
// kFenced looks in the table for the one that has taken its place. Thread-safe as its parts are. Made by the catalogue;
// used by the read and write paths.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "storage/engine.h"
#include "table/partition/latches.h"
#include "table/partition/latest_images.h"

namespace armature::table {

class Partition {
 public:
  explicit Partition(std::shared_ptr<storage::OpenPartition> handle) : handle_(std::move(handle)) {}
  Partition(const Partition&) = delete;
  Partition& operator=(const Partition&) = delete;

  storage::OpenPartition& handle() const { return *handle_; }
  storage::PartitionId id() const { return handle_->id(); }
  storage::Epoch epoch() const { return handle_->info().epoch; }
  const storage::HashRange& hashes() const { return handle_->info().hashes; }

  // The latches, and what they guard.
  LatchTable& latches() { return latches_; }
  LatestImages& images() { return images_; }

  // Whoever reveals latest state without writing waits for the newest commit.
  storage::Mark newest() const { return newest_.load(std::memory_order_acquire); }
  void NoteCommitted(storage::Mark mark) {
    storage::Mark seen = newest_.load(std::memory_order_relaxed);
    while (seen < mark && !newest_.compare_exchange_weak(seen, mark, std::memory_order_acq_rel)) {}
  }

 private:
  const std::shared_ptr<storage::OpenPartition> handle_;
  LatchTable latches_;
  LatestImages images_{latches_.stripe_count()};
  std::atomic<storage::Mark> newest_{0};
};

}  // namespace armature::table
