// TablePolicies: the policies of tables and streams, compiled, for the PolicyAuthorizer.
//
// They are stored in the definitions of tables; what they mean is worked out when they are first asked for and kept, so
// that a change takes effect with the definition that has it. A stored policy that cannot be read any more allows
// nothing but to put another. Thread-safe, never blocks for long. Used by server/, and by whoever explains decisions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/shared_mutex.h"
#include "iam/access/policy_authorizer.h"
#include "model/table_def.h"
#include "policy/policy.h"
#include "table/catalog.h"
#include "table/journal/journal.h"

namespace armature::iam {

// A policy as it is stored with its table. One that cannot be read any more allows nothing but to put another.
std::shared_ptr<const policy::Policy> CompileStoredPolicy(const model::ResourcePolicyDef& def);

class TablePolicies final : public ResourcePolicies {
 public:
  TablePolicies(const table::Catalog& catalog, const table::Journal& journal) : catalog_(catalog), journal_(journal) {}

  // An index has its table's.
  std::shared_ptr<const policy::Policy> Find(const auth::Resource& resource) const override;

 private:
  // A table's id, and the label of a stream.
  using Owner = std::pair<uint64_t, std::string>;
  struct Compiled {
    int64_t revision = 0;
    std::shared_ptr<const policy::Policy> policy;
  };

  std::shared_ptr<const policy::Policy> Compile(uint64_t table_id, std::string_view label,
                                                const model::ResourcePolicyDef& def) const;

  const table::Catalog& catalog_;
  const table::Journal& journal_;
  mutable SharedMutex mutex_;
  mutable std::map<Owner, Compiled> compiled_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::iam
