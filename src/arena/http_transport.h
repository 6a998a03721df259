// HttpTransport: a client's keep-alive connection to a ServerProcess, with signed requests.
//
// Blocks the calling thread; the tasks it gives are done when they are made. One thread's.
#pragma once

#include <optional>
#include <string>

#include "arena/client.h"
#include "arena/server_process.h"
#include "cli/bench/http/response_parser.h"
#include "cli/bench/http/sigv4_signer.h"
#include "cli/bench/socket.h"

namespace armature::arena {

class HttpTransport final : public Transport {
 public:
  explicit HttpTransport(ServerProcess& server) : server_(server) {}

  Task<Reply> Call(std::string_view target, std::string_view body) override;
  Task<bool> Reconnect() override;
  Time Now() const override;
  uint32_t life() const override { return life_; }

 private:
  bool Connect(uint32_t newer_than);
  bool Exchange(Reply& reply);

  ServerProcess& server_;
  uint32_t life_ = 0;
  cli::bench::Socket socket_;
  std::optional<cli::bench::SigV4Signer> signer_;
  std::optional<cli::bench::ResponseParser> parser_;
  std::string request_;
};

}  // namespace armature::arena
