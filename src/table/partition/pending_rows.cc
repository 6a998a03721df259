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

// Nodes are made where they are not needed, and taken out of there.
void PendingRows::Made::Add(std::string_view key, std::string_view value) {
  ByKey rows;
  ByVersion places;
  rows.emplace(key, Entry{std::string(value), 0});
  places.emplace(0, rows.cbegin());
  nodes_.push_back({rows.extract(rows.begin()), places.extract(places.begin())});
}

void PendingRows::Enter(Made& made) noexcept {
  MutexLock lock(mutex_);
  for (auto& [row, place] : made.nodes_) {
    auto entered = rows_.find(row.key());
    if (entered == rows_.end()) {
      entered = rows_.insert(std::move(row)).position;
    } else {
      by_version_.erase(entered->second.version);
      entered->second.value.swap(row.mapped().value);
    }
    entered->second.version = place.key() = ++newest_;
    place.mapped() = entered;
    by_version_.insert(by_version_.end(), std::move(place));
  }
  made.nodes_.clear();
  size_.store(rows_.size(), std::memory_order_release);
}

void PendingRows::Put(std::string_view key, std::string_view value) {
  Made made;
  made.Add(key, value);
  Enter(made);
}

void PendingRows::Erase(std::string_view key) noexcept {
  MutexLock lock(mutex_);
  const auto row = rows_.find(key);
  if (row == rows_.end()) return;
  by_version_.erase(row->second.version);
  rows_.erase(row);
  size_.store(rows_.size(), std::memory_order_release);
}

}  // namespace armature::table
