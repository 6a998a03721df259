// VersionMap: an ordered map that remembers old values for as long as a snapshot needs them.
//
// Every change carries a sequence number; a read names the sequence it wants to see. A replaced value is
// kept only if a pinned sequence can see it, so without snapshots the map holds one value per key and
// deletes are real. Old versions are dropped a few at a time (CollectSome), never all in one pause.
// Not thread-safe: MemoryEngine locks around it.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "storage/engine.h"

namespace armature::storage {

class VersionMap {
 public:
  // Changes must come in rising order of `sequence`; many may share one.
  void Put(std::string_view key, std::string_view value, Mark sequence);
  void Delete(std::string_view key, Mark sequence);
  // Deletes keys of [begin, end) (empty end: to the very end), at most `limit`; false when nothing was left to delete.
  bool DeleteSome(std::string_view begin, std::string_view end, Mark sequence, size_t limit);

  // The value of `key` as of `sequence`, or null.
  const std::string* Get(std::string_view key, Mark sequence) const;

  // Calls visit(key, value) in order (or reverse) until it returns false. `true` if visit stopped it.
  template <class Visitor>
  bool Scan(std::string_view begin, std::string_view end, bool is_reverse, Mark sequence, Visitor&& visit) const;

  void Pin(Mark sequence) { pinned_.insert(sequence); }
  void Unpin(Mark sequence) { pinned_.erase(pinned_.find(sequence)); }
  void CollectSome(size_t limit);

  size_t bytes() const { return bytes_; }
  size_t garbage() const { return garbage_.size(); }

 private:
  struct Version {
    Mark sequence = 0;
    bool is_deleted = false;
    std::string value;
    std::unique_ptr<Version> older;  // at most one per pinned sequence
  };
  struct Node {
    Version newest;
    uint32_t garbage = 0;  // entries of garbage_ that point here; the node may not go before them
  };
  using Map = std::map<std::string, Node, std::less<>>;
  struct Garbage {
    Mark replaced_at;
    Map::iterator node;
  };

  static const std::string* At(const Node& node, Mark sequence) {
    const Version* version = &node.newest;
    while (version && version->sequence > sequence) version = version->older.get();
    return version && !version->is_deleted ? &version->value : nullptr;
  }
  static size_t NodeBytes(std::string_view key) { return key.size() + sizeof(Map::value_type) + 4 * sizeof(void*); }
  bool IsPinned(const Version& replaced) const { return !pinned_.empty() && *pinned_.rbegin() >= replaced.sequence; }
  void KeepOld(Map::iterator node, Mark sequence);
  Map::iterator DeleteNode(Map::iterator node, Mark sequence);

  Map map_;
  std::multiset<Mark> pinned_;
  std::deque<Garbage> garbage_;  // in order of replaced_at
  size_t bytes_ = 0;
};

template <class Visitor>
bool VersionMap::Scan(std::string_view begin, std::string_view end, bool is_reverse, Mark sequence,
                      Visitor&& visit) const {
  if (!end.empty() && end <= begin) return false;
  const auto first = map_.lower_bound(begin);
  const auto last = end.empty() ? map_.end() : map_.lower_bound(end);
  if (!is_reverse) {
    for (auto it = first; it != last; ++it)
      if (const std::string* value = At(it->second, sequence))
        if (!visit(std::string_view(it->first), std::string_view(*value))) return true;
    return false;
  }
  for (auto it = last; it != first;) {
    --it;
    if (const std::string* value = At(it->second, sequence))
      if (!visit(std::string_view(it->first), std::string_view(*value))) return true;
  }
  return false;
}

}  // namespace armature::storage
