// AWS's sentences for what IAM refuses, in one place: a wording that changes is one line here.
//
// Formats of fmt. Those about entities take the entity's word ("user", "role", "group") and its name.
#pragma once

namespace armature::iam::messages {

inline constexpr char kAlreadyExists[] = "{} with name {} already exists.";
inline constexpr char kPolicyAlreadyExists[] = "A policy called {} already exists. Duplicate names are not allowed.";
inline constexpr char kProviderAlreadyExists[] = "Provider with url https://{} already exists.";
inline constexpr char kAliasAlreadyExists[] = "The account alias {} already exists.";

inline constexpr char kNotFound[] = "The {} with name {} cannot be found.";
inline constexpr char kInlineNotFound[] = "The {} policy with name {} cannot be found.";
inline constexpr char kAccessKeyNotFound[] = "The Access Key with id {} cannot be found.";
inline constexpr char kPolicyNotFound[] = "Policy {} was not found.";
inline constexpr char kPolicyNotAttachable[] = "Policy {} does not exist or is not attachable.";
inline constexpr char kVersionNotFound[] = "Policy {} version {} does not exist or is not attachable.";
inline constexpr char kProviderNotFound[] = "OpenIDConnect Provider not found for arn {}";
inline constexpr char kAliasNotFound[] = "The account alias {} cannot be found.";
inline constexpr char kNoBoundary[] = "The {} with name {} has no permissions boundary.";

inline constexpr char kQuota[] = "Cannot exceed quota for {}: {}";
inline constexpr char kInlineTooLarge[] = "Maximum policy size of {} bytes exceeded for {} {}";
inline constexpr char kTooManyVersions[] =
    "A managed policy can have up to {} versions. Before you create a new version, you must delete an existing "
    "version.";

inline constexpr char kDeleteKeysFirst[] = "Cannot delete entity, must delete access keys first.";
inline constexpr char kRemoveUsersFirst[] = "Cannot delete entity, must remove users from group first.";
inline constexpr char kDetachPoliciesFirst[] = "Cannot delete entity, must detach all policies first.";
inline constexpr char kDeletePoliciesFirst[] = "Cannot delete entity, must delete policies first.";
inline constexpr char kDeleteVersionsFirst[] =
    "This policy has more than one version. Before you delete a policy, you must delete the policy's versions. The "
    "default version is deleted with the policy.";
inline constexpr char kDefaultVersion[] = "Cannot delete the default version of a policy.";
inline constexpr char kPolicyInUse[] = "Cannot delete a policy attached to entities.";

inline constexpr char kProtectedRole[] =
    "Cannot perform the operation on the protected role '{}' - this role is only modifiable by AWS";
inline constexpr char kRoleNameTaken[] =
    "Service role name {} has been taken in this account, please try a different suffix.";
inline constexpr char kNoSuchService[] = "Service name {} is not valid.";
inline constexpr char kSuffixNotAllowed[] = "Custom suffix is not allowed for {}";
inline constexpr char kServicePolicy[] = "Cannot attach a Service Role Policy to a Customer Role.";

inline constexpr char kBadName[] =
    "The specified value for {} is invalid. It must contain only alphanumeric characters and/or the following: "
    "+=,.@_-";
inline constexpr char kBadPath[] =
    "The specified value for path is invalid. It must begin and end with / and contain only alphanumeric characters "
    "and/or / characters.";
inline constexpr char kTooLong[] =
    "1 validation error detected: Value at '{}' failed to satisfy constraint: Member must have length less than or "
    "equal to {}";
inline constexpr char kTooShort[] =
    "1 validation error detected: Value at '{}' failed to satisfy constraint: Member must have length greater than or "
    "equal to {}";
inline constexpr char kBadDuration[] =
    "1 validation error detected: Value at 'maxSessionDuration' failed to satisfy constraint: Member must have value "
    "between 3600 and 43200";
inline constexpr char kNotUtf8[] = "The specified value for {} is invalid. It must be valid UTF-8.";
inline constexpr char kDuplicateTags[] = "Duplicate tag keys found. Please note that Tag keys are case insensitive.";
inline constexpr char kReservedTag[] = "Tag keys starting with 'aws:' are reserved.";
inline constexpr char kArnUnparsable[] = "Invalid ARN:  Could not be parsed!";
inline constexpr char kArnInvalid[] = "ARN {} is not valid.";
inline constexpr char kBadProviderUrl[] = "Invalid Open ID Connect Provider URL";
inline constexpr char kBadThumbprint[] = "Thumbprint must be 40 hexadecimal characters.";
inline constexpr char kTooManyThumbprints[] = "Thumbprint list must contain fewer than 5 entries.";
inline constexpr char kBadAlias[] =
    "The account alias is invalid. It must contain only lowercase letters, digits and hyphens, begin and end with a "
    "letter or digit, and be between 3 and 63 characters long.";
inline constexpr char kBadAccount[] = "{} is not an account: it must have twelve digits.";
inline constexpr char kBadAccessKeyId[] = "An access key id has 16 to 128 letters and digits.";
inline constexpr char kBadSecret[] = "A secret access key has 16 to 128 visible characters.";
inline constexpr char kKeyTaken[] = "The Access Key with id {} belongs to somebody else.";

}  // namespace armature::iam::messages
