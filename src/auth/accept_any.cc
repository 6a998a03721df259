#include "auth/accept_any.h"

#include <cstdint>

#include "model/names/names.h"

namespace armature::auth {

namespace {

constexpr size_t kAccountDigits = 12;

// FNV-1a, 64 bits.
uint64_t HashOf(std::string_view text) {
  uint64_t hash = 14695981039346656037ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return hash;
}

std::string RootArn(std::string_view account) {
  std::string arn = "arn:aws:iam::";
  arn.append(account).append(":root");
  return arn;
}

}  // namespace

AcceptAnyVerifier::AcceptAnyVerifier(std::string_view account, KeyAccounts accounts)
    : account_(account), root_arn_(RootArn(account)), accounts_(accounts) {}

model::ApiResult<Principal> AcceptAnyVerifier::Verify(const Credential& credential, const net::HttpRequest&,
                                                      Arena& arena) const {
  if (accounts_ == KeyAccounts::kOneForAll)
    return Principal{.account = account_, .arn = root_arn_, .access_key_id = credential.access_key_id};
  const std::string_view account = AccountOfKey(credential.access_key_id, arena);
  return Principal{.account = account, .arn = arena.Copy(RootArn(account)), .access_key_id = credential.access_key_id};
}

std::string_view AccountOfKey(std::string_view access_key_id, Arena& arena) {
  if (model::IsAccountId(access_key_id)) return access_key_id;
  char* const digits = static_cast<char*>(arena.Allocate(kAccountDigits, 1));
  uint64_t rest = HashOf(access_key_id);
  for (size_t i = kAccountDigits; i > 0; --i, rest /= 10) digits[i - 1] = static_cast<char>('0' + rest % 10);
  return {digits, kAccountDigits};
}

}  // namespace armature::auth
