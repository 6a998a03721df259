#include "iam/access/table_policies.h"

#include <cassert>

#include "base/log.h"
#include "policy/bound_principals.h"

namespace armature::iam {

namespace {

// Those of deleted tables stay until there are so many; then all are worked out anew.
constexpr size_t kMostCompiled = 10'000;

constexpr std::string_view kNothing =
    R"({"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":"*","Resource":"*",
        "NotAction":["dynamodb:PutResourcePolicy","dynamodb:DeleteResourcePolicy","dynamodb:GetResourcePolicy"]}]})";

}  // namespace

std::shared_ptr<const policy::Policy> CompileStoredPolicy(const model::ResourcePolicyDef& def) {
  // Without ids it was put when nobody was known.
  auto policy = def.principals.empty() ? policy::Parse(def.document, policy::PolicyKind::kResource)
                                       : policy::Parse(def.document, policy::PolicyKind::kResource,
                                                       policy::StoredDirectory(def.principals));
  if (policy) return std::move(*policy);
  LogWarn("a stored resource policy cannot be read and allows nothing: {}", policy.error().message());
  auto nothing = policy::Parse(kNothing, policy::PolicyKind::kResource);
  assert(nothing);
  return std::move(*nothing);
}

std::shared_ptr<const policy::Policy> TablePolicies::Find(const auth::Resource& resource) const {
  using auth::ResourceKind;
  if (!catalog_.has_policies()) return nullptr;
  std::shared_ptr<table::Table> table;
  if (resource.kind == ResourceKind::kTable || resource.kind == ResourceKind::kIndex) {
    table = catalog_.Find({resource.account, resource.region}, resource.name);
  } else if (resource.kind == ResourceKind::kStream) {
    // That of a deleted table can be read for a day.
    if (auto stream = journal_.FindStream(resource.Arn())) table = std::move(stream->table);
  }
  if (!table) return nullptr;
  const std::string_view label = resource.kind == ResourceKind::kStream ? resource.part : std::string_view();
  const auto def = table->def();
  const model::ResourcePolicyDef* const policy = def->FindPolicy(label);
  return policy && policy->is_set() ? Compile(table->id(), label, *policy) : nullptr;
}

std::shared_ptr<const policy::Policy> TablePolicies::Compile(uint64_t table_id, std::string_view label,
                                                             const model::ResourcePolicyDef& def) const {
  Owner owner(table_id, label);
  {
    const ReadLock lock(mutex_);
    const auto found = compiled_.find(owner);
    if (found != compiled_.end() && found->second.revision == def.revision) return found->second.policy;
  }
  auto policy = CompileStoredPolicy(def);
  const WriteLock lock(mutex_);
  if (compiled_.size() >= kMostCompiled) compiled_.clear();
  compiled_[std::move(owner)] = {def.revision, policy};
  return policy;
}

}  // namespace armature::iam
