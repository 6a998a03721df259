// ServerThread: one thread of a server: a reactor, a listening socket and the connections it serves.
//
// Accepts on its own sockets and gives a new connection to whichever thread has the fewest, because the
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

class ServerThread final : private Timer {
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

  // Takes the listening descriptors.
  ServerThread(const Environment& environment, size_t index, const std::vector<Door>& doors);
  ~ServerThread() override;

  // From the server's thread.
  Status Open();
  void StartThread();
  void JoinThread();
  // What runs no more keeps only what it may be posted to by. REQUIRES: joined.
  void Release();
  Reactor& reactor() { return reactor_; }

  // On the reactor's thread.
  void StopAccepting();
  // Closes what is idle; `on_empty` is called once, when no connection is left.
  void Drain(std::function<void()> on_empty);
  // Closes everything; returns how many sessions were busy.
  size_t AbortAll();

 private:
  // One of the doors, as the reactor knows it.
  struct Listener final : EventSource {
    Listener(ServerThread& of_thread, Door at_door) : thread(of_thread), door(at_door) {}
    void OnEvents(uint32_t events) override;
    ServerThread& thread;
    Door door;
  };
  // A connection on its way from accept to its transport.
  struct Arrival {
    int fd;
    sockaddr_in6 peer;
    bool is_secure;
    bool is_refused;
  };

  void OnTimer(int64_t now_millis) override;
  Status Watch();
  // False when there is nothing more to accept now.
  bool AcceptOne(const Door& door);
  // What becomes of a connection that was counted.
  enum class Welcome : uint8_t { kServed, kRefused, kClosed };
  Welcome Greet(const Arrival& arrival);
  // It is gone, or never came to be.
  void CountGone(const sockaddr_in6& peer);
  void PauseAccepting(int error);
  ServerThread& LeastLoaded();
  void Adopt(const Arrival& arrival);
  bool OpenTransport(Transport& transport, const Arrival& arrival);
  static async_detail::Detached HandOver(ServerThread& target, Arrival arrival);
  void OnTransportGone(const Peer& peer);
  void CheckEmpty();

  Environment environment_;
  size_t index_;
  std::vector<std::unique_ptr<Listener>> listeners_;  // none: accepts no more
  bool is_paused_ = false;
  Reactor reactor_;
  std::unique_ptr<Protocol> protocol_;
  TransportContext context_;
  std::function<void()> on_empty_;
  std::thread thread_;
};

}  // namespace armature::net
