// Permissions boundaries: Put…PermissionsBoundary and Delete…PermissionsBoundary of users and roles.
#include "iam/changes/grants.h"
#include "iam_api/call.h"
#include "iam_api/iam_operations.h"

namespace armature::iam_api {

namespace {

template <class E, class Input>
Task<QueryResult> PutBoundary(IamService& service, QueryContext& context, const Input& input) {
  const Call call(service, context);
  const std::string_view name = NameIn<E>(input);
  CallConditions conditions;
  conditions.boundary = *input.PermissionsBoundary;
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<E>(name, conditions));
  co_return co_await Apply(service, [&](iam::Draft& draft) {
    return iam::PutPermissionsBoundary<E>(draft, call.account(), name, *input.PermissionsBoundary);
  });
}

template <class E, class Input>
Task<QueryResult> DeleteBoundary(IamService& service, QueryContext& context, const Input& input) {
  const Call call(service, context);
  const std::string_view name = NameIn<E>(input);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<E>(name));
  co_return co_await Apply(
      service, [&](iam::Draft& draft) { return iam::DeletePermissionsBoundary<E>(draft, call.account(), name); });
}

}  // namespace

void AddBoundaryOperations(query::QueryOperations& operations, IamService& service) {
  operations.Add<PutBoundary<iam::User, wire::iam::PutUserPermissionsBoundaryInput>>(service);
  operations.Add<PutBoundary<iam::Role, wire::iam::PutRolePermissionsBoundaryInput>>(service);
  operations.Add<DeleteBoundary<iam::User, wire::iam::DeleteUserPermissionsBoundaryInput>>(service);
  operations.Add<DeleteBoundary<iam::Role, wire::iam::DeleteRolePermissionsBoundaryInput>>(service);
}

}  // namespace armature::iam_api
