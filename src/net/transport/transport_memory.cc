// The memory of a transport: how it is asked for, counted, waited for and given back.
#include <algorithm>
#include <utility>

#include <sys/socket.h>

#include "net/transport/transport.h"

namespace armature::net {
namespace {

// Growth of an input buffer beyond the pooled size starts here.
constexpr size_t kFirstGrowthBytes = 64 * 1024;
// What a transport may hold without standing in the ledger: most never do.
constexpr size_t kUncountedBytes = 96 * 1024;

size_t BeyondPooled(size_t bytes) { return bytes > BufferPool::kBufferBytes ? bytes - BufferPool::kBufferBytes : 0; }

}  // namespace

// Memory follows the bytes that have come, never the length a message claims.
bool Transport::MakeRoom() {
  if (!in_.allocated()) in_ = context_.buffers.Take();
  if (in_.free_bytes() > 0) return true;
  in_.Compact();
  if (in_.free_bytes() > 0) return true;
  const size_t wanted = std::min(session_->MaxInputBytes(), std::max(kFirstGrowthBytes, 2 * in_.capacity()));
  if (wanted <= in_.capacity()) {  // longer than the session itself allows
    Dismiss(GiveUp::kTooLong);
    return false;
  }
  const size_t growth = wanted - in_.capacity();
  const bool has_room = !MustShed() && context_.memory.HasRoomFor(growth, now_millis());
  // What is being worked on gives its memory back soon: that is worth waiting for.
  if (!has_room && context_.memory.in_flight_bytes() >= growth) {
    WaitForRoom();
    return false;
  }
  if (!has_room) {
    Dismiss(GiveUp::kNoRoom);
    return false;
  }
  in_.Grow(wanted);
  Account();
  return true;
}

bool Transport::MustShed() {
  return context_.overloaded && context_.overloaded() && !context_.memory.Relieve(now_millis());
}

void Transport::WaitForRoom() {
  if (is_waiting_for_room_) return;
  is_waiting_for_room_ = true;
  context_.room.Add(*this);
}

void Transport::OnRoom() {
  is_waiting_for_room_ = false;
  Advance();
}

// The others need the memory, and this peer does not move. A reset also frees what the kernel holds for it.
void Transport::OnEvicted() {
  if (fd_ < 0) return;
  context_.counters.evicted.Add();
  if (!HasOutput() && state_ != State::kHandshake) {
    Dismiss(GiveUp::kEvicted);
    return Advance();
  }
  const linger at_once{1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  Close(ENOBUFS);
}

void Transport::ReleaseInput() {
  if (!in_.allocated()) return;
  context_.buffers.Give(std::move(in_));
}

void Transport::ReleaseOutput() {
  if (!out_.allocated()) return;
  context_.buffers.Give(std::move(out_));
}

size_t Transport::HeldBytes() const {
  const size_t held = BeyondPooled(in_.capacity()) + BeyondPooled(out_.capacity()) + session_->HeldBytes();
  return held <= kUncountedBytes ? 0 : held;
}

// Keeps the ledger true to what this transport holds and whom it waits for.
void Transport::Account() {
  if (is_busy_) context_.memory.HoldForServer(*this, HeldBytes(), now_millis());
  else context_.memory.HoldForClient(*this, HeldBytes(), now_millis());
  if (!context_.room.empty()) context_.room.Hurry();
}

}  // namespace armature::net
