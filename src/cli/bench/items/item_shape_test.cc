#include "cli/bench/items/item_shape.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/bench/http/response_parser.h"

namespace armature::cli::bench {
namespace {

// A body with the readable bytes behind it that ItemReader relies on.
class Body {
 public:
  explicit Body(std::string text) : size_(text.size()), text_(std::move(text)) {
    text_.append(ResponseParser::kPadding, '\0');
  }
  operator std::string_view() const { return {text_.data(), size_}; }  // NOLINT: stands for the text

 private:
  size_t size_;
  std::string text_;
};

std::string Data(const ItemShape& shape, uint64_t index, uint64_t version) {
  std::string data;
  shape.AppendData(index, version, data);
  return data;
}

TEST(ItemShapeTest, ItemHasTheSizeAskedFor) {
  const ItemShape shape(200);
  // Names pk, v and data, a key of 16 bytes, and a two-digit number counting 2 bytes.
  EXPECT_EQ(2 + 16 + 1 + 2 + 4 + Data(shape, 17, 42).size(), 200u);
}

TEST(ItemShapeTest, DataFollowsFromKeyAndVersion) {
  const ItemShape shape(200);
  EXPECT_EQ(Data(shape, 1, 2), Data(shape, 1, 2));
  EXPECT_NE(Data(shape, 1, 2), Data(shape, 1, 3));
  EXPECT_NE(Data(shape, 1, 2), Data(shape, 2, 2));
}

TEST(ItemReaderTest, AcceptsItsOwnItemsInAnyOrder) {
  const ItemShape shape(64);
  ItemReader reader;
  std::string why;
  uint64_t version = 0;
  std::string item;
  shape.AppendItem(7, 31, item);
  EXPECT_TRUE(reader.ReadItem(Body(fmt::format(R"({{"Item":{}}})", item)), "Item", shape, 7, version, why)) << why;
  EXPECT_EQ(version, 31u);
  const Body reordered(fmt::format(
      R"({{"ConsumedCapacity":{{}}, "Item": {{"data":{{"S":"{}"}},"pk":{{"S":"user000000000007"}}, "v":{{"N":"5"}}}}}})",
      Data(shape, 7, 5)));
  EXPECT_TRUE(reader.ReadItem(reordered, "Item", shape, 7, version, why)) << why;
  EXPECT_EQ(version, 5u);
}

TEST(ItemReaderTest, RefusesAnythingElse) {
  const ItemShape shape(64);
  ItemReader reader;
  std::string good;
  shape.AppendItem(7, 31, good);
  std::string flipped = good;
  flipped[flipped.size() - 5] ^= 1;
  std::string other_key;
  shape.AppendItem(8, 31, other_key);
  std::string more = good;
  more.insert(1, R"("extra":{"S":"x"},)");
  for (const std::string& body :
       {std::string("{}"), std::string("{"), std::string(), std::string(R"({"Item":{}})"),
        R"({"Item":)" + flipped + "}", R"({"Item":)" + other_key + "}", R"({"Item":)" + more + "}",
        R"({"Attributes":)" + good + "}", std::string(R"({"Item":{"pk":{"S":"user000000000007"},"v":{"N":"31"}}})"),
        R"({"Item":)" + good}) {
    std::string why;
    uint64_t version = 0;
    EXPECT_FALSE(reader.ReadItem(Body(body), "Item", shape, 7, version, why)) << body;
    EXPECT_FALSE(why.empty());
  }
}

TEST(ItemReaderTest, ItemsUnderSortKeysAreKnownByTheirPartition) {
  const ItemShape shape(64, 50);
  std::string key;
  shape.AppendOrderedKey(123, key);
  EXPECT_EQ(key, R"({"pk":{"S":"list000000000002"},"sk":{"N":"23"}})");
  std::string item;
  shape.AppendOrderedItem(123, 4, item);
  ItemReader reader;
  uint64_t version = 0;
  std::string why;
  const Body body(R"({"Item":)" + item + "}");
  EXPECT_TRUE(reader.ReadItem(body, "Item", shape, 123, version, why)) << why;
  EXPECT_FALSE(reader.ReadItem(body, "Item", ItemShape(64, 100), 123, version, why));
}

TEST(ItemReaderTest, TagsBelongToTheItem) {
  const ItemShape shape(64);
  ItemReader reader;
  const auto is_right = [&](uint64_t tag_version) {
    std::string item;
    shape.AppendTaggedItem(7, 31, tag_version, item);
    uint64_t version = 0;
    std::string why;
    return reader.ReadItem(Body(R"({"Item":)" + item + "}"), "Item", shape, 7, version, why);
  };
  EXPECT_TRUE(is_right(0));    // one that stays
  EXPECT_TRUE(is_right(31));   // one that came with the version
  EXPECT_FALSE(is_right(30));  // that of another version
}

TEST(ItemReaderTest, PagesSayWhereToGoOn) {
  const ItemShape shape(64);
  std::string item;
  shape.AppendOrderedItem(7, 0, item);
  ItemReader reader;
  std::vector<uint64_t> found;
  std::string why;
  std::string last_key = "before";
  EXPECT_TRUE(reader.ReadPage(Body(R"({"Items":[)" + item + R"(],"Count":1,"LastEvaluatedKey": {"pk": {"S":"x"}}})"),
                              shape, found, why, &last_key));
  EXPECT_EQ(found, std::vector<uint64_t>{7});
  EXPECT_EQ(last_key, R"({"pk":{"S":"x"}})");
  EXPECT_TRUE(reader.ReadPage(Body(R"({"Items":[],"Count":0})"), shape, found, why, &last_key));
  EXPECT_EQ(last_key, "");
  EXPECT_FALSE(reader.ReadPage(Body(R"({"Items":[],"Count":1})"), shape, found, why, &last_key));
}

TEST(ItemReaderTest, EmptyObjects) {
  ItemReader reader;
  EXPECT_TRUE(reader.IsEmptyObject(Body("{}")));
  EXPECT_TRUE(reader.IsEmptyObject(Body("{ }\n")));
  EXPECT_FALSE(reader.IsEmptyObject(Body(R"({"a":1})")));
  EXPECT_FALSE(reader.IsEmptyObject(Body("")));
  EXPECT_FALSE(reader.IsEmptyObject(Body("[]")));
}

TEST(ItemReaderTest, NumbersAndErrorTypes) {
  ItemReader reader;
  std::string why;
  uint64_t number = 0;
  EXPECT_TRUE(
      reader.ReadNumber(Body(R"({"Attributes":{"m":{"S":"x"},"n":{"N":"12"}}})"), "Attributes", "n", number, why));
  EXPECT_EQ(number, 12u);
  EXPECT_FALSE(reader.ReadNumber(Body(R"({"Attributes":{"n":{"S":"12"}}})"), "Attributes", "n", number, why));
  EXPECT_FALSE(reader.ReadNumber(Body("{}"), "Attributes", "n", number, why));
  EXPECT_EQ(reader.ReadErrorType(
                Body(R"({"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"m"})")),
            "ResourceNotFoundException");
  EXPECT_EQ(reader.ReadErrorType(Body(R"({"message":"m","__type":"Plain"})")), "Plain");
  EXPECT_EQ(reader.ReadErrorType(Body("<html>")), "");
}

}  // namespace
}  // namespace armature::cli::bench
