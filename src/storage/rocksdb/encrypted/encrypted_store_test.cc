// A store as a whole, encrypted: what lies on the disk, which keys open it, copies, other keys, a full disk.

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "storage/rocksdb/encrypted/store_encryption.h"
#include "storage/rocksdb/rocksdb_engine.h"
#include "storage/rocksdb/survey/store_doctor.h"
#include "storage/storage_testing.h"
#include "storage/testing/fault_file_system.h"
#include "storage/testing/test_keys.h"

namespace armature::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNeedle = "the client's own words";

std::string Key(int i) { return fmt::format("{} as a key {:05}", kNeedle, i); }
std::string Value(int i) { return fmt::format("{} as a value {:0300}", kNeedle, i); }

class EncryptedStoreTest : public ::testing::Test {
 protected:
  std::string path() const { return root_.path() + "/data"; }
  RocksDbOptions Options(const std::string& directory, std::shared_ptr<DataKeys> keys) {
    RocksDbOptions options;
    options.directory = directory;
    options.memory_bytes = 8 << 20;
    options.write_buffer_bytes = 64 << 10;
    options.data_keys = std::move(keys);
    options.env = env_.get();
    return options;
  }
  Result<std::unique_ptr<Engine>> TryOpen(const std::string& directory, std::shared_ptr<DataKeys> keys) {
    return OpenRocksDbEngine(Options(directory, std::move(keys)), metrics_);
  }
  std::unique_ptr<Engine> Open(const std::string& directory, std::shared_ptr<DataKeys> keys) {
    auto engine = TryOpen(directory, std::move(keys));
    EXPECT_TRUE(engine.has_value()) << (engine ? "" : engine.error().ToString());
    return engine ? std::move(*engine) : nullptr;
  }
  static void Fill(Engine& engine, int first, int behind) {
    for (int i = first; i < behind; ++i) ASSERT_TRUE(PutAndWait(engine, Key(i), Value(i)).ok());
  }
  static void ExpectRows(Engine& engine, int behind) {
    ScanOp scan;
    scan.begin = kNeedle;
    RunScan(engine, scan);
    ASSERT_TRUE(scan.status.ok()) << scan.status.ToString();
    ASSERT_EQ(scan.rows.size(), static_cast<size_t>(behind));
    for (int i = 0; i < behind; ++i) {
      ASSERT_EQ(scan.rows[static_cast<size_t>(i)].key, Key(i));
      ASSERT_EQ(scan.rows[static_cast<size_t>(i)].value, Value(i));
    }
  }
  static std::string ReadFile(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // The files that hold the words of a client.
  static std::vector<std::string> Telling(const fs::path& directory) {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(directory))
      if (entry.is_regular_file() && ReadFile(entry.path()).find("client's own") != std::string::npos)
        names.push_back(entry.path().filename());
    return names;
  }
  Status Refusal(std::shared_ptr<DataKeys> keys) {
    auto engine = TryOpen(path(), std::move(keys));
    return engine ? Status() : engine.error();
  }

  TemporaryDirectory root_;
  Metrics metrics_;
  Faults faults_;
  std::unique_ptr<rocksdb::Env> env_;
};

// In logs, tables and manifests, of a running server, of one that was killed and of one that was stopped.
TEST_F(EncryptedStoreTest, NothingOfClientsLiesOpen) {
  auto engine = Open(path(), TestKeys());
  Fill(*engine, 0, 900);  // several tables, some compacted, and a log
  EXPECT_EQ(Telling(path()), std::vector<std::string>());
  const std::string killed = root_.path() + "/killed";
  CopyAsIfKilled(path(), killed);
  EXPECT_EQ(Telling(killed), std::vector<std::string>());
  ASSERT_TRUE(engine->Close().ok());
  EXPECT_EQ(Telling(path()), std::vector<std::string>());
  for (const std::string& directory : {killed, path()}) {
    engine = Open(directory, TestKeys());
    ExpectRows(*engine, 900);
    ASSERT_TRUE(engine->Close().ok());
    EXPECT_EQ(Telling(directory), std::vector<std::string>());
  }
  // That it would be seen.
  const std::string plain = root_.path() + "/plain";
  engine = Open(plain, nullptr);
  Fill(*engine, 0, 10);
  EXPECT_NE(Telling(plain), std::vector<std::string>());
}

TEST_F(EncryptedStoreTest, NeedsItsKeys) {
  auto engine = Open(path(), TestKeys({1}));
  Fill(*engine, 0, 100);
  ASSERT_TRUE(engine->Close().ok());
  const Status missing = Refusal(nullptr);
  EXPECT_EQ(missing.code(), StatusCode::kFormat);
  EXPECT_EQ(missing.message(), path() + " is encrypted: it opens with its master key only");
  const Status unknown = Refusal(TestKeys({2}));
  EXPECT_EQ(unknown.code(), StatusCode::kCorruption);
  EXPECT_NE(unknown.message().find("is encrypted with data key 1, which the store does not have"), std::string::npos)
      << unknown.message();
  std::vector<std::shared_ptr<const DataKey>> other{
      std::make_shared<const DataKey>(DataKey{1, AesGcmKey(std::string(AesGcmKey::kBytes, 'z'))})};
  const Status wrong = Refusal(std::make_shared<DataKeys>(std::move(other)));
  EXPECT_EQ(wrong.code(), StatusCode::kCorruption);
  EXPECT_EQ(wrong.message().find('\n'), std::string::npos);
  engine = Open(path(), TestKeys({1, 2}));
  ExpectRows(*engine, 100);  // nothing was harmed by the tries
}

TEST_F(EncryptedStoreTest, APlainStoreIsNotTakenForOne) {
  auto engine = Open(path(), nullptr);
  Fill(*engine, 0, 10);
  ASSERT_TRUE(engine->Close().ok());
  const Status refused = Refusal(TestKeys());
  EXPECT_EQ(refused.code(), StatusCode::kFormat);
  EXPECT_NE(refused.message().find("is not encrypted"), std::string::npos);
  engine = Open(path(), nullptr);
  ExpectRows(*engine, 10);
}

// The keys are made before the store is, and may be all there is.
TEST_F(EncryptedStoreTest, TheFileOfKeysSaysThatTheStoreIsEncrypted) {
  fs::create_directories(path());
  std::ofstream(path() + "/KEYS") << "keys";
  EXPECT_EQ(Refusal(nullptr).code(), StatusCode::kFormat);
  auto engine = Open(path(), TestKeys());
  ASSERT_TRUE(engine);
  Fill(*engine, 0, 3);
}

TEST_F(EncryptedStoreTest, AFileOfAnotherStoreIsNoticed) {
  const std::string other = root_.path() + "/other";
  for (const std::string& directory : {path(), other}) {
    auto engine = Open(directory, TestKeys());
    Fill(*engine, 0, 300);
    ASSERT_TRUE(engine->Close().ok());
  }
  // A plain log in the place of an encrypted one.
  for (const auto& entry : fs::directory_iterator(path() + "/db"))
    if (entry.path().extension() == ".log") std::ofstream(entry.path(), std::ios::binary) << std::string(1000, 'x');
  const Status refused = Refusal(TestKeys());
  EXPECT_EQ(refused.code(), StatusCode::kCorruption);
  EXPECT_NE(refused.message().find("does not begin as an encrypted file does"), std::string::npos) << refused.message();
}

TEST_F(EncryptedStoreTest, ACopyHasItsKeysAndGoesOnByItself) {
  const std::string copy = root_.path() + "/copy";
  auto engine = Open(path(), TestKeys());
  std::ofstream(path() + "/KEYS") << "keys";
  Fill(*engine, 0, 400);
  ASSERT_TRUE(RunBlocking(engine->Checkpoint(copy)).ok());
  EXPECT_EQ(ReadFile(copy + "/KEYS"), "keys");
  EXPECT_EQ(Telling(copy), std::vector<std::string>());
  auto copied = Open(copy, TestKeys());
  ExpectRows(*copied, 400);
  Fill(*copied, 400, 500);
  Fill(*engine, 400, 600);
  ExpectRows(*copied, 500);
  ExpectRows(*engine, 600);
}

TEST_F(EncryptedStoreTest, EverythingIsWrittenAnewUnderAnotherKey) {
  const auto keys = TestKeys({1});
  auto engine = Open(path(), keys);
  Fill(*engine, 0, 400);
  auto files = RunBlocking(engine->FilesByDataKey());
  ASSERT_TRUE(files.has_value());
  EXPECT_EQ(files->size(), 1u);
  EXPECT_GE((*files)[1], 3u);  // log, manifest, tables
  keys->Add(TestKey(2));
  Fill(*engine, 400, 500);
  ASSERT_TRUE(RunBlocking(engine->RewriteUnderNewestKey()).ok());
  ExpectRows(*engine, 500);
  files = RunBlocking(engine->FilesByDataKey());
  ASSERT_TRUE(files.has_value());
  EXPECT_GE((*files)[2], 1u);
  EXPECT_GE((*files)[1], 1u) << "the manifest, until the store is opened again";
  ASSERT_TRUE(engine->Close().ok());
  engine = Open(path(), keys);
  files = RunBlocking(engine->FilesByDataKey());
  ASSERT_TRUE(files.has_value());
  EXPECT_EQ((*files)[1], 0u);
  ASSERT_TRUE(engine->Close().ok());
  keys->Remove(1);
  engine = Open(path(), keys);
  ExpectRows(*engine, 500);
}

TEST_F(EncryptedStoreTest, ClosingEndsARewrite) {
  auto engine = Open(path(), TestKeys());
  Fill(*engine, 0, 600);
  std::thread rewriting([&] { static_cast<void>(RunBlocking(engine->RewriteUnderNewestKey())); });
  EXPECT_TRUE(engine->Close().ok());
  rewriting.join();
  EXPECT_EQ(RunBlocking(engine->RewriteUnderNewestKey()).code(), StatusCode::kUnavailable);
}

// Every write of a run fails once, half-way, for want of space: nothing acknowledged is lost and nothing is misread.
TEST_F(EncryptedStoreTest, AFullDiskIsSurvived) {
  env_ = MakeFaultEnv(faults_);
  for (uint64_t n = 1; n < 400; n += 1 + n / 2) {
    const std::string directory = root_.path() + fmt::format("/full-{}", n);
    auto engine = Open(directory, TestKeys());
    ASSERT_TRUE(PutAndWait(*engine, "begun", "yes").ok());
    faults_.Arm(FileCall::kAppend, n, 3, ENOSPC);
    std::map<int, bool> acknowledged;
    for (int i = 0; i < 150; ++i) {
      acknowledged[i] = PutAndWait(*engine, Key(i), Value(i)).ok();
      for (int again = 0; !acknowledged[i] && again < 200; ++again, std::this_thread::yield())
        acknowledged[i] = PutAndWait(*engine, Key(i), Value(i)).ok();
    }
    faults_.Disarm();
    const std::string killed = directory + "-killed";
    CopyAsIfKilled(directory, killed);
    ASSERT_TRUE(engine->Close().ok()) << n;
    for (const std::string& left : {directory, killed}) {
      engine = Open(left, TestKeys());
      ASSERT_TRUE(engine) << n;
      for (const auto& [i, is_there] : acknowledged) {
        if (is_there) { ASSERT_EQ(GetOr(*engine, Key(i), "-"), Value(i)) << n; }
      }
      ASSERT_TRUE(engine->Close().ok());
      fs::remove_all(left);
    }
  }
}

TEST_F(EncryptedStoreTest, TheDoctorSeesIntoItWithItsKeys) {
  auto engine = Open(path(), TestKeys());
  Fill(*engine, 0, 600);
  ASSERT_TRUE(engine->Close().ok());
  EXPECT_EQ(StoreDoctor::Open(path()).error().code(), StatusCode::kFormat);
  const auto examine = [&](int& rows) {
    auto doctor = StoreDoctor::Open(path(), TestKeys());
    EXPECT_TRUE(doctor.has_value()) << (doctor ? "" : doctor.error().ToString());
    (*doctor)->CheckTables();
    rows = 0;
    static_cast<void>((*doctor)->Read(PartitionInfo{}, {std::string(kNeedle), ""}, [&](auto, auto) { return ++rows; }));
    return (*doctor)->survey().damage.size();
  };
  int rows = 0;
  EXPECT_EQ(examine(rows), 0u);
  EXPECT_EQ(rows, 600);
  for (const auto& entry : fs::directory_iterator(path() + "/db")) {
    if (entry.path().extension() != ".sst") continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(200);
    file << "xxxx";
    break;
  }
  EXPECT_EQ(examine(rows), 1u);
}

}  // namespace
}  // namespace armature::storage
