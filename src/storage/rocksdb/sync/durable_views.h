// DurableViews: the published snapshot that every read at View::kDurable uses.
//
// Readers pin the current view without a lock: add to a counter, look again whether the view is still
// current, read, subtract. The publisher retires the old view and gives its RocksDB snapshot back only
// when no counter of it is held. (Counters and `current_` are sequentially consistent: either the
// reader sees the new view and lets go, or the publisher sees the reader.) Counters are striped over
// cache lines so that reactors do not fight over one.
// Acquire from any thread; Publish and Close from any thread, serialised here.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include <rocksdb/db.h>

#include "base/mutex.h"
#include "storage/engine.h"

namespace armature::storage {

class DurableViews {
  static constexpr size_t kStripes = 8;
  struct alignas(64) Counter {
    std::atomic<uint32_t> readers{0};
  };
  struct View {
    const rocksdb::Snapshot* snapshot = nullptr;  // null: free for use
    std::array<Counter, kStripes> counters;
    bool IsHeld() const;
  };

 public:
  // Keeps a view alive and readable.
  class Pin {
   public:
    Pin() = default;
    Pin(Pin&& other) noexcept : view_(std::exchange(other.view_, nullptr)), stripe_(other.stripe_) {}
    Pin& operator=(Pin&& other) noexcept {
      std::swap(view_, other.view_);
      std::swap(stripe_, other.stripe_);
      return *this;
    }
    ~Pin() {
      if (view_) view_->counters[stripe_].readers.fetch_sub(1, std::memory_order_release);
    }
    const rocksdb::Snapshot* snapshot() const { return view_ ? view_->snapshot : nullptr; }

   private:
    friend class DurableViews;
    Pin(View* view, size_t stripe) : view_(view), stripe_(stripe) {}
    View* view_ = nullptr;
    size_t stripe_ = 0;
  };

  explicit DurableViews(rocksdb::DB& db) : db_(&db) {}
  ~DurableViews() { Close(); }

  // The current view. REQUIRES: something was published.
  Pin Acquire();
  // Makes `snapshot`, taken from the same database and now owned here, the current view.
  void Publish(const rocksdb::Snapshot* snapshot);
  // RocksDB's number of the current view: what has no higher mark is in it.
  Mark mark() const { return mark_.load(std::memory_order_acquire); }

  // Gives every snapshot back to the database, which is about to close. Nobody reads any more.
  void Close();

 private:
  View& FreeView() ARMATURE_WITH_LOCK(mutex_);
  void ReleaseRetired() ARMATURE_WITH_LOCK(mutex_);

  std::atomic<View*> current_{nullptr};
  std::atomic<Mark> mark_{0};
  Mutex mutex_;
  rocksdb::DB* db_ ARMATURE_GUARDED_BY(mutex_);                           // null once closed
  std::vector<std::unique_ptr<View>> views_ ARMATURE_GUARDED_BY(mutex_);  // addresses live as long as this object
};

}  // namespace armature::storage
