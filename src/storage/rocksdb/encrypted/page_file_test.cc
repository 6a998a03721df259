#include "storage/rocksdb/encrypted/page_file.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "storage/rocksdb/encrypted/encrypted_file_system.h"
#include "storage/storage_testing.h"
#include "storage/testing/fault_file_system.h"
#include "storage/testing/test_keys.h"

namespace armature::storage {
namespace {

using rocksdb::FileOptions;
using rocksdb::IOOptions;
using rocksdb::Slice;

class PageFileTest : public ::testing::Test {
 protected:
  std::unique_ptr<rocksdb::FSWritableFile> Create() {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    EXPECT_TRUE(files_.NewWritableFile(path_, FileOptions(), &file, nullptr).ok());
    return file;
  }
  void Write(const std::string& text, size_t piece) {
    const auto file = Create();
    for (size_t at = 0; at < text.size(); at += piece)
      ASSERT_TRUE(file->Append(text.substr(at, piece), IOOptions(), nullptr).ok());
    EXPECT_EQ(file->GetFileSize(IOOptions(), nullptr), text.size());
    ASSERT_TRUE(file->Close(IOOptions(), nullptr).ok());
  }
  // The text, or the error.
  std::string Read(uint64_t offset, size_t count) {
    std::unique_ptr<rocksdb::FSRandomAccessFile> file;
    auto status = files_.NewRandomAccessFile(path_, FileOptions(), &file, nullptr);
    std::string scratch(count, '\0');
    Slice result;
    if (status.ok()) status = file->Read(offset, count, IOOptions(), &result, scratch.data(), nullptr);
    return status.ok() ? result.ToString() : "! " + status.ToString();
  }
  uint64_t Size() {
    uint64_t size = 0;
    EXPECT_TRUE(files_.GetFileSize(path_, IOOptions(), &size, nullptr).ok());
    return size;
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
  static std::string Text(size_t size) {
    std::mt19937_64 random(size);
    std::string text(size, '\0');
    for (char& byte : text) byte = static_cast<char>(random());
    return text;
  }

  TemporaryDirectory root_;
  const std::string path_ = root_.path() + "/000012.sst";
  Faults faults_;
  const std::unique_ptr<rocksdb::Env> env_ = MakeFaultEnv(faults_);
  EncryptedFileSystem files_{env_->GetFileSystem(), TestKeys()};
};

TEST_F(PageFileTest, ReadsWhatWasWritten) {
  std::mt19937_64 random(13);
  for (const size_t size : {1, 16, 4079, 4080, 4095, 4096, 4097, 8192, 12345, 300'000}) {
    const std::string text = Text(size);
    for (const size_t piece : {size_t{7}, size_t{4096}, size_t{5000}, size}) {
      if (size / piece > 10'000) continue;
      Write(text, piece);
      EXPECT_EQ(Size(), size);
      EXPECT_EQ(Read(0, size), text) << size;
      EXPECT_EQ(Read(0, size + 5), text);
    }
    for (int i = 0; i < 50; ++i) {
      const size_t offset = random() % (size + 2), count = random() % 10'000;
      EXPECT_EQ(Read(offset, count), offset < size ? text.substr(offset, count) : "");
    }
  }
}

TEST_F(PageFileTest, SeveralReadsAreMadeAsOne) {
  const std::string text = Text(100'000);
  Write(text, 1000);
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  ASSERT_TRUE(files_.NewRandomAccessFile(path_, FileOptions(), &file, nullptr).ok());
  std::vector<std::string> buffers(4, std::string(20'000, '\0'));
  std::vector<rocksdb::FSReadRequest> requests(4);
  const uint64_t offsets[] = {0, 4000, 50'001, 99'990};
  const size_t counts[] = {10, 5000, 20'000, 100};
  for (size_t i = 0; i < 4; ++i) {
    requests[i].offset = offsets[i], requests[i].len = counts[i];
    requests[i].scratch = buffers[i].data();
  }
  ASSERT_TRUE(file->MultiRead(requests.data(), 4, IOOptions(), nullptr).ok());
  for (size_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(requests[i].status.ok());
    EXPECT_EQ(requests[i].result.ToString(), text.substr(offsets[i], counts[i]));
  }
  std::unique_ptr<rocksdb::FSSequentialFile> sequence;
  ASSERT_TRUE(files_.NewSequentialFile(path_, FileOptions(), &sequence, nullptr).ok());
  ASSERT_TRUE(sequence->Skip(123).ok());
  std::string read;
  for (Slice part; sequence->Read(4999, IOOptions(), &part, buffers[0].data(), nullptr).ok() && !part.empty();)
    read += part.ToString();
  EXPECT_EQ(read, text.substr(123));
}

TEST_F(PageFileTest, EveryFlippedByteIsNoticed) {
  const std::string text = Text(9000);
  Write(text, 9000);
  const std::string raw = Raw();
  EXPECT_EQ(raw.size(), 64 + 9000 + 3 * 16u);
  for (size_t at = 0; at < raw.size(); ++at) {
    Flip(at, static_cast<int>(at % 8));
    ASSERT_EQ(Read(0, 9000).substr(0, 12), "! Corruption") << at;
    // And the pages that were not touched read as ever.
    const size_t page = at < 64 ? 0 : (at - 64) / 4112;
    const size_t other = page == 0 ? 1 : 0;
    if (at >= 64) { ASSERT_EQ(Read(other * 4096, 4096), text.substr(other * 4096, 4096)) << at; }
    Flip(at, static_cast<int>(at % 8));
  }
}

TEST_F(PageFileTest, AShorterFileNeverReadsAsAWholeOne) {
  const std::string text = Text(3 * 4096);
  Write(text, 1000);
  const std::string raw = Raw();
  std::vector<size_t> sizes;
  for (size_t size = 0; size < 64 + 40; ++size) sizes.push_back(size);
  for (size_t page = 1; page <= 3; ++page)
    for (size_t size = 64 + page * 4112 - 20; size < std::min(64 + page * 4112 + 20, raw.size()); ++size)
      sizes.push_back(size);
  for (const size_t size : sizes) {
    SetRaw(raw.substr(0, size));
    const uint64_t left = Size();
    ASSERT_LT(left, text.size());
    if (left == 0 && size >= 64) continue;  // RocksDB knows that a table has no less than so many bytes
    ASSERT_EQ(Read(left - std::min<uint64_t>(left, 1), 1).substr(0, 12), "! Corruption") << size;
    ASSERT_EQ(Read(0, text.size()).substr(0, 12), "! Corruption") << size;
  }
}

TEST_F(PageFileTest, PagesDoNotChangePlacesNorFiles) {
  Write(Text(3 * 4096), 4096);
  const std::string raw = Raw();
  SetRaw(raw.substr(0, 64) + raw.substr(64 + 4112, 4112) + raw.substr(64, 4112) + raw.substr(64 + 2 * 4112));
  EXPECT_EQ(Read(0, 1).substr(0, 12), "! Corruption");
  Write(Text(3 * 4096), 4096);
  const std::string again = Raw();
  EXPECT_NE(again, raw) << "the same text, under other keys";
  SetRaw(again.substr(0, 64) + raw.substr(64));
  EXPECT_EQ(Read(0, 1).substr(0, 12), "! Corruption");
}

TEST_F(PageFileTest, AFailedWriteIsRepeatedWithTheSameBytesOnly) {
  const std::string text = Text(30'000);
  auto file = Create();
  ASSERT_TRUE(file->Append(text.substr(0, 5000), IOOptions(), nullptr).ok());
  faults_.Arm(FileCall::kAppend, 1, 2, ENOSPC);
  EXPECT_TRUE(file->Append(text.substr(5000, 20'000), IOOptions(), nullptr).IsNoSpace());
  EXPECT_FALSE(file->Append(Text(20'000), IOOptions(), nullptr).IsNoSpace()) << "refused before it is written";
  EXPECT_TRUE(file->PositionedAppend(text.substr(5000, 20'000), 5000, IOOptions(), nullptr).IsNoSpace());
  ASSERT_TRUE(file->PositionedAppend(text.substr(5000, 20'000), 5000, IOOptions(), nullptr).ok());
  EXPECT_FALSE(file->PositionedAppend("x", 5000, IOOptions(), nullptr).ok());
  ASSERT_TRUE(file->Append(text.substr(25'000), IOOptions(), nullptr).ok());
  faults_.Arm(FileCall::kAppend, 1, 1, ENOSPC);
  EXPECT_TRUE(file->Truncate(text.size(), IOOptions(), nullptr).IsNoSpace());
  EXPECT_TRUE(file->Truncate(text.size(), IOOptions(), nullptr).ok());
  EXPECT_FALSE(file->Append("behind the last page", IOOptions(), nullptr).ok());
  ASSERT_TRUE(file->Sync(IOOptions(), nullptr).ok());
  ASSERT_TRUE(file->Close(IOOptions(), nullptr).ok());
  EXPECT_EQ(Read(0, 30'000), text);
}

}  // namespace
}  // namespace armature::storage
