// ClusterStore: where the control plane's records are kept.
//
// Knows keys and values, not what they mean (state_codec.h). Called by the ClusterBook, one change at a time.
// Implemented by server/ over the house's own records, by tests in memory.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/async.h"
#include "base/result.h"

namespace armature::dax::control {

class ClusterStore {
 public:
  // By key; nothing: the record goes.
  using Changes = std::map<std::string, std::optional<std::string>>;
  using Records = std::map<std::string, std::string>;

  virtual ~ClusterStore() = default;

  virtual Task<Result<Records>> ReadAll() = 0;
  // All or nothing, and durable once it is done. `changes` hold until then.
  virtual Task<Status> Write(const Changes& changes) = 0;
};

}  // namespace armature::dax::control
