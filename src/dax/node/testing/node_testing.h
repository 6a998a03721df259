// What tests of nodes share: a cluster whose nodes listen on free ports, and what stands behind it. Test support only.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/accept_any.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "dax/node/dax_cluster.h"
#include "dax/node/testing/dax_client.h"
#include "dax/node/testing/fake_backend.h"

namespace armature::dax {

inline constexpr std::string_view kTestAccount = "111122223333";
inline constexpr std::string_view kEmptyAnswer = "80a0";
inline constexpr std::string_view kWritten = "80a0";

// The item of Ids with an attribute x: what DynamoDB says of it, what a client gets, what a client puts. The list [x]
// has the first number in kTestAccount; another account's has another one.
inline std::string ItemJson(int64_t id, std::string_view x) {
  return fmt::format(R"({{"id":{{"N":"{}"}},"x":{{"S":"{}"}}}})", id, x);
}
inline std::string ItemReply(int64_t id, std::string_view x) {
  return fmt::format(R"({{"Item":{}}})", ItemJson(id, x));
}
inline std::string Blob(std::string_view x, uint64_t list = 2) {
  std::string out;
  AppendCborUnsigned(out, list);
  AppendCborText(out, x);
  return out;
}
inline std::string ItemAnswer(std::string_view x, uint64_t list = 2) {
  std::string out = Bytes("80 a1 00");
  AppendCborBytes(out, Blob(x, list));
  return ToHex(out);
}

class NodeTest : public testing::Test {
 protected:
  NodeTest() {
    settings.account = kTestAccount;
    settings.region = "us-east-1";
    settings.cache_bytes = 8 << 20;
    EXPECT_EQ(lists.Intern(kTestAccount, std::vector<std::string_view>{"x"}).value(), 2u);
  }
  void TearDown() override { cluster.reset(); }

  static NodePlan PlanOf(const std::string& id) {
    NodePlan plan;
    plan.id = id;
    plan.number = id[0] - 'a' + 1;
    plan.port = 0;
    plan.threads = 2;
    return plan;
  }
  void MakeCluster() {
    cluster = std::make_unique<DaxCluster>(settings, ClusterServices{.backend = backend,
                                                                     .lists = lists,
                                                                     .schemas = schemas,
                                                                     .clock = clock,
                                                                     .metrics = metrics,
                                                                     .verifier = *verifier,
                                                                     .authorizer = authorizer,
                                                                     .limits = limits,
                                                                     .recorder = recorder});
  }
  // Nodes a, b, c …
  void Start(int nodes = 1) {
    MakeCluster();
    for (int i = 0; i < nodes; ++i)
      ASSERT_TRUE(cluster->AddNode(PlanOf(std::string(1, static_cast<char>('a' + i)))).ok());
  }
  uint16_t PortOf(const std::string& id = "a") const { return cluster->PortOf(id); }
  DaxClient Connect(const std::string& id = "a") const {
    DaxClient client(PortOf(id));
    client.SignIn();
    return client;
  }
  // The item cache of a node has the item.
  bool HasInCache(const std::string& node_id, int64_t id) {
    for (const auto& node : cluster->nodes())
      if (node->plan().id == node_id) {
        std::string blob;
        const TableSchemaPtr schema = schemas.Known({kTestAccount, "us-east-1"}, "Ids");
        return schema &&
               node->caches().items().FindAgain(schema->number, IdKey(id), blob) != ItemCache::Found::kNothing;
      }
    return false;
  }
  // Until it holds, for what nobody can be waited for to say; false: it did not in ten seconds.
  static bool Eventually(const std::function<bool()>& holds) {
    for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10); !holds();) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }
  // Until so many wait at node a for what another one reads.
  bool AwaitWaiters(size_t count) {
    return Eventually([&] { return cluster->nodes()[0]->caches().flights().waiters() == count; });
  }
  uint64_t Count(const std::string& name, const std::string& node_id = "a") {
    return metrics.GetCounter(name, "", fmt::format("cluster=\"armature\",node=\"{}\"", node_id)).value();
  }

  ManualClock clock{kSignedMillis};
  Metrics metrics;
  FakeBackend backend;
  AttributeLists lists{nullptr};
  TableSchemas schemas{backend, clock};
  auth::AcceptAnyVerifier accepting{kTestAccount};
  const auth::Verifier* verifier = &accepting;
  const auth::Authorizer* authorizer = nullptr;
  const auth::PrincipalLimits* limits = nullptr;
  const CallRecorder* recorder = nullptr;
  ClusterSettings settings;
  std::unique_ptr<DaxCluster> cluster;
};

}  // namespace armature::dax
