#include "storage/rocksdb/rows/partition_records.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/bytes.h"

namespace armature::storage {
namespace {

std::string Hex(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) hex += fmt::format("{}{:02x}", hex.empty() ? "" : " ", static_cast<uint8_t>(byte));
  return hex;
}

// docs/design/formats.md, "Partitions" and "How far a partition is".
TEST(PartitionRecordsTest, BytesAsDocumented) {
  EXPECT_EQ(Hex(PartitionRecordKey(6)), "00 70 00 00 00 00 00 00 00 06");
  PartitionInfo info{.id = 6, .keyspace = 5, .hashes = {0, UINT64_MAX / 2}, .epoch = 300};
  EXPECT_EQ(Hex(EncodePartition(info)), "02 00 05 ac 02 00 00 00 00 00 00 00 00 7f ff ff ff ff ff ff ff");
  info.is_ended = true;
  EXPECT_EQ(Hex(EncodePartition(info)).substr(0, 5), "02 01");
  EXPECT_EQ(Hex(NewestCommitKey(5)), "00 6e 00 00 00 00 00 00 00 05");
  Counts counts;
  std::string record;
  AppendNewestCommit(4711, counts, record);
  EXPECT_EQ(Hex(record), "00 00 00 00 00 00 12 67");
  counts.Add(0, {3, 1000});
  counts.Add(2, {-1, 64});
  record.clear();
  AppendNewestCommit(4711, counts, record);
  EXPECT_EQ(Hex(record), "00 00 00 00 00 00 12 67 00 06 d0 0f 02 01 80 01");

  ByteReader reader(std::string_view(record).substr(8));
  const Counts read = ReadCounts(reader);
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(read.of(0), (RowCount{3, 1000}));
  EXPECT_EQ(read.of(2), (RowCount{-1, 64}));
  for (const size_t size : {9, 11, 13}) {
    ByteReader cut(std::string_view(record).substr(8, size - 8));
    static_cast<void>(ReadCounts(cut));
    EXPECT_FALSE(cut.ok()) << size;
  }
}

}  // namespace
}  // namespace armature::storage
