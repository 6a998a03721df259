// PrincipalConditions: what policies' conditions ask of the caller, the connection and the time.
//
// What it does not know it asks of another source: that of the operation. Texts are made when they are asked for and
// kept. Lives on the stack of one evaluation. Used by whoever asks Decide (authorize.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "auth/access.h"
#include "auth/identity.h"
#include "policy/context.h"

namespace armature::iam {

class PrincipalConditions final : public policy::ConditionSource {
 public:
  // `next` may be null. All outlive this.
  PrincipalConditions(const auth::Identity& identity, const auth::Circumstances& circumstances,
                      const policy::ConditionSource* next)
      : identity_(identity), circumstances_(circumstances), next_(next) {}

  policy::ConditionValues Find(const policy::ConditionKey& key) const override;

 private:
  // A short text that lives as long as this.
  class Text {
   public:
    std::string_view SetTime(int64_t millis);
    std::string_view SetNumber(int64_t number);

   private:
    std::array<char, 32> bytes_;
  };

  policy::ConditionValues FindTag(std::string_view folded_key) const;
  policy::ConditionValues FindFederationKey(std::string_view folded_name) const;

  const auth::Identity& identity_;
  const auth::Circumstances& circumstances_;
  const policy::ConditionSource* const next_;
  mutable Text now_, epoch_, issued_, mfa_age_;
};

}  // namespace armature::iam
