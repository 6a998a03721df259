// What callers ask of a session, checked and put into it: policies, tags, its credentials.
//
// Shared by the operations that make sessions, which differ in whom they make them for. Internal to sts/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "auth/identity.h"
#include "iam/sessions/session.h"
#include "iam/state/snapshot.h"
#include "model/api_error.h"
#include "policy/context.h"
#include "query/query_context.h"
#include "sts/sts_service.h"
#include "wire/query/sts.h"

namespace armature::sts {

// The policies that bound the session: a text, and managed ones of the account or of AWS.
query::QueryResult AddPolicies(const iam::Snapshot& state, const wire::Opt<std::string_view>& policy,
                               const wire::List<wire::sts::PolicyDescriptorTypeInput>& arns, iam::Session& session);

// The tags of the session: those that are asked for, and the transitive ones that a calling session hands down. Keys
// are compared without regard to case.
query::QueryResult AddTags(std::vector<iam::SessionTag> asked, const std::vector<std::string>& transitive_keys,
                           const auth::Identity* caller, iam::Session& session);

// As they come in a request.
std::vector<iam::SessionTag> TagsOf(const wire::List<wire::sts::TagInput>& tags);

// There are no MFA devices here: whoever names one is told that it does not know him.
query::QueryResult CheckNoFactor(const wire::Opt<std::string_view>& serial, const wire::Opt<std::string_view>& code);

// Issues the session, from now on for so long.
model::ApiResult<wire::sts::Credentials> Issue(StsService& service, int64_t now_millis, int64_t seconds,
                                               iam::Session& session);

// The condition keys that only STS has values for.
class SessionConditions final : public policy::ConditionSource {
 public:
  // All outlive this; what is empty is absent.
  SessionConditions(const iam::Session& session, const iam::Tags& resource_tags, std::string_view external_id,
                    int64_t asked_seconds);

  policy::ConditionValues Find(const policy::ConditionKey& key) const override;

 private:
  const iam::Session& session_;
  const iam::Tags& resource_tags_;
  const std::string_view external_id_;
  const std::string seconds_;
  std::vector<std::string_view> tag_keys_;
  std::vector<std::string_view> transitive_keys_;
};

}  // namespace armature::sts
