// Nodes that come and go: who leads, what clients are told of them, and what they share.
#include "dax/node/dax_cluster.h"

#include <atomic>
#include <filesystem>
#include <future>
#include <iterator>
#include <thread>

#include "base/testing/memory_file.h"
#include "base/tls/self_signed.h"
#include "dax/node/testing/node_testing.h"
#include "net/tls/tls_testing.h"

namespace armature::dax {
namespace {

using testing::ElementsAre;

struct Endpoint {
  int64_t number;
  std::string host;
  std::string address;
  int64_t port;
  int64_t role;
  std::string zone;
  int64_t session;
};

std::vector<Endpoint> EndpointsIn(std::string_view answer) {
  std::vector<Endpoint> endpoints;
  Arena arena;
  CborReader reader(answer.substr(1));
  auto nodes = reader.Array();
  while (reader.Next(nodes)) {
    Endpoint& endpoint = endpoints.emplace_back();
    auto fields = reader.Map();
    while (reader.Next(fields)) {
      switch (reader.Int()) {
        case 0: endpoint.number = reader.Int(); break;
        case 1: endpoint.host = reader.Text(arena); break;
        case 2: endpoint.address = reader.Bytes(arena); break;
        case 3: endpoint.port = reader.Int(); break;
        case 4: endpoint.role = reader.Int(); break;
        case 5: endpoint.zone = reader.Text(arena); break;
        case 6: endpoint.session = reader.Int(); break;
        default: ADD_FAILURE();
      }
    }
  }
  EXPECT_TRUE(reader.ok() && reader.at_end());
  return endpoints;
}

class DaxClusterTest : public NodeTest {
 protected:
  DaxClusterTest() { backend.Answer("GetItem", ItemReply(7, "a")); }
  std::vector<Endpoint> Endpoints(const std::string& node_id) {
    DaxClient client = Connect(node_id);
    client.Send(Message(Method::kEndpoints));
    return EndpointsIn(client.Read(Method::kEndpoints));
  }
  static std::vector<int64_t> RolesOf(const std::vector<Endpoint>& endpoints) {
    std::vector<int64_t> roles;
    for (const Endpoint& endpoint : endpoints) roles.push_back(endpoint.role * 100 + endpoint.number);
    return roles;
  }
};

TEST_F(DaxClusterTest, TheFirstByItsIdLeads) {
  MakeCluster();
  ASSERT_TRUE(cluster->AddNode(PlanOf("b")).ok());
  const int64_t alone = cluster->leader_session();
  EXPECT_THAT(RolesOf(Endpoints("b")), ElementsAre(102));
  ASSERT_TRUE(cluster->AddNode(PlanOf("c")).ok());
  EXPECT_EQ(cluster->leader_session(), alone);
  EXPECT_THAT(RolesOf(Endpoints("c")), ElementsAre(102, 203));
  ASSERT_TRUE(cluster->AddNode(PlanOf("a")).ok());
  const int64_t other = cluster->leader_session();
  EXPECT_NE(other, alone);
  EXPECT_THAT(RolesOf(Endpoints("b")), ElementsAre(101, 202, 203));
  EXPECT_TRUE(cluster->RemoveNode("a", std::chrono::seconds(1)));
  EXPECT_NE(cluster->leader_session(), other);
  EXPECT_THAT(RolesOf(Endpoints("c")), ElementsAre(102, 203));
  EXPECT_FALSE(cluster->RemoveNode("a", std::chrono::seconds(1)));
  EXPECT_EQ(cluster->PortOf("a"), 0);
}

TEST_F(DaxClusterTest, WhatClientsAreToldOfANode) {
  MakeCluster();
  NodePlan plan = PlanOf("a");
  plan.advertised_host = "10.1.2.3";
  plan.zone = "eu-north-1b";
  ASSERT_TRUE(cluster->AddNode(plan).ok());
  NodePlan other = PlanOf("b");
  other.advertised_host = "::1";
  ASSERT_TRUE(cluster->AddNode(other).ok());
  NodePlan name = PlanOf("c");
  name.advertised_host = "dax.example.com";
  ASSERT_TRUE(cluster->AddNode(name).ok());
  const auto told = Endpoints("b");
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[0].host, "10.1.2.3");
  EXPECT_EQ(ToHex(told[0].address), "0a010203");
  EXPECT_EQ(told[0].port, cluster->PortOf("a"));
  EXPECT_EQ(told[0].zone, "eu-north-1b");
  EXPECT_EQ(told[0].session, cluster->leader_session());
  EXPECT_EQ(ToHex(told[1].address), "00000000000000000000000000000001");
  EXPECT_EQ(told[2].address, "");
}

class TlsClusterTest : public DaxClusterTest {
 protected:
  void SetUp() override {
    const SelfSigned made = net::MakeTestCertificate();
    chmod(key_file.path().c_str(), 0600);
    ASSERT_TRUE(certificate_file.Write(made.certificate_pem));
    ASSERT_TRUE(key_file.Write(made.key_pem));
    auto opened = net::TlsAcceptor::Open(
        {.files = {certificate_file.path(), key_file.path(), {}}, .wants_kernel = false}, metrics, tls_clock);
    ASSERT_TRUE(opened) << opened.error().message();
    acceptor = *opened;
  }
  static std::string SecureCall(uint16_t port, std::string_view message) {
    net::TlsTestClient client(port);
    EXPECT_TRUE(client.Handshake());
    client.Send(Handshake() + Authorize() + std::string(message));
    std::string answer;
    for (;;) {
      CborReader reader(answer);
      reader.Skip();
      reader.Skip();
      if (reader.ok()) return answer;
      const std::string more = client.ReadBytes(1);
      if (more.empty()) return answer;
      answer += more;
    }
  }

  SystemClock tls_clock;
  MemoryFile certificate_file{"cert.pem"};
  MemoryFile key_file{"key.pem"};
  std::shared_ptr<net::TlsAcceptor> acceptor;
};

TEST_F(TlsClusterTest, WhoCameByTlsIsSentToTls) {
  MakeCluster();
  NodePlan plan = PlanOf("a");
  plan.tls = acceptor;
  plan.tls_port = 0;
  ASSERT_TRUE(cluster->AddNode(plan).ok());
  const DaxNode& node = *cluster->nodes().front();
  EXPECT_NE(node.port(), node.tls_port());
  const std::string endpoints = Message(Method::kEndpoints);
  EXPECT_EQ(EndpointsIn(SecureCall(node.tls_port(), endpoints))[0].port, node.tls_port());
  EXPECT_EQ(Endpoints("a")[0].port, node.port());
  EXPECT_EQ(ToHex(SecureCall(node.tls_port(), GetItem(7))), ItemAnswer("a"));
  EXPECT_EQ(Connect().Call(GetItem(7)), ItemAnswer("a"));
  EXPECT_EQ(backend.calls("GetItem"), 1u) << "it is one cache";
}

TEST_F(TlsClusterTest, ANodeMaySpeakNothingElse) {
  MakeCluster();
  NodePlan plan = PlanOf("a");
  plan.tls = acceptor;
  ASSERT_TRUE(cluster->AddNode(plan).ok());
  EXPECT_EQ(EndpointsIn(SecureCall(PortOf(), Message(Method::kEndpoints)))[0].port, PortOf());
  DaxClient plain(PortOf());
  plain.Send(Handshake() + Authorize() + GetItem(7));
  EXPECT_TRUE(plain.socket().IsClosedByServer());
}

TEST_F(DaxClusterTest, ANodeWithoutAPortIsNone) {
  Start(1);
  NodePlan plan = PlanOf("0");
  plan.port = PortOf("a");
  const Status status = cluster->AddNode(plan);
  EXPECT_EQ(status.code(), StatusCode::kLocked);
  EXPECT_EQ(cluster->nodes().size(), 1u);
  EXPECT_THAT(RolesOf(Endpoints("a")), ElementsAre(101));
  EXPECT_EQ(Connect().Call(GetItem(7)), ItemAnswer("a"));
  EXPECT_TRUE(cluster->AddNode(PlanOf("0")).ok());
}

// Whoever asks while a node is being added is told of none that has no port yet.
TEST_F(DaxClusterTest, ClientsAreToldOfNodesThatServe) {
  Start(1);
  std::atomic<bool> is_done{false};
  std::thread asker([&] {
    DaxClient client = Connect("a");
    while (!is_done) {
      client.Send(Message(Method::kEndpoints));
      for (const Endpoint& endpoint : EndpointsIn(client.Read(Method::kEndpoints))) EXPECT_NE(endpoint.port, 0);
    }
  });
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(cluster->AddNode(PlanOf("b")).ok());
    EXPECT_TRUE(cluster->RemoveNode("b", std::chrono::seconds(1)));
  }
  is_done = true;
  asker.join();
}

size_t OpenDescriptors() {
  return static_cast<size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator()));
}

// What was cut off may still be answered one day; only what that needs stays.
TEST_F(DaxClusterTest, ANodeThatIsRemovedGivesBackWhatItHad) {
  Start();
  backend.Hold("GetItem");
  const size_t descriptors = OpenDescriptors();
  ASSERT_TRUE(cluster->AddNode(PlanOf("b")).ok());
  const std::weak_ptr<DaxNode> node = cluster->nodes()[1];
  {
    DaxClient client = Connect("b");
    client.Send(GetItem(7));
    ASSERT_TRUE(backend.AwaitCalls("GetItem", 1));
    EXPECT_TRUE(cluster->RemoveNode("b", std::chrono::milliseconds(1)));
  }
  EXPECT_EQ(OpenDescriptors(), descriptors);
  EXPECT_TRUE(node.expired()) << "and its caches with it";
  EXPECT_EQ(Connect("a").Call(DefineList({"x"})), "8002");
}

TEST_F(DaxClusterTest, NodesComeAndGoUnderLoad) {
  Start(2);
  backend.Answer("PutItem", "{}");
  std::atomic<bool> is_done{false};
  std::atomic<int> answered{0};
  std::vector<std::thread> clients;
  for (int thread = 0; thread < 3; ++thread)
    clients.emplace_back([&, thread] {
      while (!is_done) {
        const uint16_t port = thread == 0 ? PortOf("a") : PortOf("b");
        if (port == 0) continue;
        DaxClient client(port);
        if (!client.socket().connected()) continue;
        client.SignIn();
        for (int i = 0; i < 50 && !is_done; ++i) {
          const std::string answer =
              i % 5 == 0 ? client.Call(PutItem(7, Blob("a"))) : client.Call(GetItem(i % 2 == 0 ? 7 : 8));
          if (answer.empty()) break;  // the node has gone
          if (answer != kWritten) { EXPECT_EQ(answer, ItemAnswer("a")); }
          ++answered;
        }
      }
    });
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(Eventually([&answered, before = answered.load()] { return answered > before + 20; }));
    EXPECT_TRUE(cluster->RemoveNode("b", std::chrono::seconds(5)));
    EXPECT_TRUE(cluster->AddNode(PlanOf("b")).ok());
  }
  is_done = true;
  for (std::thread& client : clients) client.join();
  EXPECT_GT(answered, 100);
}

TEST_F(DaxClusterTest, TimesToLiveAreForAllNodesAndThoseThatCome) {
  Start(2);
  EXPECT_EQ(Connect("a").Call(GetItem(7)), ItemAnswer("a"));
  cluster->SetTimesToLive(1000, 0);
  ASSERT_TRUE(cluster->AddNode(PlanOf("c")).ok());
  backend.Answer("Scan", R"({"Items":[],"Count":0,"ScannedCount":0})");
  for (const char* node : {"a", "b", "c"}) {
    DaxClient client = Connect(node);
    client.Call(GetItem(8));
    client.Call(Scan());
    client.Call(Scan());
    EXPECT_TRUE(HasInCache(node, 8));
  }
  EXPECT_EQ(backend.calls("Scan"), 6u);
  clock.AdvanceMillis(1000);
  for (const char* node : {"a", "b", "c"}) EXPECT_FALSE(HasInCache(node, 8)) << node;
  EXPECT_TRUE(HasInCache("a", 7)) << "what was there keeps its time";
}

// Those who may not are told so, whatever the cache has.
class Gatekeeper final : public auth::Authorizer {
 public:
  model::ApiResult<void> Authorize(const auth::Principal& principal, const auth::Access& access) const override {
    MutexLock lock(mutex_);
    asked_.push_back(std::string(access.action()) + " by " + std::string(principal.access_key_id));
    if (access.action() == forbidden) return model::AccessDeniedException("no");
    return {};
  }
  std::vector<std::string> asked() const {
    MutexLock lock(mutex_);
    return asked_;
  }
  std::string forbidden;

 private:
  mutable Mutex mutex_;
  mutable std::vector<std::string> asked_ ARMATURE_GUARDED_BY(mutex_);
};

TEST_F(DaxClusterTest, EveryRequestIsAskedAbout) {
  Gatekeeper gatekeeper;
  gatekeeper.forbidden = "dax:GetItem";
  authorizer = &gatekeeper;
  Start();
  backend.Answer("TransactWriteItems", "{}");
  DaxClient client = Connect();
  EXPECT_EQ(client.Call(DefineList({"x"})), "8002");
  EXPECT_EQ(client.Call(GetItem(7)), "4,37,38,39,0 AccessDeniedException");
  EXPECT_EQ(backend.calls("GetItem"), 0u);
  EXPECT_EQ(client.Call(TransactDelete({7})).substr(0, 2), "80");
  EXPECT_THAT(gatekeeper.asked(), ElementsAre("dax:DefineAttributeListId by AKIDEXAMPLE", "dax:GetItem by AKIDEXAMPLE",
                                              "dax:DeleteItem by AKIDEXAMPLE"));
  cluster.reset();
}

}  // namespace
}  // namespace armature::dax
