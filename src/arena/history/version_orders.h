// VersionOrders: for every item, which version followed which, put together from all that tells of it.
//
// A version is the id of the write that made it; an absent item has a version too: 0 before anything was written, -v
// after a Delete took away version v. Sources are the trails in items, the images that writes gave back, versions that
// conditions insisted on, and the table's stream. Where two of them disagree (two writes on top of the same version)
// an update was lost, and that is a finding. Built once, then read; no threads.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arena/history/history.h"

namespace armature::arena {

class VersionOrders {
 public:
  // `streamed[key]` is the whole order of a key's versions as its stream tells it; empty if there is no stream.
  VersionOrders(const History& history, const std::vector<std::vector<int64_t>>& streamed, Findings& findings);

  // Operation number of the write that made the version; -1 for 0 and for Deletes that nobody can be named for.
  int64_t WriterOf(uint32_t key, int64_t version) const;
  struct Next {
    bool is_known = false;
    int64_t version = 0;
  };
  Next After(uint32_t key, int64_t version) const;
  Next Before(uint32_t key, int64_t version) const;
  // Whether the write (by its number in the history) has been seen to be done, or was answered.
  bool IsCommitted(size_t operation) const { return committed_[operation]; }
  // Which absence a reader saw; not known if there may have been several.
  Next AbsenceSeenBy(uint32_t key, const Operation& reader) const;

 private:
  using Key = std::pair<uint32_t, int64_t>;
  struct HashKey {
    size_t operator()(const Key& key) const {
      return (static_cast<uint64_t>(key.second) * 0x9e3779b97f4a7c15u) ^ (key.first * 0xff51afd7ed558ccdu);
    }
  };

  void FindWriters();
  void LearnFromAnswers();
  void LearnFromStream();
  void LearnFromSighting(uint32_t key, const Sighting& sighting);
  void Follows(uint32_t key, int64_t version, int64_t next);
  void MarkSeen(uint32_t key, int64_t version);
  void RequireWhole();

  const History& history_;
  const std::vector<std::vector<int64_t>>& streamed_;
  Findings& findings_;
  std::unordered_map<Key, size_t, HashKey> writers_;
  std::unordered_map<Key, int64_t, HashKey> next_;
  std::unordered_map<Key, int64_t, HashKey> previous_;
  std::vector<bool> committed_;
  std::vector<bool> has_deletes_;  // by key: somebody tried to delete it
};

}  // namespace armature::arena
