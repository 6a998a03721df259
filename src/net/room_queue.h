// RoomQueue: the connections of one reactor that wait until there is memory for their next step.
//
// They are asked again in the order they came, whenever memory has come back here, and every few milliseconds for what
// comes back on other reactors. Owns nothing; belongs to its reactor's thread. Used by connections.
#pragma once

#include <vector>

#include "net/reactor.h"
#include "net/timer_wheel.h"

namespace armature::net {

class Connection;

class RoomQueue final : private Timer {
 public:
  explicit RoomQueue(Reactor& reactor) : reactor_(reactor) {}

  bool empty() const { return waiting_.empty(); }
  // REQUIRES: not in it.
  void Add(Connection& connection);
  void Remove(Connection& connection);
  // Memory has come back.
  void Hurry();

 private:
  void OnTimer(int64_t now_millis) override;

  Reactor& reactor_;
  std::vector<Connection*> waiting_;
};

}  // namespace armature::net
