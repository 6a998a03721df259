#include "wire/json/attribute_json.h"

#include <gtest/gtest.h>

#include "model/codec/item_codec.h"
#include "model/item_size.h"
#include "wire/decode.h"
#include "wire/json/json_document.h"

namespace armature::wire {
namespace {

// Decodes an item from JSON and hands it to `use`.
template <class Use>
void WithItem(std::string_view item_json, Use use) {
  auto document = JsonDocument::Parse(R"({"TableName":"t","Item":)" + std::string(item_json) + "}");
  ASSERT_TRUE(document);
  Arena arena;
  DecodeErrors errors;
  auto put = DecodeAs<PutItemInput>(document->root(), arena, errors);
  ASSERT_TRUE(put) << put.error().message;
  ASSERT_EQ((*put)->Item.first_error, nullptr) << (*put)->Item.first_error->message;
  use((*put)->Item.item());
}

constexpr std::string_view kEveryType =
    R"({"b":{"B":"AAEC"},"bs":{"BS":["YQ==","Yg=="]},"f":{"BOOL":false},"l":{"L":[{"S":""},{"L":[]},{"N":"0"}]},)"
    R"("m":{"M":{"in \"quotes\"":{"S":"\u0001\n"}}},"n":{"N":"-1234567890.5"},"ns":{"NS":["1","20"]},"s":{"S":"grün"},)"
    R"("ss":{"SS":["a","b"]},"t":{"BOOL":true},"z":{"NULL":true}})";

TEST(AttributeJsonTest, EveryTypeComesBackAsItWent) {
  WithItem(kEveryType, [](model::Item item) {
    std::string out = "prefix ";
    AppendItemAsJson(item, out);
    EXPECT_EQ(out, "prefix " + std::string(kEveryType));
  });
}

TEST(AttributeJsonTest, NumbersArePrintedCanonically) {
  WithItem(R"({"a":{"N":"1e3"},"b":{"N":"007.50"},"c":{"N":"-0"}})", [](model::Item item) {
    std::string out;
    AppendItemAsJson(item, out);
    EXPECT_EQ(out, R"({"a":{"N":"1000"},"b":{"N":"7.5"},"c":{"N":"0"}})");
  });
}

TEST(AttributeJsonTest, RecordsPrintLikeTheirItems) {
  WithItem(kEveryType, [](model::Item item) {
    std::string record;
    model::EncodeItem(item, model::ItemSize(item), record);
    Arena arena;
    std::string out;
    ASSERT_TRUE(AppendItemRecordAsJson(record, arena, out).ok());
    EXPECT_EQ(out, kEveryType);
    record.back() = static_cast<char>(record.back() ^ 1);
    out = "kept";
    EXPECT_EQ(AppendItemRecordAsJson(record, arena, out).code(), StatusCode::kCorruption);
    EXPECT_EQ(out, "kept");
  });
}

}  // namespace
}  // namespace armature::wire
