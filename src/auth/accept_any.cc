#include "auth/accept_any.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "auth/sigv4.h"
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

// The root of a key's own account. The same few keys come for ever, and a key's account never changes: the last one of
// this thread is remembered.
std::shared_ptr<const Identity> RootOfKey(std::string_view access_key_id, Arena& arena) {
  thread_local std::shared_ptr<const Identity> last;
  const std::string_view account = AccountOfKey(access_key_id, arena);
  if (!last || last->account != account) last = std::make_shared<const Identity>(RootIdentity(account));
  return last;
}

}  // namespace

AcceptAnyVerifier::AcceptAnyVerifier(std::string_view account, KeyAccounts accounts)
    : root_(RootIdentity(account)), accounts_(accounts) {}

AuthResult<Verified> AcceptAnyVerifier::Verify(const net::HttpRequest& request, const Expected&, Arena& arena) const {
  ARMATURE_TRY(const Credential credential, ParseAuthorization(request, arena));
  // The one root is the verifier's own and outlives the request: nothing is counted.
  std::shared_ptr<const Identity> root = accounts_ == KeyAccounts::kOneForAll
                                             ? std::shared_ptr<const Identity>(std::shared_ptr<void>(), &root_)
                                             : RootOfKey(credential.access_key_id, arena);
  return Verified{PrincipalOf(std::move(root), credential.access_key_id), credential.region, credential.service};
}

std::string_view AccountOfKey(std::string_view access_key_id, Arena& arena) {
  if (model::IsAccountId(access_key_id)) return access_key_id;
  char* const digits = static_cast<char*>(arena.Allocate(kAccountDigits, 1));
  uint64_t rest = HashOf(access_key_id);
  for (size_t i = kAccountDigits; i > 0; --i, rest /= 10) digits[i - 1] = static_cast<char>('0' + rest % 10);
  return {digits, kAccountDigits};
}

}  // namespace armature::auth
