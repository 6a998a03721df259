// MappingStore: every mapping there is, in memory and on disk.
//
// Owns their records in the system partition. Changes are serialised, durable before they are shown, and survive
// restarts. Mappings are in the order of their UUIDs. A record that cannot be read is set aside: it is kept as it is,
// and its UUID is not used again. Thread-safe. Used by Triggers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/async.h"
#include "base/mutex.h"
#include "model/api_error.h"
#include "storage/engine.h"
#include "table/partition/latches.h"
#include "triggers/mappings/mapping.h"

namespace armature::triggers {

class MappingStore {
 public:
  using Ref = std::shared_ptr<const Mapping>;

  explicit MappingStore(storage::Engine& engine) : engine_(engine) {}

  Task<Status> Load();

  Ref Find(std::string_view uuid) const;
  std::vector<Ref> List() const;
  bool IsUnreadable(std::string_view uuid) const;

  // Decides, alone with all mappings, what one of them becomes: null leaves things as they are. Returns what is stored.
  using Decide = std::function<model::ApiResult<Ref>(const std::map<std::string, Ref, std::less<>>& all)>;
  Task<model::ApiResult<Ref>> Change(Decide decide);
  // Forgets the record.
  Task<Status> Remove(std::string uuid);

 private:
  storage::Engine& engine_;
  table::LatchTable change_latch_{1};
  mutable Mutex mutex_;
  std::map<std::string, Ref, std::less<>> mappings_ ARMATURE_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> unreadable_;  // UUIDs; written by Load only
};

}  // namespace armature::triggers
