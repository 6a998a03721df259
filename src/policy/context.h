// Request: what somebody is about to do, as policies see it.
//
// Action, resource and principal are always there. All else that conditions may ask for is looked up when a statement
// that otherwise matches asks, because some of it is costly to make (dynamodb:LeadingKeys, dynamodb:Attributes, tags).
// Views: good for one call of Evaluate. Made by whoever authorises requests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "policy/condition_key.h"

namespace armature::policy {

// The values of one key: none (the key is absent), one, or several. Refers to its values, but to those of One by value.
class ConditionValues {
 public:
  ConditionValues() = default;
  static ConditionValues None() { return {}; }
  static ConditionValues One(std::string_view value) { return ConditionValues(value); }
  static ConditionValues Many(std::span<const std::string_view> values) { return ConditionValues(values); }
  static ConditionValues Many(std::span<const std::string> values) { return ConditionValues(values); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view operator[](size_t i) const {
    if (views_ != nullptr) return views_[i];
    if (strings_ != nullptr) return strings_[i];
    return one_;
  }

 private:
  explicit ConditionValues(std::string_view value) : size_(1), one_(value) {}
  explicit ConditionValues(std::span<const std::string_view> values) : size_(values.size()), views_(values.data()) {}
  explicit ConditionValues(std::span<const std::string> values) : size_(values.size()), strings_(values.data()) {}

  size_t size_ = 0;
  const std::string_view* views_ = nullptr;
  const std::string* strings_ = nullptr;
  std::string_view one_;
};

// Where condition keys get their values. Texts throughout: times in ISO 8601, numbers in decimal, booleans "true" and
// "false", binary in base64. May be asked for the same key many times during one evaluation: what is costly to make is
// kept by the source. Values live until the evaluation ends.
class ConditionSource {
 public:
  virtual ~ConditionSource() = default;
  virtual ConditionValues Find(const ConditionKey& key) const = 0;
};

enum class PrincipalKind : uint8_t {
  kRoot,           // of an account
  kUser,           // also in a session of GetSessionToken
  kRoleSession,    // of AssumeRole and its kin
  kFederatedUser,  // of GetFederationToken
  kWebIdentity,    // somebody with a token of an identity provider, before a role is assumed
  kService,        // an AWS service: "lambda.amazonaws.com"
  kAnonymous,
};

// On whose behalf a request comes. Evaluation itself answers aws:PrincipalArn, PrincipalAccount, PrincipalType, userid
// and username from this.
struct Principal {
  PrincipalKind kind = PrincipalKind::kAnonymous;
  // Of the caller: "arn:aws:iam::111122223333:user/bob", ":root", "arn:aws:sts::…:assumed-role/R/session",
  // "arn:aws:sts::…:federated-user/name"; of a web identity the provider's ARN or domain, of a service its name.
  std::string_view arn;
  std::string_view account;
  // Who stands behind a session: of a role session the role's ARN, path included; of a federated user the ARN of the
  // user (or root) that asked for it. Empty for all others.
  std::string_view entity_arn{};
  // Of the user or the role, of a federated user that of the user behind it: "AIDA…", "AROA…".
  std::string_view unique_id{};
  std::string_view user_id{};    // aws:userid: "AIDA…", "AROA…:session", "111122223333:name", "111122223333"
  std::string_view user_name{};  // of users only
};

struct Request {
  std::string_view action;            // "dynamodb:GetItem"
  std::string_view resource;          // its ARN; "*" where the action has none
  std::string_view resource_account;  // whose it is; empty: the principal's own
  const Principal& principal;
  const ConditionSource& conditions;
};

}  // namespace armature::policy
