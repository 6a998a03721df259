// FailureBackoff: who has failed to sign too often lately is refused for a while, before anything is computed for him.
//
// Counts failures in windows: of an address with one key id (a wrong secret, or somebody who guesses it), and, with a
// far higher limit, of an address with whatever key ids. Others may stand behind the same address (a proxy, or this
// machine): the second is against key ids that do not exist, so that whoever asks may go on for those that do. A full
// count begins a pause, in which failures are not counted. Bounded: a fixed table, in which
// the least interesting of a few slots gives way. Lock-free, thread-safe; counts may lose a failure when threads meet,
// never invent one beyond it. Asked by the SignatureVerifier; no clock but the injected one.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace armature::auth {

// A limit of 0: never for that reason.
struct BackoffOptions {
  uint32_t failures_of_key = 20;  // of one address with one key id
  uint32_t failures_of_address = 1000;
  int64_t window_millis = 10'000;
  int64_t pause_millis = 10'000;
};

class FailureBackoff {
 public:
  enum class Refusal : uint8_t {
    kNone,
    kAddress,  // too many from there, though not with this key id: go on only for a key that there is
    kKey,
  };
  // As many as can be counted.
  static constexpr uint32_t kHighestLimit = (uint32_t{1} << 20) - 1;
  static constexpr size_t kSlots = 4096;

  // The seed keeps others from knowing who shares a slot with whom.
  FailureBackoff(BackoffOptions options, const Clock& clock, uint64_t seed);

  // Nobody has failed lately: nobody is refused. One comparison.
  bool is_quiet() const { return clock_.NowMillis() >= quiet_from_millis_.load(std::memory_order_acquire); }
  // Whether a request is to be refused, and why. An address without a port; of IPv6 its network (64 bits) counts,
  // because a host has all of it. An empty address is never refused.
  Refusal Refuses(std::string_view client_address, std::string_view access_key_id) const;
  void NoteFailure(std::string_view client_address, std::string_view access_key_id);

 private:
  struct Slot {
    std::atomic<uint64_t> subject{0};
    std::atomic<uint64_t> count{0};  // a packed Count
  };

  uint64_t SubjectOf(std::string_view client_address, std::string_view access_key_id) const;
  bool IsPaused(uint64_t subject, uint32_t limit, int64_t now) const;
  void Count(uint64_t subject, uint32_t limit, int64_t now);
  Slot& SlotFor(uint64_t subject, int64_t now);
  bool IsOver(uint64_t count, int64_t now) const;

  const BackoffOptions options_;
  const int64_t longest_millis_;
  const Clock& clock_;
  const uint64_t seed_;
  std::vector<Slot> slots_{kSlots};
  std::atomic<int64_t> quiet_from_millis_{0};  // by then nobody is counted any more
};

}  // namespace armature::auth
