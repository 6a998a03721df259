#include "storage/rocksdb/survey/store_doctor.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "storage/rocksdb/rocksdb_engine.h"
#include "storage/storage_testing.h"

namespace armature::storage {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
std::map<std::string, std::string> Contents(const fs::path& directory) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    if (entry.is_regular_file()) contents[entry.path().lexically_relative(directory)] = ReadFile(entry.path());
  return contents;
}
std::string Key(int i) { return fmt::format("key{:05}", i); }

class StoreDoctorTest : public ::testing::Test {
 protected:
  // Fifty keys in a table file, fifty in the log.
  StoreDoctorTest() {
    for (int i = 0; i < 100; i += 50) {
      auto engine = TryOpen();
      for (int k = i; k < i + 50; ++k) EXPECT_TRUE(PutAndWait(**engine, Key(k), "value").ok());
      EXPECT_TRUE((*engine)->Close().ok());
    }
  }
  Result<std::unique_ptr<Engine>> TryOpen() {
    RocksDbOptions options;
    options.directory = path();
    options.memory_bytes = 16 << 20;
    return OpenRocksDbEngine(options, metrics_);
  }
  std::unique_ptr<StoreDoctor> Doctor() {
    auto doctor = StoreDoctor::Open(path());
    EXPECT_TRUE(doctor.has_value()) << (doctor ? "" : doctor.error().ToString());
    return doctor ? std::move(*doctor) : nullptr;
  }
  fs::path FileOf(std::string_view suffix) const {
    for (const auto& entry : fs::directory_iterator(path() + "/db"))
      if (entry.path().string().ends_with(suffix)) return entry.path();
    return {};
  }
  void FlipBit(const fs::path& file, size_t offset) const {
    std::string bytes = ReadFile(file);
    ASSERT_LT(offset, bytes.size());
    bytes[offset] = static_cast<char>(bytes[offset] ^ 1);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  }
  static int CountKeys(StoreDoctor& doctor) {
    int count = 0;
    const Status status = doctor.Read({}, {"key", "kez"}, [&](std::string_view key, std::string_view value) {
      EXPECT_EQ(key, Key(count));
      EXPECT_EQ(value, "value");
      return ++count != 0;
    });
    EXPECT_TRUE(status.ok()) << status.ToString();
    return count;
  }
  std::string path() const { return root_.path() + "/data"; }

  TemporaryDirectory root_;
  Metrics metrics_;
};

TEST_F(StoreDoctorTest, LookingAtASoundStoreChangesNothing) {
  const auto before = Contents(path());
  {
    auto doctor = Doctor();
    doctor->CheckTables();
    EXPECT_TRUE(doctor->survey().damage.empty());
    EXPECT_EQ(CountKeys(*doctor), 100);
  }
  EXPECT_EQ(Contents(path()), before);
}

TEST_F(StoreDoctorTest, LooksOnlyAtStoresThatNobodyUses) {
  auto engine = TryOpen();
  auto doctor = StoreDoctor::Open(path());
  ASSERT_FALSE(doctor.has_value());
  EXPECT_EQ(doctor.error().code(), StatusCode::kLocked);
  EXPECT_EQ(StoreDoctor::Open(root_.path()).error().code(), StatusCode::kFormat);
  EXPECT_EQ(StoreDoctor::Open(root_.path() + "/nothing").error().code(), StatusCode::kNotFound);
}

TEST_F(StoreDoctorTest, NoServerStartsMeanwhile) {
  auto doctor = Doctor();
  EXPECT_EQ(TryOpen().error().code(), StatusCode::kLocked);
}

TEST_F(StoreDoctorTest, ADamagedLogIsReadUpToTheDamageAndRepairedThere) {
  const fs::path log = FileOf(".log");
  FlipBit(log, fs::file_size(log) / 2);
  const auto before = Contents(path());
  ASSERT_FALSE(TryOpen().has_value());
  auto doctor = Doctor();
  doctor->CheckTables();
  ASSERT_EQ(doctor->survey().damage.size(), 1u);
  EXPECT_TRUE(doctor->survey().damage[0].offset.has_value());
  EXPECT_TRUE(doctor->IsRefused());
  const int readable = CountKeys(*doctor);
  EXPECT_GT(readable, 60);
  EXPECT_LT(readable, 90);
  EXPECT_EQ(Contents(path()), before);

  EXPECT_EQ(doctor->WhyNotRepairable(), "");
  auto aside = doctor->Repair();
  ASSERT_TRUE(aside.has_value()) << aside.error().ToString();
  EXPECT_TRUE(doctor->survey().damage.empty());
  EXPECT_EQ(CountKeys(*doctor), readable);
  // The original is kept as it was.
  EXPECT_EQ(ReadFile(path() + "/" + *aside + "/" + log.filename().string()),
            before.at("db/" + log.filename().string()));
  doctor.reset();
  auto engine = TryOpen();
  ASSERT_TRUE(engine.has_value()) << engine.error().ToString();
  ScanOp scan;
  EXPECT_EQ(RunScan(**engine, scan).rows.size(), static_cast<size_t>(readable));
  EXPECT_TRUE(PutAndWait(**engine, "more", "value").ok());
  ASSERT_TRUE((*engine)->Close().ok());
  EXPECT_TRUE(TryOpen().has_value());
}

TEST_F(StoreDoctorTest, AMissingLogIsGivenUpByRepair) {
  fs::remove(FileOf(".log"));
  auto doctor = Doctor();
  ASSERT_EQ(doctor->survey().damage.size(), 1u);
  EXPECT_EQ(CountKeys(*doctor), 50);
  ASSERT_TRUE(doctor->Repair().has_value());
  doctor.reset();
  EXPECT_TRUE(TryOpen().has_value());
}

TEST_F(StoreDoctorTest, ABadBlockIsNamedAndNothingElseIsTouched) {
  FlipBit(FileOf(".sst"), 100);
  auto doctor = Doctor();
  EXPECT_TRUE(doctor->survey().damage.empty());
  doctor->CheckTables();
  ASSERT_EQ(doctor->survey().damage.size(), 1u);
  EXPECT_NE(doctor->survey().damage[0].what.find("checksum mismatch"), std::string::npos);
  EXPECT_FALSE(doctor->IsRefused());
}

TEST_F(StoreDoctorTest, AMissingTableFileOrManifestCannotBeRepaired) {
  const fs::path table = FileOf(".sst");
  fs::rename(table, root_.path() + "/table");
  EXPECT_NE(Doctor()->WhyNotRepairable(), "");
  fs::rename(root_.path() + "/table", table);
  fs::remove(path() + "/db/CURRENT");
  EXPECT_NE(Doctor()->WhyNotRepairable(), "");
}

}  // namespace
}  // namespace armature::storage
