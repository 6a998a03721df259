// Worker: one reactor with its thread, its listening socket and its connections.
//
// Accepts on its own socket and gives a new connection to whichever worker has the fewest, because the
// kernel's hashing alone can load one core far more than another. Start, Stop and the members that say so are
// called from the server's thread; all else runs on the reactor's. Used by the server only.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <netinet/in.h>

#include "net/connection_context.h"
#include "net/listener.h"

namespace armature::net {

class Worker final : private EventSource, private Timer {
 public:
  struct Environment {
    const ServerOptions& options;
    Handler& handler;
    Metrics& metrics;
    const Clock& wall_clock;
    const Clock& timer_clock;
    ServerStats& stats;
    const std::vector<std::unique_ptr<Worker>>& siblings;
    size_t max_connections;
  };

  // Takes the listening descriptor.
  Worker(const Environment& environment, size_t index, int listen_fd);
  ~Worker() override;

  // From the server's thread.
  Status Open();
  void StartThread();
  void JoinThread();
  Reactor& reactor() { return reactor_; }

  // On the reactor's thread.
  void StopAccepting();
  // Closes what is idle; `on_empty` is called once, when no connection is left.
  void Drain(std::function<void()> on_empty);
  // Closes everything; returns how many requests were in flight.
  size_t AbortAll();

 private:
  void OnEvents(uint32_t events) override;
  void OnTimer(int64_t now_millis) override;
  // False when there is nothing more to accept now.
  bool AcceptOne();
  void PauseAccepting(int error);
  Worker& LeastLoaded();
  void Adopt(int fd, const sockaddr_in6& peer, bool is_refused);
  static async_detail::Detached HandOver(Worker& target, int fd, sockaddr_in6 peer);
  void CheckEmpty();

  Environment environment_;
  size_t index_;
  int listen_fd_;
  bool is_paused_ = false;
  Reactor reactor_;
  ConnectionContext context_;
  std::function<void()> on_empty_;
  std::thread thread_;
};

}  // namespace armature::net
