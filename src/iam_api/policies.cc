// Managed policies: CreatePolicy, GetPolicy, DeletePolicy, ListPolicies, ListEntitiesForPolicy.
#include "iam/changes/policies.h"

#include <algorithm>

#include "iam_api/call.h"
#include "iam_api/iam_operations.h"
#include "iam_api/page.h"
#include "iam_api/replies.h"

namespace armature::iam_api {

namespace {

Task<QueryResult> CreatePolicy(IamService& service, QueryContext& context, const wire::iam::CreatePolicyInput& input,
                               wire::iam::CreatePolicyOutput& output) {
  const Call call(service, context);
  iam::NewPolicy policy;
  policy.name = *input.PolicyName;
  policy.path = input.Path.value_or("/");
  policy.document = *input.PolicyDocument;
  policy.description = input.Description.value_or({});
  policy.tags = TagsOf(input.Tags);
  CallConditions conditions;
  conditions.SetRequestTags(input.Tags);
  const std::string arn = fmt::format("arn:aws:iam::{}:policy{}{}", call.account(), policy.path, policy.name);
  ARMATURE_CO_CHECK_OK(call.CheckMay(arn, conditions));
  if (!policy.tags.empty()) ARMATURE_CO_CHECK_OK(call.CheckMayDo("iam:TagPolicy", arn, conditions));
  ARMATURE_CO_TRY(const iam::PolicyRef made, co_await Make<iam::PolicyRef>(service, [&](iam::Draft& draft) {
                    return iam::CreatePolicy(draft, call.account(), policy);
                  }));
  output.Policy = ReplyOf(*made, iam::PolicyUse());
  if (!made->tags.empty()) output.Policy->Tags = ReplyOf(made->tags);
  co_return QueryResult();
}

Task<QueryResult> GetPolicy(IamService& service, QueryContext& context, const wire::iam::GetPolicyInput& input,
                            wire::iam::GetPolicyOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWithPolicy(*input.PolicyArn));
  ARMATURE_CO_TRY(const iam::PolicyRef policy,
                  iam::Told(iam::MustFindPolicy(call.state(), call.account(), *input.PolicyArn)));
  output.Policy = ReplyOf(*policy, iam::CountUseOf(call.account_state(), *input.PolicyArn));
  if (!policy->description.empty()) output.Policy->Description = policy->description;
  output.Policy->Tags = ReplyOf(policy->tags);
  co_return QueryResult();
}

Task<QueryResult> DeletePolicy(IamService& service, QueryContext& context, const wire::iam::DeletePolicyInput& input) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWithPolicy(*input.PolicyArn));
  co_return co_await Apply(
      service, [&](iam::Draft& draft) { return iam::DeletePolicy(draft, call.account(), *input.PolicyArn); });
}

// Which policies a list shows.
class PolicyFilter {
 public:
  PolicyFilter(const wire::iam::ListPoliciesInput& input, const iam::AccountState& account)
      : input_(input), uses_(iam::CountPolicyUse(account)) {}

  iam::PolicyUse UseOf(const iam::ManagedPolicy& policy) const {
    const iam::PolicyUse* const use = uses_.Find(iam::ArnOf(policy));
    return use ? *use : iam::PolicyUse();
  }

  bool Shows(const iam::ManagedPolicy& policy) const {
    if (!policy.path.starts_with(input_.PathPrefix.value_or("/"))) return false;
    const std::string_view scope = input_.Scope.value_or("All");
    if (scope != "All" && (scope == "AWS") != (policy.account == "aws")) return false;
    const iam::PolicyUse use = UseOf(policy);
    if (!input_.OnlyAttached.value_or(false)) return true;
    const std::string_view usage = input_.PolicyUsageFilter.value_or({});
    if (usage == "PermissionsPolicy") return use.attachments > 0;
    if (usage == "PermissionsBoundary") return use.boundaries > 0;
    return use.attachments > 0 || use.boundaries > 0;
  }

 private:
  const wire::iam::ListPoliciesInput& input_;
  const iam::CowMap<iam::PolicyUse> uses_;
};

Task<QueryResult> ListPolicies(IamService& service, QueryContext& context, const wire::iam::ListPoliciesInput& input,
                               wire::iam::ListPoliciesOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMay("*"));
  ARMATURE_CO_TRY(Page page, Page::Of(input));
  const PolicyFilter filter(input, call.account_state());
  output.Policies.emplace();
  const auto show = [&](std::string_view section, std::string_view key, const iam::PolicyRef& policy) {
    if (filter.Shows(*policy) && page.Takes(std::string(section).append(key)))
      output.Policies->push_back(ReplyOf(*policy, filter.UseOf(*policy)));
  };
  call.account_state().policies.by_name().ForEach(
      [&](std::string_view key, const iam::PolicyRef& policy) { show("1", key, policy); });
  iam::AwsPolicies().ForEach([&](std::string_view key, const iam::PolicyRef& policy) { show("2", key, policy); });
  page.Finish(output);
  co_return QueryResult();
}

// Who has the policy: attached, as a boundary, or either.
class EntityFilter {
 public:
  explicit EntityFilter(const wire::iam::ListEntitiesForPolicyInput& input) : input_(input) {}

  bool ShowsKind(std::string_view kind) const { return input_.EntityFilter.value_or(kind) == kind; }
  bool Shows(const iam::Holder& holder) const {
    if (!holder.path.starts_with(input_.PathPrefix.value_or("/"))) return false;
    const std::string_view arn = *input_.PolicyArn, usage = input_.PolicyUsageFilter.value_or({});
    const bool is_attached = std::ranges::find(holder.attached, arn) != holder.attached.end();
    const bool is_boundary = holder.boundary == arn;
    if (usage == "PermissionsPolicy") return is_attached;
    if (usage == "PermissionsBoundary") return is_boundary;
    return is_attached || is_boundary;
  }

 private:
  const wire::iam::ListEntitiesForPolicyInput& input_;
};

Task<QueryResult> ListEntitiesForPolicy(IamService& service, QueryContext& context,
                                        const wire::iam::ListEntitiesForPolicyInput& input,
                                        wire::iam::ListEntitiesForPolicyOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWithPolicy(*input.PolicyArn));
  ARMATURE_CO_CHECK_OK(iam::Told(iam::MustFindPolicy(call.state(), call.account(), *input.PolicyArn)));
  ARMATURE_CO_TRY(Page page, Page::Of(input));
  const EntityFilter filter(input);
  const iam::AccountState& account = call.account_state();
  output.PolicyGroups.emplace();
  output.PolicyRoles.emplace();
  output.PolicyUsers.emplace();
  if (filter.ShowsKind("Group"))
    account.groups.by_name().ForEach([&](std::string_view key, const iam::GroupRef& group) {
      if (!filter.Shows(*group) || !page.Takes(std::string("1").append(key))) return;
      auto& shown = output.PolicyGroups->emplace_back();
      shown.GroupId = group->id;
      shown.GroupName = group->name;
    });
  if (filter.ShowsKind("Role"))
    account.roles.by_name().ForEach([&](std::string_view key, const iam::RoleRef& role) {
      if (!filter.Shows(*role) || !page.Takes(std::string("2").append(key))) return;
      auto& shown = output.PolicyRoles->emplace_back();
      shown.RoleId = role->id;
      shown.RoleName = role->name;
    });
  if (filter.ShowsKind("User"))
    account.users.by_name().ForEach([&](std::string_view key, const iam::UserRef& user) {
      if (!filter.Shows(*user) || !page.Takes(std::string("3").append(key))) return;
      auto& shown = output.PolicyUsers->emplace_back();
      shown.UserId = user->id;
      shown.UserName = user->name;
    });
  page.Finish(output);
  co_return QueryResult();
}

}  // namespace

void AddPolicyOperations(query::QueryOperations& operations, IamService& service) {
  operations.Add<CreatePolicy>(service);
  operations.Add<GetPolicy>(service);
  operations.Add<DeletePolicy>(service);
  operations.Add<ListPolicies>(service);
  operations.Add<ListEntitiesForPolicy>(service);
}

}  // namespace armature::iam_api
