#include "iam/access/service_trust.h"

#include "auth/access.h"
#include "auth/identity.h"
#include "iam/access/principal_conditions.h"
#include "policy/evaluate.h"

namespace armature::iam {

namespace {

using policy::ConditionValues;
using policy::KnownKey;

class ServiceConditions final : public policy::ConditionSource {
 public:
  explicit ServiceConditions(const ServiceCall& call)
      : call_(call), circumstances_{.now_millis = call.now_millis}, of_time_(nobody_, circumstances_, nullptr) {}

  ConditionValues Find(const policy::ConditionKey& key) const override {
    switch (key.known) {
      case KnownKey::kPrincipalIsAwsService: return ConditionValues::One("true");
      case KnownKey::kSourceAccount: return ConditionValues::One(call_.source_account);
      case KnownKey::kSourceArn: return ConditionValues::One(call_.source_arn);
      default: return of_time_.Find(key);
    }
  }

 private:
  const ServiceCall& call_;
  const auth::Identity nobody_;
  const auth::Circumstances circumstances_;
  const PrincipalConditions of_time_;
};

}  // namespace

bool TrustsService(const Role& role, std::string_view role_arn, const ServiceCall& call) {
  const ServiceConditions conditions(call);
  policy::Principal principal;
  principal.kind = policy::PrincipalKind::kService;
  principal.arn = call.service;
  policy::ApplicablePolicies policies;
  policies.resource = role.trust->compiled.get();
  return policy::Evaluate({"sts:AssumeRole", role_arn, role.account, principal, conditions}, policies).allowed();
}

}  // namespace armature::iam
