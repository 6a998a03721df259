// Tags of users, roles, managed policies and providers: Tag…, Untag…, List…Tags.
#include "iam/changes/tags.h"

#include <algorithm>

#include "iam/changes/policies.h"
#include "iam/changes/providers.h"
#include "iam_api/call.h"
#include "iam_api/iam_operations.h"
#include "iam_api/page.h"
#include "iam_api/replies.h"

namespace armature::iam_api {

namespace {

// Users and roles are known by their names, the others by their ARNs.
template <class E>
constexpr bool kHasName = std::is_same_v<E, iam::User> || std::is_same_v<E, iam::Role>;

template <class E, class Input>
std::string_view WhomIn(const Input& input) {
  if constexpr (kHasName<E>) return NameIn<E>(input);
  else if constexpr (std::is_same_v<E, iam::ManagedPolicy>) return *input.PolicyArn;
  else return *input.OpenIDConnectProviderArn;
}

template <class E>
QueryResult CheckMay(const Call& call, std::string_view whom, const CallConditions& conditions) {
  if constexpr (kHasName<E>) return call.CheckMayWith<E>(whom, conditions);
  else if constexpr (std::is_same_v<E, iam::ManagedPolicy>) return call.CheckMayWithPolicy(whom, conditions);
  else return call.CheckMayWithProvider(whom, conditions);
}

template <class E>
model::ApiResult<iam::Tags> TagsOfEntity(const Call& call, std::string_view whom) {
  if constexpr (kHasName<E>) {
    ARMATURE_TRY(const auto entity, call.Find<E>(whom));
    return entity->tags;
  } else if constexpr (std::is_same_v<E, iam::ManagedPolicy>) {
    ARMATURE_TRY(const auto policy, iam::Told(iam::MustFindPolicy(call.state(), call.account(), whom)));
    return policy->tags;
  } else {
    ARMATURE_TRY(const auto provider, iam::Told(iam::MustFindProvider(call.state(), call.account(), whom)));
    return provider->tags;
  }
}

template <class E, class Input>
Task<QueryResult> Tag(IamService& service, QueryContext& context, const Input& input) {
  const Call call(service, context);
  const std::string_view whom = WhomIn<E>(input);
  CallConditions conditions;
  conditions.SetRequestTags(input.Tags);
  ARMATURE_CO_CHECK_OK(CheckMay<E>(call, whom, conditions));
  const iam::Tags tags = TagsOf(input.Tags);
  co_return co_await Apply(service,
                           [&](iam::Draft& draft) { return iam::TagEntity<E>(draft, call.account(), whom, tags); });
}

template <class E, class Input>
Task<QueryResult> Untag(IamService& service, QueryContext& context, const Input& input) {
  const Call call(service, context);
  const std::string_view whom = WhomIn<E>(input);
  CallConditions conditions;
  conditions.SetRequestTagKeys(input.TagKeys);
  ARMATURE_CO_CHECK_OK(CheckMay<E>(call, whom, conditions));
  const std::vector<std::string> keys(input.TagKeys.begin(), input.TagKeys.end());
  co_return co_await Apply(service,
                           [&](iam::Draft& draft) { return iam::UntagEntity<E>(draft, call.account(), whom, keys); });
}

template <class E, class Input, class Output>
Task<QueryResult> ListTags(IamService& service, QueryContext& context, const Input& input, Output& output) {
  const Call call(service, context);
  const std::string_view whom = WhomIn<E>(input);
  ARMATURE_CO_CHECK_OK(CheckMay<E>(call, whom, {}));
  ARMATURE_CO_TRY(iam::Tags tags, TagsOfEntity<E>(call, whom));
  ARMATURE_CO_TRY(Page page, Page::Of(input));
  std::ranges::sort(tags, {}, &iam::Tag::key);
  for (const iam::Tag& tag : tags)
    if (page.Takes(tag.key)) output.Tags.push_back({tag.key, tag.value});
  page.Finish(output);
  co_return QueryResult();
}

}  // namespace

void AddTagOperations(query::QueryOperations& operations, IamService& service) {
  operations.Add<Tag<iam::User, wire::iam::TagUserInput>>(service);
  operations.Add<Tag<iam::Role, wire::iam::TagRoleInput>>(service);
  operations.Add<Tag<iam::ManagedPolicy, wire::iam::TagPolicyInput>>(service);
  operations.Add<Tag<iam::OidcProvider, wire::iam::TagOpenIDConnectProviderInput>>(service);
  operations.Add<Untag<iam::User, wire::iam::UntagUserInput>>(service);
  operations.Add<Untag<iam::Role, wire::iam::UntagRoleInput>>(service);
  operations.Add<Untag<iam::ManagedPolicy, wire::iam::UntagPolicyInput>>(service);
  operations.Add<Untag<iam::OidcProvider, wire::iam::UntagOpenIDConnectProviderInput>>(service);
  operations.Add<ListTags<iam::User, wire::iam::ListUserTagsInput, wire::iam::ListUserTagsOutput>>(service);
  operations.Add<ListTags<iam::Role, wire::iam::ListRoleTagsInput, wire::iam::ListRoleTagsOutput>>(service);
  operations.Add<ListTags<iam::ManagedPolicy, wire::iam::ListPolicyTagsInput, wire::iam::ListPolicyTagsOutput>>(
      service);
  operations.Add<ListTags<iam::OidcProvider, wire::iam::ListOpenIDConnectProviderTagsInput,
                          wire::iam::ListOpenIDConnectProviderTagsOutput>>(service);
}

}  // namespace armature::iam_api
