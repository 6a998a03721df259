// Simulation: policies held against requests that nobody makes.
//
// Gathers the policies (given as texts, or those of a principal) with where they come from, and tells for one action on
// one resource what would be decided, by which statements. The evaluator is that of real requests (policy/explain.h).
// One call's. Internal to iam_api/.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "iam/entities/entities.h"
#include "policy/context.h"
#include "policy/evaluate.h"
#include "query/query_context.h"
#include "wire/query/iam.h"

namespace armature::iam_api {

// Condition keys as the request to simulate gives them.
class GivenConditions final : public policy::ConditionSource {
 public:
  explicit GivenConditions(const wire::List<wire::iam::ContextEntryInput>& entries);

  policy::ConditionValues Find(const policy::ConditionKey& key) const override;

 private:
  std::map<std::string, std::vector<std::string_view>, std::less<>> values_;  // by folded name
};

class Simulation {
 public:
  // InvalidInput, if it is no policy.
  query::QueryResult AddIdentityPolicy(std::string_view text, std::string source);
  void AddIdentityPolicy(iam::DocumentRef document, std::string source);
  query::QueryResult SetBoundary(std::string_view text);
  void SetBoundary(iam::DocumentRef document) { boundary_ = std::move(document); }
  query::QueryResult SetResourcePolicy(std::string_view text);

  wire::iam::EvaluationResult Run(std::string_view action, std::string_view resource, std::string_view resource_account,
                                  const policy::Principal& principal, const policy::ConditionSource& conditions) const;

 private:
  std::vector<std::shared_ptr<const policy::Policy>> identity_;
  std::vector<iam::DocumentRef> documents_;  // of each of them
  std::vector<std::string> sources_;
  iam::DocumentRef boundary_;
  iam::DocumentRef resource_;
};

}  // namespace armature::iam_api
