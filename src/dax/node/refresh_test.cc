// What was written without the new item's being told is read again, behind the client's answer.
#include "dax/node/refresh.h"

#include "dax/node/testing/node_testing.h"

namespace armature::dax {
namespace {

using testing::HasSubstr;

class RefreshTest : public NodeTest {
 protected:
  RefreshTest() {
    backend.Answer("TransactWriteItems", "{}");
    backend.Answer("GetItem", ItemReply(7, "a"));
    backend.Answer("PutItem", "{}");
    backend.Answer("BatchGetItem", R"({"Responses":{"Ids":[)" + ItemJson(7, "b") + "]}}");
  }
};

TEST_F(RefreshTest, ATransactionsItemsAreReadAgainForAllNodes) {
  Start(2);
  EXPECT_EQ(Connect("b").Call(GetItem(7)), ItemAnswer("a"));
  EXPECT_EQ(Connect("a").Call(TransactDelete({7, 8})), "80838080a0");
  ASSERT_TRUE(Eventually([&] { return HasInCache("b", 8); }));
  EXPECT_EQ(Connect("b").Call(GetItem(7)), ItemAnswer("b"));
  EXPECT_EQ(Connect("a").Call(GetItem(8)), kEmptyAnswer) << "what was not found is not there";
  EXPECT_EQ(backend.calls("GetItem"), 1u);
  EXPECT_EQ(backend.asked("BatchGetItem")[0],
            R"({"RequestItems":{"Ids":{"Keys":[{"id":{"N":"7"}},{"id":{"N":"8"}}],"ConsistentRead":true}}})");
}

TEST_F(RefreshTest, WhatWasNotReadIsNotTakenForAbsent) {
  Start();
  backend.Answer("BatchGetItem", R"({"Responses":{"Ids":[]},"UnprocessedKeys":{"Ids":{"Keys":[{"id":{"N":"7"}}]}}})");
  Connect().Call(TransactDelete({7, 8}));
  ASSERT_TRUE(Eventually([&] { return HasInCache("a", 8); }));
  EXPECT_FALSE(HasInCache("a", 7));
}

TEST_F(RefreshTest, WhatIsWrittenMeanwhileWins) {
  Start();
  backend.Hold("BatchGetItem");
  DaxClient client = Connect();
  client.Call(TransactDelete({7, 8}));
  ASSERT_TRUE(backend.AwaitCalls("BatchGetItem", 1));
  EXPECT_EQ(client.Call(PutItem(7, Blob("c"))), kWritten);
  backend.LetGo("BatchGetItem");
  ASSERT_TRUE(Eventually([&] { return HasInCache("a", 8); }));
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("c"));
}

TEST_F(RefreshTest, OneThatFailsLeavesNothing) {
  Start();
  backend.AnswerOnce("BatchGetItem", ErrorNamed("ThrottlingException"));
  backend.AnswerOnce("BatchGetItem", BackendReply("no JSON"));
  backend.SetScript("BatchGetItem", [](std::string_view) -> BackendReply { throw std::bad_alloc(); });
  DaxClient client = Connect();
  for (size_t i = 1; i <= 3; ++i) {
    EXPECT_EQ(client.Call(TransactDelete({7})), "80838080a0");
    ASSERT_TRUE(backend.AwaitCalls("BatchGetItem", i));
  }
  EXPECT_FALSE(HasInCache("a", 7));
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("a"));
}

// Nobody waits for it: the node it runs on may go meanwhile, and so may the others.
TEST_F(RefreshTest, IsLeftBehindWhenItsNodeStops) {
  Start(2);
  backend.Hold("BatchGetItem");
  Connect("a").Call(TransactDelete({7}));
  ASSERT_TRUE(backend.AwaitCalls("BatchGetItem", 1));
  const std::weak_ptr<DaxNode> other = cluster->nodes().back();
  cluster->RemoveNode("a", std::chrono::seconds(1));
  EXPECT_EQ(Connect("b").Call(GetItem(7)), ItemAnswer("a"));
  EXPECT_TRUE(HasInCache("b", 7));
  cluster.reset();
  EXPECT_TRUE(other.expired()) << "what stays allocated keeps no node";
}

}  // namespace
}  // namespace armature::dax
