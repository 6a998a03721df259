// The way of lines to the disk: bounded, rotated, counted, whole after every fault.
#include "audit/audit_log.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "audit/hash_key.h"

namespace armature::audit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Takes so many bytes more, and then none.
class TightDisk final : public Disk {
 public:
  ssize_t Write(int file, std::string_view bytes) override {
    if (room && *room == 0) return errno = ENOSPC, -1;
    const size_t fits = room ? std::min(*room, bytes.size()) : bytes.size();
    if (room) *room -= fits;
    return Disk::Write(file, bytes.substr(0, fits));
  }
  int Sync(int file) override { return ++syncs, Disk::Sync(file); }

  std::optional<size_t> room;
  int syncs = 0;
};

class AuditLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "armature-audit-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    directory_ = root_ + "/log";
  }
  void TearDown() override {
    log_.reset();
    std::filesystem::remove_all(root_);
  }

  void Open(uint64_t file_bytes = 1 << 20, size_t files = 4, size_t queue_bytes = 1 << 20) {
    log_.reset();
    auto opened = LogFiles::Open({.directory = directory_, .file_bytes = file_bytes, .files = files}, disk_);
    ASSERT_TRUE(opened) << opened.error().message();
    metrics_.emplace();
    log_.emplace(std::move(*opened), clock_, random_, *metrics_, queue_bytes);
  }
  bool Offer(const std::string& text, Rank rank = Rank::kManagement) { return log_->Offer(rank, text + "\n"); }

  std::vector<std::string> Lines(const std::string& name = kLogFileName) const {
    std::ifstream file(directory_ + "/" + name);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  std::string Text() const {
    std::ifstream file(directory_ + "/" + kLogFileName);
    return (std::ostringstream() << file.rdbuf()).str();
  }
  void Append(std::string_view text) const {
    std::ofstream(directory_ + "/" + kLogFileName, std::ios::app | std::ios::binary) << text;
  }
  std::vector<std::string> Closed() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_))
      if (entry.path().filename() != kLogFileName) names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }
  uint64_t Count(const char* name) { return metrics_->GetCounter(name, {}).value(); }

  std::string root_;
  std::string directory_;
  TightDisk disk_;
  ManualClock clock_;
  SeededRandom random_{1};
  std::optional<Metrics> metrics_;
  std::optional<AuditLog> log_;
};

TEST_F(AuditLogTest, LinesAreWrittenInOrderAndCounted) {
  Open();
  EXPECT_TRUE(Offer("one"));
  EXPECT_TRUE(Offer("two", Rank::kData));
  EXPECT_TRUE(log_->Step());
  EXPECT_THAT(Lines(), ElementsAre("one", "two"));
  EXPECT_EQ(Count("armature_audit_events_total"), 2u);
  EXPECT_EQ(Count("armature_audit_bytes_total"), 8u);
}

TEST_F(AuditLogTest, OnlyTheOwnerReadsIt) {
  Open();
  struct stat about {};
  ASSERT_EQ(stat(directory_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700u);
  ASSERT_EQ(stat((directory_ + "/" + kLogFileName).c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST_F(AuditLogTest, TheThreadWritesAndStopWaitsForIt) {
  Open();
  log_->Start();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(Offer(std::to_string(i)));
  log_->Stop();
  EXPECT_THAT(Lines(), SizeIs(100));
  EXPECT_GE(disk_.syncs, 1);
  EXPECT_FALSE(Offer("late"));
}

TEST_F(AuditLogTest, FilesAreRotatedBySizeAndTheOldestGoes) {
  Open(/*file_bytes=*/10, /*files=*/3);
  for (const char* line : {"aaaa", "bbbb", "cccc", "dddd", "eeee", "ffff", "gggg", "hhhh", "iiii"}) {
    Offer(line);
    ASSERT_TRUE(log_->Step());
  }
  EXPECT_THAT(Closed(), ElementsAre("audit-000003.jsonl", "audit-000004.jsonl"));
  EXPECT_THAT(Lines("audit-000003.jsonl"), ElementsAre("eeee", "ffff"));
  EXPECT_THAT(Lines("audit-000004.jsonl"), ElementsAre("gggg", "hhhh"));
  EXPECT_THAT(Lines(), ElementsAre("iiii"));
  // The numbers go on, and a smaller bound holds at once.
  Open(/*file_bytes=*/10, /*files=*/2);
  EXPECT_THAT(Closed(), ElementsAre("audit-000004.jsonl"));
  for (const char* line : {"jjjj", "kkkk"}) {
    Offer(line);
    ASSERT_TRUE(log_->Step());
  }
  EXPECT_THAT(Closed(), ElementsAre("audit-000005.jsonl"));
}

TEST_F(AuditLogTest, AFullQueueDropsAndTheLogSaysHowMuch) {
  Open(1 << 20, 4, /*queue_bytes=*/100);
  const std::string line(19, 'x');  // 20 with its end
  int taken = 0;
  for (int i = 0; i < 10; ++i) taken += Offer(line) ? 1 : 0;
  EXPECT_EQ(taken, 5);
  EXPECT_EQ(Count("armature_audit_dropped_total"), 5u);
  ASSERT_TRUE(log_->Step());
  ASSERT_THAT(Lines(), SizeIs(6));
  EXPECT_THAT(Lines()[5], HasSubstr("\"eventName\":\"AuditEventsLost\""));
  EXPECT_THAT(Lines()[5], HasSubstr("\"lostEvents\":5"));
  EXPECT_TRUE(Offer(line));  // there is room again
  ASSERT_TRUE(log_->Step());
  EXPECT_THAT(Lines(), SizeIs(7)) << "what was told once is not told again";
}

TEST_F(AuditLogTest, DataEventsAndDenialsLeaveRoomForThoseWhoAdminister) {
  Open(1 << 20, 4, /*queue_bytes=*/100);
  const std::string line(9, 'x');
  const auto fill = [&](Rank rank) {
    int taken = 0;
    while (Offer(line, rank)) ++taken;
    return taken;
  };
  EXPECT_EQ(fill(Rank::kData), 5);
  EXPECT_EQ(fill(Rank::kDenial), 2);
  EXPECT_EQ(fill(Rank::kManagement), 3);
}

TEST_F(AuditLogTest, OnAFullDiskLinesStayWholeAndNothingIsLostThatFitsInTheQueue) {
  Open();
  Offer("first");
  ASSERT_TRUE(log_->Step());
  disk_.room = 3;  // half of a line
  Offer("second");
  EXPECT_FALSE(log_->Step());
  EXPECT_EQ(Text(), "first\n");
  EXPECT_TRUE(Offer("third"));
  EXPECT_FALSE(log_->Step());
  EXPECT_EQ(Text(), "first\n");
  disk_.room.reset();
  EXPECT_TRUE(log_->Step());
  EXPECT_THAT(Lines(), ElementsAre("first", "second", "third"));
  EXPECT_EQ(Count("armature_audit_write_failures_total"), 2u);
  EXPECT_EQ(Count("armature_audit_dropped_total"), 0u);
}

TEST_F(AuditLogTest, ALineThatACrashLeftTornIsCut) {
  Open();
  Offer("whole");
  ASSERT_TRUE(log_->Step());
  log_.reset();
  Append("{\"torn\":" + std::string(10'000, 'x'));
  Open();
  Offer("next");
  ASSERT_TRUE(log_->Step());
  EXPECT_THAT(Lines(), ElementsAre("whole", "next"));

  log_.reset();
  std::filesystem::resize_file(directory_ + "/" + kLogFileName, 0);
  Append("nothing but a torn line");
  Open();
  EXPECT_EQ(Text(), "");
}

TEST_F(AuditLogTest, AFileThatWasMovedAwayIsOpenedAnew) {
  Open();
  Offer("one");
  ASSERT_TRUE(log_->Step());
  std::filesystem::rename(directory_ + "/" + kLogFileName, directory_ + "/moved");
  Offer("two");
  ASSERT_TRUE(log_->Step());
  EXPECT_THAT(Lines(), ElementsAre("two"));
  EXPECT_THAT(Lines("moved"), ElementsAre("one"));
}

TEST_F(AuditLogTest, ADirectoryIsOneServers) {
  Open();
  TightDisk disk;
  const auto second = LogFiles::Open({.directory = directory_}, disk);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message(), HasSubstr("another server"));
}

TEST_F(AuditLogTest, ADirectoryThatCannotBeMadeIsTold) {
  std::ofstream(directory_) << "a file";
  const auto opened = LogFiles::Open({.directory = directory_}, disk_);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message(), HasSubstr("cannot open the audit log's directory"));
}

TEST_F(AuditLogTest, TheHashKeyIsMadeOnceAndFoundAgain) {
  Open();
  const auto made = HashKey::ReadOrMake(directory_, random_);
  const auto found = HashKey::ReadOrMake(directory_, random_);
  const auto read = HashKey::Read(directory_);
  ASSERT_TRUE(made && found && read);
  EXPECT_EQ(made->OfText("x"), found->OfText("x"));
  EXPECT_EQ(made->OfText("x"), read->OfText("x"));
  EXPECT_NE(made->OfText("x"), made->OfText("y"));
  struct stat about {};
  ASSERT_EQ(stat((directory_ + "/" + kHashKeyFileName).c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);

  std::ofstream(directory_ + "/" + kHashKeyFileName) << "short";
  EXPECT_THAT(HashKey::Read(directory_).error().message(), HasSubstr("is no key of an audit log"));
}

// So that a restored directory of another random text is noticed, and the formula of docs/operations.md stays.
TEST_F(AuditLogTest, TheHashIsAnHmacOfArnAndKey) {
  const HashKey key(std::string(64, 'a'));
  const model::Value value = model::Value::String("7");
  const std::vector<model::MapEntry> id{{"id", value}};
  const auto expected =
      HexDigest(HmacSha256::Of(std::string(64, 'a'), "arn:aws:dynamodb:r:1:table/T\n{\"id\":{\"S\":\"7\"}}"));
  EXPECT_EQ(key.OfKey("arn:aws:dynamodb:r:1:table/T", id), "hmac-sha256:" + std::string(expected.text()));
}

}  // namespace
}  // namespace armature::audit
