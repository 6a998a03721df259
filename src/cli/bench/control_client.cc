#include "cli/bench/control_client.h"

#include <cerrno>
#include <cstring>
#include <ctime>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace armature::cli::bench {
namespace {

constexpr time_t kTimeoutSeconds = 30;

}  // namespace

ControlClient::ControlClient(const Options& options)
    : endpoint_(options.endpoint), signer_(options.credentials, options.endpoint.HostHeader()) {}

Result<void> ControlClient::Send() {
  std::string_view rest = request_;
  while (!rest.empty()) {
    const ssize_t sent = socket_.Send(rest);
    if (sent <= 0) return Status::Unavailable(fmt::format("send: {}", std::strerror(errno)));
    rest.remove_prefix(static_cast<size_t>(sent));
  }
  return {};
}

Result<Answer> ControlClient::TryCall() {
  ARMATURE_CHECK_OK(Send());
  for (;;) {
    const std::span<char> space = parser_.Space();
    const ssize_t received = socket_.Receive(space);
    if (received <= 0) {
      return Status::Unavailable(received == 0 ? "the server closed the connection"
                                               : fmt::format("receive: {}", std::strerror(errno)));
    }
    parser_.Received(static_cast<size_t>(received));
    switch (parser_.Parse()) {
      case ResponseParser::State::kDone: return Answer{parser_.status(), parser_.body()};
      case ResponseParser::State::kBad: return Status::Unavailable("the answer is not HTTP");
      case ResponseParser::State::kNeedMore: break;
    }
  }
}

Result<Answer> ControlClient::Call(std::string_view target, std::string_view body) {
  const bool may_retry = socket_.is_open();
  if (parser_.closes()) socket_ = Socket();
  parser_.Consume();
  request_.clear();
  signer_.AppendRequest(target, body, std::time(nullptr), request_);
  for (int attempt = 0;; ++attempt) {
    if (!socket_.is_open()) {
      ARMATURE_TRY(socket_, Socket::Connect(endpoint_));
      const timeval timeout{kTimeoutSeconds, 0};
      setsockopt(socket_.fd(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
      parser_ = ResponseParser();
    }
    auto answer = TryCall();
    if (answer.has_value() || !may_retry || attempt == 1) return answer;
    socket_ = Socket();  // an idle connection the server had closed meanwhile
  }
}

}  // namespace armature::cli::bench
