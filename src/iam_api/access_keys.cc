// Access keys: CreateAccessKey, ListAccessKeys, UpdateAccessKey, DeleteAccessKey, GetAccessKeyLastUsed.
//
// Without a user's name they are about who calls, the root among them.
#include "iam/changes/access_keys.h"

#include <algorithm>

#include "iam/entities/ids.h"
#include "iam_api/call.h"
#include "iam_api/iam_operations.h"
#include "iam_api/page.h"
#include "iam_api/replies.h"

namespace armature::iam_api {

namespace {

QueryResult CheckMayWithKeysOf(const Call& call, const std::string& user) {
  return user.empty() ? call.CheckMay(iam::RootArn(call.account())) : call.CheckMayWith<iam::User>(user);
}

std::string StatusOf(const iam::AccessKey& key) { return key.is_active ? "Active" : "Inactive"; }

Task<QueryResult> CreateAccessKey(IamService& service, QueryContext& context,
                                  const wire::iam::CreateAccessKeyInput& input,
                                  wire::iam::CreateAccessKeyOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_TRY(const std::string user, call.UserOr(input.UserName));
  ARMATURE_CO_CHECK_OK(CheckMayWithKeysOf(call, user));
  ARMATURE_CO_TRY(const iam::AccessKey key, co_await Make<iam::AccessKey>(service, [&](iam::Draft& draft) {
                    return iam::CreateAccessKey(draft, call.account(), user);
                  }));
  output.AccessKey.AccessKeyId = key.id;
  output.AccessKey.SecretAccessKey = key.secret;  // for the only time
  output.AccessKey.Status = StatusOf(key);
  output.AccessKey.UserName = user;
  output.AccessKey.CreateDate = TimeOf(key.created_millis);
  co_return QueryResult();
}

Task<QueryResult> ListAccessKeys(IamService& service, QueryContext& context,
                                 const wire::iam::ListAccessKeysInput& input, wire::iam::ListAccessKeysOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_TRY(const std::string user, call.UserOr(input.UserName));
  ARMATURE_CO_CHECK_OK(CheckMayWithKeysOf(call, user));
  ARMATURE_CO_TRY(auto keys, iam::Told(iam::AccessKeysOf(call.state(), call.account(), user)));
  ARMATURE_CO_TRY(Page page, Page::Of(input));
  std::ranges::sort(keys, {}, &iam::AccessKey::id);
  for (const iam::AccessKey& key : keys) {
    if (!page.Takes(key.id)) continue;
    wire::iam::AccessKeyMetadata& shown = output.AccessKeyMetadata.emplace_back();
    shown.AccessKeyId = key.id;
    shown.CreateDate = TimeOf(key.created_millis);
    shown.Status = StatusOf(key);
    shown.UserName = user;
  }
  page.Finish(output);
  co_return QueryResult();
}

Task<QueryResult> UpdateAccessKey(IamService& service, QueryContext& context,
                                  const wire::iam::UpdateAccessKeyInput& input) {
  const Call call(service, context);
  ARMATURE_CO_TRY(const std::string user, call.UserOr(input.UserName));
  ARMATURE_CO_CHECK_OK(CheckMayWithKeysOf(call, user));
  if (*input.Status == "Expired")  // in the model, but only AWS itself sets it
    co_return wire::ValidationError(
        "1 validation error detected: Value at 'status' failed to satisfy constraint: Member must satisfy enum value "
        "set");
  co_return co_await Apply(service, [&](iam::Draft& draft) {
    return iam::UpdateAccessKey(draft, call.account(), user, *input.AccessKeyId, *input.Status == "Active");
  });
}

Task<QueryResult> DeleteAccessKey(IamService& service, QueryContext& context,
                                  const wire::iam::DeleteAccessKeyInput& input) {
  const Call call(service, context);
  ARMATURE_CO_TRY(const std::string user, call.UserOr(input.UserName));
  ARMATURE_CO_CHECK_OK(CheckMayWithKeysOf(call, user));
  co_return co_await Apply(service, [&](iam::Draft& draft) {
    return iam::DeleteAccessKey(draft, call.account(), user, *input.AccessKeyId);
  });
}

Task<QueryResult> GetAccessKeyLastUsed(IamService& service, QueryContext& context,
                                       const wire::iam::GetAccessKeyLastUsedInput& input,
                                       wire::iam::GetAccessKeyLastUsedOutput& output) {
  const Call call(service, context);
  const iam::KeyOwner* const owner = call.state().FindKeyOwner(*input.AccessKeyId);
  const bool is_ours = owner && owner->account == call.account();
  const iam::UserRef user = is_ours ? call.account_state().users.FindById(owner->user_id) : nullptr;
  ARMATURE_CO_CHECK_OK(user ? call.CheckMayWith<iam::User>(user->name) : call.CheckMay("*"));
  if (!is_ours) co_return wire::iam::NoSuchEntity(fmt::format(iam::messages::kAccessKeyNotFound, *input.AccessKeyId));
  output.UserName = user ? user->name : std::string();
  wire::iam::AccessKeyLastUsed& last = output.AccessKeyLastUsed.emplace();
  const auto use = service.usage.Find(*input.AccessKeyId);
  last.ServiceName = use ? use->service : "N/A";
  last.Region = use ? use->region : "N/A";
  if (use) last.LastUsedDate = TimeOf(use->at_millis);
  co_return QueryResult();
}

}  // namespace

void AddAccessKeyOperations(query::QueryOperations& operations, IamService& service) {
  operations.Add<CreateAccessKey>(service);
  operations.Add<ListAccessKeys>(service);
  operations.Add<UpdateAccessKey>(service);
  operations.Add<DeleteAccessKey>(service);
  operations.Add<GetAccessKeyLastUsed>(service);
}

}  // namespace armature::iam_api
