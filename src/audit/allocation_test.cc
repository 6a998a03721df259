// Recording with every one of its allocations failing: an event is there whole, or it is counted as lost.
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "api/faults/failing_new.h"
#include "audit/audit.h"
#include "base/memory/memory_reserve.h"
#include "wire/json/json_document.h"

namespace armature::audit {
namespace {

using Failures = FailingNew::Failures;

class AuditAllocationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    MemoryReserve::Install(1 << 20);
    std::string name = (std::filesystem::temp_directory_path() / "armature-audit-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override {
    std::set_new_handler(nullptr);
    std::filesystem::remove_all(root_);
  }

  // As front/audit_note.cc does.
  static void RecordOne(const Audit& audit, const auth::Principal& caller) {
    try {
      Event event;
      event.service = "dynamodb";
      event.name = "CreateTable";
      event.caller = caller;
      event.request_parameters = R"({"tableName":"T"})";
      event.resources.push_back({"AWS::DynamoDB::Table", std::string(60, 'a'), "123456789012"});
      audit.Record(event, /*is_denied=*/false);
    } catch (const std::bad_alloc&) { audit.NoteLost(); }
  }

  int CountLines(const std::string& directory) const {
    std::ifstream file(directory + "/" + kLogFileName);
    int lines = 0;
    for (std::string line; std::getline(file, line); ++lines) EXPECT_TRUE(wire::JsonDocument::Parse(line)) << line;
    return lines;
  }

  std::string root_;
  Disk disk_;
  SystemClock clock_;
  SystemRandom random_;
};

TEST_F(AuditAllocationTest, NothingIsLostUncounted) {
  const auto identity = std::make_shared<const auth::Identity>(auth::RootIdentity("123456789012"));
  const auth::Principal caller = auth::PrincipalOf(identity, "AKIAEXAMPLE");
  for (const Failures failures : {Failures::kOne, Failures::kAllFromThere}) {
    for (uint64_t n = 1;; ++n) {
      SCOPED_TRACE(fmt::format("allocation {}", n));
      const std::string directory = fmt::format("{}/{}-{}", root_, static_cast<int>(failures), n);
      auto files = LogFiles::Open({.directory = directory}, disk_);
      ASSERT_TRUE(files) << files.error().message();
      Metrics metrics;
      AuditLog log(std::move(*files), clock_, random_, metrics);
      const Audit audit(DataEvents::kNone, "123456789012", "us-east-1", HashKey("0"), log, clock_, random_);
      bool has_failed = false;
      {
        const Fallible fallible;
        FailingNew::Arm(n, failures);
        RecordOne(audit, caller);
        FailingNew::Disarm();
        has_failed = FailingNew::has_failed();
      }
      MemoryReserve::Refill();
      ASSERT_TRUE(log.Step());
      // It, or the event that says that it is missing.
      EXPECT_EQ(CountLines(directory), 1);
      EXPECT_EQ(metrics.GetCounter("armature_audit_dropped_total", {}).value() +
                    metrics.GetCounter("armature_audit_events_total", {}).value(),
                1u);
      if (!has_failed) {
        EXPECT_GT(n, 1u);
        break;
      }
    }
  }
}

}  // namespace
}  // namespace armature::audit
