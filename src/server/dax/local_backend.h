// LocalBackend: the DynamoDB of this very server, behind a DAX node of it.
//
// A request's JSON goes through the pipeline as if it had come by HTTP, but for its signature: who may ask a DAX node
// was looked at there, and tables are touched as the cluster's role. Runs on the reactor it is called on. Thread-safe.
#pragma once

#include <string_view>

#include "dax/backend/backend.h"
#include "front/pipeline.h"
#include "server/dax/cluster_role.h"

namespace armature::server {

class LocalBackend final : public dax::Backend {
 public:
  // Both must outlive it.
  LocalBackend(const front::Pipeline& pipeline, ClusterRole& role) : pipeline_(pipeline), role_(role) {}

  Task<dax::BackendReply> Call(std::string_view operation, std::string_view json, const dax::Scope& scope) override;

 private:
  const front::Pipeline& pipeline_;
  ClusterRole& role_;
};

}  // namespace armature::server
