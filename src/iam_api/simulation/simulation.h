// Simulation: policies held against requests that nobody makes.
//
// Gathers the policies (given as texts, or those of a principal) with where they come from, and tells for one action on
// one resource what would be decided, by which statements. The evaluator is that of real requests (policy/explain.h).
// What one decision costs is bounded by what may be given (kMostGivenPolicyBytes and the like) and by the quotas of
// stored policies; how many are made in a row is up to the caller. One call's. Internal to iam_api/.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "iam/entities/entities.h"
#include "policy/context.h"
#include "policy/document/statement_positions.h"
#include "policy/evaluate.h"
#include "policy/explain.h"
#include "query/query_context.h"
#include "wire/query/iam.h"

namespace armature::iam_api {

// What a caller may give, all policies and all condition values together. Every value is held against every value of
// every policy, so that their product has to be bounded too.
inline constexpr size_t kMostGivenPolicyBytes = size_t{256} << 10;
inline constexpr size_t kMostContextValues = 256;
inline constexpr size_t kMostContextBytes = size_t{16} << 10;

// InvalidInput, if texts are more than may be given together with `bytes` that were, to which they are added.
query::QueryResult CountGivenPolicies(const wire::List<std::string_view>& texts, size_t& bytes);
query::QueryResult CheckContextSize(const wire::List<wire::iam::ContextEntryInput>& entries);

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
  void SetBoundary(iam::DocumentRef document) { boundary_.Hold(std::move(document)); }
  query::QueryResult SetResourcePolicy(std::string_view text);

  // Of the texts of all policies: what every decision goes over.
  size_t policy_bytes() const;

  wire::iam::EvaluationResult Run(std::string_view action, std::string_view resource, std::string_view resource_account,
                                  const policy::Principal& principal, const policy::ConditionSource& conditions) const;

 private:
  // A document, and where its statements stand, which is found out once.
  struct Held {
    iam::DocumentRef document{};  // null: none
    std::vector<policy::StatementPosition> positions{};
    std::string source{};

    void Hold(iam::DocumentRef held);
    const policy::Policy* policy() const { return document ? document->compiled.get() : nullptr; }
  };

  const Held& HolderOf(const policy::StatementReport& report) const;
  wire::iam::Statement Matched(const policy::StatementReport& report) const;

  std::vector<std::shared_ptr<const policy::Policy>> identity_;
  std::vector<Held> held_;  // of each of them
  Held boundary_{.source = "PermissionsBoundary"};
  Held resource_{.source = "ResourcePolicy"};
};

}  // namespace armature::iam_api
