// Query and Scan: whole answers, by all that was asked.
#include "dax/node/testing/node_testing.h"

namespace armature::dax {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Found(std::string_view items, int count) {
  return fmt::format(R"({{"Items":[{}],"Count":{},"ScannedCount":{}}})", items, count, count);
}

class PagesTest : public NodeTest {
 protected:
  PagesTest() {
    backend.Answer("Scan", Found(ItemJson(7, "a"), 1));
    backend.Answer("Query", Found("", 0));
  }
};

TEST_F(PagesTest, AreAskedForOnce) {
  Start();
  DaxClient client = Connect();
  const std::string answer = client.Call(Scan());
  EXPECT_THAT(answer, HasSubstr("824107"
                                "43026161"));
  EXPECT_EQ(client.Call(Scan()), answer);
  EXPECT_EQ(client.Call(Query()), client.Call(Query()));
  EXPECT_EQ(backend.calls("Scan"), 1u);
  EXPECT_EQ(backend.calls("Query"), 1u);
  EXPECT_EQ(Count("armature_dax_scan_cache_hits_total"), 1u);
  EXPECT_EQ(Count("armature_dax_query_cache_hits_total"), 1u);
  EXPECT_FALSE(HasInCache("a", 7)) << "they do not fill the cache of items";
}

TEST_F(PagesTest, AnythingElseAskedIsAnotherPage) {
  Start();
  DaxClient client = Connect();
  const std::vector<std::string> options{
      "",
      "0d 01",  // Limit
      "0d 02",
      "0f 03",                                            // Select
      "0a 4e 83 01 83 0e 82 12 61 76 82 11 00 81 61 78",  // FilterExpression
      "0a 4e 83 01 83 0e 82 12 61 76 82 11 00 81 61 79",
      "00 47 82 01 81 82 12 61 78",  // ProjectionExpression
      "09 41 07",                    // ExclusiveStartKey
      "09 41 08",
      "0b 41 62",     // IndexName
      "10 00 11 02",  // Segment of TotalSegments
      "10 01 11 02",
      "10 00 11 03",
  };
  for (int round = 0; round < 2; ++round)
    for (const std::string& each : options) EXPECT_EQ(client.Call(Scan(each)).substr(0, 2), "80") << each;
  EXPECT_EQ(backend.calls("Scan"), options.size());
  for (int round = 0; round < 2; ++round)
    for (const char* order : {"", "0e 00", "0e 01"}) client.Call(Query(order));
  EXPECT_EQ(backend.calls("Query"), 3u);
}

TEST_F(PagesTest, CapacityIsNotKept) {
  Start();
  backend.Answer("Scan", R"({"Items":[],"Count":0,"ScannedCount":0,)"
                         R"("ConsumedCapacity":{"TableName":"Ids","CapacityUnits":0.5}})");
  DaxClient client = Connect();
  const std::string told = client.Call(Scan("03 01"));
  const std::string kept = client.Call(Scan("03 01"));
  EXPECT_THAT(told, HasSubstr("63496473"));
  EXPECT_THAT(kept, testing::Not(HasSubstr("63496473")));
  EXPECT_EQ(client.Call(Scan()), kept);
  EXPECT_EQ(backend.calls("Scan"), 1u);
}

TEST_F(PagesTest, ConsistentOnesPassBy) {
  Start();
  DaxClient client = Connect();
  client.Call(Scan("02 01"));
  client.Call(Scan("02 01"));
  client.Call(Scan("02 00"));
  client.Call(Scan());
  EXPECT_EQ(backend.calls("Scan"), 3u);
}

TEST_F(PagesTest, TheirTimeIsTheirOwn) {
  settings.query_ttl_millis = 1000;
  Start();
  DaxClient client = Connect();
  client.Call(Scan());
  clock.AdvanceMillis(999);
  client.Call(Scan());
  EXPECT_EQ(backend.calls("Scan"), 1u);
  clock.AdvanceMillis(1);
  client.Call(Scan());
  EXPECT_EQ(backend.calls("Scan"), 2u);
}

TEST_F(PagesTest, NothingIsKeptForNoTime) {
  settings.query_ttl_millis = 0;
  Start();
  DaxClient client = Connect();
  client.Call(Scan());
  client.Call(Scan());
  EXPECT_EQ(backend.calls("Scan"), 2u);
}

TEST_F(PagesTest, FailuresAreNotKept) {
  Start();
  backend.AnswerOnce("Scan", ErrorNamed("ThrottlingException"));
  backend.AnswerOnce("Scan", BackendReply("no JSON"));
  DaxClient client = Connect();
  EXPECT_EQ(client.Call(Scan()), "4,37,38,39,50 ThrottlingException");
  EXPECT_EQ(client.Call(Scan()).substr(0, 13), "4,37,38,39,47");
  EXPECT_EQ(client.Call(Scan()).substr(0, 2), "80");
}

TEST_F(PagesTest, ManyAskersCostOneRead) {
  Start();
  backend.Hold("Scan");
  std::vector<DaxClient> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(Connect());
    clients.back().Send(Scan());
  }
  ASSERT_TRUE(AwaitWaiters(19));
  backend.LetGo("Scan");
  for (DaxClient& client : clients) EXPECT_EQ(client.ReadAnswer(Scan()).substr(0, 2), "80");
  EXPECT_EQ(backend.calls("Scan"), 1u);
}

TEST_F(PagesTest, WritesDoNotTouchThem) {
  Start();
  backend.Answer("PutItem", "{}");
  DaxClient client = Connect();
  const std::string before = client.Call(Scan());
  backend.Answer("Scan", Found(ItemJson(7, "b"), 1));
  EXPECT_EQ(client.Call(PutItem(7, Blob("b"))), kWritten);
  EXPECT_EQ(client.Call(Scan()), before) << "as with AWS";
}

TEST_F(PagesTest, UnlessTheyAreCoherent) {
  settings.is_coherent = true;
  Start(2);
  backend.Answer("PutItem", "{}");
  DaxClient client = Connect();
  DaxClient other = Connect("b");
  const std::string before = client.Call(Scan());
  EXPECT_EQ(other.Call(Scan()), before);
  backend.Answer("Scan", Found(ItemJson(7, "b"), 1));
  EXPECT_EQ(client.Call(Scan()), before);
  EXPECT_EQ(client.Call(PutItem(7, Blob("b"))), kWritten);
  EXPECT_NE(client.Call(Scan()), before);
  EXPECT_NE(other.Call(Scan()), before);
}

TEST_F(PagesTest, ACoherentPageThatBeganBeforeAWriteIsNotFoundBehindIt) {
  settings.is_coherent = true;
  Start();
  backend.Answer("PutItem", "{}");
  backend.Hold("Scan");
  DaxClient reader = Connect();
  reader.Send(Scan());
  ASSERT_TRUE(backend.AwaitCalls("Scan", 1));
  DaxClient writer = Connect();
  EXPECT_EQ(writer.Call(PutItem(7, Blob("b"))), kWritten);
  backend.Answer("Scan", Found(ItemJson(7, "b"), 1));
  backend.LetGo("Scan");
  const std::string before = reader.ReadAnswer(Scan());
  EXPECT_NE(writer.Call(Scan()), before);
}

// What an earlier try of a batch has done stays done, whatever becomes of the next.
TEST_F(PagesTest, ABatchThatFailsHalfWayIsAWriteToo) {
  settings.is_coherent = true;
  Start();
  DaxClient client = Connect();
  const std::string before = client.Call(Scan());
  backend.AnswerOnce("BatchWriteItem", BackendReply(R"({"UnprocessedItems":{"Ids":[{"PutRequest":{"Item":)" +
                                                    ItemJson(8, "b") + "}}]}}"));
  backend.AnswerOnce("BatchWriteItem", ErrorNamed("ThrottlingException"));
  EXPECT_EQ(client.Call(BatchWrite({{7, Blob("b")}, {8, Blob("b")}})), "4,37,38,39,50 ThrottlingException");
  backend.Answer("Scan", Found(ItemJson(7, "b"), 1));
  EXPECT_NE(client.Call(Scan()), before);
}

}  // namespace
}  // namespace armature::dax
