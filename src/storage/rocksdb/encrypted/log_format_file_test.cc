#include "storage/rocksdb/encrypted/log_format_file.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "base/codec/crc32c.h"
#include "storage/rocksdb/encrypted/encrypted_file_system.h"
#include "storage/rocksdb/encrypted/sealed_pages.h"
#include "storage/rocksdb/survey/log_scanner.h"
#include "storage/storage_testing.h"
#include "storage/testing/fault_file_system.h"
#include "storage/testing/test_keys.h"

namespace armature::storage {
namespace {

using rocksdb::FileOptions;
using rocksdb::IOOptions;
using rocksdb::Slice;

constexpr size_t kBlock = LogCipher::kBlock;

void AppendPiece(std::string& log, uint8_t type, std::string_view payload) {
  std::string rest(1, static_cast<char>(type));
  rest.append(payload);
  const uint32_t crc = Crc32c(rest);
  const uint32_t masked = ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
  for (int i = 0; i < 4; ++i) log += static_cast<char>(masked >> (8 * i));
  log += static_cast<char>(payload.size());
  log += static_cast<char>(payload.size() >> 8);
  log += rest;
}

// As RocksDB lays records out.
void AppendRecord(std::string& log, std::string_view record) {
  bool is_first = true;
  do {
    const size_t left = kBlock - log.size() % kBlock;
    if (left < 7) {
      log.append(left, '\0');
      continue;
    }
    const std::string_view part = record.substr(0, std::min(record.size(), left - 7));
    record.remove_prefix(part.size());
    AppendPiece(log, record.empty() ? (is_first ? 1 : 4) : (is_first ? 2 : 3), part);
    is_first = false;
  } while (!record.empty() || is_first);
}

std::string Record(size_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string record = "secret!";
  while (record.size() < size) record += static_cast<char>(seed % 3 == 0 ? 0 : random());
  record.resize(size);
  return record;
}

class LogFormatFileTest : public ::testing::Test {
 protected:
  std::unique_ptr<rocksdb::FSWritableFile> Create() {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    EXPECT_TRUE(files_.NewWritableFile(path_, FileOptions(), &file, nullptr).ok());
    return file;
  }
  std::string Read(size_t step = 10'000) {
    std::unique_ptr<rocksdb::FSSequentialFile> file;
    const auto status = files_.NewSequentialFile(path_, FileOptions(), &file, nullptr);
    if (!status.ok()) return "! " + status.ToString();
    std::string text, scratch(step, '\0');
    for (Slice part; file->Read(step, IOOptions(), &part, scratch.data(), nullptr).ok() && !part.empty();)
      text += part.ToString();
    return text;
  }
  // The records that can be read, as the survey reads them.
  std::vector<std::string> Records() {
    std::vector<std::string> records;
    auto scanner = LogScanner::Open(files_, path_, SIZE_MAX);
    if (!scanner) return {"! " + scanner.error().ToString()};
    for (;;) {
      const auto event = scanner->Next();
      if (!event || *event == LogScanner::Event::kEnd) return records;
      if (*event == LogScanner::Event::kRecord) records.push_back(scanner->record());
    }
  }
  std::string Raw() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Again: as it was before.
  void Flip(size_t at, int bit) const {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const int byte = file.get() ^ (1 << bit);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte));
  }
  void SetRaw(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

  TemporaryDirectory root_;
  const std::string path_ = root_.path() + "/000012.log";
  Faults faults_;
  const std::unique_ptr<rocksdb::Env> env_ = MakeFaultEnv(faults_);
  EncryptedFileSystem files_{env_->GetFileSystem(), TestKeys()};
};

TEST_F(LogFormatFileTest, ReadsWhatWasWrittenHoweverItWasSplit) {
  std::mt19937_64 random(13);
  for (int round = 0; round < 40; ++round) {
    std::string log;
    const size_t sizes[] = {0, 1, 9, 300, 32'760, 32'761, 32'762, 32'768, 70'000};
    for (int i = 0; i < 60; ++i)
      AppendRecord(log, Record(round % 2 == 0 ? random() % 3000 : sizes[random() % std::size(sizes)], random()));
    auto file = Create();
    const size_t longest = size_t{1} << (random() % 18);
    for (size_t at = 0; at < log.size();) {
      const size_t size = std::min(log.size() - at, 1 + random() % longest);
      ASSERT_TRUE(file->PositionedAppend({log.data() + at, size}, at, IOOptions(), nullptr).ok());
      at += size;
    }
    ASSERT_TRUE(file->Close(IOOptions(), nullptr).ok());
    ASSERT_EQ(Read(1 + random() % 50'000), log) << round;
    const std::string raw = Raw();
    ASSERT_EQ(raw.size(), log.size() + 64);
    EXPECT_EQ(raw.find("secret!"), std::string::npos);
  }
}

TEST_F(LogFormatFileTest, WhatIsNotWholeIsHeldBack) {
  std::string log;
  AppendRecord(log, "first");
  const size_t first = log.size();
  AppendRecord(log, "second");
  auto file = Create();
  ASSERT_TRUE(file->Append(log.substr(0, first + 9), IOOptions(), nullptr).ok());
  EXPECT_EQ(file->GetFileSize(IOOptions(), nullptr), first + 9);
  EXPECT_EQ(Read(), log.substr(0, first));
  ASSERT_TRUE(file->Append(log.substr(first + 9), IOOptions(), nullptr).ok());
  EXPECT_EQ(Read(), log);
}

TEST_F(LogFormatFileTest, ZerosAheadStayZeros) {
  std::string log;
  for (int i = 0; i < 500; ++i) AppendRecord(log, Record(1000, static_cast<uint64_t>(i)));
  const std::string zeros(256 << 10, '\0');
  auto file = Create();
  size_t ahead = 0;
  for (size_t at = 0; at < log.size();) {
    const size_t size = std::min<size_t>(log.size() - at, 12'345);
    if (at + size > ahead) {
      ahead = std::max(ahead, at);
      ASSERT_TRUE(file->PositionedAppend(zeros, ahead, IOOptions(), nullptr).ok());
      ahead += zeros.size();
    }
    ASSERT_TRUE(file->PositionedAppend({log.data() + at, size}, at, IOOptions(), nullptr).ok());
    at += size;
    if (at == 12'345) {
      const std::string seen = Read();
      EXPECT_EQ(seen.size(), zeros.size());
      EXPECT_TRUE(LogCipher::IsZero(std::string_view(seen).substr(12'345))) << "behind what was written";
    }
  }
  std::string expected = log;
  expected.resize(ahead);
  EXPECT_EQ(Read(), expected);
  EXPECT_TRUE(file->Truncate(log.size(), IOOptions(), nullptr).ok());
  EXPECT_EQ(Read(), log);
}

// In pieces of a copy's buffer, which are no zeros ahead.
TEST_F(LogFormatFileTest, ACopyWithZerosInItReadsTheSame) {
  std::string log;
  for (int i = 0; i < 30; ++i) AppendRecord(log, Record(500, static_cast<uint64_t>(i)));
  log.append(100'000, '\0');
  auto file = Create();
  for (size_t at = 0; at < log.size(); at += 4096)
    ASSERT_TRUE(file->Append(log.substr(at, 4096), IOOptions(), nullptr).ok());
  ASSERT_TRUE(file->Close(IOOptions(), nullptr).ok());
  EXPECT_EQ(Read().substr(0, 99'000), log.substr(0, 99'000));
  EXPECT_EQ(Records().size(), 30u);
}

TEST_F(LogFormatFileTest, AFailedWriteIsRepeatedWithTheSameBytesAndMore) {
  std::string log;
  for (int i = 0; i < 100; ++i) AppendRecord(log, Record(900, static_cast<uint64_t>(i)));
  auto file = Create();
  ASSERT_TRUE(file->PositionedAppend(log.substr(0, 20'000), 0, IOOptions(), nullptr).ok());
  // Over the end of a block, whose last bytes are of no piece.
  faults_.Arm(FileCall::kAppend, 1, 2, ENOSPC);
  EXPECT_TRUE(file->PositionedAppend(log.substr(20'000, 30'000), 20'000, IOOptions(), nullptr).IsNoSpace());
  std::string other = log.substr(20'000, 30'000);
  other[25'000] = static_cast<char>(other[25'000] ^ 1);
  const auto refused = file->PositionedAppend(other, 20'000, IOOptions(), nullptr);
  EXPECT_TRUE(refused.IsIOError() && !refused.IsNoSpace()) << refused.ToString();
  EXPECT_TRUE(file->PositionedAppend(log.substr(20'000, 40'000), 20'000, IOOptions(), nullptr).IsNoSpace());
  ASSERT_TRUE(file->PositionedAppend(log.substr(20'000), 20'000, IOOptions(), nullptr).ok());
  EXPECT_EQ(Read(), log);
  EXPECT_FALSE(file->PositionedAppend(log.substr(20'000), 20'000, IOOptions(), nullptr).ok()) << "never written over";
}

TEST_F(LogFormatFileTest, NoByteCanBeChangedUnnoticed) {
  std::string log;
  std::vector<std::string> written;
  for (int i = 0; i < 40; ++i) {
    written.push_back(Record(i % 7 == 0 ? 9000 : 100, static_cast<uint64_t>(i)));
    AppendRecord(log, written.back());
  }
  auto file = Create();
  ASSERT_TRUE(file->Append(log, IOOptions(), nullptr).ok());
  ASSERT_TRUE(file->Close(IOOptions(), nullptr).ok());
  const std::string raw = Raw();
  ASSERT_EQ(Records(), written);
  std::mt19937_64 random(13);
  size_t unnoticed = 0;
  for (size_t at = 0; at < raw.size(); at += at < 2000 ? 1 : 1 + random() % 60) {
    const int bit = static_cast<int>(random() % 8);
    Flip(at, bit);
    const std::vector<std::string> records = Records();
    Flip(at, bit);
    if (at < 64) {
      ASSERT_EQ(records.size(), 1u);
      ASSERT_EQ(records[0].substr(0, 1), "!") << at;
      continue;
    }
    // What is left is of what was written, in order; something is missing, or the byte was of no piece.
    auto next = written.begin();
    for (const std::string& record : records) {
      next = std::find(next, written.end(), record);
      ASSERT_NE(next, written.end()) << at;
      ++next;
    }
    unnoticed += records.size() == written.size();
  }
  EXPECT_LE(unnoticed, 6 * 3u) << "ends of blocks";
}

TEST_F(LogFormatFileTest, PiecesDoNotChangePlacesNorFiles) {
  std::string log;
  for (int i = 0; i < 3; ++i) AppendRecord(log, Record(100, static_cast<uint64_t>(i) + 1));
  const auto write = [&] {
    auto file = Create();
    ASSERT_TRUE(file->Append(log, IOOptions(), nullptr).ok());
    ASSERT_TRUE(file->Close(IOOptions(), nullptr).ok());
  };
  write();
  const std::string raw = Raw();
  SetRaw(raw.substr(0, 64) + raw.substr(64 + 107, 107) + raw.substr(64, 107) + raw.substr(64 + 214));
  EXPECT_EQ(Records(), std::vector<std::string>{Record(100, 3)});
  write();
  EXPECT_NE(Raw(), raw) << "the same log, under other keys";
  SetRaw(Raw().substr(0, 64) + raw.substr(64));
  EXPECT_TRUE(Records().empty());
}

// What a power cut may leave of a log that was never synced.
TEST_F(LogFormatFileTest, AFileWithoutItsHeaderIsAsIfNothingHadBeenWritten) {
  std::string log;
  AppendRecord(log, Record(1000, 1));
  ASSERT_TRUE(Create()->Append(log, IOOptions(), nullptr).ok());
  const std::string raw = Raw();
  SetRaw(std::string(64, '\0') + raw.substr(64));
  EXPECT_EQ(Read(), std::string(log.size(), '\0'));
  for (const size_t size : {size_t{0}, size_t{10}, size_t{64}}) {
    SetRaw(raw.substr(0, size));
    EXPECT_EQ(Read(), "");
    uint64_t bytes = 1;
    EXPECT_TRUE(files_.GetFileSize(path_, IOOptions(), &bytes, nullptr).ok());
    EXPECT_EQ(bytes, 0u);
  }
}

TEST_F(LogFormatFileTest, IsCutButNotContinued) {
  std::string log;
  AppendRecord(log, "first");
  const size_t first = log.size();
  AppendRecord(log, "second");
  ASSERT_TRUE(Create()->Append(log, IOOptions(), nullptr).ok());
  std::unique_ptr<rocksdb::FSWritableFile> file;
  ASSERT_TRUE(files_.ReopenWritableFile(path_, FileOptions(), &file, nullptr).ok());
  EXPECT_TRUE(file->Append("more", IOOptions(), nullptr).IsNotSupported());
  ASSERT_TRUE(file->Truncate(first, IOOptions(), nullptr).ok());
  EXPECT_EQ(Read(), log.substr(0, first));
}

// A piece whose CRC does not hold, as a copy of a torn log has it, is not made sound.
TEST_F(LogFormatFileTest, WhatWasBrokenStaysBroken) {
  std::string log;
  AppendRecord(log, "first");
  const size_t first = log.size();
  AppendRecord(log, "second");
  AppendRecord(log, "third");
  log[first + 8] = 'x';
  ASSERT_TRUE(Create()->Append(log, IOOptions(), nullptr).ok());
  EXPECT_EQ(Records(), (std::vector<std::string>{"first", "third"}));
}

std::string Hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<uint8_t>(c) >> 4];
    text += kDigits[static_cast<uint8_t>(c) & 15];
  }
  return text;
}

// docs/design/formats.md: under the keys of file_header_test.cc's header.
TEST(LogCipher, BytesAsDocumented) {
  std::string salt;
  for (size_t i = 0; i < FileHeader::kSaltBytes; ++i) salt += static_cast<char>(i);
  FileHeader header;
  FileHeader::Make(FileKind::kLog, *TestKey(7), salt, "000012.log", header);
  std::string log;
  AppendRecord(log, "hello");
  EXPECT_EQ(Hex(log), "0bb9575805000168656c6c6f");
  uint64_t blank_until = 0;
  EXPECT_EQ(LogCipher(header.secrets).Seal(0, log, blank_until), log.size());
  EXPECT_EQ(Hex(log), "03f58dad050001ef0f40ec00");
}

TEST(SealedPages, BytesAsDocumented) {
  std::string salt;
  for (size_t i = 0; i < FileHeader::kSaltBytes; ++i) salt += static_cast<char>(i);
  FileHeader header;
  FileHeader::Make(FileKind::kPages, *TestKey(7), salt, "000012.sst", header);
  const SealedPages pages(header.secrets);
  std::string sealed(5 + SealedPages::kTag, '\0'), text(5, '\0');
  pages.Seal(0, true, "hello", sealed.data());
  EXPECT_EQ(Hex(sealed), "baa6d9fea8ef668b7b53c99c4f78e43648f89361ca");
  EXPECT_TRUE(pages.Open(0, true, sealed, text.data()));
  EXPECT_EQ(text, "hello");
  EXPECT_FALSE(pages.Open(0, false, sealed, text.data()));
  EXPECT_FALSE(pages.Open(1, true, sealed, text.data()));
}

}  // namespace
}  // namespace armature::storage
