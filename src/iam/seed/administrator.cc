#include "iam/seed/administrator.h"

#include <fmt/format.h>

#include "iam/changes/access_keys.h"
#include "iam/changes/grants.h"
#include "iam/changes/users.h"
#include "iam/entities/names.h"

namespace armature::iam {

namespace {
constexpr std::string_view kAdministratorAccess = "arn:aws:iam::aws:policy/AdministratorAccess";
}  // namespace

IamResult<AccessKey> MakeAdministrator(Draft& draft, std::string_view account, std::string_view user_name) {
  ARMATURE_CHECK_OK(CheckAccount(account));
  if (!draft.AccountOf(account).users.Find(user_name)) {
    NewUser user;
    user.name = user_name;
    ARMATURE_CHECK_OK(CreateUser(draft, account, user));
  }
  ARMATURE_CHECK_OK(AttachPolicy<User>(draft, account, user_name, kAdministratorAccess));
  return CreateAccessKey(draft, account, user_name);
}

Task<IamResult<AccessKey>> InitAccount(Directory& directory, std::string account, std::string user_name) {
  std::function<IamResult<AccessKey>(Draft&)> change = [&](Draft& draft) {
    return MakeAdministrator(draft, account, user_name);
  };
  co_return co_await directory.Change<AccessKey>(std::move(change));
}

std::string CredentialLines(const AccessKey& key) {
  return fmt::format("AWS_ACCESS_KEY_ID={}\nAWS_SECRET_ACCESS_KEY={}\n", key.id, key.secret);
}

}  // namespace armature::iam
