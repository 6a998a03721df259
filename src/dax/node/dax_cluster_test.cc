// Nodes that come and go: what is left of them, and what writes that are under way meanwhile do to their caches.
#include "dax/node/dax_cluster.h"

#include <filesystem>
#include <functional>

#include <gtest/gtest.h>

#include "auth/accept_any.h"

namespace armature::dax {
namespace {

// A table of one item, of which a test does something while it is being written.
class OneItemBackend final : public Backend {
 public:
  Task<BackendReply> Call(std::string_view operation, std::string_view, const Scope&) override {
    if (operation == "DescribeTable") {
      co_return std::string(
          R"({"Table":{"TableId":"t","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
          R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]}})");
    }
    if (operation == "GetItem") co_return std::string(is_written ? R"({"Item":{"pk":{"S":"k"}}})" : "{}");
    if (before_write) before_write();
    is_written = true;
    if (is_answer_lost) co_return BackendError{.name = "InternalServerError", .http_status = 500};
    co_return std::string("{}");
  }

  bool is_written = false;
  bool is_answer_lost = false;
  std::function<void()> before_write;
};

ClusterSettings Settings() {
  ClusterSettings settings;
  settings.cache_bytes = 1 << 20;
  return settings;
}

class DaxClusterTest : public testing::Test {
 protected:
  static NodePlan Plan(std::string id) {
    NodePlan plan;
    plan.id = std::move(id);
    plan.port = 0;
    plan.threads = 1;
    return plan;
  }
  void AddNode(std::string id) { EXPECT_TRUE(cluster_.AddNode(Plan(std::move(id))).ok()); }
  static size_t Descriptors() {
    const std::filesystem::directory_iterator open("/proc/self/fd");
    return static_cast<size_t>(std::distance(begin(open), end(open)));
  }
  void Restart() {
    EXPECT_TRUE(cluster_.RemoveNode("a", std::chrono::milliseconds(0)));
    AddNode("a");
  }

  // At a node, the first being 0.
  DaxNode& Node(size_t number) { return *cluster_.nodes()->at(number); }
  void Do(size_t node, Method method) {
    RequestItem item{.table = "T", .key = "k"};
    if (method == Method::kPutItem) item.blob = "\1";
    DaxCall call;
    call.request.method = method;
    call.request.table = item.table;
    call.request.items = {&item, 1};
    call.scope = {"1", "r"};
    RunBlocking(Node(node).Answer(call));
    EXPECT_FALSE(call.reply.empty());
  }
  ItemCache::Found Cached(size_t node) {
    std::string blob;
    return Node(node).caches().items().FindAgain(schemas_.Find({"1", "r"}, "T")->number, "k", blob);
  }

  OneItemBackend backend_;
  AttributeLists lists_{nullptr};
  ManualClock clock_;
  Metrics metrics_;
  TableSchemas schemas_{backend_, clock_};
  const auth::AcceptAnyVerifier verifier_{"123456789012"};
  DaxCluster cluster_{Settings(),
                      {.backend = backend_,
                       .lists = lists_,
                       .schemas = schemas_,
                       .clock = clock_,
                       .metrics = metrics_,
                       .verifier = verifier_}};
};

TEST_F(DaxClusterTest, TheFirstInOrderLeadsAndAnotherLeaderHasAnotherNumber) {
  AddNode("b");
  const int64_t alone = cluster_.leader_session();
  AddNode("c");
  EXPECT_EQ(cluster_.leader_session(), alone);
  AddNode("a");
  EXPECT_NE(cluster_.leader_session(), alone);
  EXPECT_EQ(cluster_.nodes()->front()->plan().id, "a");
  EXPECT_NE(cluster_.PortOf("b"), 0);
  EXPECT_FALSE(cluster_.RemoveNode("d", std::chrono::milliseconds(0)));
  EXPECT_TRUE(cluster_.RemoveNode("b", std::chrono::milliseconds(0)));
  EXPECT_EQ(cluster_.PortOf("b"), 0);
  EXPECT_EQ(cluster_.nodes()->size(), 2u);
}

TEST_F(DaxClusterTest, ANodeWithoutAPortIsNone) {
  AddNode("a");
  NodePlan second = Plan("b");
  second.port = cluster_.PortOf("a");
  EXPECT_FALSE(cluster_.AddNode(second).ok());
  EXPECT_EQ(cluster_.nodes()->size(), 1u);
}

TEST_F(DaxClusterTest, WhatWasRemovedGoesInTheEnd) {
  AddNode("a");
  for (int i = 0; i < 5; ++i) Restart();
  EXPECT_EQ(cluster_.ForgetRemoved(), 5u) << "somebody may be about to wake them";
  const size_t before = Descriptors();
  clock_.AdvanceMillis(60'000);
  EXPECT_EQ(cluster_.ForgetRemoved(), 0u);
  EXPECT_LT(Descriptors(), before);
}

TEST_F(DaxClusterTest, NotWhileSomethingOfItIsUnderWay) {
  AddNode("a");
  const std::shared_ptr<DaxNode> node = cluster_.nodes()->front();
  {
    const WorkCount::Entry cut_off(node->work());
    Restart();
    clock_.AdvanceMillis(60'000);
    EXPECT_EQ(cluster_.ForgetRemoved(), 1u);
  }
  EXPECT_EQ(cluster_.ForgetRemoved(), 0u);
}

// --- writes

TEST_F(DaxClusterTest, AWriteReachesEveryCache) {
  AddNode("a");
  AddNode("b");
  Do(1, Method::kGetItem);
  EXPECT_EQ(Cached(1), ItemCache::Found::kAbsent);
  Do(0, Method::kPutItem);
  EXPECT_EQ(Cached(0), ItemCache::Found::kItem);
  EXPECT_EQ(Cached(1), ItemCache::Found::kItem);
}

TEST_F(DaxClusterTest, ANodeThatComesMeanwhileKeepsNothingOlder) {
  AddNode("a");
  for (const bool is_answer_lost : {false, true}) {
    backend_.is_answer_lost = is_answer_lost;
    backend_.is_written = false;
    backend_.before_write = [this] {
      AddNode("b");
      Do(1, Method::kGetItem);
      EXPECT_EQ(Cached(1), ItemCache::Found::kAbsent);
    };
    Do(0, Method::kPutItem);
    EXPECT_EQ(Cached(0), is_answer_lost ? ItemCache::Found::kNothing : ItemCache::Found::kItem);
    EXPECT_EQ(Cached(1), ItemCache::Found::kNothing);
    cluster_.RemoveNode("b", std::chrono::milliseconds(0));
  }
}

TEST_F(DaxClusterTest, AReadThatAnotherNodeBeganBeforeItIsNotKept) {
  AddNode("a");
  AddNode("b");
  backend_.before_write = [this] { Do(1, Method::kGetItem); };
  Do(0, Method::kPutItem);
  EXPECT_NE(Cached(1), ItemCache::Found::kAbsent);
}

}  // namespace
}  // namespace armature::dax
