// Reads: what is answered from the cache, what is asked once for everybody, and what is not kept.
#include <deque>
#include <thread>

#include "dax/node/testing/node_testing.h"

namespace armature::dax {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class ReadsTest : public NodeTest {
 protected:
  ReadsTest() { backend.Answer("GetItem", ItemReply(7, "a")); }
};

TEST_F(ReadsTest, AnItemIsReadOnce) {
  Start();
  DaxClient client = Connect();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("a"));
  EXPECT_THAT(backend.asked("GetItem"), ElementsAre(R"({"TableName":"Ids","Key":{"id":{"N":"7"}}})"));
  EXPECT_EQ(Count("armature_dax_item_cache_hits_total"), 2u);
  EXPECT_EQ(Count("armature_dax_item_cache_misses_total"), 1u);
  const std::string seven_point_zero = ItemMessage(Method::kGetItem, "Ids", Bytes("c4 82 20 18 46"), "");
  EXPECT_EQ(client.Call(seven_point_zero), ItemAnswer("a")) << "the same key in another form";
  EXPECT_EQ(backend.calls("GetItem"), 1u);
  EXPECT_EQ(backend.calls("DescribeTable"), 1u);
}

TEST_F(ReadsTest, ThatThereIsNoItemIsKeptToo) {
  Start();
  backend.Answer("GetItem", "{}");
  DaxClient client = Connect();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.Call(GetItem(7)), kEmptyAnswer);
  EXPECT_EQ(backend.calls("GetItem"), 1u);
}

TEST_F(ReadsTest, EntriesEnd) {
  settings.record_ttl_millis = 1000;
  Start();
  DaxClient client = Connect();
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("a"));
  backend.Answer("GetItem", ItemReply(7, "b"));
  clock.AdvanceMillis(999);
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("a"));
  clock.AdvanceMillis(1);
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("b"));
}

TEST_F(ReadsTest, ConsistentAndProjectedReadsPassBy) {
  Start();
  DaxClient client = Connect();
  EXPECT_EQ(client.Call(GetItem(7, "02 f5")), ItemAnswer("a"));
  EXPECT_EQ(client.Call(GetItem(7, "00 47 82 01 81 82 12 61 78")), "80a100a1006161");
  EXPECT_FALSE(HasInCache("a", 7)) << "nor are they kept";
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("a"));
  backend.Answer("GetItem", ItemReply(7, "b"));
  EXPECT_EQ(client.Call(GetItem(7, "02 f5")), ItemAnswer("b"));
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("a"));
  EXPECT_EQ(client.Call(GetItem(7, "02 f4")), ItemAnswer("a"));
  EXPECT_EQ(backend.calls("GetItem"), 4u);
}

TEST_F(ReadsTest, CapacityIsToldToWhomeverCausedIt) {
  Start();
  backend.Answer("GetItem",
                 R"({"Item":)" + ItemJson(7, "a") + R"(,"ConsumedCapacity":{"TableName":"Ids","CapacityUnits":0.5}})");
  DaxClient client = Connect();
  EXPECT_THAT(client.Call(GetItem(7, "03 01")), HasSubstr("01"));
  EXPECT_EQ(client.Call(GetItem(7, "03 01")), ItemAnswer("a"));
}

TEST_F(ReadsTest, AHundredAskersCostOneRead) {
  Start();
  DaxClient first = Connect();
  first.Call(DefineKeySchema("Ids"));
  backend.Hold("GetItem");
  std::deque<DaxClient> clients;
  for (int i = 0; i < 100; ++i) {
    clients.push_back(Connect());
    clients.back().Send(GetItem(7));
  }
  ASSERT_TRUE(backend.AwaitCalls("GetItem", 1));
  while (Count("armature_dax_item_cache_misses_total") < 100) std::this_thread::yield();
  backend.LetGo("GetItem");
  for (DaxClient& client : clients) ASSERT_EQ(client.ReadAnswer(GetItem(7)), ItemAnswer("a"));
  EXPECT_EQ(backend.calls("GetItem"), 1u);
}

TEST_F(ReadsTest, ALeaderWhoseConnectionIsGoneStillReadsForAll) {
  Start();
  backend.Hold("GetItem");
  DaxClient leader = Connect();
  leader.Send(GetItem(7));
  ASSERT_TRUE(backend.AwaitCalls("GetItem", 1));
  DaxClient follower = Connect();
  follower.Send(GetItem(7));
  while (Count("armature_dax_item_cache_misses_total") < 2) std::this_thread::yield();
  leader.socket().Reset();
  backend.LetGo("GetItem");
  EXPECT_EQ(follower.ReadAnswer(GetItem(7)), ItemAnswer("a"));
}

TEST_F(ReadsTest, AFailureIsToldToAllAndNotKept) {
  Start();
  Connect().Call(DefineKeySchema("Ids"));
  backend.Fail("GetItem", ErrorNamed("ProvisionedThroughputExceededException"));
  backend.Hold("GetItem");
  std::deque<DaxClient> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(Connect());
    clients.back().Send(GetItem(7));
  }
  ASSERT_TRUE(AwaitWaiters(9));
  backend.LetGo("GetItem");
  for (DaxClient& client : clients)
    EXPECT_EQ(client.ReadAnswer(GetItem(7)), "4,37,38,39,40 ProvisionedThroughputExceededException");
  EXPECT_EQ(backend.calls("GetItem"), 1u);
  backend.Answer("GetItem", ItemReply(7, "a"));
  EXPECT_EQ(clients[0].Call(GetItem(7)), ItemAnswer("a"));
}

// The option is not part of what is shared, so what is wrong with it must not be, either.
TEST_F(ReadsTest, WhatIsWrongWithOneRequestIsNotToldToOthers) {
  Start();
  DaxClient client = Connect();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.Call(GetItem(7, "03 18 63")), "4,37,38,39,46 ValidationException");
  EXPECT_EQ(backend.calls("GetItem"), 0u);
  EXPECT_EQ(client.Call(Scan("03 18 63")), "4,37,38,39,46 ValidationException");
  for (const auto& node : cluster->nodes()) EXPECT_EQ(node->caches().flights().flights(), 0u);
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("a"));
}

TEST_F(ReadsTest, AReadThatBeganBeforeAWriteIsNotKept) {
  Start();
  backend.Answer("PutItem", "{}");
  backend.Hold("GetItem");
  DaxClient reader = Connect();
  reader.Send(GetItem(7));
  ASSERT_TRUE(backend.AwaitCalls("GetItem", 1));
  DaxClient writer = Connect();
  EXPECT_EQ(writer.Call(PutItem(7, Blob("b"))), kWritten);
  backend.LetGo("GetItem");
  EXPECT_EQ(reader.ReadAnswer(GetItem(7)), ItemAnswer("a"));
  EXPECT_EQ(writer.Call(GetItem(7)), ItemAnswer("b"));
  EXPECT_EQ(backend.calls("GetItem"), 1u);
}

TEST_F(ReadsTest, WhoComesBehindAWriteDoesNotGetAReadOfBefore) {
  Start();
  backend.Fail("PutItem", ErrorNamed("InternalServerError", 500, true));
  backend.Hold("GetItem");
  DaxClient early = Connect();
  early.Send(GetItem(7));
  ASSERT_TRUE(backend.AwaitCalls("GetItem", 1));
  DaxClient writer = Connect();
  writer.Call(PutItem(7, Blob("b")));
  backend.Answer("GetItem", ItemReply(7, "b"));
  writer.Send(GetItem(7));
  ASSERT_TRUE(backend.AwaitCalls("GetItem", 2));
  backend.LetGo("GetItem");
  EXPECT_EQ(early.ReadAnswer(GetItem(7)), ItemAnswer("a"));
  EXPECT_EQ(writer.ReadAnswer(GetItem(7)), ItemAnswer("b"));
  EXPECT_EQ(early.Call(GetItem(7)), ItemAnswer("b"));
}

TEST_F(ReadsTest, ATableMadeAnewHasNothingOfTheOldOne) {
  Start();
  DaxClient client = Connect();
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("a"));
  backend.SetTable("Ids", TableJson("other", {"id:N"}));
  backend.Answer("GetItem", ItemReply(7, "b"));
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("a"));
  clock.AdvanceMillis(TableSchemas::kKeptMillis);
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("b"));
}

TEST_F(ReadsTest, TablesThatAreNotThere) {
  Start();
  DaxClient client = Connect();
  const std::string get = ItemMessage(Method::kGetItem, "None", IdKey(1), "");
  EXPECT_EQ(client.Call(get), "4,37,38,39,41 ResourceNotFoundException");
  backend.SetTable("None", TableJson("n", {"id:N"}));
  EXPECT_EQ(client.Call(get), ItemAnswer("a"));
  backend.Fail("Scan", ErrorNamed("ResourceNotFoundException"));
  EXPECT_EQ(client.Call(Scan()), "4,37,38,39,41 ResourceNotFoundException");
  backend.SetTable("Ids", ErrorNamed("ResourceNotFoundException"));
  EXPECT_EQ(client.Call(GetItem(7)), "4,37,38,39,41 ResourceNotFoundException") << "it was asked for again";
}

// --- BatchGetItem

std::string BatchReply(std::string_view items, std::string_view unprocessed = "{}") {
  return fmt::format(R"({{"Responses":{{"Ids":[{}]}},"UnprocessedKeys":{}}})", items, unprocessed);
}

TEST_F(ReadsTest, ABatchAsksForWhatIsMissing) {
  Start();
  DaxClient client = Connect();
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("a"));
  backend.Answer("BatchGetItem", BatchReply(ItemJson(8, "b")));
  const std::string answer = client.Call(BatchGet({7, 8, 9}));
  EXPECT_THAT(answer, HasSubstr("4107"
                                "43026161"));
  EXPECT_THAT(answer, HasSubstr("4108"
                                "43026162"));
  EXPECT_THAT(backend.asked("BatchGetItem"),
              ElementsAre(R"({"RequestItems":{"Ids":{"Keys":[{"id":{"N":"8"}},{"id":{"N":"9"}}]}}})"));
  EXPECT_EQ(client.Call(GetItem(8)), ItemAnswer("b"));
  EXPECT_EQ(client.Call(GetItem(9)), kEmptyAnswer);
  EXPECT_EQ(client.Call(BatchGet({8, 7, 9})).size(), answer.size());
  EXPECT_EQ(backend.calls("BatchGetItem"), 1u);
  EXPECT_EQ(backend.calls("GetItem"), 1u);
}

TEST_F(ReadsTest, WhatABatchWasNotAnsweredIsNotTakenForAbsent) {
  Start();
  backend.Answer("BatchGetItem", BatchReply(ItemJson(8, "b"), R"({"Ids":{"Keys":[{"id":{"N":"7"}}]}})"));
  DaxClient client = Connect();
  EXPECT_THAT(client.Call(BatchGet({7, 8})), HasSubstr("814107"));
  EXPECT_FALSE(HasInCache("a", 7));
  EXPECT_TRUE(HasInCache("a", 8));
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("a"));
}

TEST_F(ReadsTest, BatchesThatAreNotToBeKept) {
  Start();
  backend.Answer("BatchGetItem", BatchReply(ItemJson(7, "a")));
  DaxClient client = Connect();
  client.Call(BatchGet({7}, "83 f5 f6"));
  client.Call(BatchGet({7}, "83 f4 47 82 01 81 82 12 61 78"));
  EXPECT_FALSE(HasInCache("a", 7));
  EXPECT_EQ(backend.calls("BatchGetItem"), 2u);
  backend.Fail("BatchGetItem", ErrorNamed("ThrottlingException"));
  EXPECT_EQ(client.Call(BatchGet({7, 8})), "4,37,38,39,50 ThrottlingException");
  EXPECT_FALSE(HasInCache("a", 8));
}

TEST_F(ReadsTest, WhatIsWrongWithABatchIsForDynamoDBToSayEvenIfItIsCached) {
  Start();
  DaxClient client = Connect();
  EXPECT_EQ(client.Call(GetItem(7)), ItemAnswer("a"));
  backend.Fail("BatchGetItem", ErrorNamed("ValidationException"));
  EXPECT_EQ(client.Call(BatchGet({7, 7})), "4,37,38,39,46 ValidationException");
  EXPECT_THAT(backend.asked("BatchGetItem")[0], HasSubstr(R"([{"id":{"N":"7"}},{"id":{"N":"7"}}])"));
  EXPECT_EQ(client.Call(BatchGet({})), "4,37,38,39,46 ValidationException");
  std::vector<int64_t> many(101);
  for (size_t i = 0; i < many.size(); ++i) many[i] = static_cast<int64_t>(i);
  EXPECT_EQ(client.Call(BatchGet(many)), "4,37,38,39,46 ValidationException");
  EXPECT_THAT(backend.asked("BatchGetItem"), SizeIs(3));
}

TEST_F(ReadsTest, ABatchThatBeganBeforeAWriteIsNotKept) {
  Start();
  backend.Answer("DeleteItem", "{}");
  backend.Answer("BatchGetItem", BatchReply(ItemJson(7, "a") + "," + ItemJson(8, "b")));
  backend.Hold("BatchGetItem");
  DaxClient reader = Connect();
  reader.Send(BatchGet({7, 8}));
  ASSERT_TRUE(backend.AwaitCalls("BatchGetItem", 1));
  DaxClient writer = Connect();
  EXPECT_EQ(writer.Call(DeleteItem(7)), kWritten);
  backend.LetGo("BatchGetItem");
  reader.ReadAnswer(BatchGet({7, 8}));
  EXPECT_EQ(writer.Call(GetItem(7)), kEmptyAnswer);
  EXPECT_EQ(writer.Call(GetItem(8)), ItemAnswer("b"));
  EXPECT_EQ(backend.calls("GetItem"), 0u);
}

}  // namespace
}  // namespace armature::dax
