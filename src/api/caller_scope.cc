#include "api/caller_scope.h"

#include <cstdint>

#include "model/names.h"

namespace armature::api {

namespace {

constexpr size_t kAccountDigits = 12;

// FNV-1a, 64 bits.
uint64_t HashOf(std::string_view text) {
  uint64_t hash = 14695981039346656037ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return hash;
}

}  // namespace

std::string_view AccountOfKey(std::string_view access_key_id, Arena& arena) {
  if (model::IsAccountId(access_key_id)) return access_key_id;
  char* const digits = static_cast<char*>(arena.Allocate(kAccountDigits, 1));
  uint64_t rest = HashOf(access_key_id);
  for (size_t i = kAccountDigits; i > 0; --i, rest /= 10) digits[i - 1] = static_cast<char>('0' + rest % 10);
  return {digits, kAccountDigits};
}

CallerScope ScopeOf(TableSharing sharing, std::string_view account, std::string_view region,
                    const auth::Credential& credential, Arena& arena) {
  switch (sharing) {
    case TableSharing::kPerRegion: return {account, credential.region};
    case TableSharing::kPerKeyAndRegion: return {AccountOfKey(credential.access_key_id, arena), credential.region};
    case TableSharing::kOneForAll: return {account, region};
  }
  return {account, region};
}

}  // namespace armature::api
