// KeyRing: which access keys there are, and whose they are. The Verifier's only source of belief.
//
// Thread-safe; asked by all reactors for every request, so implementations never block, look up once and copy no
// secret: what is found is shared and immutable. A key that changes (deactivated, rotated, other policies for its
// owner) is a new AccessKey object from then on, and every connection sees it with its next request. Implemented by
// iam/, and by MemoryKeyRing (auth/verify/memory_key_ring.h) for tests and servers without IAM's state.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "auth/identity.h"
#include "base/memory/secret.h"

namespace armature::auth {

enum class KeyStatus : uint8_t { kActive, kInactive };

// One access key. Immutable once the ring gives it out.
struct AccessKey {
  std::string id;
  Secret secret;
  KeyStatus status = KeyStatus::kActive;
  // Of a temporary key: the token that must come with it. A long-term key has none, and must come without.
  Secret session_token;
  std::optional<int64_t> expires_at_millis;  // of a temporary key
  std::shared_ptr<const Identity> identity;  // never null

  // Tells this object from all others of the process, gone ones included: what is derived from its secret is kept under
  // this number, and so never found again once the key has changed.
  const uint64_t serial = NextSerial();

  bool is_temporary() const { return !session_token.empty(); }

 private:
  static uint64_t NextSerial() {
    static std::atomic<uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
  }
};

class KeyRing {
 public:
  virtual ~KeyRing() = default;

  // Whether there is no principal at all: then, and only then, any well-formed signature is believed (auth/posture).
  virtual bool is_empty() const = 0;

  // The key of that id, whatever its status and expiry; null if there is none. `session_token` is what the request
  // brought (empty: nothing), for rings whose temporary keys are inside their tokens; the verifier compares it with the
  // key's own in any case.
  virtual std::shared_ptr<const AccessKey> Find(std::string_view access_key_id,
                                                std::string_view session_token) const = 0;

  // Another number after every change of what Find would give. 0 always: of rings that do not tell.
  virtual uint64_t generation() const { return 0; }

  // A request was signed with it, rightly. For GetAccessKeyLastUsed; must cost next to nothing.
  virtual void NoteUse(const AccessKey& key, std::string_view region, std::string_view service,
                       int64_t now_millis) const {
    (void)key, (void)region, (void)service, (void)now_millis;
  }
};

}  // namespace armature::auth
