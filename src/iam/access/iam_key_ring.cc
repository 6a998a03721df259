#include "iam/access/iam_key_ring.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/memory/generation_cache.h"
#include "iam/access/identities.h"
#include "iam/entities/ids.h"

namespace armature::iam {

namespace {

// Of each generation of a thread's cache.
constexpr size_t kMostCachedKeys = 2048;
constexpr size_t kMostCachedBytes = 4 << 20;
constexpr size_t kRoughKeyBytes = 2048;

uint64_t NextSerial() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

struct IamKeyRing::ThreadCache {
  using Cache = GenerationCache<std::string, std::shared_ptr<const auth::AccessKey>>;

  uint64_t serial = 0;
  uint64_t version = 0;
  std::shared_ptr<const Snapshot> state;
  std::unique_ptr<Cache> keys;
};

IamKeyRing::IamKeyRing(Directory& directory, UsageTable& usage)
    : directory_(directory), usage_(usage), serial_(NextSerial()) {}

IamKeyRing::ThreadCache& IamKeyRing::CacheOfThread() const {
  thread_local ThreadCache cache;
  const uint64_t version = directory_.version();
  if (cache.serial != serial_ || cache.version != version) [[unlikely]] {
    cache.version = 0;  // if there is no memory for what follows, it is done again
    cache.keys = std::make_unique<ThreadCache::Cache>(kMostCachedKeys, kMostCachedBytes);
    cache.state = directory_.Current();
    cache.serial = serial_;
    cache.version = version;
  }
  return cache;
}

std::shared_ptr<const auth::AccessKey> IamKeyRing::Find(std::string_view access_key_id,
                                                        std::string_view session_token) const {
  ThreadCache& cache = CacheOfThread();
  // Without its token a session is nobody, whether it was here before or not.
  const bool is_session = access_key_id.starts_with(kSessionKeyPrefix);
  if (is_session && session_token.empty()) return nullptr;
  if (const auto* const found = cache.keys->Find(access_key_id)) return *found;
  auto key =
      is_session ? MakeSessionKey(*cache.state, access_key_id, session_token) : MakeKey(*cache.state, access_key_id);
  // Ids that are nobody's are not kept: there is no end of them.
  if (key) cache.keys->Keep(std::string(access_key_id), key, kRoughKeyBytes + session_token.size());
  return key;
}

std::shared_ptr<const auth::AccessKey> IamKeyRing::MakeKey(const Snapshot& state,
                                                           std::string_view access_key_id) const {
  const KeyOwner* const owner = state.FindKeyOwner(access_key_id);
  const AccountState* const account = owner ? state.FindAccount(owner->account) : nullptr;
  if (!account) return nullptr;
  const UserRef user = owner->user_id.empty() ? nullptr : account->users.FindById(owner->user_id);
  if (!user && !owner->user_id.empty()) return nullptr;
  const std::vector<AccessKey>& keys = user ? user->access_keys : account->info.root_keys;
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const auto& key) { return key.id == access_key_id; });
  if (found == keys.end()) return nullptr;
  auto key = std::make_shared<auth::AccessKey>();
  key->id = found->id;
  key->secret = Secret(found->secret);
  key->status = found->is_active ? auth::KeyStatus::kActive : auth::KeyStatus::kInactive;
  key->identity = user ? IdentityOf(state, *user) : RootIdentityOf(account->info.id);
  return key;
}

std::shared_ptr<const auth::AccessKey> IamKeyRing::MakeSessionKey(const Snapshot& state, std::string_view access_key_id,
                                                                  std::string_view session_token) const {
  auto keys = directory_.master_keys();
  if (!keys) {
    LogError("sessions cannot be opened: {}", keys.error().message());
    return nullptr;
  }
  const auto session = SessionTokens(*keys).Open(session_token);
  if (!session || session->access_key_id != access_key_id) return nullptr;
  auto identity = IdentityOf(state, *session);
  if (!identity) return nullptr;
  auto key = std::make_shared<auth::AccessKey>();
  key->id = access_key_id;
  key->secret = Secret(session->secret);
  key->session_token = Secret(session_token);
  key->expires_at_millis = session->expires_millis;
  key->identity = std::move(identity);
  return key;
}

void IamKeyRing::NoteUse(const auth::AccessKey& key, std::string_view region, std::string_view service,
                         int64_t now_millis) const {
  // AWS keeps it of long-term keys and of roles.
  if (!key.is_temporary()) usage_.Note(key.id, service, region, now_millis);
  else if (key.identity->kind == auth::PrincipalKind::kAssumedRole)
    usage_.Note(key.identity->entity_id, service, region, now_millis);
}

}  // namespace armature::iam
