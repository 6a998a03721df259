// ConditionKey: the name of something that conditions and variables ask of a request ("aws:SourceIp").
//
// Names are compared without case: they are lower-cased when a policy is compiled, and those that this house fills in
// are told by an enum, so that a lookup is a switch. Pure values; views into the policy.
#pragma once

#include <cstdint>
#include <string_view>

namespace armature::policy {

enum class KnownKey : uint8_t {
  kOther,  // by its name only: keys of identity providers ("accounts.google.com:sub"), and those nobody fills in
  // Of the principal.
  kPrincipalArn,
  kPrincipalAccount,
  kPrincipalType,
  kPrincipalTag,  // with a tag
  kUserId,
  kUserName,
  kTokenIssueTime,
  kMultiFactorAuthPresent,
  kMultiFactorAuthAge,
  kFederatedProvider,
  kSourceIdentity,  // that a session has; kStsSourceIdentity is what one is asked to have
  kPrincipalIsAwsService,
  kViaAwsService,
  // Of the connection and the time.
  kSourceIp,
  kSecureTransport,
  kUserAgent,
  kReferer,
  kCurrentTime,
  kEpochTime,
  kRequestedRegion,
  // Of the resource and the request.
  kResourceAccount,
  kResourceTag,  // with a tag
  kRequestTag,   // with a tag
  kTagKeys,
  kSourceArn,
  kSourceAccount,
  // Of DynamoDB.
  kLeadingKeys,  // also FirstPartitionKeyValues
  kSecondPartitionKeyValues,
  kThirdPartitionKeyValues,
  kFourthPartitionKeyValues,
  kAttributes,
  kSelect,
  kReturnValues,
  kReturnConsumedCapacity,
  kEnclosingOperation,
  kFullTableScan,
  // Of IAM and STS.
  kIamPolicyArn,
  kIamPermissionsBoundary,
  kIamPassedToService,
  kIamAwsServiceName,
  kIamResourceTag,  // with a tag
  kStsExternalId,
  kStsRoleSessionName,
  kStsSourceIdentity,
  kStsTransitiveTagKeys,
  kStsDurationSeconds,
};

struct ConditionKey {
  KnownKey known = KnownKey::kOther;
  std::string_view name;  // lower case, with its vendor and tag
  std::string_view tag;   // lower case; of the keys that have one. Tag keys too are compared without case
};

// What a name in lower case means.
ConditionKey ConditionKeyOf(std::string_view lower_case_name);

// Whether a request may have several values for it. Such a key cannot stand in a variable.
bool IsMultivalued(KnownKey key);

}  // namespace armature::policy
