#include "arena/http_transport.h"

#include <ctime>

#include <fmt/format.h>
#include <sys/socket.h>

#include "base/clock.h"

namespace armature::arena {

using cli::bench::ResponseParser;

Time HttpTransport::Now() const { return MonotonicNanos(); }

bool HttpTransport::Connect(uint32_t newer_than) {
  ServerProcess::Serving serving;
  while (server_.WaitForLife(newer_than, serving)) {
    life_ = serving.life;
    auto connected = cli::bench::Socket::Connect({"127.0.0.1", serving.port});
    if (connected) {
      socket_ = std::move(*connected);
      parser_.emplace();
      signer_.emplace(cli::bench::Credentials{"arena", "arena", "us-east-1"},
                      fmt::format("127.0.0.1:{}", serving.port));
      return true;
    }
    newer_than = serving.life;  // killed in between
  }
  return false;
}

bool HttpTransport::Exchange(Reply& reply) {
  for (std::string_view rest = request_; !rest.empty();) {
    const ssize_t sent = send(socket_.fd(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    rest.remove_prefix(static_cast<size_t>(sent));
  }
  for (;;) {
    const auto space = parser_->Space();
    const ssize_t received = recv(socket_.fd(), space.data(), space.size(), 0);
    if (received <= 0) return false;
    parser_->Received(static_cast<size_t>(received));
    switch (parser_->Parse()) {
      case ResponseParser::State::kNeedMore: continue;
      case ResponseParser::State::kBad: reply = {-1, "(no HTTP)"}; return false;
      case ResponseParser::State::kDone: break;
    }
    reply.status = parser_->status();
    reply.body = parser_->body();
    const bool closes = parser_->closes();
    parser_->Consume();
    if (closes) socket_ = cli::bench::Socket();
    return true;
  }
}

Task<Reply> HttpTransport::Call(std::string_view target, std::string_view body) {
  Reply reply;
  if (!socket_.is_open() && !Connect(life_ == 0 ? 0 : life_ - 1)) co_return reply;
  request_.clear();
  signer_->AppendRequest(target, body, std::time(nullptr), request_);
  if (!Exchange(reply)) socket_ = cli::bench::Socket();
  co_return reply;
}

Task<bool> HttpTransport::Reconnect() { co_return socket_.is_open() || Connect(life_); }

}  // namespace armature::arena
