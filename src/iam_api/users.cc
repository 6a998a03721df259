// Users: CreateUser, GetUser, ListUsers, UpdateUser, DeleteUser.
#include "iam/changes/users.h"

#include "iam_api/call.h"
#include "iam_api/iam_operations.h"
#include "iam_api/page.h"
#include "iam_api/replies.h"

namespace armature::iam_api {

namespace {

Task<QueryResult> CreateUser(IamService& service, QueryContext& context, const wire::iam::CreateUserInput& input,
                             wire::iam::CreateUserOutput& output) {
  const Call call(service, context);
  iam::NewUser user;
  user.name = *input.UserName;
  user.path = input.Path.value_or("/");
  user.tags = TagsOf(input.Tags);
  user.boundary = input.PermissionsBoundary.value_or({});
  CallConditions conditions;
  conditions.boundary = user.boundary;
  conditions.SetRequestTags(input.Tags);
  const std::string arn = call.ArnOfNew<iam::User>(user.path, user.name);
  ARMATURE_CO_CHECK_OK(call.CheckMay(arn, conditions));
  ARMATURE_CO_CHECK_OK(call.CheckSomebodyCanSign());
  if (!user.tags.empty()) ARMATURE_CO_CHECK_OK(call.CheckMayDo("iam:TagUser", arn, conditions));
  ARMATURE_CO_TRY(const iam::UserRef made, co_await Make<iam::UserRef>(service, [&](iam::Draft& draft) {
                    return iam::CreateUser(draft, call.account(), user);
                  }));
  output.User = DetailedReplyOf(*made);
  co_return QueryResult();
}

Task<QueryResult> GetUser(IamService& service, QueryContext& context, const wire::iam::GetUserInput& input,
                          wire::iam::GetUserOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_TRY(const std::string name, call.UserOr(input.UserName));
  if (name.empty()) {
    output.User = RootReplyOf(call.account_state(), call.account());
    co_return QueryResult();
  }
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<iam::User>(name));
  ARMATURE_CO_TRY(const iam::UserRef user, call.Find<iam::User>(name));
  output.User = DetailedReplyOf(*user);
  co_return QueryResult();
}

Task<QueryResult> ListUsers(IamService& service, QueryContext& context, const wire::iam::ListUsersInput& input,
                            wire::iam::ListUsersOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMay("*"));
  ARMATURE_CO_TRY(Page page, Page::Of(input));
  const std::string_view prefix = input.PathPrefix.value_or("/");
  call.account_state().users.by_name().ForEach([&](std::string_view key, const iam::UserRef& user) {
    if (user->path.starts_with(prefix) && page.Takes(key)) output.Users.push_back(ReplyOf(*user));
  });
  page.Finish(output);
  co_return QueryResult();
}

Task<QueryResult> UpdateUser(IamService& service, QueryContext& context, const wire::iam::UpdateUserInput& input) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<iam::User>(*input.UserName));
  co_return co_await Apply(service, [&](iam::Draft& draft) -> iam::IamResult<void> {
    ARMATURE_CHECK_OK(
        iam::UpdateUser(draft, call.account(), *input.UserName, Given(input.NewUserName), Given(input.NewPath)));
    return {};
  });
}

Task<QueryResult> DeleteUser(IamService& service, QueryContext& context, const wire::iam::DeleteUserInput& input) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<iam::User>(*input.UserName));
  co_return co_await Apply(service,
                           [&](iam::Draft& draft) { return iam::DeleteUser(draft, call.account(), *input.UserName); });
}

}  // namespace

void AddUserOperations(query::QueryOperations& operations, IamService& service) {
  operations.Add<CreateUser>(service);
  operations.Add<GetUser>(service);
  operations.Add<ListUsers>(service);
  operations.Add<UpdateUser>(service);
  operations.Add<DeleteUser>(service);
}

}  // namespace armature::iam_api
