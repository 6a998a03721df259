#include "net/transport/resolver.h"

#include <future>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::net {
namespace {

Task<Result<SocketAddresses>> Ask(Resolver& resolver, std::string host) {
  const auto query = resolver.Start(std::move(host), 80);
  co_await *query;
  co_return query->answer();
}

TEST(Resolver, NumericAddressesNeedNobody) {
  const auto v4 = ParseNumericAddress("127.0.0.1", 8000);
  ASSERT_TRUE(v4);
  EXPECT_EQ(v4->family(), AF_INET);
  EXPECT_EQ(ntohs(reinterpret_cast<const sockaddr_in*>(v4->get())->sin_port), 8000);
  const auto v6 = ParseNumericAddress("::1", 8000);
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->family(), AF_INET6);
  EXPECT_EQ(ntohs(v6->bytes.sin6_port), 8000);
  for (const char* name : {"localhost", "127.1", "1.2.3.4.5", "", "[::1]"})
    EXPECT_FALSE(ParseNumericAddress(name, 80)) << name;
}

TEST(Resolver, TheSystemKnowsThisMachine) {
  Resolver resolver;
  const auto addresses = RunBlocking(Ask(resolver, "localhost"));
  ASSERT_TRUE(addresses) << addresses.error().ToString();
  ASSERT_FALSE(addresses->empty());
  for (const SocketAddress& address : *addresses) EXPECT_THAT(address.family(), testing::AnyOf(AF_INET, AF_INET6));
}

TEST(Resolver, ManyAreAskedAtOnceAndEachHasItsOwnAnswer) {
  Resolver resolver([](const std::string& host, uint16_t port) -> Result<SocketAddresses> {
    if (host == "unknown") return Status::Unavailable("cannot find the host unknown");
    return SocketAddresses{*ParseNumericAddress(host.substr(5), port)};
  });
  std::vector<std::future<Result<SocketAddresses>>> answers;
  for (int i = 1; i < 20; ++i)
    answers.push_back(std::async(std::launch::async, [&resolver, i] {
      return RunBlocking(Ask(resolver, "name-127.0.0." + std::to_string(i)));
    }));
  for (int i = 1; i < 20; ++i) {
    const auto addresses = answers[static_cast<size_t>(i - 1)].get();
    ASSERT_TRUE(addresses);
    EXPECT_EQ(ntohl(reinterpret_cast<const sockaddr_in*>(addresses->front().get())->sin_addr.s_addr) & 0xff,
              static_cast<uint32_t>(i));
  }
  EXPECT_EQ(RunBlocking(Ask(resolver, "unknown")).error().code(), StatusCode::kUnavailable);
}

TEST(Resolver, WhoWaitsMayGiveUpWhileTheThreadCannot) {
  std::promise<void> release;
  std::promise<void> begun;
  Resolver resolver([&](const std::string&, uint16_t) -> Result<SocketAddresses> {
    begun.set_value();
    release.get_future().wait();
    return SocketAddresses{};
  });
  const auto query = resolver.Start("slow", 80);
  begun.get_future().wait();
  query->Abandon();
  query->Abandon();
  RunBlocking([](Resolver::Query& waited) -> Task<void> { co_await waited; }(*query));
  release.set_value();
}

}  // namespace
}  // namespace armature::net
