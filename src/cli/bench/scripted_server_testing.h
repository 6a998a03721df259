// A small HTTP server for the driver's tests that answers what a function says, right or wrong.
//
// The real server gives only right answers; to prove that wrong ones are noticed, somebody has to lie. One thread
// accepts, one more per connection; the function is called under a lock. Test code only.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "cli/bench/options.h"

namespace armature::cli::bench {

class ScriptedServer {
 public:
  struct Reply {
    int status = 200;
    std::string body = "{}";
    bool close_before = false;  // close the connection instead of answering
    bool close_after = false;   // answer with "Connection: close"
  };
  using Handler = std::function<Reply(std::string_view target, std::string_view body)>;

  explicit ScriptedServer(Handler handler);
  ~ScriptedServer();

  Endpoint endpoint() const { return {.host = "127.0.0.1", .port = port_}; }

 private:
  void Accept();
  void Serve(int fd);

  Mutex mutex_;
  const Handler handler_ ARMATURE_GUARDED_BY(mutex_);
  std::vector<int> fds_ ARMATURE_GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  // only the accepting thread adds to it
  int listener_ = -1;
  uint16_t port_ = 0;
  std::jthread acceptor_;
};

}  // namespace armature::cli::bench
