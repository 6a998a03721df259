#include "triggers/batch_delivery.h"

#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "model/sequence_number.h"

namespace armature::triggers {
namespace {

using testing::ElementsAre;

// Fails whenever one of the poisoned records is in the event, and remembers what it was called with.
class PoisonedFunction final : public Function {
 public:
  Invocation Invoke(std::string_view event, const std::stop_token&) override {
    simdjson::dom::parser parser;
    std::vector<int64_t> ids;
    for (const auto record : parser.parse(event.data(), event.size())["Records"].get_array())
      ids.push_back(record["id"].get_int64());
    if (not_run > 0) return --not_run, Invocation{false, {}, "no process", false};
    calls.push_back(ids);
    if (on_call) on_call();
    for (const int64_t id : ids) {
      if (!poison.contains(id)) continue;
      if (!reports) return {false, {}, "poison"};
      return {true,
              R"({"batchItemFailures":[{"itemIdentifier":")" + model::SequenceNumber(static_cast<uint64_t>(id), 0) +
                  R"("}]})",
              {}};
    }
    return {true, answer, {}};
  }

  std::vector<std::vector<int64_t>> calls;
  std::set<int64_t> poison;
  int not_run = 0;  // calls for which there will be no process
  bool reports = false;
  std::string answer = "{}";
  std::function<void()> on_call;
};

class BatchDeliveryTest : public testing::Test {
 protected:
  BatchDeliveryTest()
      : directory_(testing::TempDir() + "/armature-destination-" + std::to_string(getpid())),
        destination_({directory_, {}}, http_, random_) {
    std::filesystem::remove_all(directory_);
  }
  ~BatchDeliveryTest() override { std::filesystem::remove_all(directory_); }

  std::vector<EventRecord> Records(int count) {
    std::vector<EventRecord> records;
    for (int id = 1; id <= count; ++id)
      records.push_back({fmt_id(id), static_cast<uint64_t>(id), 0, clock_.NowMillis()});
    return records;
  }
  static std::string fmt_id(int id) { return "{\"id\":" + std::to_string(id) + "}"; }

  bool Deliver(const std::vector<EventRecord>& records) {
    FailedBatch account;
    account.mapping_uuid = "m";
    account.function_arn = "arn:f";
    account.stream_arn = "arn:s";
    account.shard_id = "shardId-1";
    const auto told = [this](bool, const std::string& error) { last_error_ = error; };
    BatchDelivery delivery(rules_, {function_, destination_, clock_, counters_, account, told});
    return Drive(delivery, records);
  }
  bool Drive(BatchDelivery& delivery, const std::vector<EventRecord>& records) {
    delivery.Begin(records);
    for (;;) {
      const auto outcome = delivery.Advance([this](size_t n) { finished_ += n; }, stop_.get_token());
      if (outcome.progress == BatchDelivery::Progress::kDone) return true;
      if (outcome.progress == BatchDelivery::Progress::kStopped) return false;
      if (outcome.progress == BatchDelivery::Progress::kAgain) continue;
      pauses_.push_back(outcome.pause_millis);
      clock_.AdvanceMillis(outcome.pause_millis);
    }
  }

  std::vector<std::string> Accounts() const {
    std::vector<std::string> accounts;
    if (!std::filesystem::exists(directory_)) return accounts;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path());
      accounts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return accounts;
  }

  HttpClient http_;
  SeededRandom random_{1};
  ManualClock clock_;
  Metrics metrics_;
  TriggerCounters counters_{metrics_, "t"};
  PoisonedFunction function_;
  std::string directory_;
  Destination destination_;
  DeliveryRules rules_;
  std::stop_source stop_;
  std::vector<int64_t> pauses_;
  std::string last_error_;
  size_t finished_ = 0;
};

// Records were given up although the function had never seen them.
TEST_F(BatchDeliveryTest, ACallThatCouldNotBeMadeIsNoRetryAndNoReasonToHalve) {
  rules_.max_retry_attempts = 0;
  rules_.bisects_on_error = true;
  function_.not_run = 20;
  EXPECT_TRUE(Deliver(Records(4)));
  EXPECT_THAT(function_.calls, ElementsAre(ElementsAre(1, 2, 3, 4)));
  EXPECT_EQ(finished_, 4u);
  EXPECT_EQ(pauses_.size(), 20u);
  for (const int64_t pause : pauses_) EXPECT_LE(pause, 1000);
  EXPECT_EQ(counters_.invocations.value(), 1u);
  EXPECT_EQ(counters_.errors.value(), 0u);
  EXPECT_EQ(counters_.discarded.value(), 0u);
}

TEST_F(BatchDeliveryTest, ACallThatCanNeverBeMadeEndsWithTheAgeOfItsRecords) {
  rules_.max_record_age_millis = 60'000;
  function_.not_run = 1000;
  EXPECT_TRUE(Deliver(Records(2)));
  EXPECT_TRUE(function_.calls.empty());
  EXPECT_EQ(counters_.discarded.value(), 2u);
  EXPECT_EQ(Accounts().size(), 1u);
}

TEST_F(BatchDeliveryTest, AGoodBatchGoesOnce) {
  EXPECT_TRUE(Deliver(Records(3)));
  EXPECT_THAT(function_.calls, ElementsAre(ElementsAre(1, 2, 3)));
  EXPECT_EQ(finished_, 3u);
  EXPECT_EQ(counters_.records.value(), 3u);
  EXPECT_EQ(counters_.errors.value(), 0u);
  EXPECT_EQ(last_error_, "");
}

TEST_F(BatchDeliveryTest, RetriesWithGrowingPausesUntilItSucceeds) {
  function_.poison = {2};
  function_.on_call = [this] {
    if (function_.calls.size() == 5) function_.poison.clear();
  };
  EXPECT_TRUE(Deliver(Records(3)));
  EXPECT_EQ(function_.calls.size(), 5u);
  EXPECT_THAT(pauses_, ElementsAre(100, 200, 400, 800));
  EXPECT_EQ(finished_, 3u);
  EXPECT_EQ(counters_.errors.value(), 4u);
}

TEST_F(BatchDeliveryTest, PausesDoNotGrowForever) {
  function_.poison = {1};
  rules_.max_retry_attempts = 40;
  EXPECT_TRUE(Deliver(Records(1)));
  EXPECT_EQ(pauses_.back(), rules_.longest_pause_millis);
}

TEST_F(BatchDeliveryTest, UsedUpRetriesGoToTheDestination) {
  function_.poison = {2};
  rules_.max_retry_attempts = 2;
  EXPECT_TRUE(Deliver(Records(3)));
  EXPECT_EQ(function_.calls.size(), 3u);
  EXPECT_EQ(finished_, 3u);
  EXPECT_EQ(counters_.discarded.value(), 3u);
  const auto accounts = Accounts();
  ASSERT_EQ(accounts.size(), 1u);
  simdjson::dom::parser parser;
  const auto account = parser.parse(accounts[0]);
  EXPECT_EQ(account["requestContext"]["condition"].get_string().value(), "RetryAttemptsExhausted");
  EXPECT_EQ(account["requestContext"]["functionArn"].get_string().value(), "arn:f");
  EXPECT_EQ(account["requestContext"]["approximateInvokeCount"].get_int64().value(), 3);
  EXPECT_EQ(account["version"].get_string().value(), "1.0");
  const auto info = account["DDBStreamBatchInfo"];
  EXPECT_EQ(info["shardId"].get_string().value(), "shardId-1");
  EXPECT_EQ(info["streamArn"].get_string().value(), "arn:s");
  EXPECT_EQ(info["startSequenceNumber"].get_string().value(), model::SequenceNumber(1, 0));
  EXPECT_EQ(info["endSequenceNumber"].get_string().value(), model::SequenceNumber(3, 0));
  EXPECT_EQ(info["batchSize"].get_int64().value(), 3);
  EXPECT_EQ(info["approximateArrivalOfFirstRecord"].get_string().value(), "2023-11-14T22:13:20Z");
  EXPECT_EQ(account["payload"].get_string().value(), R"({"Records":[{"id":1},{"id":2},{"id":3}]})");
}

TEST_F(BatchDeliveryTest, NoRetriesAtAll) {
  function_.poison = {1};
  rules_.max_retry_attempts = 0;
  EXPECT_TRUE(Deliver(Records(1)));
  EXPECT_EQ(function_.calls.size(), 1u);
  EXPECT_EQ(Accounts().size(), 1u);
}

TEST_F(BatchDeliveryTest, BisectingIsolatesThePoison) {
  function_.poison = {3};
  rules_.bisects_on_error = true;
  rules_.max_retry_attempts = 0;
  EXPECT_TRUE(Deliver(Records(4)));
  EXPECT_THAT(function_.calls, ElementsAre(ElementsAre(1, 2, 3, 4), ElementsAre(1, 2), ElementsAre(3, 4),
                                           ElementsAre(3), ElementsAre(4)));
  EXPECT_EQ(finished_, 4u);
  EXPECT_EQ(counters_.records.value(), 3u);
  EXPECT_EQ(counters_.discarded.value(), 1u);
}

TEST_F(BatchDeliveryTest, EachHalfHasAllItsRetries) {
  function_.poison = {1};
  rules_.bisects_on_error = true;
  rules_.max_retry_attempts = 2;
  EXPECT_TRUE(Deliver(Records(2)));
  EXPECT_THAT(function_.calls,
              ElementsAre(ElementsAre(1, 2), ElementsAre(1), ElementsAre(1), ElementsAre(1), ElementsAre(2)));
}

TEST_F(BatchDeliveryTest, ReportedItemsAreTakenUpWhereTheyFailed) {
  function_.poison = {3};
  function_.reports = true;
  rules_.reports_item_failures = true;
  rules_.max_retry_attempts = 1;
  EXPECT_TRUE(Deliver(Records(4)));
  EXPECT_THAT(function_.calls, ElementsAre(ElementsAre(1, 2, 3, 4), ElementsAre(3, 4)));
  EXPECT_EQ(finished_, 4u);
  EXPECT_EQ(counters_.records.value(), 2u);
  EXPECT_EQ(counters_.discarded.value(), 2u);
}

TEST_F(BatchDeliveryTest, ReportsAndBisectingTogetherLoseOnlyThePoison) {
  function_.poison = {3};
  function_.reports = true;
  rules_.reports_item_failures = true;
  rules_.bisects_on_error = true;
  rules_.max_retry_attempts = 1;
  EXPECT_TRUE(Deliver(Records(5)));
  EXPECT_EQ(counters_.records.value(), 4u);
  EXPECT_EQ(counters_.discarded.value(), 1u);
}

TEST_F(BatchDeliveryTest, ReportsCountOnlyIfTheMappingSaysSo) {
  function_.poison = {3};
  function_.reports = true;
  EXPECT_TRUE(Deliver(Records(4)));
  EXPECT_EQ(function_.calls.size(), 1u);
}

TEST_F(BatchDeliveryTest, OldRecordsAreGivenUp) {
  rules_.max_record_age_millis = 60'000;
  auto records = Records(2);
  records[0].created_millis -= 60'001;
  EXPECT_TRUE(Deliver(records));
  EXPECT_THAT(function_.calls, ElementsAre(ElementsAre(2)));
  EXPECT_EQ(finished_, 2u);
  ASSERT_EQ(Accounts().size(), 1u);
  EXPECT_NE(Accounts()[0].find("RecordAgeExceeded"), std::string::npos);
}

TEST_F(BatchDeliveryTest, AFailingBatchGetsTooOldInTheEnd) {
  rules_.max_record_age_millis = 60'000;
  function_.poison = {1};
  EXPECT_TRUE(Deliver(Records(2)));
  EXPECT_EQ(finished_, 2u);
  EXPECT_EQ(counters_.discarded.value(), 2u);
  EXPECT_NE(Accounts()[0].find("RecordAgeExceeded"), std::string::npos);
}

TEST_F(BatchDeliveryTest, StoppingLeavesTheRestUndone) {
  function_.poison = {1};
  function_.on_call = [this] {
    if (function_.calls.size() == 3) stop_.request_stop();
  };
  EXPECT_FALSE(Deliver(Records(2)));
  EXPECT_EQ(finished_, 0u);
}

TEST_F(BatchDeliveryTest, ADestinationThatTakesNothingDoesNotBlock) {
  Destination nowhere({"/proc/nowhere", {}}, http_, random_);
  function_.poison = {1};
  rules_.max_retry_attempts = 0;
  BatchDelivery delivery(rules_, {function_, nowhere, clock_, counters_, {}, [](bool, const std::string&) {}});
  EXPECT_TRUE(Drive(delivery, Records(1)));
  EXPECT_EQ(finished_, 1u);
  EXPECT_EQ(counters_.destination_failures.value(), 1u);
}

TEST(TakenByAnswer, AsLambdaUnderstandsIt) {
  std::vector<EventRecord> records(3);
  for (size_t i = 0; i < 3; ++i) records[i].position = 10 + i;
  const auto taken = [&](const std::string& payload) { return TakenByAnswer(payload, records); };
  const auto failing = [](uint64_t position) {
    return R"({"itemIdentifier":")" + model::SequenceNumber(position, 0) + "\"}";
  };
  for (const char* all : {"", "null", "{}", R"({"batchItemFailures":[]})", R"({"batchItemFailures":null})", "\"ok\""})
    EXPECT_EQ(taken(all), 3u) << all;
  for (const char* none : {R"({"batchItemFailures":[{"itemIdentifier":""}]})", R"({"batchItemFailures":[{"id":"1"}]})",
                           R"({"batchItemFailures":[{"itemIdentifier":null}]})", R"({"batchItemFailures":"x"})",
                           R"({"batchItemFailures":[{"itemIdentifier":"77"}]})"})
    EXPECT_EQ(taken(none), 0u) << none;
  EXPECT_EQ(taken("{\"batchItemFailures\":[" + failing(12) + "]}"), 2u);
  EXPECT_EQ(taken("{\"batchItemFailures\":[" + failing(12) + "," + failing(11) + "]}"), 1u);
  EXPECT_EQ(taken("{\"batchItemFailures\":[" + failing(10) + "]}"), 0u);
}

TEST(DestinationOf, DirectoryOrUrl) {
  EXPECT_EQ(DestinationOf("/a/b").directory, "/a/b");
  EXPECT_EQ(DestinationOf("http://h/x").url, "http://h/x");
  EXPECT_TRUE(DestinationOf("arn:aws:sqs:us-east-1:123456789012:q").is_none());
  EXPECT_TRUE(DestinationOf("").is_none());
}

}  // namespace
}  // namespace armature::triggers
