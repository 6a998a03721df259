// What stands behind a snapshot of these engines. Thread-safe.
//
// RocksDbSnapshot is a durable view kept for as long as somebody holds it. Counted, because table files are not deleted
// by range while one exists. May outlive the engine.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "storage/engine.h"
#include "storage/rocksdb/sync/durable_views.h"

namespace armature::storage {

class StoreSnapshot : public Snapshot {
 public:
  // null: the store does not change, and every view is the same.
  virtual const rocksdb::Snapshot* get() const = 0;
};

class RocksDbSnapshot final : public StoreSnapshot {
 public:
  RocksDbSnapshot(std::shared_ptr<DurableViews> views, std::shared_ptr<std::atomic<int>> count)
      : views_(std::move(views)), pin_(views_->Acquire()), count_(std::move(count)) {
    count_->fetch_add(1, std::memory_order_relaxed);
  }
  ~RocksDbSnapshot() override { count_->fetch_sub(1, std::memory_order_relaxed); }
  RocksDbSnapshot(const RocksDbSnapshot&) = delete;
  RocksDbSnapshot& operator=(const RocksDbSnapshot&) = delete;
  const rocksdb::Snapshot* get() const override { return pin_.snapshot(); }

 private:
  std::shared_ptr<DurableViews> views_;
  DurableViews::Pin pin_;
  std::shared_ptr<std::atomic<int>> count_;
};

}  // namespace armature::storage
