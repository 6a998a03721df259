// Resolver: from a host's name to its addresses, without making a reactor wait.
//
// A numeric address is one at once. A name is looked up by getaddrinfo on one of a few threads of its own, because
// there is no way to ask it that does not block; nor one to interrupt it: who waits can give up at any time, the thread
// cannot, and the resolver's destructor waits for it (as long as the system's resolver may take: resolv.conf says).
// Thread-safe; shared by reactors. Nothing is cached: connections are kept, so names are looked up rarely.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/async.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/tasks/task_pool.h"

namespace armature::net {

// IPv4 or IPv6, with its port.
struct SocketAddress {
  sockaddr_in6 bytes{};
  socklen_t size = 0;

  int family() const { return bytes.sin6_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
};

using SocketAddresses = std::vector<SocketAddress>;

// Without asking anybody; none if `host` is a name.
std::optional<SocketAddress> ParseNumericAddress(const std::string& host, uint16_t port);
// Blocks. kUnavailable if the name is not known or nobody could be asked.
Result<SocketAddresses> LookUpBySystem(const std::string& host, uint16_t port);

class Resolver {
 public:
  using LookUp = std::function<Result<SocketAddresses>(const std::string& host, uint16_t port)>;

  // One question. Awaited by one coroutine, which goes on upon its own executor.
  class Query {
   public:
    auto operator co_await() noexcept { return done_.operator co_await(); }
    // Who waits goes on now, without an answer. From any thread, any number of times.
    void Abandon() { Settle(); }
    // REQUIRES: the wait is over, and nobody abandoned it.
    Result<SocketAddresses>& answer() { return answer_; }

   private:
    friend class Resolver;
    void Settle() {
      if (!is_settled_.exchange(true, std::memory_order_acq_rel)) done_.Finish();
    }
    std::atomic<bool> is_settled_{false};
    Completion done_;
    Result<SocketAddresses> answer_{Status::Unavailable("not looked up")};
  };

  // `look_up` may block and is called by several threads at once.
  explicit Resolver(LookUp look_up = LookUpBySystem);
  // REQUIRES: nobody waits.
  ~Resolver();

  std::shared_ptr<Query> Start(std::string host, uint16_t port);

 private:
  static constexpr size_t kThreads = 4;
  const LookUp look_up_;
  TaskPool threads_;
  Mutex mutex_;
  std::vector<TaskPool::Handle> tasks_ ARMATURE_GUARDED_BY(mutex_);  // also some that have ended
};

}  // namespace armature::net
