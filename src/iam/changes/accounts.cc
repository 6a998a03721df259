#include "iam/changes/accounts.h"

#include <algorithm>

#include "iam/changes/find.h"

namespace armature::iam {

namespace {

bool IsAlias(std::string_view alias) {
  const auto is_letter_or_digit = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return alias.size() >= 3 && alias.size() <= 63 && is_letter_or_digit(alias.front()) &&
         is_letter_or_digit(alias.back()) && alias.find("--") == std::string_view::npos &&
         std::all_of(alias.begin(), alias.end(), [&](char c) { return is_letter_or_digit(c) || c == '-'; });
}

}  // namespace

IamResult<void> EnsureAccount(Draft& draft, std::string_view account) {
  ARMATURE_CHECK_OK(CheckAccount(account));
  draft.AccountOf(account);
  return {};
}

IamResult<void> CreateAccountAlias(Draft& draft, std::string_view account, std::string_view alias) {
  ARMATURE_CHECK_OK(CheckAccount(account));
  if (!IsAlias(alias)) return ValidationError(messages::kBadAlias);
  if (!draft.state().AccountOfAlias(alias).empty())
    return EntityAlreadyExists(fmt::format(messages::kAliasAlreadyExists, alias));
  Account info = draft.AccountOf(account).info;
  info.alias = alias;
  draft.PutAccount(std::move(info));
  return {};
}

IamResult<void> DeleteAccountAlias(Draft& draft, std::string_view account, std::string_view alias) {
  const AccountState* const known = draft.state().FindAccount(account);
  if (!known || known->info.alias.empty() || known->info.alias != alias)
    return NoSuchEntity(fmt::format(messages::kAliasNotFound, alias));
  Account info = known->info;
  info.alias.clear();
  draft.PutAccount(std::move(info));
  return {};
}

}  // namespace armature::iam
