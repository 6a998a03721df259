#include "dax/translate/json_reply.h"

#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dax/translate/json_request.h"
#include "dax/translate/translate_testing.h"

namespace armature::dax {
namespace {

using testing::ElementsAre;

class JsonReplyTest : public testing::Test {
 protected:
  // The answer to the request `hex` when DynamoDB says `json`, in hexadecimal; or the error's name.
  std::string Answer(std::string_view hex, std::string_view json, std::optional<ReturnValues> asked = std::nullopt) {
    const auto request = ReadRequest(messages_.emplace_back(Bytes(hex)), arena_);
    if (!request) return "no request";
    std::vector<TableSchemaPtr> schemas;
    for (const std::string_view table : TablesOf(*request))
      schemas.push_back(table == "Music" ? Music() : table == "Ids" ? Ids() : Series());
    std::string out = "before";
    told_ = {};
    const auto written = AppendReply(out, json,
                                     {.request = *request,
                                      .schemas = schemas,
                                      .lists = lists_,
                                      .arena = arena_,
                                      .return_values = asked,
                                      .cached = cached_},
                                     told_);
    if (!written) {
      EXPECT_EQ(out, "before");
      return written.error().name;
    }
    return ToHex(std::string_view(out).substr(6));
  }
  static std::string Compact(std::string_view hex) { return ToHex(Bytes(hex)); }
  // "table key blob" of what was told, in hexadecimal.
  static std::vector<std::string> Told(const std::vector<ReplyItem>& items) {
    std::vector<std::string> out;
    for (const ReplyItem& item : items)
      out.push_back(std::string(item.table) + " " + ToHex(item.key) + " " +
                    (item.is_found ? ToHex(item.blob) : std::string("-")));
    return out;
  }

  AttributeLists all_lists_{nullptr};
  const AccountLists lists_{all_lists_, "111122223333"};  // ids go up from 2
  Arena arena_;
  std::deque<std::string> messages_;
  std::vector<ReplyItem> cached_;
  ReplyItems told_;
};

constexpr char kGet[] = "01 1a0fb0cc6a 45 4d75736963 4a 6441636d6548656c6c6f bf ff";

TEST_F(JsonReplyTest, GetItem) {
  EXPECT_EQ(Answer(kGet, R"({"Item":{"Artist":{"S":"Acme"},"Song":{"S":"Hello"},"Price":{"N":"1.5"},)"
                         R"("Year":{"N":"1999"}}})"),
            Compact("80 a1 00 48 02 c482200f 1907cf"));
  EXPECT_THAT(Told(told_.items), ElementsAre("Music 6441636d6548656c6c6f 02c482200f1907cf"));
  EXPECT_EQ(Answer(kGet, R"({"Item":{"Artist":{"S":"Acme"},"Song":{"S":"Hello"}}})"), Compact("80 a1 00 41 01"));
  EXPECT_EQ(Answer(kGet, "{}"), Compact("80 a0"));
  EXPECT_THAT(Told(told_.items), ElementsAre("Music 6441636d6548656c6c6f -"));
  EXPECT_EQ(Answer(kGet, R"({"ConsumedCapacity":{"TableName":"Music","CapacityUnits":0.5}})"),
            Compact("80 a1 01 52 654d75736963 fb3fe0000000000000 f6 f6 f6"));
}

TEST_F(JsonReplyTest, GetItemWithAProjection) {
  constexpr char kProjected[] =
      "01 1a0fb0cc6a 45 4d75736963 4a 6441636d6548656c6c6f bf 03 01 02 f5 00 51 82018282126459656172821264536f6e67 ff";
  EXPECT_EQ(Answer(kProjected, R"({"Item":{"Song":{"S":"Hello"},"Year":{"N":"1999"}},)"
                               R"("ConsumedCapacity":{"TableName":"Music","CapacityUnits":0.5}})"),
            Compact("80 a2 00 a2 00 1907cf 01 65 48656c6c6f 01 52 654d75736963fb3fe0000000000000f6f6f6"));
  EXPECT_EQ(Answer(kProjected, R"({"Item":{}})"), Compact("80 a1 00 a0"));
  EXPECT_EQ(Answer(kProjected, "{}"), Compact("80 a0"));
  EXPECT_TRUE(told_.items.empty()) << "a part is nothing to keep";
}

TEST_F(JsonReplyTest, EveryType) {
  EXPECT_EQ(Answer("01 1a0fb0cc6a 43 496473 41 07 f6",
                   R"({"Item":{"id":{"N":"7"},"a":{"B":"AAH/"},"b":{"BS":["YQ==","YnE="]},"c":{"BOOL":true},)"
                   R"("d":{"NULL":true},"e":{"L":[{"N":"1"},{"S":"x"}]},"f":{"M":{"k":{"S":"v"}}},)"
                   R"("g":{"NS":["1","2.5"]},"h":{"SS":["a","b"]}}})"),
            Compact("80 a1 00 58 2b 02 430001ff d90cfb82 4161 426271 f5 f6 82016178 a1616b6176 d90cfa8201c4822018 19 "
                    "d90cf98261616162"));
}

TEST_F(JsonReplyTest, PutAndDelete) {
  constexpr char kPut[] = "01 3a7d8e7e56 43 496473 41 07 41 01 bf ff";
  EXPECT_EQ(Answer(kPut, "{}"), Compact("80 a0"));
  EXPECT_EQ(
      Answer("01 3a7d8e7e56 43 496473 41 07 41 01 bf 07 02 06 01 ff",
             R"({"Attributes":{"id":{"N":"7"},"v":{"S":"q"}},)"
             R"("ItemCollectionMetrics":{"ItemCollectionKey":{"id":{"N":"7"}},"SizeEstimateRangeGB":[0.0,1.0]}})"),
      Compact("80 a2 02 43 026171 03 53 07 fb0000000000000000 fb3ff0000000000000"));
  EXPECT_TRUE(told_.items.empty()) << "the old item is gone";
  EXPECT_EQ(Answer("01 1a3c696221 43 496473 41 07 bf 07 02 ff", R"({"Attributes":{"id":{"N":"7"},"v":{"S":"q"}}})"),
            Compact("80 a1 02 43 026171"));
}

constexpr char kUpdatePlays[] =
    "01 1a54f89c0f 45 4d75736963 4a 6441636d6548656c6c6f "
    "bf 07 05 08 582d 8301828313821265506c6179738318198317821265506c61797382110082110182168212655072696365820001 ff";
constexpr char kWhole[] =
    R"({"Attributes":{"Artist":{"S":"Acme"},"Plays":{"N":"1"},"Song":{"S":"Hello"},"Year":{"N":"1999"}}})";

TEST_F(JsonReplyTest, UpdatedAttributesAreOrdinalsOfAList) {
  EXPECT_EQ(Answer(kUpdatePlays, R"({"Attributes":{"Plays":{"N":"1"}}})"), Compact("80 a1 02 44 02 a1 00 01"));
  EXPECT_EQ(Answer(kUpdatePlays, "{}"), Compact("80 a0"));
  EXPECT_TRUE(told_.items.empty());
}

TEST_F(JsonReplyTest, AnUpdateAskedForAllTellsTheCacheAndTheClientWhatEachWants) {
  // UPDATED_NEW: what the update names, of which Price is gone.
  EXPECT_EQ(Answer(kUpdatePlays, kWhole, ReturnValues::kAllNew), Compact("80 a1 02 44 03 a1 00 01"));
  EXPECT_THAT(Told(told_.items), ElementsAre("Music 6441636d6548656c6c6f 02011907cf"));
  // REMOVE Price alone changes nothing that is still there.
  EXPECT_EQ(
      Answer("01 1a54f89c0f 45 4d75736963 4a 6441636d6548656c6c6f a2 07 05 08 4e 830181 8216 8212 655072696365 80",
             kWhole, ReturnValues::kAllNew),
      Compact("80 a0"));
  // NONE.
  EXPECT_EQ(Answer("01 1a54f89c0f 45 4d75736963 4a 6441636d6548656c6c6f a0", kWhole, ReturnValues::kAllNew),
            Compact("80 a0"));
  EXPECT_EQ(told_.items.size(), 1u);
  // ALL_NEW.
  EXPECT_EQ(Answer("01 1a54f89c0f 45 4d75736963 4a 6441636d6548656c6c6f a1 07 04", kWhole, ReturnValues::kAllNew),
            Compact("80 a1 02 45 02 01 1907cf"));
}

TEST_F(JsonReplyTest, QueryAndScan) {
  EXPECT_EQ(Answer("01 3a3781c2ae 46 536572696573 "
                   "581e 83018306830082126673656e736f72821100830482126174821101820529 bf 0e 00 0d 01 ff",
                   R"({"Items":[{"sensor":{"N":"5"},"t":{"N":"12345.678"},"v":{"S":"x"}}],"Count":1,"ScannedCount":1,)"
                   R"("LastEvaluatedKey":{"sensor":{"N":"5"},"t":{"N":"12345.678"}}})"),
            Compact("80 a4 08 01 0a 01 07 81 82 47 05c521dd4c6001 43 026178 09 47 05c521dd4c6001"));
  EXPECT_TRUE(told_.items.empty()) << "queries do not warm the item cache";
  EXPECT_EQ(Answer("01 3a6fc8309b 46 536572696573 bf 11 04 10 00 0d 01 0a 4e 8301830e82126176821100816178 ff",
                   R"({"Items":[],"Count":0,"ScannedCount":1,"LastEvaluatedKey":{"sensor":{"N":"5"},"t":{"N":"-1"}}})"),
            Compact("80 a4 08 00 0a 01 07 80 09 45 053ee3fff0"));
  EXPECT_EQ(Answer("01 3a6fc8309b 46 536572696573 bf 0f 03 ff", R"({"Count":2,"ScannedCount":2})"),
            Compact("80 a2 08 02 0a 02"));
  EXPECT_EQ(Answer("01 3a6fc8309b 46 536572696573 bf 00 47 82018182126176 03 01 ff",
                   R"({"Items":[{"v":{"S":"x"}},{}],"Count":2,"ScannedCount":2,)"
                   R"("ConsumedCapacity":{"TableName":"Series","CapacityUnits":1}})"),
            Compact("80 a4 08 02 0a 02 07 82 a1 00 6178 a0 01 53 66536572696573 fb3ff0000000000000 f6 f6 f6"));
}

TEST_F(JsonReplyTest, AQueryOfAnIndexHasTheTablesKeysInItsItemsAndMoreInItsLastKey) {
  EXPECT_EQ(Answer("01 3a3781c2ae 45 4d75736963 52 8301830082126459656172821100811907cf bf 0b 46 627959656172 ff",
                   R"({"Items":[{"Artist":{"S":"Acme"},"Song":{"S":"Hello"},"Year":{"N":"1999"}}],"Count":1,)"
                   R"("ScannedCount":1,"LastEvaluatedKey":{"Year":{"N":"1999"},"Artist":{"S":"B"},"Song":{"S":"A"}}})"),
            Compact("80 a4 08 01 0a 01 07 81 82 4a 6441636d6548656c6c6f 44 021907cf "
                    "09 581a bf 66417274697374 6142 64536f6e67 6141 6459656172 1907cf ff"));
}

constexpr char kBatchGet[] =
    "01 3a29985cdb a2 63 496473 83 f4 f6 82 41 08 41 07 "
    "65 4d75736963 83 f5 4b 820181821265506c617973 81 4a 6441636d6548656c6c6f bf 03 01 ff";

TEST_F(JsonReplyTest, BatchGetItem) {
  EXPECT_EQ(Answer(kBatchGet, R"({"Responses":{"Ids":[{"id":{"N":"8"},"v":{"S":"w"}}],"Music":[{"Plays":{"N":"1"}}]},)"
                              R"("UnprocessedKeys":{},"ConsumedCapacity":[{"TableName":"Ids","CapacityUnits":1.0},)"
                              R"({"TableName":"Music","CapacityUnits":1.0}]})"),
            Compact("80 82 a2 63 496473 82 41 08 43 026177 65 4d75736963 81 a1 00 01 a0 "
                    "82 50 63496473fb3ff0000000000000f6f6f6 52 654d75736963fb3ff0000000000000f6f6f6"));
  EXPECT_THAT(Told(told_.items), ElementsAre("Ids 08 026177"));
  EXPECT_EQ(
      Answer(kBatchGet, R"({"Responses":{"Ids":[],"Music":[]},"UnprocessedKeys":{"Ids":{"Keys":[{"id":{"N":"7"}}]}}})"),
      Compact("80 82 a2 63 496473 80 65 4d75736963 80 a1 63 496473 81 41 07 80"));
  EXPECT_THAT(Told(told_.unprocessed), ElementsAre("Ids 07 -"));
}

TEST_F(JsonReplyTest, BatchGetItemWithWhatACacheHas) {
  const std::string key = "\x09";
  const std::string blob = "\x02\x61\x71";
  cached_ = {{.table = "Ids", .key = key, .blob = blob}, {.table = "Ids", .key = "\x0a", .is_found = false}};
  constexpr char kOne[] = "01 3a29985cdb a1 63 496473 83 f4 f6 81 41 08 bf ff";
  EXPECT_EQ(Answer(kOne, R"({"Responses":{"Ids":[{"id":{"N":"8"},"v":{"S":"w"}}]}})"),
            Compact("80 82 a1 63 496473 84 41 09 43 026171 41 08 43 026177 a0 80"));
  // All of it was there: nobody was asked.
  EXPECT_EQ(Answer("01 3a29985cdb a0 bf ff", "{}"), Compact("80 82 a1 63 496473 82 41 09 43 026171 a0 80"));
  // What is not there is kept, too.
  cached_ = {{.table = "Ids", .key = key, .is_found = false}};
  EXPECT_EQ(Answer("01 3a29985cdb a0 bf ff", "{}"), Compact("80 82 a1 63 496473 80 a0 80"));
}

TEST_F(JsonReplyTest, BatchWriteItem) {
  constexpr char kWrite[] = "01 1a06ed585f a1 63 496473 84 41 08 42 0101 41 07 f6 bf ff";
  EXPECT_EQ(Answer(kWrite, R"({"UnprocessedItems":{}})"), Compact("80 a0 80 a0"));
  EXPECT_EQ(told_.unprocessed_puts, 0u);
  EXPECT_EQ(Answer(kWrite, R"({"UnprocessedItems":{"Ids":[{"DeleteRequest":{"Key":{"id":{"N":"7"}}}}]},)"
                           R"("ItemCollectionMetrics":{"Ids":[{"ItemCollectionKey":{"id":{"N":"8"}},)"
                           R"("SizeEstimateRangeGB":[0.0,1.0]}]}})"),
            Compact("80 a1 63 496473 82 41 07 f6 80 "
                    "a1 63 496473 81 53 08 fb0000000000000000 fb3ff0000000000000"));
  EXPECT_EQ(told_.unprocessed_puts, 0u);
  Answer(kWrite, R"({"UnprocessedItems":{"Ids":[{"PutRequest":{"Item":{"id":{"N":"8"},"v":{"S":"w"}}}}]}})");
  EXPECT_EQ(told_.unprocessed_puts, 1u);
}

TEST_F(JsonReplyTest, WhatIsLeftOfABatchIsAskedAgain) {
  constexpr char kRequest[] = R"({"RequestItems":{"Ids":[1,2,3]},"ReturnConsumedCapacity":"TOTAL"})";
  EXPECT_EQ(RetryOfBatchWrite(R"({"UnprocessedItems":{"Ids":[{"PutRequest":{"Item":{"id":{"N":"8"}}}}]}})", kRequest),
            R"({"RequestItems":{"Ids":[{"PutRequest":{"Item":{"id":{"N":"8"}}}}]},"ReturnConsumedCapacity":"TOTAL"})");
  EXPECT_EQ(RetryOfBatchWrite(R"({"UnprocessedItems":{}})", kRequest), std::nullopt);
  EXPECT_EQ(RetryOfBatchWrite("{}", kRequest), std::nullopt);
  EXPECT_EQ(RetryOfBatchWrite("", kRequest), std::nullopt);
}

TEST_F(JsonReplyTest, Transactions) {
  EXPECT_EQ(Answer("01 1a6f3d49db 83 43 496473 43 496473 43 496473 83 41 09 42 1863 41 08 83 f6 f6 47 82018182126179 "
                   "bf 03 01 ff",
                   R"({"Responses":[{"Item":{"id":{"N":"9"},"v":{"S":"q"}}},{},{"Item":{"y":{"S":"n"}}}],)"
                   R"("ConsumedCapacity":[{"TableName":"Ids","CapacityUnits":2.0,"ReadCapacityUnits":2.0}]})"),
            Compact("80 82 83 43 026171 f6 a1 00 61 6e "
                    "81 a3 01 fb4000000000000000 02 fb4000000000000000 04 63 496473"));
  EXPECT_THAT(Told(told_.items), ElementsAre("Ids 09 026171", "Ids 1863 -"));
  // Whether a projected item is there shows.
  EXPECT_EQ(Answer("01 1a6f3d49db 81 43 496473 81 41 09 81 47 82018182126179 f6", R"({"Responses":[{"Item":{}}]})"),
            Compact("80 82 81 a0 80"));
  EXPECT_EQ(Answer("01 1a6f3d49db 81 43 496473 81 41 09 81 47 82018182126179 f6", R"({"Responses":[{}]})"),
            Compact("80 82 81 f6 80"));
  EXPECT_EQ(Answer("01 3a4524c569 81 07 81 43 496473 81 41 09 f6 f6 f6 f6 f6 f6", "{}"), Compact("80 83 80 80 a0"));
}

TEST_F(JsonReplyTest, RepliesThatAreNotDynamoDbs) {
  EXPECT_EQ(Answer(kGet, ""), "InternalServerError");
  EXPECT_EQ(Answer(kGet, "[]"), "InternalServerError");
  EXPECT_EQ(Answer(kGet, R"({"Item":5})"), "InternalServerError");
  EXPECT_EQ(Answer(kGet, R"({"Item":{"Artist":{"S":"Acme"}}})"), "InternalServerError") << "half a key";
  EXPECT_EQ(Answer(kGet, R"({"Item":{"Artist":{"S":"Acme"},"Song":{"N":"1"}}})"), "InternalServerError");
  EXPECT_EQ(Answer(kGet, R"({"Item":{"Artist":{"S":"Acme"},"Song":{"S":"a"},"x":{"N":"no"}}})"), "InternalServerError");
  EXPECT_EQ(Answer("01 3a6fc8309b 46 536572696573 f6", "{}"), "InternalServerError") << "no count";
  EXPECT_EQ(Answer(kBatchGet, R"({"Responses":{"Others":[{"id":{"N":"8"}}]}})"), "InternalServerError");
  EXPECT_EQ(Answer("01 1a6f3d49db 81 43 496473 81 41 09 f6 f6", R"({"Responses":[]})"), "InternalServerError");
}

TEST_F(JsonReplyTest, WhatACacheHas) {
  std::string out;
  AppendCachedItem(out, "\2aq");
  EXPECT_EQ(ToHex(out), Compact("80 a1 00 43 026171"));
  out.clear();
  AppendCachedItem(out, std::nullopt);
  EXPECT_EQ(ToHex(out), Compact("80 a0"));
}

}  // namespace
}  // namespace armature::dax
