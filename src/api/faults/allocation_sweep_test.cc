// Every operation with every one of its allocations failing: nothing is wrong afterwards.
//
// For each case (allocation_cases.h) and each n a small database is made anew, the request is made with its n-th
// allocation failing, alone or with all that follow, and then: the reply is the one it would have been, or an error of
// the server; what is stored agrees with itself and with what the process remembers (store_audit.h); the same request
// and others are served; background work goes on; and a restart finds the same. n goes up until the request gets
// through untouched.
//
// Under a sanitizer, which makes all this several times slower, only every kStride-th n is tried, from a first one that
// is chosen by a seed (ARMATURE_SEED, or a fresh one, which is printed).
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "api/faults/allocation_cases.h"
#include "api/faults/failing_new.h"
#include "api/faults/store_audit.h"
#include "api/registry.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory/memory_reserve.h"
#include "storage/memory/memory_engine.h"
#include "storage/narrow/narrow_engine.h"

namespace armature::api {
namespace {

#if defined(ARMATURE_ADDRESS_SANITIZER) || defined(ARMATURE_THREAD_SANITIZER)
constexpr uint64_t kStride = 17;
#else
constexpr uint64_t kStride = 1;
#endif

// A latch that nobody lets go of shows as a request that never ends: says which, and ends the program.
char under_way[200];
void OnStuck(int) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, under_way, sizeof under_way);
  _exit(1);
}

uint64_t Seed() {
  static const uint64_t seed = [] {
    const char* const given = std::getenv("ARMATURE_SEED");
    const uint64_t chosen = given ? std::strtoull(given, nullptr, 10) : std::random_device()();
    if (kStride > 1) std::printf("seed %llu\n", static_cast<unsigned long long>(chosen));
    return chosen;
  }();
  return seed;
}

enum class EngineKind { kMemory, kNarrow };

struct SweepCase {
  AllocationCase request;
  EngineKind engine;

  friend std::ostream& operator<<(std::ostream& out, const SweepCase& test) { return out << test.request; }
};

std::vector<SweepCase> SweepCases(EngineKind engine) {
  std::vector<SweepCase> cases;
  for (const AllocationCase& request : AllocationCases()) cases.push_back({request, engine});
  return cases;
}

// A database and the process over it, each made anew.
struct Process {
  Process(EngineKind kind, bool is_restarted) : engine(storage::OpenMemoryEngine(metrics)) {
    // Reads that come late would tell nothing new here.
    if (kind == EngineKind::kNarrow) engine = storage::OpenNarrowEngine(std::move(engine), {.late_reads = 0});
    Start();
    EXPECT_EQ(PrepareTables(*house), "");
    EXPECT_TRUE(house->DoBackgroundWork().ok());
    if (is_restarted) Start();
  }
  void Start() {
    house.reset();
    house = std::make_unique<FaultHouse>(*engine, metrics, &clock);
    EXPECT_TRUE(house->Load().ok());
  }

  Metrics metrics;
  ManualClock clock;
  std::unique_ptr<storage::Engine> engine;
  std::unique_ptr<FaultHouse> house;
};

using Failures = FailingNew::Failures;

class AllocationSweepTest : public testing::TestWithParam<SweepCase> {
 protected:
  AllocationSweepTest() {
    SetLogLevel(LogLevel::kOff);
    MemoryReserve::Install(1 << 20);
    std::signal(SIGALRM, OnStuck);
  }
  ~AllocationSweepTest() override {
    alarm(0);
    std::signal(SIGALRM, SIG_DFL);
    std::set_new_handler(nullptr);
    SetLogLevel(LogLevel::kInfo);
  }

  static FaultReply CallFailing(FaultHouse& house, std::string_view operation, const std::string& json, uint64_t n,
                                Failures failures) {
    const Fallible request;
    FaultReply reply;
    try {
      reply = house.Call(
          operation, json, [&] { FailingNew::Arm(n, failures); }, [] { FailingNew::Disarm(); });
    } catch (const std::bad_alloc&) {
      reply.kind = FaultReply::Kind::kUnknown;
      reply.error = "bad_alloc";
    }
    FailingNew::Disarm();
    MemoryReserve::Refill();
    return reply;
  }

  // Whether allocation n came; what was wrong is told to GoogleTest.
  bool Try(const SweepCase& sweep, const FaultReply& expected, uint64_t n, Failures failures);
};

// The request once more, and other writes to the same collection and tables.
std::string ServesOn(FaultHouse& house, const AllocationCase& test, const std::string& json) {
  const FaultReply again = house.Call(test.operation, json);
  if (again.kind == FaultReply::Kind::kUnknown) return "again: " + again.error;
  for (const std::string_view put :
       {R"({"TableName":"Full","Item":{"pk":{"S":"a"},"sk":{"S":"probe"},"g":{"S":"g1"},"l":{"S":"l"}}})",
        R"({"TableName":"Plain","Item":{"pk":{"S":"probe"},"n":{"N":"1"}}})"}) {
    const FaultReply reply = house.Call("PutItem", put);
    const bool is_gone = reply.error.starts_with("ResourceNotFound") && test.operation == "DeleteTable";
    if (!reply.error.empty() && !is_gone) return "probe: " + reply.error;
  }
  return {};
}

bool AllocationSweepTest::Try(const SweepCase& sweep, const FaultReply& expected, uint64_t n, Failures failures) {
  const AllocationCase& test = sweep.request;
  const bool is_cold = failures == Failures::kAllFromThere;
  const std::string what =
      fmt::format("{}, allocation {}{}", test.name, n, is_cold ? " and all that follow, after a restart" : "");
  std::snprintf(under_way, sizeof under_way, "stuck: %s\n", what.c_str());
  alarm(60);
  SCOPED_TRACE(what);
  Process process(sweep.engine, is_cold);
  const std::string json = FillIn(*process.house, test.json);
  const FaultReply reply = CallFailing(*process.house, test.operation, json, n, failures);
  const bool has_failed = FailingNew::has_failed();
  if (reply.kind != FaultReply::Kind::kUnknown) {
    EXPECT_EQ(reply.error, expected.error);
    EXPECT_EQ(reply.body, expected.body);
  } else if (!has_failed) {
    ADD_FAILURE() << reply.error;
  }
  EXPECT_TRUE(process.house->DoBackgroundWork().ok());
  EXPECT_EQ(StoreAudit(*process.house).Run(), "");
  EXPECT_EQ(ServesOn(*process.house, test, json), "");
  EXPECT_TRUE(process.house->DoBackgroundWork().ok());
  EXPECT_EQ(StoreAudit(*process.house).Run(), "") << "served on";
  process.Start();
  EXPECT_TRUE(process.house->DoBackgroundWork().ok());
  EXPECT_EQ(StoreAudit(*process.house).Run(), "") << "restarted";
  return has_failed;
}

TEST_P(AllocationSweepTest, NothingIsWrongWhicheverFails) {
  const AllocationCase& test = GetParam().request;
  uint64_t tried = 0;
  for (const Failures failures : {Failures::kOne, Failures::kAllFromThere}) {
    Process process(GetParam().engine, failures == Failures::kAllFromThere);
    const FaultReply expected = process.house->Call(test.operation, FillIn(*process.house, test.json));
    ASSERT_NE(expected.kind, FaultReply::Kind::kUnknown) << expected.error;
    EXPECT_TRUE(process.house->DoBackgroundWork().ok());
    ASSERT_EQ(StoreAudit(*process.house).Run(), "");
    for (uint64_t n = 1 + Seed() % kStride;; n += kStride) {
      ++tried;
      if (!Try(GetParam(), expected, n, failures)) break;
      if (HasFailure()) return;  // one is enough to look at
    }
  }
  RecordProperty("allocations", static_cast<int>(tried));
}

constexpr auto kNameOf = [](const auto& test) { return std::string(test.param.request.name); };
INSTANTIATE_TEST_SUITE_P(Cases, AllocationSweepTest, testing::ValuesIn(SweepCases(EngineKind::kMemory)), kNameOf);
INSTANTIATE_TEST_SUITE_P(Narrow, AllocationSweepTest, testing::ValuesIn(SweepCases(EngineKind::kNarrow)), kNameOf);

TEST(AllocationCasesTest, EveryOperationHasOne) {
  std::set<std::string_view> covered;
  for (const AllocationCase& test : AllocationCases()) covered.insert(test.operation);
  for (const auto& schema : wire::AllOperations()) {
    if (FindOperation(schema)) { EXPECT_TRUE(covered.contains(schema.name)) << schema.name; }
  }
}

}  // namespace
}  // namespace armature::api
