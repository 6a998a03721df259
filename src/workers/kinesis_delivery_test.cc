// A destination's life and what reaches the stream: states, order, refusals, crashes. Kinesis is a socket server that
// answers as the test tells it; test/wire/test_kinesis.py does the same with kinesalite.
#include "workers/kinesis_delivery.h"

#include <functional>
#include <mutex>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "base/base64.h"
#include "base/http_testing.h"
#include "model/messages_kinesis.h"
#include "table/table_testing.h"
#include "workers/kinesis_worker.h"

namespace armature::workers {
namespace {

using model::KinesisStatus;
using model::TableDef;
using table::TestWrite;
using testing::ElementsAre;
using testing::HasSubstr;
using Next = KinesisDelivery::Next;

constexpr const char* kArn = "arn:aws:kinesis:r:1:stream/changes";

struct Received {
  std::string partition_key;
  std::string data;
};

std::string Member(const std::string& json, std::string_view pointer) {
  simdjson::dom::parser parser;
  simdjson::dom::element element;
  if (parser.parse(json).at_pointer(pointer).get(element) != simdjson::SUCCESS) return "(none)";
  return simdjson::minify(element);
}

// What the stream has, and how it answers.
class FakeKinesis {
 public:
  FakeKinesis() : server_([this](const std::string& request) { return Answer(request); }) {}

  std::string Url() const { return server_.Url(); }
  std::vector<Received> received() const {
    const std::lock_guard lock(mutex_);
    return received_;
  }
  // The attribute `v` of each new image, in the order of arrival.
  std::vector<std::string> Values() const {
    std::vector<std::string> values;
    for (const auto& record : received()) values.push_back(Member(record.data, "/dynamodb/NewImage/v/S"));
    return values;
  }
  size_t requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  void SetStreamStatus(std::string status) { stream_status_ = std::move(status); }
  // Which members of the next request fail; a whole error instead if it is not empty.
  void FailMembers(std::set<size_t> members) {
    const std::lock_guard lock(mutex_);
    failing_ = std::move(members);
  }
  void FailRequests(std::string type, size_t count) {
    const std::lock_guard lock(mutex_);
    error_type_ = std::move(type);
    errors_left_ = count;
  }
  // The next records are taken, but nobody is told.
  void LoseNextReply() {
    const std::lock_guard lock(mutex_);
    loses_reply_ = true;
  }
  std::function<void()> on_put;  // called when records have been taken, before the reply

 private:
  static std::string Error(std::string_view type) {
    return HttpReply(fmt::format(R"({{"__type":"{}","message":"told to"}})", type), "HTTP/1.1 400 Bad Request\r\n");
  }

  std::string Answer(const std::string& request) {
    const size_t head_end = request.find("\r\n\r\n");
    const std::string body = request.substr(head_end + 4);
    if (request.find("Kinesis_20131202.DescribeStreamSummary") < head_end) {
      if (stream_status_.empty()) return Error("ResourceNotFoundException");
      return HttpReply(fmt::format(R"({{"StreamDescriptionSummary":{{"StreamStatus":"{}"}}}})", stream_status_));
    }
    std::string reply;
    {
      const std::lock_guard lock(mutex_);
      ++requests_;
      if (errors_left_ > 0) {
        --errors_left_;
        return Error(error_type_);
      }
      reply = Take(body);
      if (std::exchange(loses_reply_, false)) return HttpReply("", "HTTP/1.1 500 Oh\r\n");
    }
    if (on_put) on_put();
    return reply;
  }

  std::string Take(const std::string& body) {
    simdjson::dom::parser parser;
    const simdjson::dom::array records = parser.parse(body)["Records"].get_array();
    const std::set<size_t> failing = std::exchange(failing_, {});
    for (const simdjson::dom::element record : records) {
      const size_t size = Base64DecodedCapacity(record["Data"].get_string_length().value());
      if (size > KinesisClient::kMaxRecordBytes) return Error("ValidationException");
    }
    std::string results;
    size_t index = 0;
    for (const simdjson::dom::element record : records) {
      Arena arena;
      const auto data = DecodeBase64(record["Data"].get_string().value(), arena);
      EXPECT_TRUE(data.has_value());
      if (index > 0) results += ',';
      if (failing.contains(index++)) {
        results += R"({"ErrorCode":"ProvisionedThroughputExceededException","ErrorMessage":"slow down"})";
        continue;
      }
      results += R"({"SequenceNumber":"1","ShardId":"shardId-000000000000"})";
      received_.push_back({std::string(record["PartitionKey"].get_string().value()), std::string(*data)});
    }
    return HttpReply(fmt::format(R"({{"FailedRecordCount":{},"Records":[{}]}})", failing.size(), results));
  }

  mutable std::mutex mutex_;
  std::string stream_status_ = "ACTIVE";
  std::vector<Received> received_;
  size_t requests_ = 0;
  std::set<size_t> failing_;
  std::string error_type_;
  size_t errors_left_ = 0;
  bool loses_reply_ = false;
  TinyHttpServer server_;
};

class KinesisDeliveryTest : public testing::Test {
 protected:
  KinesisDeliveryTest() {
    Start();
    table_ = house_->CreateTable("tbl");
    Take();
  }

  // A process over what the engine has.
  void Start(const std::optional<std::string>& endpoint = {}) {
    delivery_.reset();
    client_ = std::make_unique<KinesisClient>(KinesisOptions{.endpoint = endpoint.value_or(kinesis_.Url()),
                                                             .access_key_id = {},
                                                             .secret_access_key = {},
                                                             .session_token = {}});
    journal_.reset();
    house_ = std::make_unique<table::House>(*engine_, clock_, 0);
    ASSERT_TRUE(RunBlocking(house_->catalog.Load()).ok());
    metrics_ = std::make_unique<Metrics>();
    meters_ = std::make_unique<KinesisMeters>(*metrics_, clock_);
    journal_ = std::make_unique<table::Journal>(*engine_, clock_, house_->catalog, *metrics_);
    ASSERT_TRUE(RunBlocking(journal_->Load()).ok());
    table_ = house_->catalog.Find(table::kScope, "tbl");
    if (table_) Take();
  }
  void Take() {
    delivery_ = std::make_unique<KinesisDelivery>(
        KinesisDelivery::House{house_->catalog, *journal_, clock_, random_, *client_, *meters_}, table_);
  }
  void Crash() {
    engine_->Crash();
    Start();
  }

  void Change(const std::function<void(TableDef&)>& change) {
    const auto apply = [&](TableDef& def) -> model::ApiResult<void> {
      change(def);
      return {};
    };
    ASSERT_TRUE(RunBlocking(house_->catalog.Update(table::kScope, "tbl", apply)).has_value());
  }
  void SetStatus(KinesisStatus status) {
    Change([&](TableDef& def) {
      def.kinesis.front().status = status;
      def.kinesis.front().since_millis = clock_.NowMillis();
    });
  }
  // What EnableKinesisStreamingDestination does to the definition.
  void Enable(const std::string& arn = kArn, const std::string& precision = {}) {
    Change([&](TableDef& def) {
      const uint64_t generation = def.kinesis.empty() ? 1 : def.kinesis.front().generation + 1;
      def.kinesis.insert(def.kinesis.begin(), {.stream_arn = arn,
                                               .status = KinesisStatus::kEnabling,
                                               .status_description = {},
                                               .precision = precision,
                                               .generation = generation,
                                               .since_millis = clock_.NowMillis()});
    });
  }
  void MakeActive(const std::string& precision = {}) {
    Enable(kArn, precision);
    Run();
    ASSERT_EQ(State(), "ACTIVE");
  }
  std::string State() const { return std::string(model::KinesisStatusName(table_->def()->kinesis.front().status)); }
  std::string Why() const { return table_->def()->kinesis.front().status_description; }

  KinesisDelivery::Outcome Step() { return delivery_->Step({}); }
  // Until there is nothing to do at once.
  KinesisDelivery::Outcome Run() {
    KinesisDelivery::Outcome outcome = Step();
    while (outcome.next == Next::kAgain) outcome = Step();
    return outcome;
  }
  void Put(const std::string& key, const std::string& value) {
    const std::string item = fmt::format("pk=S:{},v=S:{}", key, value);
    EXPECT_EQ(RunBlocking(TestWrite::Put(*table_, item)->Execute(house_->writes)), "ok");
  }
  std::string Metric(const std::string& name) const {
    const std::string text = metrics_->RenderPrometheus();
    const size_t at = text.find("\n" + name + " ");
    if (at == std::string::npos) return "(none)";
    const size_t value = at + name.size() + 2;
    return text.substr(value, text.find('\n', value) - value);
  }

  ManualClock clock_;
  SeededRandom random_{7};
  Metrics engine_metrics_;
  FakeKinesis kinesis_;
  std::unique_ptr<storage::FaultyEngine> engine_ = storage::OpenFaultyEngine({}, engine_metrics_);
  std::unique_ptr<Metrics> metrics_;
  std::unique_ptr<table::House> house_;
  std::unique_ptr<table::Journal> journal_;
  std::unique_ptr<KinesisClient> client_;
  std::unique_ptr<KinesisMeters> meters_;
  std::unique_ptr<KinesisDelivery> delivery_;
  std::shared_ptr<table::Table> table_;
};

TEST_F(KinesisDeliveryTest, ChangesArriveInOrderWithBothImages) {
  Put("before", "not followed yet");
  MakeActive();
  Put("a", "1");
  Put("b", "2");
  Put("a", "3");
  Put("a", "3");  // changes nothing
  EXPECT_EQ(RunBlocking(TestWrite::Delete(*table_, "pk=S:a")->Execute(house_->writes)), "ok");
  EXPECT_EQ(Run().next, Next::kAwaitRecords);

  const auto received = kinesis_.received();
  ASSERT_EQ(received.size(), 4u);
  EXPECT_THAT(kinesis_.Values(), ElementsAre("\"1\"", "\"2\"", "\"3\"", "(none)"));
  EXPECT_EQ(received[0].partition_key, received[2].partition_key);
  EXPECT_EQ(received[0].partition_key, received[3].partition_key);
  EXPECT_NE(received[0].partition_key, received[1].partition_key);
  EXPECT_THAT(received[0].partition_key, testing::MatchesRegex("[0-9A-F]{32}"));

  const std::string& modified = received[2].data;
  EXPECT_EQ(Member(modified, "/eventName"), "\"MODIFY\"");
  EXPECT_EQ(Member(modified, "/tableName"), "\"tbl\"");
  EXPECT_EQ(Member(modified, "/awsRegion"), "\"r\"");
  EXPECT_EQ(Member(modified, "/eventSource"), "\"aws:dynamodb\"");
  EXPECT_EQ(Member(modified, "/recordFormat"), "\"application/json\"");
  EXPECT_EQ(Member(modified, "/userIdentity"), "null");
  EXPECT_EQ(Member(modified, "/dynamodb/Keys"), R"({"pk":{"S":"a"}})");
  EXPECT_EQ(Member(modified, "/dynamodb/OldImage/v"), R"({"S":"1"})");
  EXPECT_EQ(Member(modified, "/dynamodb/NewImage/v"), R"({"S":"3"})");
  EXPECT_EQ(Member(modified, "/dynamodb/SizeBytes"), "13") << "pk+a, and twice pk+a+v+3";
  EXPECT_EQ(Member(modified, "/dynamodb/ApproximateCreationDateTime"), fmt::format("{}", clock_.NowMillis()));
  EXPECT_EQ(Member(modified, "/dynamodb/ApproximateCreationDateTimePrecision"), "(none)");
  EXPECT_EQ(Member(received[3].data, "/eventName"), "\"REMOVE\"");
  EXPECT_EQ(Metric("armature_kinesis_records_delivered_total"), "4");
}

TEST_F(KinesisDeliveryTest, TimesAreAsPreciseAsAskedFor) {
  MakeActive("MILLISECOND");
  Put("a", "1");
  Run();
  Change([](TableDef& def) { def.kinesis.front().precision = "MICROSECOND"; });
  SetStatus(KinesisStatus::kUpdating);
  Put("a", "2");
  Run();
  EXPECT_EQ(State(), "ACTIVE");
  const auto received = kinesis_.received();
  ASSERT_EQ(received.size(), 2u);
  const std::string precision = "/dynamodb/ApproximateCreationDateTimePrecision";
  EXPECT_EQ(Member(received[0].data, precision), "\"MILLISECOND\"");
  EXPECT_EQ(Member(received[1].data, precision), "\"MICROSECOND\"");
  EXPECT_EQ(Member(received[1].data, "/dynamodb/ApproximateCreationDateTime").size(), 16u);
}

TEST_F(KinesisDeliveryTest, WhatKinesisDoesNotTakeIsSentAgainWithWhatFollowsIt) {
  MakeActive();
  for (const char* value : {"1", "2", "3", "4"}) Put(*value % 2 ? "odd" : "even", value);
  kinesis_.FailMembers({0});
  const auto outcome = Run();
  EXPECT_EQ(outcome.next, Next::kPause);
  EXPECT_GT(outcome.pause.count(), 0);
  EXPECT_THAT(kinesis_.Values(), ElementsAre("\"2\"", "\"3\"", "\"4\""));
  EXPECT_EQ(Run().next, Next::kAwaitRecords);
  EXPECT_THAT(kinesis_.Values(), ElementsAre("\"2\"", "\"3\"", "\"4\"", "\"1\"", "\"3\""))
      << "an item's last record is the last to arrive";
  const auto received = kinesis_.received();
  EXPECT_EQ(Member(received[1].data, "/eventID"), Member(received[4].data, "/eventID"));
}

TEST_F(KinesisDeliveryTest, AnUnreachableStreamIsTriedAgainEverMoreSlowly) {
  MakeActive();
  Put("a", "1");
  kinesis_.FailRequests("ProvisionedThroughputExceededException", 3);
  const auto first = Run(), second = Run(), third = Run();
  EXPECT_EQ(first.next, Next::kPause);
  EXPECT_LT(first.pause, second.pause);
  EXPECT_LT(second.pause, third.pause);
  clock_.AdvanceMillis(7000);
  EXPECT_EQ(Metric("armature_kinesis_lag_seconds"), "7");
  EXPECT_EQ(Metric("armature_kinesis_failures_total"), "3");
  EXPECT_EQ(Run().next, Next::kAwaitRecords);
  EXPECT_EQ(Metric("armature_kinesis_lag_seconds"), "0");
  EXPECT_THAT(kinesis_.Values(), ElementsAre("\"1\""));
}

TEST_F(KinesisDeliveryTest, OnlyARecordThatIsTooLargeIsGivenUp) {
  MakeActive();
  Put("a", "1");
  // Every \x01 is six characters of JSON.
  const std::string item = "pk=S:large,v=S:" + std::string(200'000, '\x01');
  EXPECT_EQ(RunBlocking(TestWrite::Put(*table_, item)->Execute(house_->writes)), "ok");
  Put("b", "2");
  EXPECT_EQ(Run().next, Next::kAwaitRecords);
  EXPECT_THAT(kinesis_.Values(), ElementsAre("\"1\"", "\"2\""));
  EXPECT_EQ(Metric("armature_kinesis_records_dropped_total"), "1");

  kinesis_.FailRequests("ValidationException", 2);
  Put("c", "kept");
  EXPECT_EQ(Run().next, Next::kPause) << "a refusal that size does not explain is no reason to lose a record";
  Run();
  Run();
  EXPECT_EQ(kinesis_.Values().back(), "\"kept\"");
}

TEST_F(KinesisDeliveryTest, ManyRecordsGoInRequestsOfAtMostFiveHundred) {
  MakeActive();
  for (int i = 0; i < 1203; ++i) Put(fmt::format("k{}", i), fmt::format("{}", i));
  EXPECT_EQ(Run().next, Next::kAwaitRecords);
  EXPECT_EQ(kinesis_.received().size(), 1203u);
  EXPECT_EQ(kinesis_.requests(), 3u);
}

TEST_F(KinesisDeliveryTest, ACrashRepeatsButLosesNothing) {
  MakeActive();
  Put("a", "1");
  Run();
  Put("a", "2");
  kinesis_.LoseNextReply();
  EXPECT_EQ(Run().next, Next::kPause);
  Crash();
  Put("a", "3");
  EXPECT_EQ(Run().next, Next::kAwaitRecords);
  EXPECT_THAT(kinesis_.Values(), ElementsAre("\"1\"", "\"2\"", "\"2\"", "\"3\""));
  const auto received = kinesis_.received();
  EXPECT_EQ(Member(received[1].data, "/eventID"), Member(received[2].data, "/eventID"));
  Crash();
  EXPECT_EQ(Run().next, Next::kAwaitRecords);
  EXPECT_EQ(kinesis_.received().size(), 4u) << "what was noted is not sent again";
}

TEST_F(KinesisDeliveryTest, AnItemsOrderHoldsAcrossSplitLanes) {
  MakeActive();
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 20; ++i) Put(fmt::format("k{}", i), fmt::format("{:02}", round));
    const auto lanes = table_->journal().state()->lanes;
    for (const auto& lane : lanes) {
      if (!lane.is_open()) continue;
      ASSERT_TRUE(RunBlocking(journal_->SplitLane(table_, lane.id, round % 2 == 0)).ok());
    }
  }
  EXPECT_EQ(Run().next, Next::kAwaitRecords);
  std::map<std::string, std::vector<std::string>> by_key;
  for (const auto& record : kinesis_.received())
    by_key[record.partition_key].push_back(Member(record.data, "/dynamodb/NewImage/v/S"));
  ASSERT_EQ(by_key.size(), 20u);
  for (const auto& [key, values] : by_key) EXPECT_THAT(values, ElementsAre("\"00\"", "\"01\"", "\"02\"", "\"03\""));
}

TEST_F(KinesisDeliveryTest, DisablingDeliversWhatIsThereAndEndsTheFollowing) {
  MakeActive();
  Put("a", "1");
  SetStatus(KinesisStatus::kDisabling);
  EXPECT_EQ(Run().next, Next::kEnd);
  EXPECT_EQ(State(), "DISABLED");
  EXPECT_THAT(kinesis_.Values(), ElementsAre("\"1\""));
  EXPECT_FALSE(table_->journal().is_followed());
  Put("a", "2");
  MakeActive();
  Put("a", "3");
  Run();
  EXPECT_THAT(kinesis_.Values(), ElementsAre("\"1\"", "\"3\"")) << "what came in between is not caught up with";
}

TEST_F(KinesisDeliveryTest, DisablingDoesNotWaitForAStreamThatIsGone) {
  MakeActive();
  Put("a", "1");
  kinesis_.FailRequests("ResourceNotFoundException", 1000);
  SetStatus(KinesisStatus::kDisabling);
  EXPECT_EQ(Run().next, Next::kEnd);
  EXPECT_EQ(State(), "DISABLED");
}

TEST_F(KinesisDeliveryTest, AStreamThatCannotBeUsedFails) {
  const auto fails_with = [&](std::string_view why, const std::string& arn = kArn) {
    Enable(arn);
    EXPECT_EQ(Run().next, Next::kEnd);
    EXPECT_EQ(State(), "ENABLE_FAILED");
    EXPECT_EQ(Why(), why);
    EXPECT_FALSE(table_->journal().is_followed());
  };
  fails_with(model::messages::kKinesisOtherRegion, "arn:aws:kinesis:elsewhere:1:stream/changes");
  fails_with(model::messages::kKinesisNotPermitted, "arn:aws:dynamodb:r:1:table/changes");
  kinesis_.SetStreamStatus("CREATING");
  fails_with(model::messages::kKinesisNotPermitted);
  kinesis_.SetStreamStatus("DELETING");
  fails_with(model::messages::kKinesisStreamNotActive);
  kinesis_.SetStreamStatus("");
  fails_with(model::messages::kKinesisNotPermitted);
  Start("");
  fails_with(model::messages::kKinesisNoEndpoint);
}

TEST_F(KinesisDeliveryTest, AnEndpointThatDoesNotAnswerIsGivenAMinute) {
  std::string gone;
  {
    gone = TinyHttpServer([](const std::string&) { return std::string(); }).Url();
  }
  Start(gone);
  Enable();
  EXPECT_EQ(Run().next, Next::kPause);
  EXPECT_EQ(State(), "ENABLING");
  clock_.AdvanceMillis(KinesisDelivery::kEnableMillis);
  EXPECT_EQ(Run().next, Next::kEnd);
  EXPECT_EQ(State(), "ENABLE_FAILED");
  EXPECT_THAT(Why(), HasSubstr(gone));
}

TEST_F(KinesisDeliveryTest, ADeletedTableEndsDelivery) {
  MakeActive();
  const auto agree = [](TableDef&) -> model::ApiResult<void> { return {}; };
  ASSERT_TRUE(RunBlocking(house_->catalog.Delete(table::kScope, "tbl", agree)).has_value());
  EXPECT_EQ(Run().next, Next::kEnd);
}

TEST_F(KinesisDeliveryTest, AWorkerDeliversWithoutBeingDriven) {
  std::promise<void> delivered;
  kinesis_.on_put = [&] {
    if (kinesis_.received().size() == 3) delivered.set_value();
  };
  KinesisWorker worker({.endpoint = kinesis_.Url(), .access_key_id = {}, .secret_access_key = {}, .session_token = {}},
                       house_->catalog, *journal_, clock_, random_, *metrics_);
  worker.Announce(table_);  // not started: nothing happens
  MakeActive();
  Put("a", "1");
  worker.Start();
  Put("a", "2");
  Put("a", "3");
  delivered.get_future().wait();
  worker.Stop();
  EXPECT_THAT(kinesis_.Values(), ElementsAre("\"1\"", "\"2\"", "\"3\""));
}

// One of each table that ever had a destination stayed, and with it the table.
TEST_F(KinesisDeliveryTest, AWorkerForgetsTablesThatHaveNothingToDeliver) {
  KinesisWorker worker({.endpoint = kinesis_.Url(), .access_key_id = {}, .secret_access_key = {}, .session_token = {}},
                       house_->catalog, *journal_, clock_, random_, *metrics_);
  MakeActive();
  worker.Start();
  EXPECT_EQ(worker.runners(), 1u);
  worker.Tend();
  EXPECT_EQ(worker.runners(), 1u);
  SetStatus(KinesisStatus::kDisabling);
  worker.Announce(table_);
  while (worker.runners() > 0) worker.Tend();
  EXPECT_EQ(State(), "DISABLED");
  // And takes them up again.
  Enable(kArn, {});
  worker.Announce(table_);
  EXPECT_EQ(worker.runners(), 1u);
  worker.Stop();
}

TEST(KinesisStreamArnTest, OnlyStreamsHaveOne) {
  KinesisStreamArn stream;
  EXPECT_TRUE(ParseKinesisStreamArn("arn:aws:kinesis:eu-west-1:123456789012:stream/a-b", &stream));
  EXPECT_EQ(stream.region, "eu-west-1");
  EXPECT_EQ(stream.name, "a-b");
  for (const char* wrong : {"", "a-b", "arn:aws:kinesis:eu-west-1:123456789012:stream/",
                            "arn:aws:kinesis:eu-west-1:123456789012:stream/a/consumer/b:1",
                            "arn:aws:firehose:eu-west-1:123456789012:stream/a"})
    EXPECT_FALSE(ParseKinesisStreamArn(wrong, &stream)) << wrong;
}

}  // namespace
}  // namespace armature::workers
