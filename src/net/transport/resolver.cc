#include "net/transport/resolver.h"

#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netdb.h>

namespace armature::net {

std::optional<SocketAddress> ParseNumericAddress(const std::string& host, uint16_t port) {
  SocketAddress address;
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&address.bytes);
  if (inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    address.size = sizeof(sockaddr_in);
    return address;
  }
  address = SocketAddress();
  if (inet_pton(AF_INET6, host.c_str(), &address.bytes.sin6_addr) != 1) return std::nullopt;
  address.bytes.sin6_family = AF_INET6;
  address.bytes.sin6_port = htons(port);
  address.size = sizeof(sockaddr_in6);
  return address;
}

Result<SocketAddresses> LookUpBySystem(const std::string& host, uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (code != 0) return Status::Unavailable(fmt::format("cannot find the host {}: {}", host, gai_strerror(code)));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
  SocketAddresses addresses;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    if (entry->ai_addrlen > sizeof(sockaddr_in6)) continue;
    SocketAddress& address = addresses.emplace_back();
    std::memcpy(&address.bytes, entry->ai_addr, entry->ai_addrlen);
    address.size = entry->ai_addrlen;
  }
  if (addresses.empty()) return Status::Unavailable(fmt::format("the host {} has no address", host));
  return addresses;
}

Resolver::Resolver(LookUp look_up) : look_up_(std::move(look_up)), threads_("name lookup", kThreads) {}

Resolver::~Resolver() {
  for (const TaskPool::Handle& task : tasks_) threads_.Cancel(task);
}

std::shared_ptr<Resolver::Query> Resolver::Start(std::string host, uint16_t port) {
  auto query = std::make_shared<Query>();
  const auto step = [this, query, host = std::move(host), port] {
    Result<SocketAddresses> answer = look_up_(host, port);
    // Read by the waiter only if it was settled here: an abandoned wait does not look.
    query->answer_ = std::move(answer);
    query->Settle();
    return TaskPool::Next::End();
  };
  MutexLock lock(mutex_);
  std::erase_if(tasks_, [this](const TaskPool::Handle& task) { return threads_.HasEnded(task); });
  tasks_.push_back(threads_.Add(step));
  return query;
}

}  // namespace armature::net
