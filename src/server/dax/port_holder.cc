#include "server/dax/port_holder.h"

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace armature::server {

using dax::control::NodeAddress;

namespace {

constexpr const char* kHost = "127.0.0.1";

sockaddr_in AddressOf(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

bool Bind(int socket, uint16_t port) {
  const sockaddr_in address = AddressOf(port);
  return ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
}

}  // namespace

PortHolder::~PortHolder() {
  for (const auto& [node, socket] : held_) ::close(socket);
}

// Bound and not listened at: whoever connects is refused at once.
Result<NodeAddress> PortHolder::Start(const dax::control::NodePlan& plan) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return Status::IoError(fmt::format("no socket: {}", std::strerror(errno)));
  sockaddr_in bound{};
  socklen_t size = sizeof(bound);
  const bool is_bound = (plan.port != 0 && Bind(socket, plan.port)) || Bind(socket, 0);
  if (!is_bound || ::getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
    const Status status = Status::IoError(fmt::format("no port: {}", std::strerror(errno)));
    ::close(socket);
    return status;
  }
  held_[{plan.cluster_arn, plan.node_id}] = socket;
  return NodeAddress{kHost, ntohs(bound.sin_port)};
}

void PortHolder::Stop(std::string_view cluster_arn, std::string_view node_id) {
  const auto found = held_.find({std::string(cluster_arn), std::string(node_id)});
  if (found == held_.end()) return;
  ::close(found->second);
  held_.erase(found);
}

}  // namespace armature::server
