// What the tests of delivery to Kinesis share: a Kinesis that answers as the test tells it, on a socket, and a table
// with a destination.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "base/codec/base64.h"
#include "base/mutex.h"
#include "base/testing/http_testing.h"
#include "table/table_testing.h"
#include "workers/kinesis/kinesis_delivery.h"

namespace armature::workers {

using model::KinesisStatus;
using model::TableDef;
using table::TestWrite;

inline constexpr const char* kArn = "arn:aws:kinesis:r:1:stream/changes";

struct Received {
  std::string partition_key;
  std::string data;
};

inline std::string Member(const std::string& json, std::string_view pointer) {
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
    MutexLock lock(mutex_);
    return received_;
  }
  // The attribute `v` of each new image, in the order of arrival.
  std::vector<std::string> Values() const {
    std::vector<std::string> values;
    for (const auto& record : received()) values.push_back(Member(record.data, "/dynamodb/NewImage/v/S"));
    return values;
  }
  size_t requests() const {
    MutexLock lock(mutex_);
    return requests_;
  }
  void SetStreamStatus(std::string status) {
    MutexLock lock(mutex_);
    stream_status_ = std::move(status);
  }
  // Which members of the next request fail; a whole error instead if it is not empty.
  void FailMembers(std::set<size_t> members) {
    MutexLock lock(mutex_);
    failing_ = std::move(members);
  }
  void FailRequests(std::string type, size_t count) {
    MutexLock lock(mutex_);
    error_type_ = std::move(type);
    errors_left_ = count;
  }
  // The next records are taken, but nobody is told.
  void LoseNextReply() {
    MutexLock lock(mutex_);
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
      MutexLock lock(mutex_);
      if (stream_status_.empty()) return Error("ResourceNotFoundException");
      return HttpReply(fmt::format(R"({{"StreamDescriptionSummary":{{"StreamStatus":"{}"}}}})", stream_status_));
    }
    std::string reply;
    {
      MutexLock lock(mutex_);
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

  std::string Take(const std::string& body) ARMATURE_WITH_LOCK(mutex_) {
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

  mutable Mutex mutex_;
  std::string stream_status_ ARMATURE_GUARDED_BY(mutex_) = "ACTIVE";
  std::vector<Received> received_ ARMATURE_GUARDED_BY(mutex_);
  size_t requests_ ARMATURE_GUARDED_BY(mutex_) = 0;
  std::set<size_t> failing_ ARMATURE_GUARDED_BY(mutex_);
  std::string error_type_ ARMATURE_GUARDED_BY(mutex_);
  size_t errors_left_ ARMATURE_GUARDED_BY(mutex_) = 0;
  bool loses_reply_ ARMATURE_GUARDED_BY(mutex_) = false;
  TinyHttpServer server_;
};

class KinesisDeliveryTest : public testing::Test {
 protected:
  KinesisDeliveryTest() {
    Start();
    table_ = layer_->CreateTable("tbl");
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
    layer_ = std::make_unique<table::TableLayer>(*engine_, clock_, 0);
    ASSERT_TRUE(RunBlocking(layer_->catalog.Load()).ok());
    metrics_ = std::make_unique<Metrics>();
    meters_ = std::make_unique<KinesisMeters>(*metrics_, clock_);
    journal_ = std::make_unique<table::Journal>(*engine_, clock_, layer_->catalog, *metrics_);
    ASSERT_TRUE(RunBlocking(journal_->Load()).ok());
    table_ = layer_->catalog.Find(table::kScope, "tbl");
    if (table_) Take();
  }
  void Take() {
    delivery_ = std::make_unique<KinesisDelivery>(
        KinesisDelivery::Deps{layer_->catalog, *journal_, clock_, random_, *client_, *meters_}, table_);
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
    ASSERT_TRUE(RunBlocking(layer_->catalog.Update(table::kScope, "tbl", apply)).has_value());
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
    while (outcome.next == KinesisDelivery::Next::kAgain) outcome = Step();
    return outcome;
  }
  void Put(const std::string& key, const std::string& value) {
    const std::string item = fmt::format("pk=S:{},v=S:{}", key, value);
    EXPECT_EQ(RunBlocking(TestWrite::Put(*table_, item)->Execute(layer_->writes)), "ok");
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
  std::unique_ptr<table::TableLayer> layer_;
  std::unique_ptr<table::Journal> journal_;
  std::unique_ptr<KinesisClient> client_;
  std::unique_ptr<KinesisMeters> meters_;
  std::unique_ptr<KinesisDelivery> delivery_;
  std::shared_ptr<table::Table> table_;
};

}  // namespace armature::workers
