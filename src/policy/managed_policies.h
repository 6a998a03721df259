// The policies that AWS itself manages and that have to do with DynamoDB, as data.
//
// Their substance is AWS's; the long lists of ReadOnlyAccess and SecurityAudit hold what this house has services for.
// Nobody can change them. Used by whoever keeps policies.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace armature::policy {

struct ManagedPolicy {
  std::string_view name;             // "AmazonDynamoDBFullAccess"
  std::string_view path;             // "/", "/service-role/", "/aws-service-role/"
  std::string_view default_version;  // "v15"
  std::string_view description;
  std::string_view document;

  std::string Arn() const;  // "arn:aws:iam::aws:policy/AmazonDynamoDBFullAccess"
};

std::span<const ManagedPolicy> ManagedPolicies();

}  // namespace armature::policy
