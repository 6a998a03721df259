// Roles that services have of their own: CreateServiceLinkedRole, DeleteServiceLinkedRole,
// GetServiceLinkedRoleDeletionStatus.
//
// AWS deletes such a role in the background, once its service says that nothing needs it; here it is gone when the call
// returns, and the task that the caller is told of has succeeded for as long as somebody asks.
#include "base/random.h"
#include "iam/changes/roles.h"
#include "iam_api/call.h"
#include "iam_api/iam_operations.h"
#include "iam_api/replies.h"

namespace armature::iam_api {

namespace {

// "task/aws-service-role/<service>/<role>/<uuid>"
constexpr std::string_view kTaskPrefix = "task/aws-service-role/";
constexpr size_t kUuidSize = 36;

// The ARN that the role of a deletion task had; empty of what is no task.
std::string RoleOfTask(std::string_view task, std::string_view account) {
  if (!task.starts_with(kTaskPrefix)) return {};
  const size_t last = task.rfind('/');
  const std::string_view role = task.substr(0, last);
  if (task.size() - last - 1 != kUuidSize || role.size() <= kTaskPrefix.size()) return {};
  return fmt::format("arn:aws:iam::{}:role/{}", account, role.substr(std::string_view("task/").size()));
}

Task<QueryResult> CreateServiceLinkedRole(IamService& service, QueryContext& context,
                                          const wire::iam::CreateServiceLinkedRoleInput& input,
                                          wire::iam::CreateServiceLinkedRoleOutput& output) {
  const Call call(service, context);
  CallConditions conditions;
  conditions.service_name = *input.AWSServiceName;
  const std::string arn =
      fmt::format("arn:aws:iam::{}:role/aws-service-role/{}/*", call.account(), *input.AWSServiceName);
  ARMATURE_CO_CHECK_OK(call.CheckMay(arn, conditions));
  ARMATURE_CO_CHECK_OK(call.CheckSomebodyCanSign());
  ARMATURE_CO_TRY(const iam::RoleRef role, co_await Make<iam::RoleRef>(service, [&](iam::Draft& draft) {
                    return iam::CreateServiceLinkedRole(draft, call.account(), *input.AWSServiceName,
                                                        input.Description.value_or({}),
                                                        input.CustomSuffix.value_or({}));
                  }));
  output.Role = NewReplyOf(*role);
  co_return QueryResult();
}

Task<QueryResult> DeleteServiceLinkedRole(IamService& service, QueryContext& context,
                                          const wire::iam::DeleteServiceLinkedRoleInput& input,
                                          wire::iam::DeleteServiceLinkedRoleOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<iam::Role>(*input.RoleName));
  ARMATURE_CO_TRY(const iam::RoleRef role, call.Find<iam::Role>(*input.RoleName));
  ARMATURE_CO_CHECK_OK(co_await Apply(service, [&](iam::Draft& draft) {
    return iam::DeleteServiceLinkedRole(draft, call.account(), *input.RoleName);
  }));
  output.DeletionTaskId = fmt::format("task{}{}/{}", role->path, role->name, UuidV4(service.directory.random()));
  co_return QueryResult();
}

Task<QueryResult> GetServiceLinkedRoleDeletionStatus(IamService& service, QueryContext& context,
                                                     const wire::iam::GetServiceLinkedRoleDeletionStatusInput& input,
                                                     wire::iam::GetServiceLinkedRoleDeletionStatusOutput& output) {
  const Call call(service, context);
  const std::string arn = RoleOfTask(*input.DeletionTaskId, call.account());
  ARMATURE_CO_CHECK_OK(call.CheckMay(arn.empty() ? "*" : arn));
  if (arn.empty())
    co_return wire::iam::NoSuchEntity(fmt::format("Deletion task {} cannot be found.", *input.DeletionTaskId));
  output.Status = "SUCCEEDED";
  co_return QueryResult();
}

}  // namespace

void AddServiceLinkedRoleOperations(query::QueryOperations& operations, IamService& service) {
  operations.Add<CreateServiceLinkedRole>(service);
  operations.Add<DeleteServiceLinkedRole>(service);
  operations.Add<GetServiceLinkedRoleDeletionStatus>(service);
}

}  // namespace armature::iam_api
