#include "storage/memory/version_map.h"

#include <limits>

namespace armature::storage {

void VersionMap::KeepOld(Map::iterator node, Mark sequence) {
  Version& newest = node->second.newest;
  newest.older = std::make_unique<Version>(std::move(newest));  // NOLINT: the old one moves behind the new one
  bytes_ += sizeof(Version);
  garbage_.push_back({sequence, node});
  ++node->second.garbage;
}

void VersionMap::Put(std::string_view key, std::string_view value, Mark sequence) {
  auto node = map_.lower_bound(key);
  if (node == map_.end() || node->first != key) {
    node = map_.emplace_hint(node, std::string(key), Node{});
    bytes_ += NodeBytes(key);
  } else if (IsPinned(node->second.newest)) {
    KeepOld(node, sequence);
  } else {
    bytes_ -= node->second.newest.value.size();
  }
  Version& newest = node->second.newest;
  newest.sequence = sequence;
  newest.is_deleted = false;
  newest.value = value;
  bytes_ += value.size();
}

VersionMap::Map::iterator VersionMap::DeleteNode(Map::iterator node, Mark sequence) {
  Version& newest = node->second.newest;
  if (newest.is_deleted) return std::next(node);
  if (IsPinned(newest)) {
    KeepOld(node, sequence);
  } else {
    bytes_ -= newest.value.size();
    if (node->second.garbage == 0) {
      bytes_ -= NodeBytes(node->first);
      return map_.erase(node);
    }
  }
  newest.sequence = sequence;
  newest.is_deleted = true;
  newest.value = std::string();
  return std::next(node);
}

void VersionMap::Delete(std::string_view key, Mark sequence) {
  if (auto node = map_.find(key); node != map_.end()) DeleteNode(node, sequence);
}

bool VersionMap::DeleteSome(std::string_view begin, std::string_view end, Mark sequence, size_t limit) {
  if (!end.empty() && end <= begin) return false;
  size_t deleted = 0;
  for (auto node = map_.lower_bound(begin); node != map_.end() && (end.empty() || node->first < end);) {
    if (deleted == limit) return true;
    if (!node->second.newest.is_deleted) ++deleted;
    node = DeleteNode(node, sequence);
  }
  return false;
}

const std::string* VersionMap::Get(std::string_view key, Mark sequence) const {
  auto node = map_.find(key);
  return node == map_.end() ? nullptr : At(node->second, sequence);
}

void VersionMap::CollectSome(size_t limit) {
  const Mark horizon = pinned_.empty() ? std::numeric_limits<Mark>::max() : *pinned_.begin();
  for (; limit > 0 && !garbage_.empty() && garbage_.front().replaced_at <= horizon; --limit) {
    auto node = garbage_.front().node;
    garbage_.pop_front();
    --node->second.garbage;
    // Whatever lies below a version that every pinned sequence can see is seen by nobody.
    Version* version = &node->second.newest;
    while (version->older && version->sequence > horizon) version = version->older.get();
    for (const Version* gone = version->older.get(); gone; gone = gone->older.get())
      bytes_ -= gone->value.size() + sizeof(Version);
    version->older.reset();
    if (node->second.garbage == 0 && node->second.newest.is_deleted && !node->second.newest.older) {
      bytes_ -= NodeBytes(node->first);
      map_.erase(node);
    }
  }
}

}  // namespace armature::storage
