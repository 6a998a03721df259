// ClusterRecords: the records of DAX's control plane, in the system partition beside the tables.
//
// Thread-safe; whoever changes records orders his changes (dax/control/cluster_book.h).
#pragma once

#include "dax/control/cluster_store.h"
#include "storage/engine.h"

namespace armature::server {

class ClusterRecords final : public dax::control::ClusterStore {
 public:
  explicit ClusterRecords(storage::Engine& engine) : engine_(engine) {}

  Task<Result<Records>> ReadAll() override;
  Task<Status> Write(const Changes& changes) override;

 private:
  storage::Engine& engine_;
};

}  // namespace armature::server
