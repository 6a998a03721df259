// ServerThread: one thread of a server: a reactor, a listening socket and the connections it serves.
//
// Accepts on its own socket and gives a new connection to whichever thread has the fewest, because the
// kernel's hashing alone can load one core far more than another. The members that say so are
// called from the server's own thread; all else runs on the reactor's. Used by StreamServer only.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <netinet/in.h>

#include "net/transport/session.h"
#include "net/transport/stream_server.h"
#include "net/transport/transport_context.h"

namespace armature::net {

class ServerThread final : private EventSource, private Timer {
 public:
  struct Environment {
    const StreamServerOptions& options;
    const MakeProtocol& make_protocol;
    const StreamCounters& counters;
    const Clock& timer_clock;
    StreamStats& stats;
    const std::vector<std::unique_ptr<ServerThread>>& siblings;
    size_t max_connections;
  };

  // Takes the listening descriptor.
  ServerThread(const Environment& environment, size_t index, int listen_fd);
  ~ServerThread() override;

  // From the server's thread.
  Status Open();
  void StartThread();
  void JoinThread();
  Reactor& reactor() { return reactor_; }

  // On the reactor's thread.
  void StopAccepting();
  // Closes what is idle; `on_empty` is called once, when no connection is left.
  void Drain(std::function<void()> on_empty);
  // Closes everything; returns how many sessions were busy.
  size_t AbortAll();

 private:
  void OnEvents(uint32_t events) override;
  void OnTimer(int64_t now_millis) override;
  // False when there is nothing more to accept now.
  bool AcceptOne();
  void PauseAccepting(int error);
  ServerThread& LeastLoaded();
  void Adopt(int fd, const sockaddr_in6& peer, bool is_refused);
  static async_detail::Detached HandOver(ServerThread& target, int fd, sockaddr_in6 peer);
  void OnTransportGone();
  void CheckEmpty();

  Environment environment_;
  size_t index_;
  int listen_fd_;
  bool is_paused_ = false;
  Reactor reactor_;
  std::unique_ptr<Protocol> protocol_;
  TransportContext context_;
  std::function<void()> on_empty_;
  std::thread thread_;
};

}  // namespace armature::net
