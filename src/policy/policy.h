// Policy: a policy document, checked as AWS checks it and compiled for evaluation.
//
// Immutable, hence shared by all threads; it owns copies of everything and does not keep the document. Begin with
// Parse; whether a request is allowed is asked of evaluate.h. Pure: no I/O, no clock. Made by whoever stores policies,
// when they are stored or read back.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/memory/arena.h"
#include "base/result.h"
#include "policy/document/document.h"
#include "policy/statement.h"

namespace armature::policy {

// Finds users and roles, as IAM does when a policy that names them is saved: such a policy is bound to the unique ids
// of those who have the names now, not to whoever has them later.
class PrincipalDirectory {
 public:
  virtual ~PrincipalDirectory() = default;
  // The unique id ("AIDA…", "AROA…") of the user or role with this ARN; nullopt if there is none.
  virtual std::optional<std::string> FindUniqueId(std::string_view arn) const = 0;
};

class Policy {
 public:
  Policy(PolicyKind kind, std::unique_ptr<Arena> arena, std::span<const Statement> statements)
      : kind_(kind), arena_(std::move(arena)), statements_(statements) {}
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  PolicyKind kind() const { return kind_; }
  // In the order of the document.
  std::span<const Statement> statements() const { return statements_; }

 private:
  const PolicyKind kind_;
  const std::unique_ptr<Arena> arena_;  // where the statements are
  const std::span<const Statement> statements_;
};

// The compiled policy, or InvalidArgument with the text of AWS's MalformedPolicyDocument. With a directory, ARNs of
// users and roles in Principal are bound to their unique ids, and one that is not found makes the policy malformed.
Result<std::shared_ptr<const Policy>> Parse(std::string_view document, PolicyKind kind);
Result<std::shared_ptr<const Policy>> Parse(std::string_view document, PolicyKind kind,
                                            const PrincipalDirectory& directory);

// The condition keys that its conditions and variables ask for, as they are written, each once, sorted.
std::vector<std::string> ContextKeys(const Policy& policy);

}  // namespace armature::policy
