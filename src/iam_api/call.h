// Call: what every operation of IAM does first: whom it is about, and whether the caller may.
//
// Holds the state as it was when the call began, so that what was looked up stays. The action is the operation's, the
// resource the ARN of the entity (as it would be, of one that is not there), or "*". Lives in the operation's frame.
// Internal to iam_api/.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "base/async.h"
#include "iam/access/authorize.h"
#include "iam/changes/find.h"
#include "iam/entities/told.h"
#include "iam_api/call_conditions.h"
#include "iam_api/iam_service.h"
#include "query/query_context.h"
#include "wire/query/iam.h"
#include "wire/query/query_errors.h"

namespace armature::iam_api {

using query::QueryContext;
using query::QueryResult;

// Sessions of GetSessionToken without MFA and of federated users are, to IAM, no valid credentials.
inline bool IsBarred(const auth::Identity& caller) {
  if (caller.kind == auth::PrincipalKind::kFederatedUser) return true;
  return caller.session && caller.kind != auth::PrincipalKind::kAssumedRole && !caller.session->mfa_at_millis;
}

class Call {
 public:
  Call(const IamService& service, const QueryContext& context)
      : context_(context), state_(service.directory.Current()), account_(context.caller->account) {}

  const iam::Snapshot& state() const { return *state_; }
  const std::string& account() const { return account_; }
  // Of the caller; one in which nothing was ever made is empty.
  const iam::AccountState& account_state() const {
    static const iam::AccountState kEmpty{};
    const iam::AccountState* const found = state_->FindAccount(account_);
    return found ? *found : kEmpty;
  }
  const auth::Identity& caller() const { return *context_.caller->identity; }

  QueryResult CheckMay(std::string_view resource, const CallConditions& conditions = {}) const {
    return CheckMayDo(context_.iam_action, resource, conditions);
  }
  QueryResult CheckMayDo(std::string_view action, std::string_view resource, const CallConditions& conditions) const {
    if (IsBarred(caller()))
      return wire::QueryError("InvalidClientTokenId", 403, "The security token included in the request is invalid");
    const iam::Ask ask{.action = action, .resource = resource, .conditions = &conditions};
    return iam::Told(iam::CheckAllowed(caller(), query::CircumstancesOf(context_), ask));
  }

  // The first principal ends that everybody is believed. One who cannot sign would lock out all, its maker too.
  QueryResult CheckSomebodyCanSign() const {
    if (!context_.is_unproven || state_->has_keys()) return {};
    return wire::iam::InvalidInput(
        "There are no principals yet, and nobody could sign once this is the first. Create an access key of the "
        "account's "
        "root before it, by CreateAccessKey without a UserName, and sign with that.");
  }

  // About a user, group or role that may be there or not. What it is tagged with, and its boundary, count.
  template <class E>
  QueryResult CheckMayWith(std::string_view name, CallConditions conditions = {}) const {
    const auto entity = account_state().Of<E>().Find(name);
    if (!entity) return CheckMay(ArnOfNew<E>("/", name), conditions);
    if (!conditions.resource_tags) conditions.resource_tags = &entity->tags;
    if (conditions.boundary.empty()) conditions.boundary = entity->boundary;
    return CheckMay(iam::ArnOf(*entity), conditions);
  }
  template <class E>
  std::string ArnOfNew(std::string_view path, std::string_view name) const {
    return fmt::format("arn:aws:iam::{}:{}{}{}", account_, iam::KindFacts<E>::kWord, path, name);
  }

  // About a managed policy or a provider, by its ARN.
  QueryResult CheckMayWithPolicy(std::string_view arn, CallConditions conditions = {}) const {
    const iam::PolicyRef policy = state_->FindPolicy(arn);
    if (policy) conditions.resource_tags = &policy->tags;
    return CheckMay(arn, conditions);
  }
  QueryResult CheckMayWithProvider(std::string_view arn, CallConditions conditions = {}) const {
    const iam::ProviderRef provider = state_->FindProvider(arn);
    if (provider) conditions.resource_tags = &provider->tags;
    return CheckMay(arn, conditions);
  }

  template <class E>
  model::ApiResult<std::shared_ptr<const E>> Find(std::string_view name) const {
    return iam::Told(iam::MustFind<E>(*state_, account_, name));
  }

  // The user that is named, else who calls: empty of the root.
  model::ApiResult<std::string> UserOr(const wire::Opt<std::string_view>& name) const {
    if (name) return std::string(*name);
    if (caller().kind == auth::PrincipalKind::kUser) return caller().user_name;
    if (caller().kind == auth::PrincipalKind::kRoot) return std::string();
    return wire::ValidationError("Must specify userName when calling with non-User credentials");
  }

 private:
  const QueryContext& context_;
  const std::shared_ptr<const iam::Snapshot> state_;
  const std::string account_;
};

// What inputs call the one they are about: UserName, GroupName or RoleName.
template <class E, class Input>
std::string_view NameIn(const Input& input) {
  if constexpr (std::is_same_v<E, iam::User>) return *input.UserName;
  else if constexpr (std::is_same_v<E, iam::Group>) return *input.GroupName;
  else return *input.RoleName;
}

// A change of the directory, whose error is the client's.
template <class Function>
Task<QueryResult> Apply(IamService& service, Function change) {
  std::function<iam::IamResult<void>(iam::Draft&)> run = std::move(change);
  co_return iam::Told(co_await service.directory.Change(std::move(run)));
}
template <class T, class Function>
Task<model::ApiResult<T>> Make(IamService& service, Function change) {
  std::function<iam::IamResult<T>(iam::Draft&)> run = std::move(change);
  co_return iam::Told(co_await service.directory.Change<T>(std::move(run)));
}

inline std::optional<std::string_view> Given(const wire::Opt<std::string_view>& member) {
  return member ? std::optional<std::string_view>(*member) : std::nullopt;
}

}  // namespace armature::iam_api
