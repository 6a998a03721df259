#include "storage/rocksdb/sync/durable_views.h"

namespace armature::storage {
namespace {

size_t StripeOfThisThread(size_t stripes) {
  static std::atomic<size_t> next{0};
  thread_local const size_t mine = next.fetch_add(1, std::memory_order_relaxed);
  return mine % stripes;
}

}  // namespace

bool DurableViews::View::IsHeld() const {
  for (const Counter& counter : counters)
    if (counter.readers.load(std::memory_order_seq_cst) != 0) return true;
  return false;
}

DurableViews::Pin DurableViews::Acquire() {
  const size_t stripe = StripeOfThisThread(kStripes);
  for (;;) {
    View* view = current_.load(std::memory_order_acquire);
    view->counters[stripe].readers.fetch_add(1, std::memory_order_seq_cst);
    if (current_.load(std::memory_order_seq_cst) == view) return Pin(view, stripe);
    view->counters[stripe].readers.fetch_sub(1, std::memory_order_release);
  }
}

void DurableViews::Publish(const rocksdb::Snapshot* snapshot) {
  MutexLock lock(mutex_);
  // Two publishers may arrive out of order; the view never runs backwards.
  if (View* current = current_.load(std::memory_order_relaxed);
      current && snapshot->GetSequenceNumber() < current->snapshot->GetSequenceNumber()) {
    db_->ReleaseSnapshot(snapshot);
    return;
  }
  View& view = FreeView();
  view.snapshot = snapshot;
  current_.store(&view, std::memory_order_seq_cst);
  mark_.store(snapshot->GetSequenceNumber(), std::memory_order_release);
  ReleaseRetired();
}

DurableViews::View& DurableViews::FreeView() {
  for (auto& view : views_)
    if (view->snapshot == nullptr) return *view;
  return *views_.emplace_back(std::make_unique<View>());
}

void DurableViews::ReleaseRetired() {
  const View* current = current_.load(std::memory_order_relaxed);
  for (auto& view : views_) {
    if (view.get() == current || view->snapshot == nullptr || view->IsHeld()) continue;
    db_->ReleaseSnapshot(view->snapshot);
    view->snapshot = nullptr;
  }
}

void DurableViews::Close() {
  MutexLock lock(mutex_);
  if (db_ == nullptr) return;
  for (auto& view : views_)
    if (view->snapshot) db_->ReleaseSnapshot(std::exchange(view->snapshot, nullptr));
  db_ = nullptr;
}

}  // namespace armature::storage
