// RoomQueue: the transports of one reactor that wait until there is memory for their next step.
//
// They are asked again in the order they came, whenever memory has come back here, and every few milliseconds for what
// comes back on other reactors. Owns nothing; belongs to its reactor's thread. Used by transports.
#pragma once

#include <vector>

#include "net/transport/reactor.h"
#include "net/transport/timers/timer_wheel.h"

namespace armature::net {

class Transport;

class RoomQueue final : private Timer {
 public:
  explicit RoomQueue(Reactor& reactor) : reactor_(reactor) {}

  bool empty() const { return waiting_.empty(); }
  // REQUIRES: not in it.
  void Add(Transport& transport);
  void Remove(Transport& transport);
  // Memory has come back.
  void Hurry();

 private:
  void OnTimer(int64_t now_millis) override;

  Reactor& reactor_;
  std::vector<Transport*> waiting_;
};

}  // namespace armature::net
