// Roles: CreateRole, GetRole, ListRoles, UpdateRole, UpdateRoleDescription, UpdateAssumeRolePolicy, DeleteRole.
#include "iam/changes/roles.h"

#include "iam_api/call.h"
#include "iam_api/iam_operations.h"
#include "iam_api/page.h"
#include "iam_api/replies.h"

namespace armature::iam_api {

namespace {

constexpr int64_t kDefaultSessionSeconds = 3600;

Task<QueryResult> CreateRole(IamService& service, QueryContext& context, const wire::iam::CreateRoleInput& input,
                             wire::iam::CreateRoleOutput& output) {
  const Call call(service, context);
  iam::NewRole role;
  role.name = *input.RoleName;
  role.path = input.Path.value_or("/");
  role.trust = *input.AssumeRolePolicyDocument;
  role.description = input.Description.value_or({});
  role.max_session_seconds = input.MaxSessionDuration.value_or(kDefaultSessionSeconds);
  role.tags = TagsOf(input.Tags);
  role.boundary = input.PermissionsBoundary.value_or({});
  CallConditions conditions;
  conditions.boundary = role.boundary;
  conditions.SetRequestTags(input.Tags);
  const std::string arn = call.ArnOfNew<iam::Role>(role.path, role.name);
  ARMATURE_CO_CHECK_OK(call.CheckMay(arn, conditions));
  ARMATURE_CO_CHECK_OK(call.CheckSomebodyCanSign());
  if (!role.tags.empty()) ARMATURE_CO_CHECK_OK(call.CheckMayDo("iam:TagRole", arn, conditions));
  ARMATURE_CO_TRY(const iam::RoleRef made, co_await Make<iam::RoleRef>(service, [&](iam::Draft& draft) {
                    return iam::CreateRole(draft, call.account(), role);
                  }));
  output.Role = NewReplyOf(*made);
  co_return QueryResult();
}

Task<QueryResult> GetRole(IamService& service, QueryContext& context, const wire::iam::GetRoleInput& input,
                          wire::iam::GetRoleOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<iam::Role>(*input.RoleName));
  ARMATURE_CO_TRY(const iam::RoleRef role, call.Find<iam::Role>(*input.RoleName));
  output.Role = DetailedReplyOf(*role, service.usage);
  co_return QueryResult();
}

Task<QueryResult> ListRoles(IamService& service, QueryContext& context, const wire::iam::ListRolesInput& input,
                            wire::iam::ListRolesOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMay("*"));
  ARMATURE_CO_TRY(Page page, Page::Of(input));
  const std::string_view prefix = input.PathPrefix.value_or("/");
  call.account_state().roles.by_name().ForEach([&](std::string_view key, const iam::RoleRef& role) {
    if (role->path.starts_with(prefix) && page.Takes(key)) output.Roles.push_back(ReplyOf(*role));
  });
  page.Finish(output);
  co_return QueryResult();
}

Task<QueryResult> UpdateRole(IamService& service, QueryContext& context, const wire::iam::UpdateRoleInput& input,
                             wire::iam::UpdateRoleOutput&) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<iam::Role>(*input.RoleName));
  const auto seconds = input.MaxSessionDuration ? std::optional<int64_t>(*input.MaxSessionDuration) : std::nullopt;
  ARMATURE_CO_CHECK_OK(co_await Make<iam::RoleRef>(service, [&](iam::Draft& draft) {
    return iam::UpdateRole(draft, call.account(), *input.RoleName, Given(input.Description), seconds);
  }));
  co_return QueryResult();
}

Task<QueryResult> UpdateRoleDescription(IamService& service, QueryContext& context,
                                        const wire::iam::UpdateRoleDescriptionInput& input,
                                        wire::iam::UpdateRoleDescriptionOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<iam::Role>(*input.RoleName));
  ARMATURE_CO_TRY(const iam::RoleRef role, co_await Make<iam::RoleRef>(service, [&](iam::Draft& draft) {
                    return iam::UpdateRole(draft, call.account(), *input.RoleName, Given(input.Description), {});
                  }));
  output.Role = ReplyOf(*role);
  co_return QueryResult();
}

Task<QueryResult> UpdateAssumeRolePolicy(IamService& service, QueryContext& context,
                                         const wire::iam::UpdateAssumeRolePolicyInput& input) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<iam::Role>(*input.RoleName));
  co_return co_await Apply(service, [&](iam::Draft& draft) {
    return iam::UpdateAssumeRolePolicy(draft, call.account(), *input.RoleName, *input.PolicyDocument);
  });
}

Task<QueryResult> DeleteRole(IamService& service, QueryContext& context, const wire::iam::DeleteRoleInput& input) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<iam::Role>(*input.RoleName));
  co_return co_await Apply(service,
                           [&](iam::Draft& draft) { return iam::DeleteRole(draft, call.account(), *input.RoleName); });
}

}  // namespace

void AddRoleOperations(query::QueryOperations& operations, IamService& service) {
  operations.Add<CreateRole>(service);
  operations.Add<GetRole>(service);
  operations.Add<ListRoles>(service);
  operations.Add<UpdateRole>(service);
  operations.Add<UpdateRoleDescription>(service);
  operations.Add<UpdateAssumeRolePolicy>(service);
  operations.Add<DeleteRole>(service);
}

}  // namespace armature::iam_api
