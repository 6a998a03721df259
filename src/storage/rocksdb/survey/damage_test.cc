// What opening does with a store whose files are not as they were left: the unsynced end of a log may have holes and is
// cut there; anything else that is missing or damaged is refused, with one line and without a change.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "storage/rocksdb/files/synced_point.h"
#include "storage/rocksdb/rocksdb_engine.h"
#include "storage/storage_testing.h"

namespace armature::storage {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBlock = 32 << 10;
constexpr size_t kPerBlock = 8;
// A commit of one such value takes an eighth of a block, so records, pages and blocks of the log lie side by side: the
// heads of record and batch, the row, and the row with the number of the commit.
const std::string kValue(kBlock / kPerBlock - (7 + 12) - (1 + 1 + 9 + 2) - (1 + 1 + 10 + 1 + 8), 'v');

std::string Key(int i) { return fmt::format("key{:05}", i); }

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void WriteFile(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}
void Overwrite(const fs::path& path, size_t offset, std::string_view bytes) {
  std::string all = ReadFile(path);
  ASSERT_LE(offset + bytes.size(), all.size());
  all.replace(offset, bytes.size(), bytes);
  WriteFile(path, all);
}
void FlipBit(const fs::path& path, size_t offset) {
  std::string all = ReadFile(path);
  ASSERT_LT(offset, all.size());
  all[offset] = static_cast<char>(all[offset] ^ 0x10);
  WriteFile(path, all);
}

std::map<std::string, std::string> Contents(const fs::path& directory) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    if (entry.is_regular_file()) contents[entry.path().string()] = ReadFile(entry.path());
  return contents;
}

class DamageTest : public ::testing::Test {
 protected:
  DamageTest() { options_.memory_bytes = 64 << 20; }

  std::unique_ptr<Engine> Open(const std::string& directory) {
    auto engine = TryOpen(directory);
    EXPECT_TRUE(engine.has_value()) << (engine ? "" : engine.error().ToString());
    return engine ? std::move(*engine) : nullptr;
  }
  Result<std::unique_ptr<Engine>> TryOpen(const std::string& directory) {
    RocksDbOptions options = options_;
    options.directory = directory;
    return OpenRocksDbEngine(options, metrics_);
  }

  // A store of `count` commits as it is after kill -9; with kNone nothing of its log was ever synced.
  std::string Killed(Durability durability, int count, std::string_view value = kValue) {
    options_.durability = durability;
    auto engine = Open(path("live"));
    for (int i = 0; i < count; ++i) EXPECT_TRUE(PutAndWait(*engine, Key(i), value).ok());
    if (durability == Durability::kFsync) AwaitSyncedFile(*engine);
    while (!fs::exists(path("live") + "/FORMAT") || fs::exists(path("live") + "/CREATING")) std::this_thread::yield();
    std::string copy = path("killed");
    CopyAsIfKilled(path("live"), copy);
    return copy;
  }
  // A closed store of `count` commits, all in one table file but for the last.
  std::string Closed(int count) {
    {
      auto engine = Open(path("closed"));
      for (int i = 0; i < count - 1; ++i) EXPECT_TRUE(PutAndWait(*engine, Key(i), "value").ok());
    }
    auto engine = Open(path("closed"));  // which flushes what the log holds
    EXPECT_TRUE(PutAndWait(*engine, Key(count - 1), "value").ok());
    EXPECT_TRUE(engine->Close().ok());
    return path("closed");
  }
  // Until SYNCED says that all commits are synced; it is written a moment after the last.
  void AwaitSyncedFile(Engine& engine) {
    const Mark last = engine.DurableUpTo(engine.system());
    for (;;) {
      const auto point = DecodeSyncedFile(ReadFile(path("live") + "/SYNCED"));
      if (point && point->sequence >= last) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  // The only file of the database whose name ends or begins so.
  static fs::path FileOf(const std::string& directory, std::string_view mark) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(directory + "/db")) {
      const std::string name = entry.path().filename();
      if (name.starts_with(mark) || name.ends_with(mark)) found.push_back(entry.path());
    }
    EXPECT_EQ(found.size(), 1u) << mark;
    return found.empty() ? fs::path() : found[0];
  }

  // The keys from 0 on that are there, and that no other is.
  static int CountPrefix(Engine& engine) {
    ScanOp op;
    RunScan(engine, op);
    EXPECT_TRUE(op.status.ok()) << op.status.ToString();
    for (size_t i = 0; i < op.rows.size(); ++i) EXPECT_EQ(op.rows[i].key, Key(static_cast<int>(i)));
    return static_cast<int>(op.rows.size());
  }

  // Refused, with a line that has each of `words`, and no file has changed.
  void ExpectRefused(const std::string& directory, const std::vector<std::string>& words) {
    const auto before = Contents(directory);
    auto engine = TryOpen(directory);
    ASSERT_FALSE(engine.has_value()) << "opened, with " << CountPrefix(**engine) << " keys";
    const std::string& line = engine.error().message();
    EXPECT_EQ(engine.error().code(), StatusCode::kCorruption);
    for (const std::string& word : words) EXPECT_NE(line.find(word), std::string::npos) << line;
    EXPECT_NE(line.find("armature doctor " + directory), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(Contents(directory), before);
  }

  std::string path(std::string_view name) const { return root_.path() + "/" + std::string(name); }

  TemporaryDirectory root_;
  Metrics metrics_;
  RocksDbOptions options_;
};

// --- what a power cut may leave

TEST_F(DamageTest, NothingBehindALostBlockOfTheLogIsReplayed) {
  const std::string store = Killed(Durability::kNone, 5 * kPerBlock);
  Overwrite(FileOf(store, ".log"), 2 * kBlock, std::string(kBlock, '\0'));
  EXPECT_EQ(CountPrefix(*Open(store)), 2 * kPerBlock);
  EXPECT_EQ(CountPrefix(*Open(store)), 2 * kPerBlock) << "nor at the next opening";
}

TEST_F(DamageTest, NothingBehindALostPageOfTheLogIsReplayed) {
  for (int page : {0, 1, 7, 8, 12, 39}) {
    SCOPED_TRACE(page);
    const std::string store = Killed(Durability::kNone, 5 * kPerBlock);
    Overwrite(FileOf(store, ".log"), static_cast<size_t>(page) * 4096, std::string(4096, '\0'));
    EXPECT_EQ(CountPrefix(*Open(store)), page);
    fs::remove_all(store);
    fs::remove_all(path("live"));
  }
}

TEST_F(DamageTest, NothingInALogBehindAnotherThatLostItsEndIsReplayed) {
  // Two logs as if the memtable had changed after two blocks; of the first only `kept` commits have reached the disk.
  for (int kept : {0, 3, 8, 16}) {
    SCOPED_TRACE(kept);
    const std::string store = Killed(Durability::kNone, 5 * kPerBlock);
    const fs::path log = FileOf(store, ".log");
    const std::string bytes = ReadFile(log).substr(0, 5 * kBlock);
    WriteFile(log, bytes.substr(0, static_cast<size_t>(kept) * 4096) + std::string(kBlock, '\0'));
    WriteFile(log.parent_path() / fmt::format("{:06}.log", std::stoi(log.stem()) + 1), bytes.substr(2 * kBlock));
    EXPECT_EQ(CountPrefix(*Open(store)), kept == 16 ? 40 : kept);
    EXPECT_EQ(CountPrefix(*Open(store)), kept == 16 ? 40 : kept);
    fs::remove_all(store);
    fs::remove_all(path("live"));
  }
}

TEST_F(DamageTest, ATornEndIsCutAndTheStoreGoesOn) {
  const std::string store = Killed(Durability::kFsync, 20);
  const fs::path log = FileOf(store, ".log");
  const auto synced = DecodeSyncedFile(ReadFile(store + "/SYNCED"));
  ASSERT_TRUE(synced.has_value());
  // The beginning of a record that was never finished.
  Overwrite(log, synced->log_bytes, std::string("\x12\x34\x56\x78\xff\x0f\x01half a record", 20));
  auto engine = Open(store);
  EXPECT_EQ(CountPrefix(*engine), 20);
  EXPECT_TRUE(PutAndWait(*engine, Key(20), "next").ok());
  engine.reset();
  EXPECT_EQ(CountPrefix(*Open(store)), 21);
}

TEST_F(DamageTest, AStoreWithoutSyncedFileOpens) {
  const std::string store = Killed(Durability::kFsync, 20);
  fs::remove(store + "/SYNCED");
  EXPECT_EQ(CountPrefix(*Open(store)), 20);
  EXPECT_TRUE(fs::exists(store + "/SYNCED"));
  WriteFile(store + "/SYNCED", "armature synced 1 log 99 bytes 1 sequence 1 manifest 1 bytes 1 crc 00000000\n");
  EXPECT_EQ(CountPrefix(*Open(store)), 20) << "one that does not hold claims nothing";
}

// --- damage

TEST_F(DamageTest, AFlippedBitInTheMiddleOfTheLogIsRefused) {
  const std::string store = Killed(Durability::kFsync, 1000, "value");
  const fs::path log = FileOf(store, ".log");
  FlipBit(log, 29'950);  // in a record of some dozen bytes
  ExpectRefused(store, {"db/" + log.filename().string(), "is damaged at byte 29", "checksum", "sound records follow"});
  // The log's own notes are enough.
  fs::remove(store + "/SYNCED");
  ExpectRefused(store, {"db/" + log.filename().string(), "is damaged at byte 29"});
}

TEST_F(DamageTest, AnyFlippedBitOfASyncedLogIsRefused) {
  const std::string store = Killed(Durability::kFsync, 12, "value");
  const fs::path log = FileOf(store, ".log");
  const std::string bytes = ReadFile(log);
  const size_t end = DecodeSyncedFile(ReadFile(store + "/SYNCED"))->log_bytes;
  for (size_t offset = 0; offset < end; offset += 3) {
    SCOPED_TRACE(offset);
    FlipBit(log, offset);
    ExpectRefused(store, {"is damaged at byte"});
    WriteFile(log, bytes);
  }
  EXPECT_EQ(CountPrefix(*Open(store)), 12);
}

TEST_F(DamageTest, ALogThatWasCutIsRefused) {
  const std::string store = Killed(Durability::kFsync, 50);
  const fs::path log = FileOf(store, ".log");
  for (size_t bytes : {0, 1000, 4096, 40'000}) {
    SCOPED_TRACE(bytes);
    fs::resize_file(log, bytes);
    ExpectRefused(store, {"db/" + log.filename().string()});
    fs::copy(path("live"), store, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
}

TEST_F(DamageTest, AMissingLogIsRefused) {
  const std::string store = Killed(Durability::kFsync, 50);
  const fs::path log = FileOf(store, ".log");
  fs::remove(log);
  ExpectRefused(store, {"db/" + log.filename().string() + ": the file is missing"});
}

TEST_F(DamageTest, AManifestThatWasCutOrDamagedIsRefused) {
  const std::string store = Closed(100);
  const fs::path manifest = FileOf(store, "MANIFEST-");
  const std::string bytes = ReadFile(manifest);
  for (size_t offset = 0; offset < bytes.size(); offset += 2) {
    SCOPED_TRACE(offset);
    fs::resize_file(manifest, offset);
    ExpectRefused(store, {"db/" + manifest.filename().string()});
    WriteFile(manifest, bytes);
    FlipBit(manifest, offset);
    ExpectRefused(store, {"db/" + manifest.filename().string()});
    WriteFile(manifest, bytes);
  }
  EXPECT_EQ(CountPrefix(*Open(store)), 100);
}

TEST_F(DamageTest, MissingFilesAreRefusedByName) {
  const std::string store = Closed(100);
  for (const std::string mark : {"CURRENT", "MANIFEST-", ".sst", ".log"}) {
    SCOPED_TRACE(mark);
    const fs::path file = FileOf(store, mark);
    const std::string bytes = ReadFile(file);
    fs::remove(file);
    ExpectRefused(store, {file.filename().string(), "missing"});
    WriteFile(file, bytes);
  }
  const fs::path table = FileOf(store, ".sst");
  fs::resize_file(table, fs::file_size(table) - 1);
  ExpectRefused(store, {"db/" + table.filename().string() + ": it has"});
}

TEST_F(DamageTest, AStoreWhoseDatabaseIsGoneIsRefused) {
  const std::string store = Closed(10);
  fs::remove_all(store + "/db");
  auto engine = TryOpen(store);
  ASSERT_FALSE(engine.has_value());
  EXPECT_NE(engine.error().message().find("CURRENT is missing"), std::string::npos) << engine.error().message();
}

TEST_F(DamageTest, ADamagedCurrentIsRefused) {
  const std::string store = Closed(10);
  const fs::path current = store + "/db/CURRENT";
  const std::string bytes = ReadFile(current);
  for (size_t offset = 0; offset < bytes.size(); ++offset) {
    SCOPED_TRACE(offset);
    FlipBit(current, offset);
    ExpectRefused(store, {"CURRENT"});
    WriteFile(current, bytes.substr(0, offset));
    ExpectRefused(store, {"CURRENT"});
    WriteFile(current, bytes);
  }
}

TEST_F(DamageTest, ADamagedIdentityIsNoMatter) {
  const std::string store = Closed(10);
  FlipBit(store + "/db/IDENTITY", 3);
  EXPECT_EQ(CountPrefix(*Open(store)), 10);
  fs::remove(store + "/db/IDENTITY");
  EXPECT_EQ(CountPrefix(*Open(store)), 10);
}

// Wherever the bit is, what is read is right or an error; never another value, never a missing key.
TEST_F(DamageTest, AFlippedBitInATableFileIsNeverServed) {
  const std::string store = Closed(60);
  const fs::path table = FileOf(store, ".sst");
  const std::string bytes = ReadFile(table);
  int errors = 0, refusals = 0;
  for (size_t offset = 0; offset < bytes.size(); offset += 41) {
    SCOPED_TRACE(offset);
    FlipBit(table, offset);
    const std::string copy = path("copy");
    fs::copy(store, copy, fs::copy_options::recursive);
    WriteFile(table, bytes);
    auto engine = TryOpen(copy);
    if (!engine) {
      EXPECT_EQ(engine.error().code(), StatusCode::kCorruption) << engine.error().ToString();
      ++refusals;
    } else {
      ScanOp scan;
      RunScan(**engine, scan);
      if (scan.status.ok()) EXPECT_EQ(scan.rows.size(), 60u);
      else EXPECT_EQ(scan.status.code(), StatusCode::kCorruption) << scan.status.ToString();
      for (int i = 0; i < 60; i += 7) {
        const std::string value = GetOr(**engine, Key(i), "(none)");
        if (value == "value") continue;
        EXPECT_TRUE(value.starts_with("corruption")) << value;
        ++errors;
      }
      engine->reset();
    }
    fs::remove_all(copy);
  }
  EXPECT_GT(errors + refusals, 0);
}

}  // namespace
}  // namespace armature::storage
