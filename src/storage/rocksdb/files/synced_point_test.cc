#include "storage/rocksdb/files/synced_point.h"

#include <gtest/gtest.h>

namespace armature::storage {
namespace {

const SyncedPoint kPoint{
    .log = 12, .log_bytes = 8192, .sequence = 4711, .manifest = 9, .manifest_bytes = 1234, .logs = {11, 12}};

TEST(SyncedPoint, FileIsOneSectorAndReadsBack) {
  const std::string text = EncodeSyncedFile(kPoint);
  EXPECT_EQ(text.size(), 512u);
  EXPECT_TRUE(
      text.starts_with("armature synced 1 log 12 bytes 8192 sequence 4711 manifest 9 bytes 1234 live 11 live 12 crc "));
  const auto read = DecodeSyncedFile(text);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->log, 12u);
  EXPECT_EQ(read->log_bytes, 8192u);
  EXPECT_EQ(read->sequence, 4711u);
  EXPECT_EQ(read->manifest, 9u);
  EXPECT_EQ(read->manifest_bytes, 1234u);
  EXPECT_EQ(read->logs, kPoint.logs);
}

TEST(SyncedPoint, ManyLogsLeaveOutTheOldest) {
  SyncedPoint point = kPoint;
  point.logs.clear();
  for (uint64_t log = 1; log <= 40; ++log) point.logs.push_back(log);
  const std::string text = EncodeSyncedFile(point);
  EXPECT_EQ(text.size(), 512u);
  const auto read = DecodeSyncedFile(text);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->logs.size(), 16u);
  EXPECT_EQ(read->logs.back(), 40u);
}

TEST(SyncedPoint, ADamagedFileClaimsNothing) {
  const std::string text = EncodeSyncedFile(kPoint);
  const size_t end = text.find('\n');
  for (size_t i = 0; i <= end; ++i) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(DecodeSyncedFile(damaged).has_value()) << i;
    EXPECT_FALSE(DecodeSyncedFile(text.substr(0, i)).has_value()) << i;
  }
}

TEST(SyncedPoint, NoteIsFoundAtTheFrontOfABatch) {
  const std::string note = EncodeSyncedNote(kPoint);
  EXPECT_EQ(note, std::string("\xa7S\x0c\x80\x40\xe7\x24"));
  const std::string batch = std::string(12, '\0') + '\3' + static_cast<char>(note.size()) + note + "\1\1k\1v";
  const auto found = FindSyncedNote(batch);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->log, 12u);
  EXPECT_EQ(found->log_bytes, 8192u);
  EXPECT_EQ(found->sequence, 4711u);
  EXPECT_FALSE(FindSyncedNote(std::string(12, '\0') + "\1\1k\1v").has_value());
  for (size_t size = 0; size < 12 + 2 + note.size(); ++size)
    EXPECT_FALSE(FindSyncedNote(batch.substr(0, size))) << size;
}

}  // namespace
}  // namespace armature::storage
