// A second evaluator, for tests: slow, straight from the JSON, without a compile step.
//
// It shares nothing with the real one but the types that describe a request: patterns are matched by recursion,
// variables are looked up by name, dates and addresses are read by other means, and the rules of the decision are
// written as the tables of IAM's documentation have them. Knows ASCII, dates in UTC to the second, and IPv4. REQUIRES:
// documents that parse.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policy/context.h"

namespace armature::policy {

struct ReferencePolicies {
  std::vector<std::string> identity;
  std::optional<std::string> boundary;
  std::vector<std::string> session;
  std::optional<std::string> resource;
  std::optional<std::string> trust;  // of the role that is to be assumed; then there is no resource policy
};

// By lower-case name.
using ReferenceConditions = std::map<std::string, std::vector<std::string>>;

// "allowed", or "explicit" or "implicit" and the type of policy to be named: "implicit identity".
std::string ReferenceVerdict(const Request& request, const ReferenceConditions& conditions,
                             const ReferencePolicies& policies);

}  // namespace armature::policy
