// The memory of a connection: how it is asked for, counted, waited for and given back.
#include <algorithm>

#include <sys/socket.h>

#include "net/connection.h"

namespace armature::net {
namespace {

// Growth of a request buffer beyond the pooled size starts here.
constexpr size_t kFirstGrowthBytes = 64 * 1024;
// Room beyond the body limit for chunk lines not yet undone.
constexpr size_t kChunkSlackBytes = 64 * 1024;
// What a connection may hold without standing in the ledger: most requests never do.
constexpr size_t kUncountedBytes = 96 * 1024;
// Requests up to this size cannot hold much while they are executed, unless they are compressed.
constexpr size_t kSmallRequestBytes = 64 * 1024;

size_t Beyond(size_t bytes, size_t usual) { return bytes > usual ? bytes - usual : 0; }

}  // namespace

// Memory follows the bytes that have come, never the length a header claims.
bool Connection::MakeRoom() {
  if (!in_.allocated()) in_ = context_.buffers.Take();
  if (in_.free_bytes() > 0) return true;
  in_.Compact();
  if (in_.free_bytes() > 0) return true;
  size_t most =
      context_.head_limits.max_request_line_bytes + context_.head_limits.max_header_bytes + BufferPool::kBufferBytes;
  if (phase_ == Phase::kBody) {
    const size_t body =
        framing_.is_chunked ? context_.options.max_body_bytes + kChunkSlackBytes : framing_.content_length;
    most = framing_.head_bytes + body;
  }
  const size_t wanted = std::min(most, std::max(kFirstGrowthBytes, 2 * in_.capacity()));
  const size_t growth = wanted - in_.capacity();
  MemoryLedger& memory = context_.stats.memory;
  const bool has_room = !MustShed() && memory.HasRoomFor(growth, context_.reactor.now_millis());
  // What is being executed gives its memory back soon: that is worth waiting for.
  if (!has_room && memory.in_flight_bytes() >= growth) {
    WaitForRoom();
    return false;
  }
  if (!has_room) {
    context_.counters.shed.Add();
    Fail(503);
    return false;
  }
  in_.Grow(wanted);
  Account();
  return true;
}

bool Connection::MustShed() {
  return context_.options.overloaded && context_.options.overloaded() &&
         !context_.stats.memory.Relieve(context_.reactor.now_millis());
}

// Requests in flight may hold many times their size. Large ones leave half of the limit to the small, so that those
// need not wait for them.
bool Connection::MayHandUp(size_t request_bytes) {
  const MemoryLedger& memory = context_.stats.memory;
  const size_t in_flight = memory.in_flight_bytes();
  if (in_flight <= memory.limit_bytes() / 2) [[likely]]
    return true;
  if (in_flight > memory.limit_bytes()) return false;
  return request_bytes <= kSmallRequestBytes && exchange_->request_.Find("Content-Encoding") == nullptr;
}

Connection::Progress Connection::HandUp(size_t request_bytes) {
  if (MayHandUp(request_bytes)) [[likely]] {
    Dispatch(request_bytes);
    return Progress::kDispatched;
  }
  // It lies whole in the buffer, its chunks undone, and is looked at again from there.
  framing_.is_chunked = false;
  framing_.content_length = request_bytes - framing_.head_bytes;
  ReleaseExchange();
  WaitForRoom();
  return Progress::kStopped;
}

void Connection::WaitForRoom() {
  if (is_waiting_for_room_) return;
  is_waiting_for_room_ = true;
  context_.room.Add(*this);
}

void Connection::OnRoom() {
  is_waiting_for_room_ = false;
  Advance();
}

// The others need the memory, and this client does not move. A reset also frees what the kernel holds for it.
void Connection::OnEvicted() {
  if (fd_ < 0) return;
  context_.counters.evicted.Add();
  if (!HasOutput()) {
    Fail(503);
    return Advance();
  }
  const linger at_once{1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  Close();
}

void Connection::ReserveOutput() {
  if (!out_.allocated()) out_ = context_.buffers.Take();
}

void Connection::TakeExchange() {
  if (exchange_ != nullptr) return;
  exchange_ = context_.exchanges.Take();
  exchange_->reactor_ = &context_.reactor;
  exchange_->peer_ = reinterpret_cast<const sockaddr*>(&peer_);
}

void Connection::ReleaseExchange() {
  if (exchange_ == nullptr) return;
  exchange_->response_.Clear();
  exchange_->arena_.Reset();
  exchange_->extra_bytes_ = exchange_->elsewhere_bytes_ = 0;
  context_.exchanges.Give(exchange_);
  exchange_ = nullptr;
}

void Connection::ReleaseInput() {
  if (!in_.allocated()) return;
  context_.buffers.Give(std::move(in_));
}

void Connection::ReleaseOutput() {
  if (!out_.allocated()) return;
  context_.buffers.Give(std::move(out_));
}

size_t Connection::HeldBytes() const {
  size_t held = Beyond(in_.capacity(), BufferPool::kBufferBytes) + Beyond(out_.capacity(), BufferPool::kBufferBytes);
  if (exchange_ != nullptr && exchange_->elsewhere_bytes_ != 0) held += exchange_->elsewhere_bytes_;
  else if (exchange_ != nullptr)
    held += Beyond(exchange_->arena_.bytes_reserved(), Arena::kFirstBlockBytes) + exchange_->response_.body.capacity() +
            exchange_->extra_bytes_;
  return held <= kUncountedBytes ? 0 : held;
}

// Keeps the ledger true to what this connection holds and whom it waits for.
void Connection::Account() {
  const int64_t now = context_.reactor.now_millis();
  if (phase_ == Phase::kAnswer) context_.stats.memory.HoldForServer(*this, HeldBytes(), now);
  else context_.stats.memory.HoldForClient(*this, HeldBytes(), now);
  if (!context_.room.empty()) context_.room.Hurry();
}

}  // namespace armature::net
