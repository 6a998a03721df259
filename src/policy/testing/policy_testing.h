// What the tests of policy/ share: policies from JSON that needs no escapes, and requests with their condition keys.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/context.h"
#include "policy/evaluate.h"
#include "policy/policy.h"
#include "policy/values/letter_case.h"

namespace armature::policy {

// JSON written with ' for " and ~ for '.
inline std::string Json(std::string_view text) {
  std::string json(text);
  std::ranges::replace(json, '\'', '"');
  std::ranges::replace(json, '~', '\'');
  return json;
}

// The policy, or nullptr, with the reason in `error`.
inline std::shared_ptr<const Policy> TryParse(std::string_view document, PolicyKind kind,
                                              std::string* error = nullptr) {
  auto policy = Parse(Json(document), kind);
  if (policy) return *policy;
  if (error != nullptr) *error = policy.error().message();
  return nullptr;
}

// The text of the error; empty for a policy that parses.
inline std::string ParseError(std::string_view document, PolicyKind kind = PolicyKind::kIdentity) {
  std::string error;
  TryParse(document, kind, &error);
  return error;
}

// REQUIRES: it parses.
inline std::shared_ptr<const Policy> Make(std::string_view document, PolicyKind kind = PolicyKind::kIdentity) {
  auto policy = Parse(Json(document), kind);
  if (!policy) throw std::invalid_argument(policy.error().message() + ": " + std::string(document));
  return *policy;
}
// Of one or several statements.
inline std::shared_ptr<const Policy> MakeStatements(std::string_view statements,
                                                    PolicyKind kind = PolicyKind::kIdentity) {
  return Make("{'Version':'2012-10-17','Statement':[" + std::string(statements) + "]}", kind);
}

// Condition keys by name, in any case; counts what it is asked for.
class TestConditions : public ConditionSource {
 public:
  TestConditions() = default;
  TestConditions(std::initializer_list<std::pair<std::string, std::vector<std::string>>> values) {
    for (const auto& [key, all] : values) Set(key, all);
  }

  void Set(std::string_view key, std::vector<std::string> values) { values_[LowerCase(key)] = std::move(values); }
  void Remove(std::string_view key) { values_.erase(LowerCase(key)); }

  ConditionValues Find(const ConditionKey& key) const override {
    ++asked_[std::string(key.name)];
    const bool is_leading = key.known == KnownKey::kLeadingKeys;
    const auto found = values_.find(is_leading ? "dynamodb:leadingkeys" : std::string(key.name));
    if (found == values_.end()) return ConditionValues::None();
    return ConditionValues::Many(std::span<const std::string>(found->second));
  }

  int asked(std::string_view key) const {
    const auto found = asked_.find(LowerCase(key));
    return found == asked_.end() ? 0 : found->second;
  }
  const std::map<std::string, std::vector<std::string>>& values() const { return values_; }

 private:
  std::map<std::string, std::vector<std::string>> values_;
  mutable std::map<std::string, int> asked_;
};

inline constexpr std::string_view kAccount = "111122223333";
inline constexpr std::string_view kOtherAccount = "444455556666";
inline constexpr std::string_view kTableArn = "arn:aws:dynamodb:us-east-1:111122223333:table/Games";

inline constexpr Principal kBob = {PrincipalKind::kUser,
                                   "arn:aws:iam::111122223333:user/bob",
                                   kAccount,
                                   {},
                                   "AIDABOBBOBBOBBOBBOBBO",
                                   "AIDABOBBOBBOBBOBBOBBO",
                                   "bob"};
inline constexpr Principal kRoot = {
    PrincipalKind::kRoot, "arn:aws:iam::111122223333:root", kAccount, {}, {}, kAccount, {}};
inline constexpr Principal kSession = {PrincipalKind::kRoleSession,
                                       "arn:aws:sts::111122223333:assumed-role/Reader/s1",
                                       kAccount,
                                       "arn:aws:iam::111122223333:role/team/Reader",
                                       "AROAREADERREADERREADE",
                                       "AROAREADERREADERREADE:s1",
                                       {}};
inline constexpr Principal kFederated = {PrincipalKind::kFederatedUser,
                                         "arn:aws:sts::111122223333:federated-user/guest",
                                         kAccount,
                                         "arn:aws:iam::111122223333:user/bob",
                                         "AIDABOBBOBBOBBOBBOBBO",
                                         "111122223333:guest",
                                         {}};

}  // namespace armature::policy
