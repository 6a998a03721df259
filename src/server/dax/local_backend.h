// LocalBackend: the DynamoDB of this very server, behind a DAX node of it.
//
// A request's JSON goes through the pipeline as if it had come by HTTP, but for its signature: who may ask a DAX node
// was looked at there, and tables are touched as the cluster's role. Runs on the reactor it is called on. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "auth/identity.h"
#include "dax/backend/backend.h"
#include "front/pipeline.h"

namespace armature::server {

// On whose behalf a cluster touches tables: the identity of its role, and null if it may do nothing any more. Without a
// role it is the account's own.
using RoleIdentity = std::function<std::shared_ptr<const auth::Identity>(std::string_view account)>;

class LocalBackend final : public dax::Backend {
 public:
  // Both must outlive it. An empty `role`: the account itself, to which no policy applies.
  explicit LocalBackend(const front::Pipeline& pipeline, RoleIdentity role = {})
      : pipeline_(pipeline), role_(std::move(role)) {}

  Task<dax::BackendReply> Call(std::string_view operation, std::string_view json, const dax::Scope& scope) override;

 private:
  const front::Pipeline& pipeline_;
  const RoleIdentity role_;
};

}  // namespace armature::server
