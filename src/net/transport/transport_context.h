// TransportContext: what all transports of one reactor share.
//
// Buffers, limits, counters, the list of open transports and whether they are being drained. Owned by a server's thread
// or by a client; used only on its reactor's thread. The ledger and the counters are shared by reactors and
// thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/metrics.h"
#include "net/transport/buffer.h"
#include "net/transport/memory_ledger.h"
#include "net/transport/reactor.h"
#include "net/transport/room_queue.h"

namespace armature::net {

class Transport;
struct Peer;

// TimerWheel::kNever: no limit.
struct TransportLimits {
  int64_t idle_timeout_millis = 120'000;        // between two messages
  int64_t message_timeout_millis = 20'000;      // from a message's first byte to its last ...
  int64_t min_bytes_per_second = 32 * 1024;     // ... plus what this rate allows for the bytes that came
  int64_t write_stall_timeout_millis = 30'000;  // output of which the peer takes nothing
};

struct TransportCounters {
  Counter& evicted;    // closed because they held memory and did not move
  Counter& timed_out;  // closed for slowness
};

struct TransportContext {
  Reactor& reactor;
  MemoryLedger& memory;
  TransportLimits limits;
  TransportCounters counters;
  // The process is short of memory. May be empty.
  const std::function<bool()>& overloaded;
  // Called for a transport that has left the list, with who was at its other end. May be empty.
  std::function<void(const Peer&)> on_gone;

  BufferPool buffers{};
  RoomQueue room{reactor};
  bool is_draining = false;
  int64_t drain_until_millis = 0;     // what is not yet a whole message then is dropped
  Transport* transports = nullptr;    // head of the list of open ones
  std::atomic<size_t> open_count{0};  // written here, read by other reactors to spread load
};

}  // namespace armature::net
