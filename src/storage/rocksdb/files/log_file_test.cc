// What of a log is said to be synced: whole records only.
#include "storage/rocksdb/files/log_file.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "base/random.h"
#include "storage/rocksdb/files/disk_space.h"
#include "storage/rocksdb/files/record_ends.h"

namespace armature::storage {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

constexpr size_t kBlock = 32 << 10;
constexpr size_t kHeader = 7;

// Records as RocksDB writes them, with checksums that nobody here looks at, and where each ends.
struct Records {
  std::string bytes{};
  std::vector<uint64_t> ends{};

  void Add(size_t size) {
    bool is_first = true;
    do {
      const size_t in_block = kBlock - bytes.size() % kBlock;
      if (in_block < kHeader) {
        bytes.append(in_block, '\0');
        continue;
      }
      const size_t length = std::min(size, in_block - kHeader);
      const bool is_last = length == size;
      const char type = is_first ? (is_last ? 1 : 2) : (is_last ? 4 : 3);
      bytes.append("crc.").append(1, static_cast<char>(length)).append(1, static_cast<char>(length >> 8));
      bytes.append(1, type).append(length, '\1');  // which would be headers of records, if they were read as such
      size -= length;
      is_first = false;
      if (is_last) break;
    } while (true);
    ends.push_back(bytes.size());
  }
  uint64_t LastEndUpTo(uint64_t offset) const {
    const auto behind = std::upper_bound(ends.begin(), ends.end(), offset);
    return behind == ends.begin() ? 0 : *(behind - 1);
  }
};

TEST(RecordEnds, AreFoundHoweverTheBytesAreCut) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    Xoshiro256 random(seed);
    Records records;
    while (records.bytes.size() < 400'000) {
      const uint64_t kind = random.Next() % 8;
      records.Add(kind == 0 ? random.Next() % 200'000 : kind == 1 ? 0 : random.Next() % 500);
      // So that a block ends where no header fits in, or just fits.
      const size_t in_block = kBlock - records.bytes.size() % kBlock;
      if (random.Next() % 4 == 0 && in_block > 2 * kHeader + 8) records.Add(in_block - kHeader - random.Next() % 9);
    }
    RecordEnds ends;
    uint64_t offset = 0;
    while (offset < records.bytes.size()) {
      const uint64_t most = random.Next() % 3 == 0 ? 10 : 40'000;
      const std::string_view part = std::string_view(records.bytes).substr(offset, 1 + random.Next() % most);
      ends.Take(part);
      offset += part.size();
      ASSERT_EQ(ends.end(), records.LastEndUpTo(offset)) << "seed " << seed << ", offset " << offset;
    }
  }
}

// Takes everything, or nothing while it is full.
class Paper final : public rocksdb::FSWritableFile {
 public:
  explicit Paper(const bool& is_full) : is_full_(is_full) {}
  IOStatus PositionedAppend(const rocksdb::Slice&, uint64_t, const IOOptions&, IODebugContext*) override {
    return is_full_ ? IOStatus::NoSpace("injected") : IOStatus::OK();
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
  const bool& is_full_;
};

// Or else a kill before the rest of it is written would leave a store that looks damaged, and is not opened.
TEST(LogFileTest, ARecordOfWhichOnlyTheBeginningIsWrittenIsNotSaidToBeSynced) {
  bool is_full = false;
  const auto space = std::make_shared<DiskSpace>();
  LogFile file(std::make_shared<Log>("/000007.log", std::make_unique<Paper>(is_full)), space);
  const auto append = [&](std::string_view bytes) {
    ASSERT_TRUE(file.Append({bytes.data(), bytes.size()}, IOOptions(), nullptr).ok());
  };
  const auto synced = [&] {
    EXPECT_TRUE(file.Sync(IOOptions(), nullptr).ok());
    return space->synced().point().log_bytes;
  };
  Records records;
  records.Add(100);
  records.Add(2'000'000);
  records.Add(30);
  const std::string_view bytes = records.bytes;
  append(bytes.substr(0, 1 << 20));
  EXPECT_EQ(synced(), records.ends[0]);
  append(bytes.substr(1 << 20, 10));
  EXPECT_EQ(synced(), records.ends[0]);
  append(bytes.substr((1 << 20) + 10, records.ends[1] - (1 << 20) - 10));
  EXPECT_EQ(synced(), records.ends[1]);
  is_full = true;
  append(bytes.substr(records.ends[1]));
  EXPECT_EQ(synced(), records.ends[1]) << "it is kept in memory";
  is_full = false;
  while (!space->WriteRests().ok()) {}
  EXPECT_EQ(synced(), records.ends[2]);
}

}  // namespace
}  // namespace armature::storage
