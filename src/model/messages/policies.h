// Texts about policies: documents that are malformed, and requests that they deny.
//
// IAM tells the first as MalformedPolicyDocument; PutResourcePolicy puts kInvalidResourcePolicy before them.
#pragma once

#include <string_view>

namespace armature::model::messages {

// --- documents
inline constexpr std::string_view kPolicySyntax = "Syntax errors in policy.";
inline constexpr std::string_view kTrustPolicyNotJson = "This policy contains invalid Json";
inline constexpr std::string_view kResourcePolicyNotJson = "The policy is not in the valid JSON format";
inline constexpr std::string_view kPolicyVersionTooOld = "Policy document must be version 2012-10-17 or greater.";
inline constexpr std::string_view kPolicyLegacyParsing = "The policy failed legacy parsing";
inline constexpr std::string_view kPolicySidForm =
    "Statement IDs (SID) must be alpha-numeric. Check that your input satisfies the regular expression [0-9A-Za-z]*";
inline constexpr std::string_view kPolicySidsNotUnique = "Statement IDs (SID) in a single policy must be unique.";
inline constexpr std::string_view kPolicyWithoutActions = "Policy statement must contain actions.";
inline constexpr std::string_view kPolicyResourceNoArn = "Resource {} must be in ARN format or \"*\".";
inline constexpr std::string_view kPolicyPartition = "Partition \"{}\" is not valid for resource \"{}\".";
inline constexpr std::string_view kPolicyResourceVendor =
    "Resource vendor must be fully qualified and cannot contain regexes.";
inline constexpr std::string_view kPolicyIamRegion = "IAM resource {} cannot contain region information.";
inline constexpr std::string_view kPolicyS3Region = "Resource {} can not contain region information.";
inline constexpr std::string_view kPolicyIamPath =
    "IAM resource path must either be \"*\" or start with user/, federated-user/, role/, group/, instance-profile/, "
    "mfa/, server-certificate/, policy/, sms-mfa/, saml-provider/, oidc-provider/, report/, access-report/.";
inline constexpr std::string_view kPolicyActionWithoutVendor =
    "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.";
inline constexpr std::string_view kPolicyActionColons = "Actions/Condition can contain only one colon.";
inline constexpr std::string_view kPolicyVendor = "Vendor {} is not valid";
inline constexpr std::string_view kPolicyWithoutResources = "Policy statement must contain resources.";
inline constexpr std::string_view kPolicyWithPrincipal = "Policy document should not specify a principal.";
inline constexpr std::string_view kTrustPolicyWithResource = "Has prohibited field Resource";
inline constexpr std::string_view kPolicyWithoutPrincipal = "Missing required field Principal";
inline constexpr std::string_view kTrustPolicyActions = "AssumeRole policy may only specify STS AssumeRole actions.";
inline constexpr std::string_view kPolicyPrincipal = "Invalid principal in policy: \"{}\":\"{}\"";
inline constexpr std::string_view kPolicyFederatedPrincipal =
    "Federated principals must be valid domain names or SAML metadata ARNs";

// --- resource policies; what stands behind this head is one of the above or of these
inline constexpr std::string_view kInvalidResourcePolicy =
    "One or more parameter values were invalid: Invalid policy document: {}";
inline constexpr std::string_view kResourcePolicyActions = "The following action names are invalid: {}";
// AWS's own words for these three are not on record.
inline constexpr std::string_view kResourcePolicyTooLong = "The policy is longer than {} bytes";
inline constexpr std::string_view kResourcePolicyResources = "The following resources are invalid: {}";
inline constexpr std::string_view kResourcePolicyPublic =
    "The policy grants public access, which block public access does not allow";

// --- changes of resource policies
inline constexpr std::string_view kNoResourcePolicy =
    "Resource-based policy not found for the provided ResourceArn: {}";
// After that head: the revision that was expected is not the one there is. What is changed is "table <name>".
inline constexpr std::string_view kPolicyNotExpected =
    "Requested policy update expecting none to be present for {}, but a policy exists with revision id {}.";
inline constexpr std::string_view kOtherPolicyRevision =
    "Requested update for policy with revision id {}, but the policy associated to target {} has revision id {}.";
// AWS's own words for these are not on record.
inline constexpr std::string_view kPolicyExpected =
    "Requested update for policy with revision id {}, but no policy is associated to target {}.";
inline constexpr std::string_view kPolicyUpdatePending =
    "Attempt to change a resource which is still in use: There is a pending previous resource-based policy update for "
    "{}";
inline constexpr std::string_view kPolicyLocksOut =
    "One or more parameter values were invalid: The policy would not let you change or delete it in the future. Set "
    "ConfirmRemoveSelfResourceAccess to true to put it nevertheless";

// --- denials
inline constexpr std::string_view kNotAuthorized = "User: {} is not authorized to perform: {} on resource: {} {}";
inline constexpr std::string_view kNoPolicyAllows = "because no {} allows the {} action";
inline constexpr std::string_view kExplicitDeny = "with an explicit deny in {} {}";

}  // namespace armature::model::messages
