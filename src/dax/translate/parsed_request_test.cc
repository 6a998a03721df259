#include "dax/translate/parsed_request.h"

#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dax/translate/translate_testing.h"

namespace armature::dax {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

class ParsedRequestTest : public testing::Test {
 protected:
  // `hex` of a message that can be read. What it points to stays for the test.
  ParsedRequest Read(std::string_view hex) {
    const std::string& message = messages_.emplace_back(Bytes(hex));
    auto request = ReadRequest(message, arena_);
    EXPECT_TRUE(request) << request.error().ToString();
    return request ? *request : ParsedRequest{};
  }
  std::string Refusal(std::string_view hex) {
    const std::string& message = messages_.emplace_back(Bytes(hex));
    auto request = ReadRequest(message, arena_);
    if (request) return "";
    EXPECT_EQ(request.error().code(), StatusCode::kInvalidArgument);
    return request.error().message();
  }

  Arena arena_;
  std::deque<std::string> messages_;
};

constexpr char kMalformed[] = "Request could not be read: a value is not what the method wants";

TEST_F(ParsedRequestTest, AuthorizeConnection) {
  const ParsedRequest request = Read(
      "01 1a58c2336b 6b 414b49444558414d504c45 78 40 343530623835333934323765316233633230353565613135663434"
      "31373530663833643734326564336336343064613334333536373238643666396266613239 58 86 415753342d484d41432"
      "d5348413235360a3230323631313135543032333630365a0a32303236313131352f75732d656173742d312f6461782f61777"
      "3345f726571756573740a3734623931643239643932643461373161643565626265333336326336363566346262656665636"
      "6323065326562663739373562376137356338343931373565 f6 72 4461784a53436c69656e742d312e322e3130");
  EXPECT_EQ(request.method, Method::kAuthorizeConnection);
  EXPECT_EQ(request.access_key_id, "AKIDEXAMPLE");
  EXPECT_EQ(request.signature, "450b8539427e1b3c2055ea15f441750f83d742ed3c640da34356728d6f9bfa29");
  EXPECT_EQ(request.string_to_sign.size(), 134u);
  EXPECT_EQ(request.session_token, "");
  EXPECT_EQ(request.user_agent, "DaxJSClient-1.2.10");
  EXPECT_THAT(TablesOf(request), IsEmpty());
}

TEST_F(ParsedRequestTest, ControlMethods) {
  EXPECT_EQ(Read("01 1a1b2bcf02").method, Method::kEndpoints);

  EXPECT_EQ(Read("01 3a2c43e27e 45 4d75736963").table, "Music");
  EXPECT_THAT(TablesOf(Read("01 3a2c43e27e 45 4d75736963")), ElementsAre("Music"));

  const ParsedRequest define = Read("01 3a495927bb 82 65 5072696365 64 59656172");
  EXPECT_EQ(define.method, Method::kDefineAttributeListId);
  EXPECT_THAT(std::vector<std::string_view>(define.names.begin(), define.names.end()), ElementsAre("Price", "Year"));

  const ParsedRequest list = Read("01 1a27f9bd71 1903e9");
  EXPECT_EQ(list.method, Method::kDefineAttributeList);
  EXPECT_EQ(list.list_id, 1001u);
}

TEST_F(ParsedRequestTest, GetItem) {
  const ParsedRequest plain = Read("01 1a0fb0cc6a 45 4d75736963 4a 6441636d6548656c6c6f bf ff");
  EXPECT_EQ(plain.method, Method::kGetItem);
  EXPECT_EQ(plain.table, "Music");
  ASSERT_EQ(plain.items.size(), 1u);
  EXPECT_EQ(plain.items[0].table, "Music");
  EXPECT_EQ(plain.items[0].key, Bytes("6441636d6548656c6c6f"));
  EXPECT_FALSE(plain.items[0].blob);
  EXPECT_FALSE(plain.options.consistent_read);

  const ParsedRequest projected = Read(
      "01 1a0fb0cc6a 45 4d75736963 4a 6441636d6548656c6c6f "
      "bf 03 01 02 f5 00 51 82018282126459656172821264536f6e67 ff");
  EXPECT_THAT(projected.options.return_consumed_capacity, Optional(1));
  EXPECT_THAT(projected.options.consistent_read, Optional(true));
  EXPECT_THAT(projected.options.projection, Optional(std::string_view(Bytes("82018282126459656172821264536f6e67"))));
}

TEST_F(ParsedRequestTest, OptionsMayBeNullOrADefiniteMap) {
  EXPECT_EQ(Read("01 1a0fb0cc6a 45 4d75736963 4a 6441636d6548656c6c6f f6").items.size(), 1u);
  EXPECT_THAT(Read("01 1a0fb0cc6a 45 4d75736963 4a 6441636d6548656c6c6f a1 02 01").options.consistent_read,
              Optional(true));
  // A null stands for what was not sent, whether it is known or not.
  EXPECT_FALSE(Read("01 1a0fb0cc6a 45 4d75736963 4a 6441636d6548656c6c6f a2 02 f6 1863 f6").options.consistent_read);
}

TEST_F(ParsedRequestTest, AnOptionNobodyKnowsIsRefused) {
  EXPECT_EQ(Refusal("01 1a0fb0cc6a 45 4d75736963 4a 6441636d6548656c6c6f a1 1863 01"),
            "Request has an unknown parameter: 99");
  EXPECT_EQ(Refusal("01 1a0fb0cc6a 45 4d75736963 4a 6441636d6548656c6c6f a1 05 a0"),
            "Request has an unknown parameter: 5");
}

TEST_F(ParsedRequestTest, SingleWrites) {
  const ParsedRequest put = Read(
      "01 3a7d8e7e56 45 4d75736963 4a 6441636d6548656c6c6f 4f 1903e9 fb3ff8000000000000 1907cf "
      "bf 07 02 04 4e 8301820c82126641727469737480 ff");
  EXPECT_EQ(put.method, Method::kPutItem);
  EXPECT_THAT(put.items[0].blob, Optional(std::string_view(Bytes("1903e9 fb3ff8000000000000 1907cf"))));
  EXPECT_THAT(put.options.return_values, Optional(2));
  EXPECT_TRUE(put.options.condition);

  EXPECT_THAT(Read("01 3a7d8e7e56 43 496473 41 07 41 01 bf ff").items[0].blob, Optional(std::string_view("\1")));

  const ParsedRequest update = Read(
      "01 1a54f89c0f 45 4d75736963 4a 6441636d6548656c6c6f "
      "bf 07 05 08 582d 8301828313821265506c6179738318198317821265506c61797382110082110182168212655072696365820001 ff");
  EXPECT_EQ(update.method, Method::kUpdateItem);
  EXPECT_THAT(update.options.return_values, Optional(5));
  EXPECT_EQ(update.options.update->size(), 45u);

  const ParsedRequest deletion = Read("01 1a3c696221 45 4d75736963 4a 6441636d6548656c6c6f bf 07 02 ff");
  EXPECT_EQ(deletion.method, Method::kDeleteItem);
  EXPECT_FALSE(deletion.items[0].blob);
}

TEST_F(ParsedRequestTest, QueryAndScan) {
  const ParsedRequest query = Read(
      "01 3a3781c2ae 46 536572696573 "
      "581e 83018306830082126673656e736f72821100830482126174821101820529 bf 0e 00 0d 01 ff");
  EXPECT_EQ(query.method, Method::kQuery);
  EXPECT_EQ(query.table, "Series");
  EXPECT_EQ(query.key_condition->size(), 30u);
  EXPECT_THAT(query.options.scan_index_forward, Optional(false));
  EXPECT_THAT(query.options.limit, Optional(1));
  EXPECT_THAT(TablesOf(query), ElementsAre("Series"));

  const ParsedRequest of_index = Read(
      "01 3a3781c2ae 45 4d75736963 52 8301830082126459656172821100811907cf "
      "bf 0b 46 627959656172 09 581a bf64596561721907cf64536f6e676141664172746973746142ff ff");
  EXPECT_THAT(of_index.options.index_name, Optional(std::string_view("byYear")));
  EXPECT_EQ(of_index.options.exclusive_start_key->size(), 26u);

  EXPECT_FALSE(Read("01 3a3781c2ae 46 536572696573 f6 bf ff").key_condition);

  const ParsedRequest scan =
      Read("01 3a6fc8309b 46 536572696573 bf 11 04 10 00 0d 01 0a 4e 8301830e82126176821100816178 ff");
  EXPECT_EQ(scan.method, Method::kScan);
  EXPECT_THAT(scan.options.total_segments, Optional(4));
  EXPECT_THAT(scan.options.segment, Optional(0));
  EXPECT_TRUE(scan.options.filter);
  EXPECT_THAT(Read("01 3a6fc8309b 46 536572696573 bf 0f 03 ff").options.select, Optional(3));
}

TEST_F(ParsedRequestTest, Batches) {
  const ParsedRequest get = Read(
      "01 3a29985cdb a2 63 496473 83 f4 f6 82 41 08 41 07 "
      "65 4d75736963 83 f5 4b 820181821265506c617973 81 4a 6441636d6548656c6c6f bf 03 01 ff");
  ASSERT_EQ(get.tables.size(), 2u);
  EXPECT_EQ(get.tables[0].table, "Ids");
  EXPECT_FALSE(get.tables[0].consistent_read);
  EXPECT_FALSE(get.tables[0].projection);
  EXPECT_EQ(get.tables[0].count, 2u);
  EXPECT_TRUE(get.tables[1].consistent_read);
  EXPECT_TRUE(get.tables[1].projection);
  EXPECT_EQ(get.tables[1].first, 2u);
  ASSERT_EQ(get.items.size(), 3u);
  EXPECT_EQ(get.items[1].key, "\7");
  EXPECT_EQ(get.items[2].table, "Music");
  EXPECT_THAT(TablesOf(get), ElementsAre("Ids", "Music"));

  const ParsedRequest write = Read("01 1a06ed585f a1 63 496473 84 41 08 45 1903ed6177 41 07 f6 bf ff");
  ASSERT_EQ(write.items.size(), 2u);
  EXPECT_TRUE(write.items[0].blob);
  EXPECT_FALSE(write.items[1].blob);
  EXPECT_EQ(Refusal("01 1a06ed585f a2 63 496473 80 63 496473 80 bf ff"), "Request names a table twice");
  EXPECT_EQ(Refusal("01 1a06ed585f a1 63 496473 81 41 08 bf ff"), kMalformed) << "a key without its blob";
}

TEST_F(ParsedRequestTest, Transactions) {
  const ParsedRequest get = Read(
      "01 1a6f3d49db 83 43 496473 43 496473 43 496473 83 41 09 42 1863 41 08 83 f6 f6 47 82018182126179 bf 03 01 ff");
  ASSERT_EQ(get.items.size(), 3u);
  EXPECT_EQ(get.items[0].key, "\x09");
  EXPECT_FALSE(get.items[1].projection);
  EXPECT_TRUE(get.items[2].projection);
  EXPECT_THAT(TablesOf(get), ElementsAre("Ids", "Ids", "Ids"));

  const ParsedRequest write = Read(
      "01 3a4524c569 84 02 09 07 0c 84 43 496473 43 496473 43 496473 43 496473 84 41 09 41 08 41 0a 41 0b "
      "84 45 1903ed6171 f6 f6 f6 f6 84 01 01 01 02 84 f6 f6 f6 4a 8301820c821262696480 "
      "84 f6 4f 83018183138212617982110081616e f6 f6 bf 13 63 746f6b ff");
  ASSERT_EQ(write.items.size(), 4u);
  EXPECT_EQ(write.items[0].action, 2);
  EXPECT_TRUE(write.items[0].blob);
  EXPECT_EQ(write.items[1].action, 9);
  EXPECT_TRUE(write.items[1].update);
  EXPECT_EQ(write.items[2].action, 7);
  EXPECT_THAT(write.items[2].return_values_on_failure, Optional(1));
  EXPECT_EQ(write.items[3].action, 12);
  EXPECT_TRUE(write.items[3].condition);
  EXPECT_THAT(write.items[3].return_values_on_failure, Optional(2));
  EXPECT_THAT(write.options.client_request_token, Optional(std::string_view("tok")));
}

TEST_F(ParsedRequestTest, ColumnsOfATransactionAreAsLongAsEachOther) {
  EXPECT_EQ(Refusal("01 1a6f3d49db 82 43 496473 43 496473 81 41 09 82 f6 f6 f6"), kMalformed);
  EXPECT_EQ(Refusal("01 1a6f3d49db 81 43 496473 82 41 09 41 08 81 f6 f6"), kMalformed);
  // Null: nothing for any of them.
  EXPECT_EQ(Read("01 1a6f3d49db 81 43 496473 81 41 09 f6 f6").items.size(), 1u);
}

TEST_F(ParsedRequestTest, WhatIsNoMessage) {
  EXPECT_EQ(Refusal(""), kMalformed);
  EXPECT_EQ(Refusal("02 1a1b2bcf02"), kMalformed) << "another service";
  EXPECT_EQ(Refusal("01 05"), "Unknown method: 5");
  EXPECT_EQ(Refusal("01 1a1b2bcf02 00"), kMalformed) << "more than the method has";
  EXPECT_EQ(Refusal("01 1a0fb0cc6a 45 4d75736963 4a 6441636d65"), kMalformed) << "torn";
  EXPECT_EQ(Refusal("01 1a0fb0cc6a 05 41 07 bf ff"), kMalformed) << "a number for a table";
  EXPECT_EQ(Refusal("01 1a0fb0cc6a 45 4d75736963 41 07 a1 02 61 61"), kMalformed) << "a text for a boolean";
}

TEST_F(ParsedRequestTest, HasNoRoomForMoreItemsThanAnybodySends) {
  std::string message = Bytes("01 3a4524c569 9f");
  message.append(100'000, '\2');
  message += Bytes("ff f6 f6 f6 f6 f6 f6 f6 f6");
  Arena arena;
  EXPECT_FALSE(ReadRequest(message, arena));
}

}  // namespace
}  // namespace armature::dax
