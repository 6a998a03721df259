#include "storage/counts.h"

#include <algorithm>

namespace armature::storage {
namespace {

bool IsBelow(const std::pair<uint32_t, RowCount>& entry, uint32_t slot) { return entry.first < slot; }

int64_t ShareOf(int64_t whole, double share) { return static_cast<int64_t>(static_cast<double>(whole) * share); }

}  // namespace

RowCount& Counts::Other(uint32_t slot) {
  auto entry = std::lower_bound(others_.begin(), others_.end(), slot, IsBelow);
  if (entry == others_.end() || entry->first != slot) entry = others_.insert(entry, {slot, {}});
  return entry->second;
}

RowCount Counts::of(uint32_t slot) const {
  if (slot == 0) return first_;
  const auto entry = std::lower_bound(others_.begin(), others_.end(), slot, IsBelow);
  return entry == others_.end() || entry->first != slot ? RowCount{} : entry->second;
}

std::pair<Counts, Counts> Divide(const Counts& counts, double share) {
  std::pair<Counts, Counts> parts;
  counts.ForEach([&](uint32_t slot, const RowCount& count) {
    const RowCount first{ShareOf(count.rows, share), ShareOf(count.bytes, share)};
    parts.first.Add(slot, first);
    parts.second.Add(slot, {count.rows - first.rows, count.bytes - first.bytes});
  });
  return parts;
}

void AppendCounts(const Counts& counts, std::string& out) {
  counts.ForEach([&](uint32_t slot, const RowCount& count) {
    AppendVarint(out, slot);
    AppendVarint(out, ZigZag(count.rows));
    AppendVarint(out, ZigZag(count.bytes));
  });
}

Counts ReadCounts(ByteReader& reader) {
  Counts counts;
  while (!reader.at_end()) {
    const auto slot = static_cast<uint32_t>(reader.Varint());
    const int64_t rows = UnZigZag(reader.Varint());
    const int64_t bytes = UnZigZag(reader.Varint());
    if (reader.ok()) counts.Add(slot, {rows, bytes});
  }
  return counts;
}

RowCount LiveCounts::of(uint32_t slot) const {
  if (slot == 0) return {rows_.load(std::memory_order_relaxed), bytes_.load(std::memory_order_relaxed)};
  if (!has_others_.load(std::memory_order_acquire)) return {};
  MutexLock lock(mutex_);
  return others_.of(slot);
}

Counts LiveCounts::all() const {
  Counts counts;
  if (has_others_.load(std::memory_order_acquire)) {
    MutexLock lock(mutex_);
    counts = others_;
  }
  counts.Add(0, of(0));
  return counts;
}

void LiveCounts::Add(const Counts& deltas) {
  if (deltas.has_others()) {
    MutexLock lock(mutex_);
    others_.AddOthers(deltas);
    has_others_.store(true, std::memory_order_release);
  }
  const RowCount first = deltas.of(0);
  if (first.rows != 0) rows_.fetch_add(first.rows, std::memory_order_relaxed);
  if (first.bytes != 0) bytes_.fetch_add(first.bytes, std::memory_order_relaxed);
}

void LiveCounts::Set(const Counts& counts) {
  MutexLock lock(mutex_);
  others_.Clear();
  others_.AddOthers(counts);
  has_others_.store(others_.has_others(), std::memory_order_release);
  rows_.store(counts.of(0).rows, std::memory_order_relaxed);
  bytes_.store(counts.of(0).bytes, std::memory_order_relaxed);
}

}  // namespace armature::storage
