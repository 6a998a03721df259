// Groups and who is in them: CreateGroup, GetGroup, ListGroups, ListGroupsForUser, UpdateGroup, DeleteGroup,
// AddUserToGroup, RemoveUserFromGroup.
#include <algorithm>

#include "iam/changes/users.h"
#include "iam_api/call.h"
#include "iam_api/iam_operations.h"
#include "iam_api/page.h"
#include "iam_api/replies.h"

namespace armature::iam_api {

namespace {

Task<QueryResult> CreateGroup(IamService& service, QueryContext& context, const wire::iam::CreateGroupInput& input,
                              wire::iam::CreateGroupOutput& output) {
  const Call call(service, context);
  const std::string_view path = input.Path.value_or("/");
  ARMATURE_CO_CHECK_OK(call.CheckMay(call.ArnOfNew<iam::Group>(path, *input.GroupName)));
  ARMATURE_CO_TRY(const iam::GroupRef made, co_await Make<iam::GroupRef>(service, [&](iam::Draft& draft) {
                    return iam::CreateGroup(draft, call.account(), *input.GroupName, path);
                  }));
  output.Group = ReplyOf(*made);
  co_return QueryResult();
}

Task<QueryResult> GetGroup(IamService& service, QueryContext& context, const wire::iam::GetGroupInput& input,
                           wire::iam::GetGroupOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<iam::Group>(*input.GroupName));
  ARMATURE_CO_TRY(const iam::GroupRef group, call.Find<iam::Group>(*input.GroupName));
  ARMATURE_CO_TRY(Page page, Page::Of(input));
  output.Group = ReplyOf(*group);
  for (const iam::UserRef& user : iam::MembersOf(call.account_state(), *group))
    if (page.Takes(iam::FoldCase(user->name))) output.Users.push_back(ReplyOf(*user));
  page.Finish(output);
  co_return QueryResult();
}

Task<QueryResult> ListGroups(IamService& service, QueryContext& context, const wire::iam::ListGroupsInput& input,
                             wire::iam::ListGroupsOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMay("*"));
  ARMATURE_CO_TRY(Page page, Page::Of(input));
  const std::string_view prefix = input.PathPrefix.value_or("/");
  call.account_state().groups.by_name().ForEach([&](std::string_view key, const iam::GroupRef& group) {
    if (group->path.starts_with(prefix) && page.Takes(key)) output.Groups.push_back(ReplyOf(*group));
  });
  page.Finish(output);
  co_return QueryResult();
}

Task<QueryResult> ListGroupsForUser(IamService& service, QueryContext& context,
                                    const wire::iam::ListGroupsForUserInput& input,
                                    wire::iam::ListGroupsForUserOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<iam::User>(*input.UserName));
  ARMATURE_CO_TRY(const iam::UserRef user, call.Find<iam::User>(*input.UserName));
  ARMATURE_CO_TRY(Page page, Page::Of(input));
  std::vector<iam::GroupRef> groups;
  for (const std::string& id : user->groups)
    if (iam::GroupRef group = call.account_state().groups.FindById(id)) groups.push_back(std::move(group));
  std::ranges::sort(groups, {}, [](const iam::GroupRef& group) { return iam::FoldCase(group->name); });
  for (const iam::GroupRef& group : groups)
    if (page.Takes(iam::FoldCase(group->name))) output.Groups.push_back(ReplyOf(*group));
  page.Finish(output);
  co_return QueryResult();
}

Task<QueryResult> UpdateGroup(IamService& service, QueryContext& context, const wire::iam::UpdateGroupInput& input) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<iam::Group>(*input.GroupName));
  co_return co_await Apply(service, [&](iam::Draft& draft) -> iam::IamResult<void> {
    ARMATURE_CHECK_OK(
        iam::UpdateGroup(draft, call.account(), *input.GroupName, Given(input.NewGroupName), Given(input.NewPath)));
    return {};
  });
}

Task<QueryResult> DeleteGroup(IamService& service, QueryContext& context, const wire::iam::DeleteGroupInput& input) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<iam::Group>(*input.GroupName));
  co_return co_await Apply(
      service, [&](iam::Draft& draft) { return iam::DeleteGroup(draft, call.account(), *input.GroupName); });
}

Task<QueryResult> AddUserToGroup(IamService& service, QueryContext& context,
                                 const wire::iam::AddUserToGroupInput& input) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<iam::Group>(*input.GroupName));
  co_return co_await Apply(service, [&](iam::Draft& draft) {
    return iam::AddUserToGroup(draft, call.account(), *input.GroupName, *input.UserName);
  });
}

Task<QueryResult> RemoveUserFromGroup(IamService& service, QueryContext& context,
                                      const wire::iam::RemoveUserFromGroupInput& input) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<iam::Group>(*input.GroupName));
  co_return co_await Apply(service, [&](iam::Draft& draft) {
    return iam::RemoveUserFromGroup(draft, call.account(), *input.GroupName, *input.UserName);
  });
}

}  // namespace

void AddGroupOperations(query::QueryOperations& operations, IamService& service) {
  operations.Add<CreateGroup>(service);
  operations.Add<GetGroup>(service);
  operations.Add<ListGroups>(service);
  operations.Add<ListGroupsForUser>(service);
  operations.Add<UpdateGroup>(service);
  operations.Add<DeleteGroup>(service);
  operations.Add<AddUserToGroup>(service);
  operations.Add<RemoveUserFromGroup>(service);
}

}  // namespace armature::iam_api
