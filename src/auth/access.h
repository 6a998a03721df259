// Access: one thing that a request does to one resource, as a policy sees it.
//
// Action and resource are always there, as views. What only the conditions of policies look at (keys, attributes, …) is
// made when it is asked for, so that an Access costs a few words to make. Lives for one call of the Authorizer. Made by
// api/ (api/access.h) between binding a request and reading data, and by dax/ of what is a cluster's.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/principal.h"

namespace armature::policy {
class Policy;
}

namespace armature::auth {

enum class ResourceKind : uint8_t {
  kNone,  // the operation has none: policies must grant it on "*"
  kTable,
  kIndex,
  kStream,
  kEventSourceMapping,
  kDaxCluster,
  kRole,  // one that is handed to a service; its name is its whole ARN
  kKinesisStream,
};

struct Resource {
  ResourceKind kind = ResourceKind::kNone;
  std::string_view region{};
  std::string_view account{};  // whose it is
  std::string_view name{};     // of the table, the cluster or the Kinesis stream; the mapping's UUID
  std::string_view part{};     // the index, the stream's label

  std::string Arn() const;  // "*" of none
};

// How and when a request came. What is empty is absent. Views into the request and its connection: good as long as the
// request. Made by front/, which alone knows the connection.
struct Circumstances {
  std::string_view source_ip{};         // aws:SourceIp, without a port
  std::optional<bool> is_secure{};      // aws:SecureTransport
  std::string_view user_agent{};        // aws:UserAgent
  std::string_view referer{};           // aws:referer
  std::string_view requested_region{};  // aws:RequestedRegion
  int64_t now_millis = 0;               // aws:CurrentTime, aws:EpochTime
};

// The values of condition keys. What is empty is absent.
struct AccessConditions {
  static constexpr size_t kMostPartitionKeys = 4;

  // dynamodb:LeadingKeys, also called FirstPartitionKeyValues; then those of the further partition key attributes that
  // an index may have. Numbers in their canonical form, binary values in base64; sorted, each once.
  std::array<std::vector<std::string>, kMostPartitionKeys> partition_keys;
  // dynamodb:Attributes: the top-level names of all that the request names; sorted, each once.
  std::vector<std::string_view> attributes;
  // As they are in effect, whether the request has them or not.
  std::string_view select;
  std::string_view return_values;
  // What a failed condition shows, where that is something else: policies are asked about each (api/access.cc).
  std::string_view return_on_failure;
  std::string_view return_consumed_capacity;
  std::string_view enclosing_operation;  // "TransactWriteItems": of a member of a transaction
  std::optional<bool> full_table_scan;   // of a PartiQL SELECT
  std::vector<Tag> request_tags;         // aws:RequestTag, aws:TagKeys
  // aws:TagKeys of a request that names tags without values, as those who remove some do.
  std::vector<std::string_view> bare_tag_keys;
  std::string_view passed_to_service;  // iam:PassedToService: who gets the role, "dax.amazonaws.com"

  const std::vector<std::string>& leading_keys() const { return partition_keys[0]; }
};

// aws:ResourceTag: the tags of the table or cluster; an index has its table's.
struct ResourceTags {
  std::vector<Tag> tags;
  std::shared_ptr<const void> kept;  // what they point into
};

// Knows what conditions look at. Apart from each other, because few policies look at tags, and only those should cost a
// look at the table.
class AccessDescriber {
 public:
  virtual void Describe(AccessConditions& conditions) const = 0;
  virtual void DescribeTags(ResourceTags& tags) const = 0;

 protected:
  ~AccessDescriber() = default;
};

class Access {
 public:
  Access(std::string_view action, const Resource& resource, const AccessDescriber& describer,
         const Circumstances& circumstances, const policy::Policy* future_policy = nullptr)
      : action_(action),
        resource_(resource),
        circumstances_(circumstances),
        describer_(describer),
        future_policy_(future_policy) {}

  std::string_view action() const { return action_; }  // "dynamodb:GetItem"
  const Resource& resource() const { return resource_; }
  const Circumstances& circumstances() const { return circumstances_; }
  // The policy that the resource is about to get: the question is what will be. Null: its policy is the stored one.
  const policy::Policy* future_policy() const { return future_policy_; }
  // Both are made anew at each call.
  AccessConditions conditions() const;
  ResourceTags resource_tags() const;

 private:
  const std::string_view action_;
  const Resource& resource_;
  const Circumstances& circumstances_;
  const AccessDescriber& describer_;
  const policy::Policy* const future_policy_;
};

}  // namespace armature::auth
