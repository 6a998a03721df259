// Question: one request while it is held against policies.
//
// What every statement needs of it is made once: the action in lower case, and condition keys that the principal itself
// answers. Internal to policy/; lives on the stack of one evaluation.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "policy/context.h"

namespace armature::policy {

class Question {
 public:
  explicit Question(const Request& request);
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  std::string_view action() const { return action_; }  // lower case
  std::string_view resource() const { return request_.resource; }
  const Principal& principal() const { return request_.principal; }
  ConditionValues Find(const ConditionKey& key) const;

 private:
  const Request& request_;
  std::array<char, 64> short_action_;  // longer than any action there is
  std::string long_action_;            // clients can ask about others (SimulatePrincipalPolicy)
  std::string_view action_;
};

}  // namespace armature::policy
