#include "table/partition/pending_rows.h"

namespace armature::table {

uint64_t PendingRows::newest_version() const {
  MutexLock lock(mutex_);
  return newest_;
}

std::optional<PendingRows::Row> PendingRows::Find(std::string_view key) const {
  if (empty()) return std::nullopt;
  MutexLock lock(mutex_);
  const auto found = rows_.find(key);
  if (found == rows_.end()) return std::nullopt;
  return Row{found->first, found->second.value, found->second.version};
}

std::vector<PendingRows::Row> PendingRows::FindPrefix(std::string_view prefix) const {
  std::vector<Row> found;
  if (empty()) return found;
  MutexLock lock(mutex_);
  for (auto row = rows_.lower_bound(prefix); row != rows_.end() && row->first.starts_with(prefix); ++row)
    found.push_back({row->first, row->second.value, row->second.version});
  return found;
}

std::vector<PendingRows::Row> PendingRows::Oldest(size_t most, uint64_t version) const {
  std::vector<Row> oldest;
  if (empty()) return oldest;
  MutexLock lock(mutex_);
  for (const auto& [of_row, row] : by_version_) {
    if (of_row > version || oldest.size() == most) break;
    oldest.push_back({row->first, row->second.value, of_row});
  }
  return oldest;
}

void PendingRows::Put(std::string_view key, std::string_view value) {
  MutexLock lock(mutex_);
  auto row = rows_.find(key);
  if (row == rows_.end()) row = rows_.emplace(key, Entry{}).first;
  else by_version_.erase(row->second.version);
  row->second = {std::string(value), ++newest_};
  by_version_.emplace(newest_, row);
  size_.store(rows_.size(), std::memory_order_release);
}

void PendingRows::Erase(std::string_view key) {
  MutexLock lock(mutex_);
  const auto row = rows_.find(key);
  if (row == rows_.end()) return;
  by_version_.erase(row->second.version);
  rows_.erase(row);
  size_.store(rows_.size(), std::memory_order_release);
}

}  // namespace armature::table
