#include "policy/resource/resource_policy.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/messages/policies.h"
#include "policy/values/letter_case.h"

namespace armature::policy {

namespace {

namespace messages = model::messages;

struct GrantableAction {
  std::string_view name;  // lower case
  bool across_accounts;
};

constexpr GrantableAction kTableActions[] = {
    {"dynamodb:getitem", true},
    {"dynamodb:putitem", true},
    {"dynamodb:updateitem", true},
    {"dynamodb:deleteitem", true},
    {"dynamodb:query", true},
    {"dynamodb:scan", true},
    {"dynamodb:batchgetitem", true},
    {"dynamodb:batchwriteitem", true},
    {"dynamodb:conditioncheckitem", true},
    {"dynamodb:partiqlselect", false},
    {"dynamodb:partiqlinsert", false},
    {"dynamodb:partiqlupdate", false},
    {"dynamodb:partiqldelete", false},
    {"dynamodb:describetable", true},
    {"dynamodb:updatetable", true},
    {"dynamodb:deletetable", true},
    {"dynamodb:listtagsofresource", true},
    {"dynamodb:tagresource", true},
    {"dynamodb:untagresource", true},
    {"dynamodb:createbackup", false},
    {"dynamodb:describecontinuousbackups", false},
    {"dynamodb:updatecontinuousbackups", false},
    {"dynamodb:restoretabletopointintime", false},
    {"dynamodb:exporttabletopointintime", false},
    {"dynamodb:describecontributorinsights", false},
    {"dynamodb:updatecontributorinsights", false},
    {"dynamodb:describekinesisstreamingdestination", false},
    {"dynamodb:enablekinesisstreamingdestination", false},
    {"dynamodb:disablekinesisstreamingdestination", false},
    {"dynamodb:updatekinesisstreamingdestination", false},
    {"dynamodb:getresourcepolicy", false},
    {"dynamodb:putresourcepolicy", false},
    {"dynamodb:deleteresourcepolicy", false},
    {"dynamodb:describetimetolive", false},
    {"dynamodb:updatetimetolive", false},
    {"dynamodb:describetablereplicaautoscaling", false},
    {"dynamodb:updatetablereplicaautoscaling", false},
};
constexpr GrantableAction kStreamActions[] = {
    {"dynamodb:describestream", true},     {"dynamodb:getrecords", true},
    {"dynamodb:getsharditerator", true},   {"dynamodb:getresourcepolicy", false},
    {"dynamodb:putresourcepolicy", false}, {"dynamodb:deleteresourcepolicy", false},
};

std::span<const GrantableAction> ActionsFor(PolicyOwner owner) {
  if (owner == PolicyOwner::kTable) return kTableActions;
  return kStreamActions;
}

// `"a", "b"`, each once.
class QuotedList {
 public:
  void Add(std::string_view text) {
    if (seen_.insert(text).second) entries_.push_back(fmt::format("\"{}\"", text));
  }
  bool empty() const { return entries_.empty(); }
  std::string Text() const { return fmt::format("{}", fmt::join(entries_, ", ")); }

 private:
  std::unordered_set<std::string_view> seen_;  // into the policy
  std::vector<std::string> entries_;
};

QuotedList InvalidActions(const Policy& policy, PolicyOwner owner) {
  QuotedList invalid;
  for (const Statement& statement : policy.statements())
    for (const ActionPattern& pattern : statement.actions) {
      const auto matches = [&](const GrantableAction& action) { return pattern.Matches(action.name); };
      if (!std::ranges::any_of(ActionsFor(owner), matches)) invalid.Add(pattern.source());
    }
  return invalid;
}

QuotedList InvalidResources(const Policy& policy, PolicyOwner owner, std::string_view arn) {
  const std::string indexes = std::string(arn) + "/index/";
  const auto is_about_it = [&](const TextPattern& pattern) {
    if (pattern.CanMatch(arn)) return true;
    return owner == PolicyOwner::kTable && (pattern.source().starts_with(indexes) || pattern.CanMatch(indexes + "*"));
  };
  QuotedList invalid;
  for (const Statement& statement : policy.statements()) {
    if (statement.except_resources) continue;
    for (const TextPattern& pattern : statement.resources)
      if (!is_about_it(pattern)) invalid.Add(pattern.source());
  }
  return invalid;
}

// --- public policies

// Keys that hold everybody to somebody, if they are given fixed values.
constexpr std::array<std::string_view, 15> kNarrowingKeys = {"aws:principalaccount",
                                                             "aws:principalarn",
                                                             "aws:principalorgid",
                                                             "aws:principalorgpaths",
                                                             "aws:sourceaccount",
                                                             "aws:sourcearn",
                                                             "aws:sourcevpc",
                                                             "aws:sourcevpce",
                                                             "aws:userid",
                                                             "aws:principalservicename",
                                                             "aws:principalservicenameslist",
                                                             "aws:principalisawsservice",
                                                             "aws:ec2instancesourcevpc",
                                                             "aws:sourceorgid",
                                                             "aws:sourceorgpaths"};

bool IsFixed(const TextPattern& pattern) { return pattern.variables().empty() && !pattern.has_wildcards(); }

bool Narrows(const Condition& condition) {
  const Operator& operation = condition.operation();
  // Both hold where the key is absent, as does a negated operator.
  if (operation.is_negated || operation.if_exists || operation.set == SetPrefix::kForAllValues) return false;
  const std::string_view key = condition.key().name;
  if (std::ranges::find(kNarrowingKeys, key) == kNarrowingKeys.end() || condition.texts().empty()) return false;
  if (operation.family == OperatorFamily::kBool) {
    const auto is_true = [](const TextPattern& text) { return text.source() == "true"; };
    return key == "aws:principalisawsservice" && std::ranges::all_of(condition.texts(), is_true);
  }
  return std::ranges::all_of(condition.texts(), IsFixed);
}

bool IsPublic(const Statement& statement) {
  if (statement.effect != Effect::kAllow) return false;
  const auto is_everyone = [](const PrincipalPattern& pattern) { return pattern.form == PrincipalForm::kEveryone; };
  const bool is_open = statement.except_principals || std::ranges::any_of(statement.principals, is_everyone);
  return is_open && std::ranges::none_of(statement.conditions, Narrows);
}

model::ApiError Invalid(std::string_view reason) {
  return model::ValidationException(fmt::format(fmt::runtime(messages::kInvalidResourcePolicy), reason));
}

}  // namespace

model::ApiResult<std::shared_ptr<const Policy>> ParseResourcePolicy(std::string_view document, PolicyOwner owner,
                                                                    std::string_view resource_arn,
                                                                    const PrincipalDirectory* directory) {
  if (document.size() > kLongestResourcePolicy)
    return Invalid(fmt::format(fmt::runtime(messages::kResourcePolicyTooLong), kLongestResourcePolicy));
  auto policy = directory ? Parse(document, PolicyKind::kResource, *directory) : Parse(document, PolicyKind::kResource);
  if (!policy) return Invalid(policy.error().message());
  if (const QuotedList invalid = InvalidActions(**policy, owner); !invalid.empty())
    return Invalid(fmt::format(fmt::runtime(messages::kResourcePolicyActions), invalid.Text()));
  if (const QuotedList invalid = InvalidResources(**policy, owner, resource_arn); !invalid.empty())
    return Invalid(fmt::format(fmt::runtime(messages::kResourcePolicyResources), invalid.Text()));
  if (IsPublic(**policy)) return Invalid(messages::kResourcePolicyPublic);
  return std::move(*policy);
}

bool IsPublic(const Policy& policy) {
  return std::ranges::any_of(policy.statements(), [](const Statement& statement) { return IsPublic(statement); });
}

bool WorksAcrossAccounts(std::string_view action) {
  const std::string lower = LowerCase(action);
  const auto is_it = [&](const GrantableAction& grantable) {
    return grantable.across_accounts && grantable.name == lower;
  };
  return std::ranges::any_of(kTableActions, is_it) || std::ranges::any_of(kStreamActions, is_it);
}

}  // namespace armature::policy
