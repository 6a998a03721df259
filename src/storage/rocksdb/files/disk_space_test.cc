// What a log keeps in memory is owed until it is written, however appends and the writing of rests meet.
#include "storage/rocksdb/files/disk_space.h"

#include <atomic>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "storage/rocksdb/files/log_file.h"

namespace armature::storage {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

// Full for one write, empty for the next: space that comes and goes.
class FlutteringFile final : public rocksdb::FSWritableFile {
 public:
  IOStatus PositionedAppend(const rocksdb::Slice& data, uint64_t, const IOOptions&, IODebugContext*) override {
    if (data.size() > 1000 && data[0] == 0) return IOStatus::OK();  // what is written ahead
    return writes_++ % 2 == 0 ? IOStatus::NoSpace("injected") : IOStatus::OK();
  }
  IOStatus PositionedAppend(const rocksdb::Slice& data, uint64_t offset, const IOOptions& options,
                            const rocksdb::DataVerificationInfo&, IODebugContext* context) override {
    return PositionedAppend(data, offset, options, context);
  }
  IOStatus Append(const rocksdb::Slice&, const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Append(const rocksdb::Slice&, const IOOptions&, const rocksdb::DataVerificationInfo&,
                  IODebugContext*) override {
    return IOStatus::OK();
  }
  IOStatus Close(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Flush(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }

 private:
  uint64_t writes_ = 0;
};

// One that is forgotten stays so, and takes all that is appended behind it into memory, acknowledged.
TEST(DiskSpaceTest, ARestThatComesWhileAnotherIsWrittenIsOwed) {
  const auto space = std::make_shared<DiskSpace>();
  const auto log = std::make_shared<Log>("/000001.log", std::make_unique<FlutteringFile>());
  LogFile file(log, space);
  std::atomic<bool> is_done{false};
  std::thread writer([&] {
    for (int i = 0; i < 500'000; ++i) static_cast<void>(file.Append("r", IOOptions(), nullptr));
    is_done = true;
  });
  while (!is_done) static_cast<void>(space->WriteRests());
  writer.join();
  EXPECT_EQ(log->written() != log->size(), space->owes_log()) << "nobody knows that something is not written";
  EXPECT_EQ(space->owes_log(), space->is_short());
  while (!space->WriteRests().ok()) {}
  EXPECT_EQ(log->written(), log->size());
  EXPECT_FALSE(space->owes_log());
  EXPECT_FALSE(space->is_short());
}

TEST(DiskSpaceTest, GivenUpAShortageIsAFailureThatNobodyWaitsFor) {
  DiskSpace space;
  const auto full = [] { return IOStatus::NoSpace("injected"); };
  EXPECT_TRUE(space.Persist(full).IsNoSpace()) << "while it is opened, a full disk is known as one";
  space.BePatient();
  std::atomic<int> tries{0};
  IOStatus told;
  std::thread waiter([&] {
    told = space.Persist([&] {
      ++tries;
      tries.notify_all();
      return full();
    });
  });
  tries.wait(0);
  space.GiveUp();
  waiter.join();
  EXPECT_TRUE(told.IsIOError() && !told.IsNoSpace()) << told.ToString();
  EXPECT_FALSE(space.Persist(full).IsNoSpace());
  EXPECT_FALSE(space.is_short());
}

}  // namespace
}  // namespace armature::storage
