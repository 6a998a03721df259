#include "dax/codec/item_blob.h"

#include <gtest/gtest.h>

#include "dax/codec/cbor.h"
#include "dax/codec/codec_testing.h"

namespace armature::dax {
namespace {

using model::Type;
using model::Value;
using Names = std::vector<std::string_view>;

class ItemBlobs : public testing::Test {
 protected:
  model::Item Key() {
    const model::MapEntry entries[] = {{"Artist", Value::String("Acme")}, {"Song", Value::String("Hello")}};
    return arena_.Copy(std::vector<model::MapEntry>(std::begin(entries), std::end(entries)));
  }
  std::string ErrorOf(std::string_view blob) {
    const auto item = DecodeItemBlob(blob, Key(), lists_, arena_);
    return item ? "none" : item.error().name + ": " + item.error().message;
  }

  Arena arena_;
  AttributeLists all_lists_{nullptr};
  const AccountLists lists_{all_lists_, "111122223333"};
  const TableSchema schema_{.name = "Music", .number = 1, .parts = {{"Artist", Type::kS}, {"Song", Type::kS}}};
};

TEST_F(ItemBlobs, HaveNeitherNamesNorTheKey) {
  lists_.Intern(Names{"Price", "Year"}).value();
  const std::string blob = Bytes("02 c482200f 1907cf");
  const model::Item item = DecodeItemBlob(blob, Key(), lists_, arena_).value();
  ASSERT_EQ(item.size(), 4u);
  EXPECT_EQ(item[0].name, "Artist");
  EXPECT_EQ(model::FindAttribute(item, "Price")->number(), Num("1.5"));
  EXPECT_EQ(model::FindAttribute(item, "Song")->str(), "Hello");
  std::string out = "before";
  ASSERT_TRUE(AppendItemBlob(out, item, schema_, lists_).ok());
  EXPECT_EQ(out, "before" + blob);
}

TEST_F(ItemBlobs, OfTheKeyAloneAreTheEmptyList) {
  std::string out;
  ASSERT_TRUE(AppendItemBlob(out, Key(), schema_, lists_).ok());
  EXPECT_EQ(out, Bytes("01"));
  EXPECT_EQ(DecodeItemBlob(out, Key(), lists_, arena_)->size(), 2u);
}

TEST_F(ItemBlobs, ValuesFollowTheListsOwnOrder) {
  lists_.Intern(Names{"b", "a"}).value();
  const model::Item item = DecodeItemBlob(Bytes("02 01 02"), {}, lists_, arena_).value();
  EXPECT_EQ(item[0].name, "a");
  EXPECT_EQ(item[0].value.number(), Num("2"));
}

TEST_F(ItemBlobs, FewerValuesThanNamesAreAllThereAre) {
  lists_.Intern(Names{"a", "b", "c"}).value();
  EXPECT_EQ(DecodeItemBlob(Bytes("02 01"), {}, lists_, arena_)->size(), 1u);
  EXPECT_EQ(DecodeItemBlob(Bytes("02"), Key(), lists_, arena_)->size(), 2u);
}

TEST_F(ItemBlobs, TheKeyCountsIfAListHasItsName) {
  lists_.Intern(Names{"Artist"}).value();
  const model::Item item = DecodeItemBlob(Bytes("02 6178"), Key(), lists_, arena_).value();
  EXPECT_EQ(item.size(), 2u);
  EXPECT_EQ(model::FindAttribute(item, "Artist")->str(), "Acme");
}

TEST_F(ItemBlobs, WhatIsNoItemIsRefused) {
  lists_.Intern(Names{"a"}).value();
  const std::string no_item = "ValidationException: The item is not what its list of attribute names says";
  for (const char* digits : {"", "6161", "20", "02 01 02", "01 01", "02 82 01", "02 ff"})
    EXPECT_EQ(ErrorOf(Bytes(digits)), no_item) << digits;
  for (const char* digits : {"00", "03 01", "1bffffffffffffffff 01"})
    EXPECT_EQ(ErrorOf(Bytes(digits)), "ValidationException: The list of attribute names of the item is not known");
  EXPECT_EQ(ErrorOf(Bytes("02 d90cf980")),
            "ValidationException: One or more parameter values were invalid: An string set  may not be empty");
}

TEST_F(ItemBlobs, WithoutRoomForNamesNothingIsWritten) {
  AttributeLists full(nullptr, {.most_lists = 0});
  const model::MapEntry entries[] = {{"a", Value::Null()}};
  std::string out = "before";
  EXPECT_EQ(AppendItemBlob(out, entries, schema_, AccountLists(full, "1")).code(), StatusCode::kNoSpace);
  EXPECT_EQ(out, "before");
}

TEST_F(ItemBlobs, RandomItemsComeBack) {
  RandomValues values(7, arena_);
  for (int round = 0; round < 1'000; ++round) {
    const model::Item attributes = values.Map();
    std::vector<model::MapEntry> entries(attributes.begin(), attributes.end());
    for (const model::MapEntry& part : Key()) entries.push_back(part);
    const model::Item item = model::SortMap(entries);
    std::string blob;
    ASSERT_TRUE(AppendItemBlob(blob, item, schema_, lists_).ok());
    ASSERT_EQ(Value::Map(DecodeItemBlob(blob, Key(), lists_, arena_).value()), Value::Map(item));
  }
}

}  // namespace
}  // namespace armature::dax
