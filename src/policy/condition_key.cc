#include "policy/condition_key.h"

#include <algorithm>
#include <iterator>

namespace armature::policy {

namespace {

struct NamedKey {
  std::string_view name;
  KnownKey key;
};

// In the order of their names. Those that end in a slash have a tag behind it.
constexpr NamedKey kKeys[] = {
    {"aws:currenttime", KnownKey::kCurrentTime},
    {"aws:epochtime", KnownKey::kEpochTime},
    {"aws:federatedprovider", KnownKey::kFederatedProvider},
    {"aws:multifactorauthage", KnownKey::kMultiFactorAuthAge},
    {"aws:multifactorauthpresent", KnownKey::kMultiFactorAuthPresent},
    {"aws:principalaccount", KnownKey::kPrincipalAccount},
    {"aws:principalarn", KnownKey::kPrincipalArn},
    {"aws:principalisawsservice", KnownKey::kPrincipalIsAwsService},
    {"aws:principaltag/", KnownKey::kPrincipalTag},
    {"aws:principaltype", KnownKey::kPrincipalType},
    {"aws:referer", KnownKey::kReferer},
    {"aws:requestedregion", KnownKey::kRequestedRegion},
    {"aws:requesttag/", KnownKey::kRequestTag},
    {"aws:resourceaccount", KnownKey::kResourceAccount},
    {"aws:resourcetag/", KnownKey::kResourceTag},
    {"aws:securetransport", KnownKey::kSecureTransport},
    {"aws:sourceaccount", KnownKey::kSourceAccount},
    {"aws:sourcearn", KnownKey::kSourceArn},
    {"aws:sourceidentity", KnownKey::kSourceIdentity},
    {"aws:sourceip", KnownKey::kSourceIp},
    {"aws:tagkeys", KnownKey::kTagKeys},
    {"aws:tokenissuetime", KnownKey::kTokenIssueTime},
    {"aws:useragent", KnownKey::kUserAgent},
    {"aws:userid", KnownKey::kUserId},
    {"aws:username", KnownKey::kUserName},
    {"aws:viaawsservice", KnownKey::kViaAwsService},
    {"dynamodb:attributes", KnownKey::kAttributes},
    {"dynamodb:enclosingoperation", KnownKey::kEnclosingOperation},
    {"dynamodb:firstpartitionkeyvalues", KnownKey::kLeadingKeys},
    {"dynamodb:fourthpartitionkeyvalues", KnownKey::kFourthPartitionKeyValues},
    {"dynamodb:fulltablescan", KnownKey::kFullTableScan},
    {"dynamodb:leadingkeys", KnownKey::kLeadingKeys},
    {"dynamodb:returnconsumedcapacity", KnownKey::kReturnConsumedCapacity},
    {"dynamodb:returnvalues", KnownKey::kReturnValues},
    {"dynamodb:secondpartitionkeyvalues", KnownKey::kSecondPartitionKeyValues},
    {"dynamodb:select", KnownKey::kSelect},
    {"dynamodb:thirdpartitionkeyvalues", KnownKey::kThirdPartitionKeyValues},
    {"iam:awsservicename", KnownKey::kIamAwsServiceName},
    {"iam:passedtoservice", KnownKey::kIamPassedToService},
    {"iam:permissionsboundary", KnownKey::kIamPermissionsBoundary},
    {"iam:policyarn", KnownKey::kIamPolicyArn},
    {"iam:resourcetag/", KnownKey::kIamResourceTag},
    {"sts:durationseconds", KnownKey::kStsDurationSeconds},
    {"sts:externalid", KnownKey::kStsExternalId},
    {"sts:rolesessionname", KnownKey::kStsRoleSessionName},
    {"sts:sourceidentity", KnownKey::kStsSourceIdentity},
    {"sts:transitivetagkeys", KnownKey::kStsTransitiveTagKeys},
};
static_assert(std::ranges::is_sorted(kKeys, {}, &NamedKey::name));

}  // namespace

ConditionKey ConditionKeyOf(std::string_view lower_case_name) {
  ConditionKey key;
  key.name = lower_case_name;
  const size_t slash = lower_case_name.find('/');
  const std::string_view family =
      slash == std::string_view::npos ? lower_case_name : lower_case_name.substr(0, slash + 1);
  const auto* const found = std::ranges::lower_bound(kKeys, family, {}, &NamedKey::name);
  if (found == std::end(kKeys) || found->name != family) return key;
  key.known = found->key;
  if (slash != std::string_view::npos) key.tag = lower_case_name.substr(slash + 1);
  return key;
}

bool IsMultivalued(KnownKey key) {
  switch (key) {
    case KnownKey::kTagKeys:
    case KnownKey::kLeadingKeys:
    case KnownKey::kSecondPartitionKeyValues:
    case KnownKey::kThirdPartitionKeyValues:
    case KnownKey::kFourthPartitionKeyValues:
    case KnownKey::kAttributes:
    case KnownKey::kStsTransitiveTagKeys: return true;
    default: return false;
  }
}

}  // namespace armature::policy
