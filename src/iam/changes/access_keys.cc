#include "iam/changes/access_keys.h"

#include <algorithm>

#include "iam/changes/find.h"
#include "iam/entities/ids.h"

namespace armature::iam {

namespace {

void PutKeys(Draft& draft, std::string_view account, std::string_view user_name, std::vector<AccessKey> keys) {
  if (user_name.empty()) {
    Account info = draft.AccountOf(account).info;
    info.root_keys = std::move(keys);
    draft.PutAccount(std::move(info));
    return;
  }
  auto user = std::make_shared<User>(*draft.AccountOf(account).users.Find(user_name));
  user->access_keys = std::move(keys);
  draft.Put(UserRef(std::move(user)));
}

IamResult<std::vector<AccessKey>::iterator> MustFindKey(std::vector<AccessKey>& keys, std::string_view id) {
  const auto key = std::find_if(keys.begin(), keys.end(), [&](const AccessKey& one) { return one.id == id; });
  if (key == keys.end()) return NoSuchEntity(fmt::format(messages::kAccessKeyNotFound, id));
  return key;
}

IamResult<void> CheckRoom(const std::vector<AccessKey>& keys) {
  if (keys.size() >= quotas::kAccessKeysPerUser)
    return LimitExceeded(fmt::format(messages::kQuota, "AccessKeysPerUser", quotas::kAccessKeysPerUser));
  return {};
}

}  // namespace

IamResult<std::vector<AccessKey>> AccessKeysOf(const Snapshot& state, std::string_view account,
                                               std::string_view user_name) {
  if (!user_name.empty()) {
    ARMATURE_TRY(const UserRef user, MustFind<User>(state, account, user_name));
    return user->access_keys;
  }
  const AccountState* const known = state.FindAccount(account);
  return known ? known->info.root_keys : std::vector<AccessKey>();
}

IamResult<AccessKey> CreateAccessKey(Draft& draft, std::string_view account, std::string_view user) {
  ARMATURE_CHECK_OK(CheckAccount(account));
  ARMATURE_TRY(auto keys, AccessKeysOf(draft.state(), account, user));
  ARMATURE_CHECK_OK(CheckRoom(keys));
  AccessKey key;
  key.id = MakeAccessKeyId(kAccessKeyPrefix, account, draft.random());
  key.secret = MakeSecret(draft.random());
  key.created_millis = draft.now_millis();
  keys.push_back(key);
  PutKeys(draft, account, user, std::move(keys));
  return key;
}

IamResult<void> UpdateAccessKey(Draft& draft, std::string_view account, std::string_view user, std::string_view id,
                                bool is_active) {
  ARMATURE_TRY(auto keys, AccessKeysOf(draft.state(), account, user));
  ARMATURE_TRY(const auto key, MustFindKey(keys, id));
  key->is_active = is_active;
  PutKeys(draft, account, user, std::move(keys));
  return {};
}

IamResult<void> DeleteAccessKey(Draft& draft, std::string_view account, std::string_view user, std::string_view id) {
  ARMATURE_TRY(auto keys, AccessKeysOf(draft.state(), account, user));
  ARMATURE_TRY(const auto key, MustFindKey(keys, id));
  keys.erase(key);
  PutKeys(draft, account, user, std::move(keys));
  return {};
}

IamResult<void> ImportAccessKey(Draft& draft, std::string_view account, std::string_view user, std::string_view id,
                                std::string_view secret, bool is_active) {
  ARMATURE_CHECK_OK(CheckAccount(account));
  ARMATURE_CHECK_OK(CheckAccessKey(id, secret));
  ARMATURE_TRY(auto keys, AccessKeysOf(draft.state(), account, user));
  auto key = std::find_if(keys.begin(), keys.end(), [&](const AccessKey& one) { return one.id == id; });
  if (key == keys.end()) {
    if (draft.state().FindKeyOwner(id)) return EntityAlreadyExists(fmt::format(messages::kKeyTaken, id));
    ARMATURE_CHECK_OK(CheckRoom(keys));
    key = keys.insert(keys.end(), AccessKey{std::string(id), {}, true, draft.now_millis()});
  } else if (key->secret == secret && key->is_active == is_active) {
    return {};
  }
  key->secret = secret;
  key->is_active = is_active;
  PutKeys(draft, account, user, std::move(keys));
  return {};
}

}  // namespace armature::iam
