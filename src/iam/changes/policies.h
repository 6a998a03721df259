// Managed policies and their versions. AWS's own cannot be changed: to these functions they are not there.
#pragma once

#include <string>
#include <string_view>

#include "iam/entities/iam_error.h"
#include "iam/state/draft.h"

namespace armature::iam {

struct NewPolicy {
  std::string name;
  std::string path = "/";
  std::string document;
  std::string description{};
  Tags tags{};
};
IamResult<PolicyRef> CreatePolicy(Draft& draft, std::string_view account, const NewPolicy& policy);
// An ARN of another account is, to all of these, one that is not there.
IamResult<void> DeletePolicy(Draft& draft, std::string_view account, std::string_view arn);
IamResult<PolicyVersion> CreatePolicyVersion(Draft& draft, std::string_view account, std::string_view arn,
                                             std::string_view document, bool is_default);
// `version` is "v2".
IamResult<void> DeletePolicyVersion(Draft& draft, std::string_view account, std::string_view arn,
                                    std::string_view version);
IamResult<void> SetDefaultPolicyVersion(Draft& draft, std::string_view account, std::string_view arn,
                                        std::string_view version);

// For whoever reads: the policy of the account or of AWS, and one of its versions.
IamResult<PolicyRef> MustFindPolicy(const Snapshot& state, std::string_view account, std::string_view arn);
IamResult<PolicyVersion> MustFindVersion(const ManagedPolicy& policy, std::string_view version);

}  // namespace armature::iam
