#include "dax/attributes/attribute_list_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace armature::dax {
namespace {

using Lists = std::vector<AttributeList>;

const std::string kFileAccount = "111122223333";
const std::string kForeignAccount = "444455556666";

class AttributeListFileTest : public testing::Test {
 protected:
  AttributeListFileTest() : folder_(testing::TempDir() + "dax_lists_XXXXXX") {
    if (!mkdtemp(folder_.data())) std::abort();
  }
  ~AttributeListFileTest() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ + "/lists"; }

  std::unique_ptr<AttributeListFile> Open() const {
    auto file = AttributeListFile::Open(path(), kFileAccount);
    EXPECT_TRUE(file.has_value()) << file.error().ToString();
    return std::move(file).value();
  }

  static Status Append(AttributeListStore& store, const Lists& lists) {
    std::vector<std::shared_ptr<const AttributeList>> shared;
    for (const AttributeList& list : lists) shared.push_back(std::make_shared<const AttributeList>(list));
    return store.Append(shared);
  }

  std::string Read() const {
    std::ifstream in(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void Write(std::string_view bytes) const {
    std::ofstream(path(), std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  std::string folder_;
};

const Lists kFirst = {
    {kFileAccount, {"a"}}, {kForeignAccount, {"b", "a"}}, {kForeignAccount, {"b"}}, {kFileAccount, {"b"}}};
const Lists kSecond = {{kForeignAccount, {std::string(300, 'x'), "é", ""}}};
const Lists kThird = {{kFileAccount, {"c"}}};

Lists Joined(std::initializer_list<Lists> parts) {
  Lists all;
  for (const Lists& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST_F(AttributeListFileTest, KeepsWhatIsAppended) {
  {
    const auto file = Open();
    EXPECT_EQ(file->Load().value(), Lists{});
    EXPECT_TRUE(Append(*file, kFirst).ok());
    EXPECT_TRUE(Append(*file, kSecond).ok());
  }
  {
    const auto file = Open();
    EXPECT_EQ(file->Load().value(), Joined({kFirst, kSecond}));
    EXPECT_TRUE(Append(*file, kThird).ok());
  }
  EXPECT_EQ(Open()->Load().value(), Joined({kFirst, kSecond, kThird}));
}

// A file of a program that knew no accounts: ["a"] and ["b", "a"].
TEST_F(AttributeListFileTest, ListsOfBeforeAreTheFilesOwnAccounts) {
  Write(std::string("ARMDAXL1\0\0\0\x08\xc2\xbe\x13\x08\x8d\xf1\x11\x2c\1\1a\2\1b\1a", 28));
  {
    const auto file = Open();
    const auto loaded = file->Load();
    ASSERT_TRUE(loaded) << loaded.error().ToString();
    EXPECT_EQ(*loaded, (Lists{{kFileAccount, {"a"}}, {kFileAccount, {"b", "a"}}}));
    EXPECT_EQ(Read().substr(0, 8), "ARMDAXL2") << "which that program refuses";
    EXPECT_TRUE(Append(*file, {{kForeignAccount, {"c"}}}).ok());
  }
  EXPECT_EQ(Open()->Load().value(),
            (Lists{{kFileAccount, {"a"}}, {kFileAccount, {"b", "a"}}, {kForeignAccount, {"c"}}}));
}

TEST_F(AttributeListFileTest, IsForItsOwnerOnly) {
  const auto file = Open();
  struct stat about {};
  ASSERT_EQ(stat(path().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST_F(AttributeListFileTest, IsOneProcesss) {
  const auto file = Open();
  const auto other = AttributeListFile::Open(path(), kFileAccount);
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().code(), StatusCode::kLocked);
}

TEST_F(AttributeListFileTest, WhatACrashHasTornOffIsCut) {
  size_t first_end = 0;
  {
    const auto file = Open();
    ASSERT_TRUE(file->Load().has_value());
    ASSERT_TRUE(Append(*file, kFirst).ok());
    first_end = Read().size();
    ASSERT_TRUE(Append(*file, kSecond).ok());
  }
  const std::string whole = Read();
  for (size_t size = 0; size < whole.size(); ++size) {
    Write(whole.substr(0, size));
    const auto file = Open();
    const auto loaded = file->Load();
    ASSERT_TRUE(loaded.has_value()) << size << " " << loaded.error().ToString();
    ASSERT_EQ(*loaded, size >= first_end ? kFirst : Lists{}) << size;
    ASSERT_TRUE(Append(*file, kThird).ok());
    ASSERT_EQ(file->Load().value(), Joined({*loaded, kThird})) << size;
  }
}

TEST_F(AttributeListFileTest, RoomThatWasNeverWrittenIsCut) {
  {
    const auto file = Open();
    ASSERT_TRUE(file->Load().has_value());
    ASSERT_TRUE(Append(*file, kFirst).ok());
  }
  const std::string whole = Read();
  Write(whole + std::string(4096, '\0'));
  EXPECT_EQ(Open()->Load().value(), kFirst);
  EXPECT_EQ(Read(), whole);
  Write(std::string(4096, '\0'));
  EXPECT_EQ(Open()->Load().value(), Lists{});
}

TEST_F(AttributeListFileTest, DamageInTheMiddleIsAnError) {
  size_t first_end = 0;
  {
    const auto file = Open();
    ASSERT_TRUE(file->Load().has_value());
    ASSERT_TRUE(Append(*file, kFirst).ok());
    first_end = Read().size();
    ASSERT_TRUE(Append(*file, kSecond).ok());
  }
  const std::string whole = Read();
  for (size_t i = 0; i < first_end; ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    Write(damaged);
    const auto loaded = Open()->Load();
    ASSERT_FALSE(loaded.has_value()) << i;
    const bool is_magic = i < 8;
    EXPECT_EQ(loaded.error().code(), is_magic ? StatusCode::kFormat : StatusCode::kCorruption) << i;
    EXPECT_EQ(loaded.error().message(),
              is_magic ? path() + " is no file of attribute lists"
                       : path() + " is damaged at byte 8: the attribute lists behind it cannot be read");
    EXPECT_EQ(Read(), damaged) << "and is left as it is";
  }
}

TEST_F(AttributeListFileTest, WhatIsSomethingElseIsLeftAlone) {
  for (const char* text : {"x", "a text of somebody"}) {
    Write(text);
    EXPECT_EQ(Open()->Load().error().code(), StatusCode::kFormat);
    EXPECT_EQ(Read(), text);
  }
  EXPECT_FALSE(AttributeListFile::Open(folder_ + "/no/such", kFileAccount).has_value());
}

}  // namespace
}  // namespace armature::dax
