// Which pieces of memory a thread keeps for the next message.
#include "net/tls/record_buffers.h"

#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace armature::net {
namespace {

constexpr size_t kReadBuffer = 16'716, kWriteBuffer = 16'472;  // as OpenSSL 3.0 takes them

TEST(RecordBuffersTest, TheNextMessageGetsWhatTheLastHad) {
  void* const read = AllocateOrTakeBuffer(kReadBuffer);
  void* const write = AllocateOrTakeBuffer(kWriteBuffer);
  FreeOrKeepBuffer(read);
  FreeOrKeepBuffer(write);
  const std::set<void*> again{AllocateOrTakeBuffer(kWriteBuffer), AllocateOrTakeBuffer(kReadBuffer)};
  EXPECT_EQ(again, (std::set<void*>{read, write}));
  for (void* const buffer : again) FreeOrKeepBuffer(buffer);
}

TEST(RecordBuffersTest, OtherSizesAreNotKept) {
  void* const buffer = AllocateOrTakeBuffer(kReadBuffer);
  FreeOrKeepBuffer(buffer);
  for (const size_t size : {size_t{1}, size_t{16'383}, size_t{20} * 1024, size_t{1} << 20}) {
    void* const other = AllocateOrTakeBuffer(size);
    EXPECT_NE(other, buffer);
    FreeOrKeepBuffer(other);
  }
  EXPECT_EQ(AllocateOrTakeBuffer(kReadBuffer), buffer);
  FreeOrKeepBuffer(buffer);
  FreeOrKeepBuffer(nullptr);
}

// Under AddressSanitizer this would show what is used after it was given back, or not given back at all.
TEST(RecordBuffersTest, AFewAreKeptAndGoWithTheirThread) {
  std::vector<void*> left;
  std::thread([&left] {
    std::vector<void*> many;
    for (int i = 0; i < 10; ++i) many.push_back(AllocateOrTakeBuffer(kReadBuffer));
    EXPECT_EQ(std::set<void*>(many.begin(), many.end()).size(), many.size());
    left.push_back(many.back());
    many.pop_back();
    for (void* const buffer : many) FreeOrKeepBuffer(buffer);
  }).join();
  FreeOrKeepBuffer(left.front());  // by another thread than took it
  EXPECT_EQ(AllocateOrTakeBuffer(kReadBuffer), left.front());
  FreeOrKeepBuffer(left.front());
}

}  // namespace
}  // namespace armature::net
