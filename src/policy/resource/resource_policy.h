// The policies of tables and streams: what they may say beyond what the language allows.
//
// DynamoDB knows which actions can be granted so (docs: those of backups, imports and listings cannot), wants
// statements about the resource itself or its indexes, and refuses a policy that is open to everybody. Pure. Used by
// the operations on resource policies.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "model/api_error.h"
#include "policy/policy.h"

namespace armature::policy {

enum class PolicyOwner : uint8_t { kTable, kStream };

// White space counts.
inline constexpr size_t kLongestResourcePolicy = 20 * 1024;

// The compiled policy of the table or stream with that ARN, or the ValidationException that PutResourcePolicy and
// CreateTable answer. With a directory the users and roles that it names must be there, and are bound.
model::ApiResult<std::shared_ptr<const Policy>> ParseResourcePolicy(std::string_view document, PolicyOwner owner,
                                                                    std::string_view resource_arn,
                                                                    const PrincipalDirectory* directory = nullptr);

// Whether it allows something to everybody, without a condition that holds them to fixed accounts, principals, services
// or networks.
bool IsPublic(const Policy& policy);

// Whether a resource policy can grant the action ("dynamodb:GetItem", in any case) to other accounts.
bool WorksAcrossAccounts(std::string_view action);

}  // namespace armature::policy
