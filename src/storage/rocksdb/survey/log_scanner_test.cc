#include "storage/rocksdb/survey/log_scanner.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "storage/rocksdb/rocksdb_engine.h"
#include "storage/storage_testing.h"

namespace armature::storage {
namespace {

namespace fs = std::filesystem;

class LogScannerTest : public ::testing::Test {
 protected:
  // A log of records of all sizes, as RocksDB writes it.
  std::string MakeLog() {
    RocksDbOptions options;
    options.directory = root_.path() + "/data";
    options.durability = Durability::kNone;
    options.memory_bytes = 64 << 20;
    auto engine = OpenRocksDbEngine(options, metrics_);
    EXPECT_TRUE(engine.has_value());
    for (size_t i = 0; i < 300; ++i)
      EXPECT_TRUE(PutAndWait(**engine, "key" + std::to_string(i), std::string(i * i % 5000, 'v')).ok());
    EXPECT_TRUE(PutAndWait(**engine, "large", std::string(100'000, 'v')).ok());
    EXPECT_TRUE((*engine)->Close().ok());
    for (const auto& entry : fs::directory_iterator(options.directory + "/db")) {
      std::ifstream file(entry.path(), std::ios::binary);
      if (entry.path().extension() == ".log") return {std::istreambuf_iterator<char>(file), {}};
    }
    return {};
  }

  struct Scan {
    std::map<uint64_t, std::string> records;  // by where they begin
    size_t gaps = 0;
  };
  Scan ScanBytes(const std::string& bytes) {
    const std::string path = root_.path() + "/log";
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    auto scanner = LogScanner::Open(*rocksdb::FileSystem::Default(), path, size_t{1} << 30);
    EXPECT_TRUE(scanner.has_value());
    Scan scan;
    for (;;) {
      const auto event = scanner->Next();
      EXPECT_TRUE(event.has_value());
      if (!event || *event == LogScanner::Event::kEnd) return scan;
      if (*event == LogScanner::Event::kGap) {
        ++scan.gaps;
        continue;
      }
      EXPECT_LT(scanner->begin(), scanner->end());
      EXPECT_LE(scanner->end(), bytes.size());
      scan.records[scanner->begin()] = scanner->record();
    }
  }

  TemporaryDirectory root_;
  Metrics metrics_;
};

TEST_F(LogScannerTest, ReadsWhatRocksDbWrites) {
  const Scan scan = ScanBytes(MakeLog());
  EXPECT_EQ(scan.records.size(), 301u);
  EXPECT_EQ(scan.gaps, 0u);
}

// Whatever happens to the bytes, only records that were written are read, each at its place.
TEST_F(LogScannerTest, NeverReadsWhatWasNotWritten) {
  const std::string log = MakeLog();
  const Scan whole = ScanBytes(log);
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    std::string bytes = log;
    for (int hits = 1 + round % 5; hits > 0; --hits) {
      const size_t at = random() % bytes.size(), size = std::min<size_t>(bytes.size() - at, 1 + random() % 9000);
      switch (random() % 4) {
        case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8)); break;
        case 1: bytes.replace(at, size, size, '\0'); break;
        case 2:
          for (size_t i = at; i < at + size; ++i) bytes[i] = static_cast<char>(random());
          break;
        default: bytes.resize(std::max<size_t>(at, 1));
      }
    }
    const Scan scan = ScanBytes(bytes);
    for (const auto& [begin, record] : scan.records) {
      ASSERT_TRUE(whole.records.contains(begin)) << "at " << begin;
      ASSERT_EQ(whole.records.at(begin), record) << "at " << begin;
    }
  }
}

TEST_F(LogScannerTest, GarbageHasNoRecords) {
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    std::string bytes(random() % 200'000, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    EXPECT_EQ(ScanBytes(bytes).records.size(), 0u);
  }
  EXPECT_EQ(ScanBytes("").records.size(), 0u);
  EXPECT_EQ(ScanBytes(std::string(100'000, '\0')).records.size(), 0u);
}

}  // namespace
}  // namespace armature::storage
