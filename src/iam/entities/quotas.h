// How much there may be of everything, as AWS has it for an account that never asked for more.
//
// Sizes of policies are in characters without white space (Document::counted_size).
#pragma once

#include <cstddef>
#include <cstdint>

namespace armature::iam::quotas {

inline constexpr size_t kUsers = 5000;
inline constexpr size_t kGroups = 300;
inline constexpr size_t kRoles = 1000;
inline constexpr size_t kPolicies = 1500;
inline constexpr size_t kProviders = 100;
inline constexpr size_t kAccessKeysPerUser = 2;
inline constexpr size_t kGroupsPerUser = 10;
inline constexpr size_t kAttachedPolicies = 10;
inline constexpr size_t kVersionsPerPolicy = 5;
inline constexpr size_t kTags = 50;
inline constexpr size_t kTagKey = 128;
inline constexpr size_t kTagValue = 256;
inline constexpr size_t kClientIds = 100;
inline constexpr size_t kThumbprints = 5;

inline constexpr size_t kManagedPolicySize = 6144;
inline constexpr size_t kUserInlineSize = 2048;
inline constexpr size_t kGroupInlineSize = 5120;
inline constexpr size_t kRoleInlineSize = 10240;
inline constexpr size_t kTrustPolicySize = 2048;
inline constexpr size_t kDocumentSize = 131072;  // white space and all

inline constexpr size_t kUserName = 64;
inline constexpr size_t kRoleName = 64;
inline constexpr size_t kGroupName = 128;
inline constexpr size_t kPolicyName = 128;
inline constexpr size_t kPath = 512;
inline constexpr size_t kDescription = 1000;

inline constexpr int64_t kLeastSessionSeconds = 3600;
inline constexpr int64_t kMostSessionSeconds = 43200;

}  // namespace armature::iam::quotas
