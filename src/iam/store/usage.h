// UsageTable: when access keys and roles were last used.
//
// Noted with every request, so noting costs a look at a small table of the calling thread unless a minute has passed;
// stored lazily, by Write: a crash loses the last few minutes of it, which is all that AWS promises too. What belongs
// to nobody any more is forgotten with the next Forget or Load. Thread-safe. Used by the key ring and by background
// work.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/async.h"
#include "base/mutex.h"
#include "base/result.h"
#include "storage/engine.h"

namespace armature::iam {

struct Usage {
  int64_t at_millis = 0;
  std::string service;  // "dynamodb"
  std::string region;
};

class UsageTable {
 public:
  explicit UsageTable(storage::Engine& engine);

  // Keeps those that `is_known` knows.
  Task<Status> Load(std::function<bool(std::string_view id)> is_known);

  // `id` is an access key's or a role's.
  void Note(std::string_view id, std::string_view service, std::string_view region, int64_t now_millis);
  std::optional<Usage> Find(std::string_view id) const;

  // Forgets, durably, those that `is_known` does not know any more.
  Task<Status> Forget(std::function<bool(std::string_view id)> is_known);

  // Stores what was noted since the last time.
  Task<Status> Write();

 private:
  struct Entry {
    Usage usage;
    bool is_stored = true;
  };

  storage::Engine& engine_;
  const uint64_t serial_;  // tells tables apart
  mutable Mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::iam
