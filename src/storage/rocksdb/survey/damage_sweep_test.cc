// Damage by chance: a bit flipped, a piece zeroed, a file cut or gone, anywhere in a data directory. The store is
// refused with one line, or everything read from it is right or an error. Never another value, never a key less.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "storage/rocksdb/files/synced_point.h"
#include "storage/rocksdb/rocksdb_engine.h"
#include "storage/storage_testing.h"
#include "storage/testing/arena.h"
#include "storage/testing/disk_states.h"
#include "storage/testing/test_keys.h"

namespace armature::storage {
namespace {

namespace fs = std::filesystem;

constexpr int kKeys = 800;
constexpr size_t kShortDamages = 120;

std::string Key(int i) { return fmt::format("key{:05}", i); }
std::string Value(int i) { return std::string(100 + static_cast<size_t>(i) % 900, static_cast<char>('a' + i % 26)); }

using Files = std::map<std::string, std::string>;

Files ReadFiles(const fs::path& directory) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[entry.path().lexically_relative(directory)] = std::string(std::istreambuf_iterator<char>(file), {});
  }
  return files;
}

// With encryption or without.
class DamageSweepTest : public ::testing::TestWithParam<bool> {
 protected:
  Result<std::unique_ptr<Engine>> TryOpen(const std::string& directory) {
    RocksDbOptions options;
    options.directory = directory;
    options.memory_bytes = 16 << 20;
    options.write_buffer_bytes = 128 << 10;
    if (GetParam()) options.data_keys = TestKeys();
    return OpenRocksDbEngine(options, metrics_);
  }

  // A store of several table files and a log, as a kill or a clean stop leaves it.
  Files MakeStore(bool is_killed) {
    const std::string directory = root_.path() + "/live";
    fs::remove_all(directory);
    auto engine = TryOpen(directory);
    EXPECT_TRUE(engine.has_value());
    for (int i = 0; i < kKeys; ++i) EXPECT_TRUE(PutAndWait(**engine, Key(i), Value(i)).ok());
    if (!is_killed) {
      EXPECT_TRUE((*engine)->Close().ok());
      return ReadFiles(directory);
    }
    // When SYNCED has caught up and no file comes or goes any more. A commit takes more sequence numbers than one, so
    // the engine is asked for the last.
    const Mark last = (*engine)->DurableUpTo((*engine)->system());
    const std::string copy = root_.path() + "/killed";
    for (;;) {
      CopyAsIfKilled(directory, copy);
      Files files = ReadFiles(copy);
      const auto point = DecodeSyncedFile(files["SYNCED"]);
      if (point && point->sequence >= last) return files;
    }
  }

  // Damages one file; says how.
  static std::string Damage(Files& files, std::mt19937_64& random) {
    auto file = std::next(files.begin(), static_cast<std::ptrdiff_t>(random() % files.size()));
    std::string& bytes = file->second;
    const std::string name = file->first;
    const size_t at = bytes.empty() ? 0 : random() % bytes.size();
    switch (bytes.empty() ? 3 : random() % 4) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        return fmt::format("a bit flipped at {} of {}", at, name);
      case 1: bytes.resize(at); return fmt::format("{} cut to {}", name, at);
      case 2: {
        const size_t size = std::min<size_t>(bytes.size() - at, 1 + random() % 5000);
        bytes.replace(at, size, size, '\0');
        return fmt::format("{} bytes zeroed at {} of {}", size, at, name);
      }
      default: files.erase(file); return name + " removed";
    }
  }

  // What is wrong with the outcome, or nothing.
  std::string Check(const std::string& directory) {
    auto engine = TryOpen(directory);
    if (!engine) {
      ++refused_;
      const std::string& line = engine.error().message();
      const bool is_clear =
          !line.empty() && line.find('\n') == std::string::npos &&
          (engine.error().code() == StatusCode::kCorruption || engine.error().code() == StatusCode::kFormat);
      return is_clear ? "" : "refused unclearly: " + engine.error().ToString();
    }
    bool has_errors = false;
    for (const bool is_reverse : {false, true}) {
      ScanOp scan;
      scan.is_reverse = is_reverse;
      RunScan(**engine, scan);
      if (scan.status.ok() && scan.rows.size() != kKeys) return fmt::format("a scan sees {} keys", scan.rows.size());
      has_errors = has_errors || !scan.status.ok();
    }
    for (int i = 0; i < kKeys; ++i) {
      GetOp get;
      const std::string key = Key(i);
      get.partition = &(*engine)->system(), get.key = key;
      (*engine)->Get(get);
      Await(get.done);
      has_errors = has_errors || !get.status.ok();
      if (!get.status.ok() && get.status.code() != StatusCode::kCorruption) return get.status.ToString();
      if (get.status.ok() && (!get.found || get.value != Value(i))) return "wrong or missing: " + key;
    }
    ++(has_errors ? errors_ : right_);
    return {};
  }

  TemporaryDirectory root_;
  Metrics metrics_;
  size_t refused_ = 0, errors_ = 0, right_ = 0;
};

TEST_P(DamageSweepTest, AnyDamageIsRefusedOrHarmlessOrAnErrorNeverSilent) {
  std::mt19937_64 random(ArenaSeed());
  const Files stores[] = {MakeStore(true), MakeStore(false)};
  const std::string directory = root_.path() + "/damaged";
  for (ArenaClock clock(kShortDamages); clock.GoesOn() && !HasFailure();) {
    Files files = stores[random() % 2];
    const std::string how = Damage(files, random);
    WriteState(directory, files);
    EXPECT_EQ(Check(directory), "") << how;
  }
  fmt::print("damaged: {} refused, {} with errors for what was hit, {} unharmed\n", refused_, errors_, right_);
}

// Where a scan goes on from one table file to the next, too.
TEST_P(DamageSweepTest, ADamagedPageOfATableFileIsNeverSilent) {
  const Files store = MakeStore(false);
  const std::string directory = root_.path() + "/damaged";
  size_t tables = 0;
  for (const auto& [name, bytes] : store) {
    if (!name.ends_with(".sst")) continue;
    ++tables;
    for (size_t at = 100; at < bytes.size(); at += 4096) {
      Files files = store;
      files[name][at] = static_cast<char>(bytes[at] ^ 1);
      WriteState(directory, files);
      EXPECT_EQ(Check(directory), "") << at << " of " << name;
    }
  }
  EXPECT_GT(tables, 2u) << "nothing to go on to";
  EXPECT_GT(errors_, tables);
}

INSTANTIATE_TEST_SUITE_P(Encryption, DamageSweepTest, ::testing::Bool(),
                         [](const auto& instance) { return instance.param ? "Encrypted" : "Plain"; });

}  // namespace
}  // namespace armature::storage
