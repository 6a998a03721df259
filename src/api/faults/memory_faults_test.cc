// Every allocation of a request fails once: what the request did is done or not done, nothing stays behind, and the
// next request is served.
//
// Each request of the workload is made with its first allocation failing, then with its second, and so on until it gets
// through. In between everything is read, without failures, and held against what clients were told.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/faults/failing_new.h"
#include "api/faults/fault_workload.h"
#include "base/log.h"
#include "base/memory/memory_reserve.h"
#include "storage/memory/memory_engine.h"
#include "storage/rocksdb/rocksdb_engine.h"
#include "storage/storage_testing.h"

namespace armature::api {
namespace {

class MemoryFaultsTest : public testing::TestWithParam<bool> {
 protected:
  MemoryFaultsTest() {
    SetLogLevel(LogLevel::kOff);
    MemoryReserve::Install(1 << 20);
    if (GetParam()) {
      storage::RocksDbOptions options;
      options.directory = directory_.path() + "/data";
      options.memory_bytes = 8 << 20;
      // Of what is failed here nothing waits for a disk.
      options.durability = storage::Durability::kNone;
      auto opened = storage::OpenRocksDbEngine(options, metrics_);
      EXPECT_TRUE(opened.has_value());
      if (opened) engine_ = std::move(*opened);
    } else {
      engine_ = storage::OpenMemoryEngine(metrics_);
    }
    house_ = std::make_unique<FaultHouse>(*engine_, metrics_);
    EXPECT_TRUE(house_->Load().ok());
  }
  ~MemoryFaultsTest() override {
    std::set_new_handler(nullptr);
    SetLogLevel(LogLevel::kInfo);
  }

  // The call with its n-th allocation failing.
  FaultReply CallFailing(std::string_view operation, const std::string& json, uint64_t n) {
    const Fallible request;
    FaultReply reply;
    try {
      reply = house_->Call(
          operation, json, [n] { FailingNew::Arm(n); }, [] { FailingNew::Disarm(); });
    } catch (const std::bad_alloc&) {
      FailingNew::Disarm();
      reply.kind = FaultReply::Kind::kUnknown;
      reply.error = "bad_alloc";
      ++exceptions_;
    }
    MemoryReserve::Refill();
    return reply;
  }

  storage::TemporaryDirectory directory_;
  Metrics metrics_;
  std::unique_ptr<storage::Engine> engine_;
  std::unique_ptr<FaultHouse> house_;
  size_t exceptions_ = 0;
  uint64_t next_ = 0;  // which allocation of the next call fails; 0 = none
};

INSTANTIATE_TEST_SUITE_P(Engines, MemoryFaultsTest, testing::Bool(),
                         [](const auto& test) { return test.param ? "RocksDb" : "Memory"; });

// Every form of `new` that the server uses can be made to fail.
TEST(FailingNewTest, FailsObjectsAndArrays) {
  const auto fails = [](auto allocate) {
    FailingNew::Arm(1);
    bool has_thrown = false;
    try {
      has_thrown = allocate() == nullptr;
    } catch (const std::bad_alloc&) { has_thrown = true; }
    FailingNew::Disarm();
    return has_thrown && FailingNew::has_failed();
  };
  EXPECT_TRUE(fails([] { return ::operator new(10); }));
  EXPECT_TRUE(fails([] { return ::operator new[](10); }));
  EXPECT_TRUE(fails([] { return ::operator new(10, std::nothrow); }));
  EXPECT_TRUE(fails([] { return ::operator new[](10, std::nothrow); }));
  EXPECT_TRUE(fails([] { return ::operator new(10, std::align_val_t(64)); }));
  EXPECT_TRUE(fails([] { return ::operator new[](10, std::align_val_t(64)); }));
}

TEST_P(MemoryFaultsTest, AWriteIsDoneOrNotDoneWhicheverAllocationFails) {
  FaultWorkload workload;
  workload.AllowNothingPending();
  ASSERT_TRUE(workload.Begin(*house_));
  size_t calls = 0;
  workload.SetCaller([&](FaultHouse& house, std::string_view operation, const std::string& json) {
    if (next_ == 0) return house.Call(operation, json);
    ++calls;
    return CallFailing(operation, json, next_);
  });
  for (size_t step = 0; step < workload.step_count(); ++step) {
    for (next_ = 1;; ++next_) {
      workload.RunStep(*house_, step);
      ASSERT_EQ(workload.problem(), "") << "step " << step << ", allocation " << next_;
      const bool has_failed = FailingNew::has_failed();
      const uint64_t allocation = std::exchange(next_, 0);
      // Reads settle what is open, and show what was left behind.
      ASSERT_TRUE(workload.Check(*house_)) << workload.problem() << "\nstep " << step << ", allocation " << allocation;
      next_ = allocation;
      if (!has_failed) break;
    }
  }
  std::printf("%zu requests, %zu ended by an exception\n", calls, exceptions_);
  EXPECT_GT(exceptions_, 500u);
}

TEST_P(MemoryFaultsTest, AReadTellsTheSameOrNothing) {
  FaultWorkload workload;
  ASSERT_TRUE(workload.Begin(*house_));
  ASSERT_TRUE(workload.Run(*house_));
  const std::pair<std::string_view, std::string> kReads[] = {
      {"GetItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}},"ConsistentRead":true})"},
      {"Query", R"({"TableName":"Loc","KeyConditionExpression":"pk = :p","FilterExpression":"n >= :n",
                    "ExpressionAttributeValues":{":p":{"S":"same"},":n":{"N":"0"}}})"},
      {"Query", R"({"TableName":"Tbl","IndexName":"byG","KeyConditionExpression":"g = :g",
                    "ExpressionAttributeValues":{":g":{"S":"g1"}}})"},
      {"Scan", R"({"TableName":"Tbl","ProjectionExpression":"pk, n"})"},
      {"BatchGetItem", R"({"RequestItems":{"Tbl":{"Keys":[{"pk":{"S":"a"}},{"pk":{"S":"p"}}]}}})"},
      {"TransactGetItems", R"({"TransactItems":[{"Get":{"TableName":"Tbl","Key":{"pk":{"S":"a"}}}},
                               {"Get":{"TableName":"Loc","Key":{"pk":{"S":"same"},"sk":{"S":"Lp"}}}}]})"},
      {"ExecuteStatement", R"({"Statement":"SELECT pk, n FROM \"Tbl\" WHERE pk = 'a'"})"},
      {"DescribeTable", R"({"TableName":"Loc"})"},
  };
  for (const auto& [operation, json] : kReads) {
    const FaultReply expected = house_->Call(operation, json);
    ASSERT_EQ(expected.error, "") << operation;
    for (uint64_t n = 1;; ++n) {
      const FaultReply reply = CallFailing(operation, json, n);
      if (reply.kind == FaultReply::Kind::kOk) {
        EXPECT_EQ(reply.body, expected.body) << operation << " " << n;
      } else {
        EXPECT_EQ(reply.kind, FaultReply::Kind::kUnknown) << operation << " " << n << " " << reply.error;
      }
      if (!FailingNew::has_failed()) break;
    }
  }
  EXPECT_GT(exceptions_, 100u);
}

// The parser of a large document is made for it, and memory for that may be missing, too.
TEST_P(MemoryFaultsTest, ALargeRequestIsNeverTheClientsFault) {
  FaultWorkload workload;
  ASSERT_TRUE(workload.Begin(*house_));
  const std::string put = fmt::format(R"({{"TableName":"Tbl","Item":{{"pk":{{"S":"large"}},"text":{{"S":"{}"}}}}}})",
                                      std::string(300'000, 'x'));
  for (uint64_t n = 1;; ++n) {
    const FaultReply reply = CallFailing("PutItem", put, n);
    EXPECT_NE(reply.kind, FaultReply::Kind::kRefused) << reply.error << " at allocation " << n;
    if (!FailingNew::has_failed()) break;
  }
}

// Tables come and go: each is there or not, and can be made and deleted afterwards.
TEST_P(MemoryFaultsTest, ATableIsThereOrNotWhicheverAllocationFails) {
  const std::string create = R"({"TableName":"New","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
      "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}})";
  const std::string name = R"({"TableName":"New"})";
  const std::string put = R"({"TableName":"New","Item":{"pk":{"S":"k"}}})";
  const auto is_there = [&] { return house_->Call("DescribeTable", name).error.empty(); };
  bool has_failed = true;
  for (uint64_t n = 1; has_failed; ++n) {
    CallFailing("CreateTable", create, n);
    has_failed = FailingNew::has_failed();
    if (!is_there()) {
      const FaultReply again = house_->Call("CreateTable", create);
      ASSERT_EQ(again.error, "") << "after allocation " << n;
    }
    ASSERT_EQ(house_->Call("PutItem", put).error, "") << "after allocation " << n;
    ASSERT_EQ(house_->Call("DeleteTable", name).error, "") << "after allocation " << n;
    ASSERT_FALSE(is_there());
  }
  has_failed = true;
  for (uint64_t n = 1; has_failed; ++n) {
    ASSERT_EQ(house_->Call("CreateTable", create).error, "") << "before allocation " << n;
    CallFailing("DeleteTable", name, n);
    has_failed = FailingNew::has_failed();
    if (is_there()) { ASSERT_EQ(house_->Call("DeleteTable", name).error, "") << "after allocation " << n; }
    ASSERT_FALSE(is_there()) << "after allocation " << n;
  }
}

}  // namespace
}  // namespace armature::api
