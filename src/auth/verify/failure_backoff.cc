#include "auth/verify/failure_backoff.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include <arpa/inet.h>
#include <xxhash.h>

namespace armature::auth {

namespace {

constexpr size_t kWays = 4;  // slots that a subject may have
constexpr int kFailureBits = 20;
constexpr uint64_t kMostFailures = FailureBackoff::kHighestLimit;
static_assert(kMostFailures == (uint64_t{1} << kFailureBits) - 1);

// Failures since a time; once they have reached the limit, the time at which they did.
struct Failures {
  int64_t since_millis;
  uint64_t number;
};

Failures Unpack(uint64_t count) { return {static_cast<int64_t>(count >> kFailureBits), count & kMostFailures}; }
uint64_t Pack(const Failures& failures) {
  return static_cast<uint64_t>(failures.since_millis) << kFailureBits | failures.number;
}

// The same bytes for all addresses that one host may have at will.
struct Network {
  std::array<char, INET6_ADDRSTRLEN> bytes{};
  size_t size = 0;

  explicit Network(std::string_view address) {
    if (address.size() >= bytes.size()) address = address.substr(0, bytes.size() - 1);
    std::ranges::copy(address, bytes.begin());
    size = address.size();
    in6_addr v6{};
    if (address.find(':') == std::string_view::npos || inet_pton(AF_INET6, bytes.data(), &v6) != 1) return;
    constexpr size_t kNetworkBytes = 8;
    if (IN6_IS_ADDR_V4MAPPED(&v6)) {
      inet_ntop(AF_INET, &v6.s6_addr[12], bytes.data(), bytes.size());
      size = std::strlen(bytes.data());
    } else {
      std::memcpy(bytes.data(), v6.s6_addr, kNetworkBytes);
      size = kNetworkBytes;
    }
  }
};

}  // namespace

FailureBackoff::FailureBackoff(BackoffOptions options, const Clock& clock, uint64_t seed)
    : options_(options),
      longest_millis_(std::max(options.window_millis, options.pause_millis)),
      clock_(clock),
      seed_(seed) {}

// Never 0, which is a free slot.
uint64_t FailureBackoff::SubjectOf(std::string_view client_address, std::string_view access_key_id) const {
  const Network network(client_address);
  const uint64_t of_address = XXH3_64bits_withSeed(network.bytes.data(), network.size, seed_);
  if (access_key_id.empty()) return of_address | 1;
  return XXH3_64bits_withSeed(access_key_id.data(), access_key_id.size(), of_address) | 1;
}

FailureBackoff::Refusal FailureBackoff::Refuses(std::string_view client_address, std::string_view access_key_id) const {
  if (client_address.empty()) return Refusal::kNone;
  const int64_t now = clock_.NowMillis();
  if (IsPaused(SubjectOf(client_address, access_key_id), options_.failures_of_key, now)) return Refusal::kKey;
  if (IsPaused(SubjectOf(client_address, {}), options_.failures_of_address, now)) return Refusal::kAddress;
  return Refusal::kNone;
}

void FailureBackoff::NoteFailure(std::string_view client_address, std::string_view access_key_id) {
  if (client_address.empty() || (options_.failures_of_key == 0 && options_.failures_of_address == 0)) return;
  const int64_t now = clock_.NowMillis();
  quiet_from_millis_.store(now + longest_millis_, std::memory_order_release);
  if (!access_key_id.empty()) Count(SubjectOf(client_address, access_key_id), options_.failures_of_key, now);
  Count(SubjectOf(client_address, {}), options_.failures_of_address, now);
}

bool FailureBackoff::IsPaused(uint64_t subject, uint32_t limit, int64_t now) const {
  if (limit == 0) return false;
  const size_t first = subject / 2 % (kSlots / kWays) * kWays;
  for (size_t i = first; i < first + kWays; ++i) {
    if (slots_[i].subject.load(std::memory_order_acquire) != subject) continue;
    const Failures failures = Unpack(slots_[i].count.load(std::memory_order_acquire));
    // A clock that was set back ends the pause.
    return failures.number >= limit && failures.since_millis <= now &&
           now < failures.since_millis + options_.pause_millis;
  }
  return false;
}

bool FailureBackoff::IsOver(uint64_t count, int64_t now) const {
  const Failures failures = Unpack(count);
  return failures.since_millis > now || now >= failures.since_millis + longest_millis_;
}

FailureBackoff::Slot& FailureBackoff::SlotFor(uint64_t subject, int64_t now) {
  const size_t first = subject / 2 % (kSlots / kWays) * kWays;
  Slot* least = &slots_[first];
  uint64_t least_failures = kMostFailures + 1;
  for (size_t i = first; i < first + kWays; ++i) {
    Slot& slot = slots_[i];
    if (slot.subject.load(std::memory_order_acquire) == subject) return slot;
    const uint64_t count = slot.count.load(std::memory_order_acquire);
    const uint64_t failures = IsOver(count, now) ? 0 : Unpack(count).number;
    if (failures >= least_failures) continue;
    least = &slot;
    least_failures = failures;
  }
  // The count goes first: nobody is to inherit another's.
  least->count.store(0, std::memory_order_release);
  least->subject.store(subject, std::memory_order_release);
  return *least;
}

void FailureBackoff::Count(uint64_t subject, uint32_t limit, int64_t now) {
  if (limit == 0) return;
  Slot& slot = SlotFor(subject, now);
  uint64_t count = slot.count.load(std::memory_order_acquire);
  uint64_t next = 0;
  do {
    Failures failures = Unpack(count);
    const bool was_paused = failures.number >= limit;
    const int64_t end = failures.since_millis + (was_paused ? options_.pause_millis : options_.window_millis);
    if (failures.since_millis > now || now >= end) failures = {now, 0};
    else if (was_paused) return;
    failures.number = std::min(failures.number + 1, kMostFailures);
    if (failures.number >= limit) failures.since_millis = now;
    next = Pack(failures);
  } while (!slot.count.compare_exchange_weak(count, next, std::memory_order_acq_rel));
}

}  // namespace armature::auth
