// Writes: to the table first, then what every node of the cluster has in its cache, then the answer.
#include <future>

#include "dax/attributes/attribute_list_store.h"
#include "dax/node/testing/node_testing.h"

namespace armature::dax {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kConditionFailed = "4,37,38,39,43 ConditionalCheckFailedException";
// "SET x = :x", :x = "b"
constexpr std::string_view kSet = "08 4f 83 01 81 83 13 82 12 61 78 82 11 00 81 61 62";

class WritesTest : public NodeTest {
 protected:
  WritesTest() {
    for (const char* operation : {"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"})
      backend.Answer(operation, "{}");
    backend.Answer("BatchWriteItem", R"({"UnprocessedItems":{}})");
    backend.Answer("GetItem", ItemReply(7, "a"));
  }
  // Every node has the item as it was before.
  void FillAll() {
    for (const auto& node : cluster->serving()) ASSERT_EQ(Connect(node->plan().id).Call(GetItem(7)), ItemAnswer("a"));
  }
  // What every node says, without asking the table: "?" for one that would have to.
  std::string CachedEverywhere() {
    std::string all;
    for (const auto& node : cluster->serving()) {
      const std::string id = node->plan().id;
      const std::string answer = HasInCache(id, 7) ? Connect(id).Call(GetItem(7)) : "?";
      if (all.empty()) all = answer;
      else if (all != answer) return all + " and " + answer;
    }
    return all;
  }
  static constexpr std::string_view kNowhere = "?";
};

TEST_F(WritesTest, APutIsInEveryCache) {
  Start(3);
  FillAll();
  EXPECT_EQ(Connect("b").Call(PutItem(7, Blob("b"))), kWritten);
  EXPECT_EQ(CachedEverywhere(), ItemAnswer("b"));
  EXPECT_THAT(backend.asked("PutItem"), ElementsAre(R"({"TableName":"Ids","Item":{"id":{"N":"7"},"x":{"S":"b"}}})"));
}

TEST_F(WritesTest, ADeletionLikewise) {
  Start(3);
  FillAll();
  EXPECT_EQ(Connect("c").Call(DeleteItem(7)), kWritten);
  EXPECT_EQ(CachedEverywhere(), kEmptyAnswer);
}

TEST_F(WritesTest, AnUpdateTellsTheNewItem) {
  Start(3);
  FillAll();
  backend.Answer("UpdateItem", R"({"Attributes":)" + ItemJson(7, "b") + "}");
  EXPECT_EQ(Connect().Call(UpdateItem(7, kSet)), kWritten) << "which the client did not ask for";
  EXPECT_EQ(CachedEverywhere(), ItemAnswer("b"));
  EXPECT_THAT(backend.asked("UpdateItem")[0], HasSubstr(R"("ReturnValues":"ALL_NEW")"));
  EXPECT_EQ(backend.calls("BatchGetItem"), 0u);
}

TEST_F(WritesTest, OneThatDoesNotTellItIsReadAgain) {
  Start(2);
  FillAll();
  backend.Answer("UpdateItem", R"({"Attributes":)" + ItemJson(7, "a") + "}");
  backend.Answer("BatchGetItem", R"({"Responses":{"Ids":[)" + ItemJson(7, "b") + "]}}");
  backend.Hold("BatchGetItem");
  EXPECT_THAT(Connect().Call(UpdateItem(7, "07 02" + std::string(kSet))), HasSubstr("43026161"));
  EXPECT_EQ(CachedEverywhere(), kNowhere);
  ASSERT_TRUE(backend.AwaitCalls("BatchGetItem", 1));
  EXPECT_THAT(backend.asked("BatchGetItem")[0], HasSubstr(R"("ConsistentRead":true)"));
  backend.LetGo("BatchGetItem");
  while (!HasInCache("a", 7) || !HasInCache("b", 7)) std::this_thread::yield();
  EXPECT_EQ(CachedEverywhere(), ItemAnswer("b"));
}

TEST_F(WritesTest, WhatFailedChangesNothing) {
  Start(2);
  FillAll();
  for (const char* operation : {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})
    backend.Fail(operation, ErrorNamed("ConditionalCheckFailedException"));
  DaxClient client = Connect();
  for (const std::string& message :
       {PutItem(7, Blob("b")), UpdateItem(7, kSet), DeleteItem(7), BatchWrite({{7, Blob("b")}}), TransactDelete({7})})
    EXPECT_EQ(client.Call(message), kConditionFailed);
  EXPECT_EQ(client.Call(PutItem(7, "\x18\x63")), "4,37,38,39,46 ValidationException") << "a list that nobody defined";
  EXPECT_EQ(CachedEverywhere(), ItemAnswer("a"));
}

TEST_F(WritesTest, WhoseOutcomeNobodyKnowsIsNotCachedAnyMore) {
  Start(2);
  const std::vector<std::pair<std::string, std::string>> writes{{"PutItem", PutItem(7, Blob("b"))},
                                                                {"UpdateItem", UpdateItem(7, kSet)},
                                                                {"DeleteItem", DeleteItem(7)},
                                                                {"BatchWriteItem", BatchWrite({{7, Blob("b")}})},
                                                                {"TransactWriteItems", TransactDelete({7})}};
  DaxClient client = Connect();
  for (const auto& [operation, message] : writes) {
    FillAll();
    backend.Fail(operation, ErrorNamed("InternalServerError", 500, true));
    EXPECT_EQ(client.Call(message), "1,37,38,53 InternalServerError");
    EXPECT_EQ(CachedEverywhere(), kNowhere) << operation;
    FillAll();
    backend.Fail(operation, ErrorNamed("InternalServerError", 500));
    EXPECT_EQ(client.Call(message), "4,37,38,39,47 InternalServerError");
    EXPECT_EQ(CachedEverywhere(), kNowhere) << operation;
    FillAll();
    backend.SetScript(operation, [](std::string_view) -> BackendReply { throw std::bad_alloc(); });
    EXPECT_EQ(client.Call(message).substr(0, 13), "4,37,38,39,47");
    EXPECT_EQ(CachedEverywhere(), kNowhere) << operation;
  }
}

TEST_F(WritesTest, TwoAtOnceLeaveNothing) {
  Start(2);
  FillAll();
  backend.Hold("PutItem");
  DaxClient one = Connect("a"), two = Connect("b");
  one.Send(PutItem(7, Blob("b")));
  ASSERT_TRUE(backend.AwaitCalls("PutItem", 1));
  two.Send(PutItem(7, Blob("c")));
  ASSERT_TRUE(backend.AwaitCalls("PutItem", 2));
  EXPECT_EQ(CachedEverywhere(), ItemAnswer("a")) << "until one of them is answered";
  backend.LetGo("PutItem");
  EXPECT_EQ(one.ReadAnswer(DeleteItem(7)), kWritten);
  EXPECT_EQ(two.ReadAnswer(DeleteItem(7)), kWritten);
  EXPECT_EQ(CachedEverywhere(), kNowhere);
  EXPECT_EQ(one.Call(PutItem(7, Blob("d"))), kWritten);
  EXPECT_EQ(CachedEverywhere(), ItemAnswer("d"));
}

// The first node of a cluster that is growing: what it reads while a write is under way elsewhere is of before.
TEST_F(WritesTest, ANodeThatCameMeanwhileIsTold) {
  Start(1);
  backend.Hold("PutItem");
  DaxClient writer = Connect("a");
  writer.Send(PutItem(7, Blob("b")));
  ASSERT_TRUE(backend.AwaitCalls("PutItem", 1));
  ASSERT_TRUE(cluster->AddNode(PlanOf("b")).ok());
  DaxClient reader = Connect("b");
  EXPECT_EQ(reader.Call(GetItem(7)), ItemAnswer("a"));
  backend.Answer("GetItem", ItemReply(7, "b"));
  backend.LetGo("PutItem");
  EXPECT_EQ(writer.ReadAnswer(DeleteItem(7)), kWritten);
  EXPECT_EQ(reader.Call(GetItem(7)), ItemAnswer("b"));
}

// --- A node that stops

TEST_F(WritesTest, AWriteThatIsCutOffIsOfUnknownOutcomeForTheOthers) {
  settings.is_coherent = true;
  Start(2);
  FillAll();
  backend.Answer("Scan", R"({"Items":[],"Count":0,"ScannedCount":0})");
  DaxClient other = Connect("b");
  const std::string before = other.Call(Scan());
  backend.Hold("PutItem");
  DaxClient writer = Connect("a");
  writer.Send(PutItem(7, Blob("b")));
  ASSERT_TRUE(backend.AwaitCalls("PutItem", 1));
  EXPECT_TRUE(cluster->RemoveNode("a", std::chrono::milliseconds(1)));
  EXPECT_TRUE(writer.socket().IsClosedByServer());
  EXPECT_FALSE(HasInCache("b", 7)) << "the table may have it";
  backend.Answer("GetItem", ItemReply(7, "b"));
  EXPECT_EQ(other.Call(GetItem(7)), ItemAnswer("b"));
  EXPECT_TRUE(HasInCache("b", 7)) << "and it can be kept again";
  other.Call(Scan());
  EXPECT_EQ(backend.calls("Scan"), 2u);
}

TEST_F(WritesTest, ANodeThatIsGoingStillFollowsItsOwnWrites) {
  Start(1);
  FillAll();
  backend.Hold("PutItem");
  DaxClient slow = Connect();
  slow.Send(PutItem(8, Blob("b")));
  ASSERT_TRUE(backend.AwaitCalls("PutItem", 1));
  auto stopping = std::async(std::launch::async, [&] { cluster->RemoveNode("a", std::chrono::seconds(10)); });
  while (!cluster->serving().empty()) std::this_thread::yield();
  EXPECT_EQ(cluster->nodes().size(), 1u) << "until what it has under way is answered";
  backend.LetGo("PutItem");
  EXPECT_EQ(slow.ReadAnswer(DeleteItem(7)), kWritten);
  stopping.get();
  EXPECT_TRUE(cluster->nodes().empty());
}

// --- BatchWriteItem

TEST_F(WritesTest, ABatchIsInEveryCache) {
  Start(2);
  FillAll();
  EXPECT_EQ(Connect().Call(BatchWrite({{7, Blob("b")}, {8, std::nullopt}, {9, Blob("c")}})), "80a080a0");
  EXPECT_EQ(CachedEverywhere(), ItemAnswer("b"));
  DaxClient other = Connect("b");
  EXPECT_EQ(other.Call(GetItem(8)), kEmptyAnswer);
  EXPECT_EQ(other.Call(GetItem(9)), ItemAnswer("c"));
  EXPECT_EQ(backend.calls("GetItem"), 2u) << "those of before";
}

std::string Left(int64_t id) {
  return fmt::format(R"({{"UnprocessedItems":{{"Ids":[{{"PutRequest":{{"Item":{}}}}}]}}}})", ItemJson(id, "b"));
}

TEST_F(WritesTest, PutsThatWereLeftAreAskedForAgain) {
  Start();
  FillAll();
  backend.AnswerOnce("BatchWriteItem", Left(7));
  EXPECT_EQ(Connect().Call(BatchWrite({{7, Blob("b")}, {8, Blob("b")}})), "80a080a0");
  ASSERT_EQ(backend.calls("BatchWriteItem"), 2u);
  EXPECT_THAT(backend.asked("BatchWriteItem")[1], testing::Not(HasSubstr(R"("N":"8")")));
  EXPECT_EQ(CachedEverywhere(), ItemAnswer("b"));
  EXPECT_TRUE(HasInCache("a", 8));
}

TEST_F(WritesTest, NotForEver) {
  Start();
  FillAll();
  backend.Answer("BatchWriteItem", Left(7));
  EXPECT_EQ(Connect().Call(BatchWrite({{7, Blob("b")}, {8, Blob("b")}})), "4,37,38,39,50 ThrottlingException");
  EXPECT_EQ(backend.calls("BatchWriteItem"), 4u);
  EXPECT_EQ(CachedEverywhere(), kNowhere);
  EXPECT_FALSE(HasInCache("a", 8));
}

TEST_F(WritesTest, ATryThatFailsBehindAnotherLeavesNothing) {
  Start();
  FillAll();
  backend.AnswerOnce("BatchWriteItem", Left(7));
  backend.AnswerOnce("BatchWriteItem", ErrorNamed("ValidationException"));
  EXPECT_EQ(Connect().Call(BatchWrite({{7, Blob("b")}, {8, Blob("b")}})), "4,37,38,39,46 ValidationException");
  EXPECT_EQ(CachedEverywhere(), kNowhere);
}

// --- What new attribute lists cost

// Lists that are not durable before the test says so.
class SlowStore final : public AttributeListStore {
 public:
  Result<std::vector<AttributeList>> Load() override { return std::vector<AttributeList>(); }
  Status Append(std::span<const std::shared_ptr<const AttributeList>>) override {
    MutexLock lock(mutex_);
    is_waiting_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this]() ARMATURE_WITH_LOCK(mutex_) { return !is_held_; });
    is_waiting_ = false;
    return status_;
  }
  void Hold() {
    MutexLock lock(mutex_);
    is_held_ = true;
  }
  void LetGo(Status status) {
    MutexLock lock(mutex_);
    is_held_ = false;
    status_ = std::move(status);
    changed_.notify_all();
  }
  void Await() {
    MutexLock lock(mutex_);
    changed_.wait(lock, [this]() ARMATURE_WITH_LOCK(mutex_) { return is_waiting_; });
  }

 private:
  Mutex mutex_;
  Condition changed_;
  bool is_held_ ARMATURE_GUARDED_BY(mutex_) = false;
  bool is_waiting_ ARMATURE_GUARDED_BY(mutex_) = false;
  Status status_ ARMATURE_GUARDED_BY(mutex_);
};

class SlowListsTest : public WritesTest {
 protected:
  void Start(int nodes = 1) {
    ASSERT_TRUE(slow_lists.Load().ok());
    cluster = std::make_unique<DaxCluster>(settings, ClusterServices{.backend = backend,
                                                                     .lists = slow_lists,
                                                                     .schemas = schemas,
                                                                     .clock = clock,
                                                                     .metrics = metrics,
                                                                     .verifier = *verifier});
    for (int i = 0; i < nodes; ++i) {
      NodePlan plan = PlanOf(std::string(1, static_cast<char>('a' + i)));
      plan.threads = 1;
      ASSERT_TRUE(cluster->AddNode(plan).ok());
    }
  }
  // Whatever the node's thread was at when this was called is over: it has answered somebody else.
  void AwaitNextTurn() { EXPECT_EQ(Connect().Call(Message(Method::kEndpoints)).substr(0, 2), "80"); }

  SlowStore store;
  AttributeLists slow_lists{&store};
};

// Whoever reads it from a cache would get a number that means nothing after a crash.
TEST_F(SlowListsTest, AnImageIsNotInACacheBeforeItsListIsDurable) {
  Start();
  backend.Answer("UpdateItem", R"({"Attributes":)" + ItemJson(7, "b") + "}");
  store.Hold();
  DaxClient writer = Connect();
  writer.Send(UpdateItem(7, kSet));
  store.Await();
  EXPECT_FALSE(HasInCache("a", 7));
  EXPECT_EQ(writer.socket().ReadNow(), "");
  store.LetGo(Status::Ok());
  EXPECT_EQ(writer.ReadAnswer(UpdateItem(7)), kWritten);
  EXPECT_TRUE(HasInCache("a", 7));
}

// A client repeats what it is told to repeat, and "ADD n :one" is not the same a second time.
TEST_F(SlowListsTest, AWriteThatCannotBeToldIsNotToBeRepeated) {
  Start();
  store.LetGo(Status::NoSpace("full"));
  backend.Answer("UpdateItem", R"({"Attributes":)" + ItemJson(7, "b") + "}");
  DaxClient client = Connect();
  EXPECT_EQ(client.Call(UpdateItem(7, kSet)).substr(0, 13), "4,37,38,39,47");
  EXPECT_FALSE(HasInCache("a", 7));
  EXPECT_EQ(client.Call(GetItem(7)), "4,37,38,39,50 ThrottlingException") << "a read may well be";
}

TEST_F(SlowListsTest, ReasonsOfACancelledTransactionWaitForTheirListsToo) {
  Start();
  BackendError cancelled = ErrorNamed("TransactionCanceledException");
  cancelled.json = R"({"CancellationReasons":[{"Code":"ConditionalCheckFailed","Item":)" + ItemJson(7, "b") + "}]}";
  backend.Fail("TransactWriteItems", cancelled);
  store.Hold();
  DaxClient client = Connect();
  client.Send(TransactDelete({7}));
  store.Await();
  AwaitNextTurn();
  EXPECT_EQ(client.socket().ReadNow(), "");
  store.LetGo(Status::Ok());
  EXPECT_EQ(client.ReadAnswer(TransactDelete({7})), "4,37,38,39,58 TransactionCanceledException");
}

// The thread that makes lists durable resumes who waits for them: it may still touch their reactor then, and one whose
// request was cut off is touched long after.
TEST_F(SlowListsTest, ANodeGoesWhenNobodyWillTouchItAnyMore) {
  Start();
  backend.Answer("UpdateItem", R"({"Attributes":)" + ItemJson(7, "b") + "}");
  store.Hold();
  DaxClient writer = Connect();
  writer.Send(UpdateItem(7, kSet));
  store.Await();
  AwaitNextTurn();  // it waits now
  cluster->StopAll(std::chrono::milliseconds(1));
  auto going = std::async(std::launch::async, [this] { cluster.reset(); });
  EXPECT_EQ(going.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  store.LetGo(Status::Ok());
  going.get();
}

}  // namespace
}  // namespace armature::dax
