// What the tests of IAM's changes share: a draft that grows, and outcomes in one word.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "iam/changes/access_keys.h"
#include "iam/changes/accounts.h"
#include "iam/changes/grants.h"
#include "iam/changes/policies.h"
#include "iam/changes/providers.h"
#include "iam/changes/roles.h"
#include "iam/changes/tags.h"
#include "iam/changes/users.h"
#include "iam/state/draft.h"

namespace armature::iam {

inline constexpr std::string_view kAccount = "111122223333";
inline constexpr std::string_view kOtherAccount = "444455556666";
inline constexpr std::string_view kAdministratorAccess = "arn:aws:iam::aws:policy/AdministratorAccess";

// Allows an action on everything.
inline std::string Allow(std::string_view action) {
  return fmt::format(R"({{"Version":"2012-10-17","Statement":[{{"Effect":"Allow","Action":"{}","Resource":"*"}}]}})",
                     action);
}
inline std::string Deny(std::string_view action) {
  return fmt::format(R"({{"Version":"2012-10-17","Statement":[{{"Effect":"Deny","Action":"{}","Resource":"*"}}]}})",
                     action);
}
inline std::string Trust(std::string_view principal) {
  return fmt::format(
      R"({{"Version":"2012-10-17","Statement":[{{"Effect":"Allow","Principal":{{"AWS":"{}"}},"Action":"sts:AssumeRole"}}]}})",
      principal);
}

// "ok", or the error as "Code: message".
template <class T>
std::string Outcome(const IamResult<T>& result) {
  return result ? "ok" : fmt::format("{}: {}", result.error().code, result.error().message);
}

inline NewUser UserNamed(std::string_view name) {
  NewUser user;
  user.name = name;
  return user;
}
inline NewRole RoleNamed(std::string_view name, std::string trust = Trust("arn:aws:iam::111122223333:root")) {
  NewRole role;
  role.name = name;
  role.trust = std::move(trust);
  return role;
}
inline NewPolicy PolicyNamed(std::string_view name, std::string document = Allow("dynamodb:GetItem")) {
  NewPolicy policy;
  policy.name = name;
  policy.document = std::move(document);
  return policy;
}

class ChangesTest : public testing::Test {
 protected:
  const AccountState& account() { return draft_.AccountOf(kAccount); }

  SecretRandom random_;
  Draft draft_{Snapshot(), 1'700'000'000'000, random_};
};

}  // namespace armature::iam
