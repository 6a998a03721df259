// The four operations and the life of a stream, with a clock that is stepped.
#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "api/api_testing.h"
#include "table/journal/lane_testing.h"

namespace armature::api {
namespace {

using Strings = std::vector<std::string>;
constexpr int64_t kHour = int64_t{3600} * 1000;

// The body with the texts of every member of that name replaced by "*"; they must consist of `characters`.
std::string Masked(std::string body, std::string_view member, std::string_view characters) {
  const std::string start = fmt::format(R"("{}":")", member);
  for (size_t at = body.find(start); at != std::string::npos; at = body.find(start, at + 1)) {
    const size_t value = at + start.size(), end = body.find('"', value);
    EXPECT_EQ(body.find_first_not_of(characters, value), end) << body;
    body.replace(value, end - value, "*");
  }
  return body;
}

class StreamsTest : public ApiFixture {
 protected:
  using ApiFixture::ApiFixture;

  std::string Text(const std::string& body, const char* pointer) {
    simdjson::dom::parser parser;
    std::string_view text;
    return parser.parse(body).at_pointer(pointer).get(text) ? std::string() : std::string(text);
  }
  size_t Count(const std::string& body, const char* pointer) {
    simdjson::dom::parser parser;
    simdjson::dom::array array;
    return parser.parse(body).at_pointer(pointer).get(array) ? SIZE_MAX : array.size();
  }

  // Makes the table "Tbl" with a stream and returns the stream's ARN.
  std::string CreateStream(std::string_view view = "NEW_AND_OLD_IMAGES", std::string_view name = "Tbl") {
    return Text(MustCall("CreateTable", fmt::format(R"({{"TableName":"{}","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{{"AttributeName":"pk","AttributeType":"S"}}],
        "KeySchema":[{{"AttributeName":"pk","KeyType":"HASH"}}],
        "StreamSpecification":{{"StreamEnabled":true,"StreamViewType":"{}"}}}})",
                                                    name, view)),
                "/TableDescription/LatestStreamArn");
  }
  std::string Update(std::string_view specification) {
    return fmt::format(R"({{"TableName":"Tbl","StreamSpecification":{}}})", specification);
  }
  std::string Enable(std::string_view view = "KEYS_ONLY") {
    return Text(MustCall("UpdateTable", Update(fmt::format(R"({{"StreamEnabled":true,"StreamViewType":"{}"}})", view))),
                "/TableDescription/LatestStreamArn");
  }
  void Disable() { MustCall("UpdateTable", Update(R"({"StreamEnabled":false})")); }
  void Put(std::string_view key, int n = 0) {
    MustCall("PutItem", fmt::format(R"({{"TableName":"Tbl","Item":{{"pk":{{"S":"{}"}},"n":{{"N":"{}"}}}}}})", key, n));
  }
  std::string Describe(const std::string& arn, std::string_view more = {}) {
    return MustCall("DescribeStream", fmt::format(R"({{"StreamArn":"{}"{}}})", arn, more));
  }
  std::string FirstShard(const std::string& arn) { return Text(Describe(arn), "/StreamDescription/Shards/0/ShardId"); }
  std::string IteratorRequest(const std::string& arn, const std::string& shard, std::string_view type,
                              std::string_view sequence_number = {}) {
    return fmt::format(R"({{"StreamArn":"{}","ShardId":"{}","ShardIteratorType":"{}"{}}})", arn, shard, type,
                       sequence_number.empty() ? "" : fmt::format(R"(,"SequenceNumber":"{}")", sequence_number));
  }
  std::string Iterator(const std::string& arn, std::string_view type = "TRIM_HORIZON",
                       std::string_view sequence_number = {}) {
    return Text(MustCall("GetShardIterator", IteratorRequest(arn, FirstShard(arn), type, sequence_number)),
                "/ShardIterator");
  }
  std::string Records(const std::string& iterator, std::string_view more = {}) {
    return MustCall("GetRecords", fmt::format(R"({{"ShardIterator":"{}"{}}})", iterator, more));
  }
  std::string RecordsError(const std::string& iterator) {
    return MustFail("GetRecords", fmt::format(R"({{"ShardIterator":"{}"}})", iterator));
  }
  std::string Next(const std::string& records) { return Text(records, "/NextShardIterator"); }
  // The keys of a page, in order.
  std::string Keys(const std::string& records) {
    std::string keys;
    for (size_t i = 0; i < Count(records, "/Records"); ++i)
      keys += Text(records, fmt::format("/Records/{}/dynamodb/Keys/pk/S", i).c_str()) + " ";
    return keys;
  }
  void Keep() { EXPECT_TRUE(RunBlocking(journal_.KeepHouse()).ok()); }
  void Split(const std::string& arn, bool into_two) {
    const auto ref = journal_.FindStream(arn);
    ASSERT_TRUE(ref);
    EXPECT_TRUE(table::EndLane(journal_, ref->table, ref->state->lanes.back().id, into_two).ok());
  }
};

TEST_F(StreamsTest, ARecordHasExactlyTheMembersOfAws) {
  const std::string arn = CreateStream();
  MustCall("PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"test"}}})");
  MustCall("UpdateItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"test"}},"UpdateExpression":"SET a = :a",
      "ExpressionAttributeValues":{":a":{"B":"AQI="}}})");
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_|:.";
  const std::string records = Records(Iterator(arn));
  EXPECT_THAT(Text(records, "/Records/0/eventID"), testing::SizeIs(32));
  const std::string body = Masked(Masked(records, "eventID", kHex), "NextShardIterator", kBase64);
  EXPECT_EQ(
      body,
      R"({"Records":[{"eventID":"*","eventName":"INSERT","eventVersion":"1.1","eventSource":"aws:dynamodb",)"
      R"("awsRegion":"us-east-1","dynamodb":{"ApproximateCreationDateTime":1700000000,"Keys":{"pk":{"S":"test"}},)"
      R"("NewImage":{"pk":{"S":"test"}},"SizeBytes":12,"SequenceNumber":"10000000000000000000100000000000000001",)"
      R"("StreamViewType":"NEW_AND_OLD_IMAGES"}},{"eventID":"*","eventName":"MODIFY","eventVersion":"1.1",)"
      R"("eventSource":"aws:dynamodb","awsRegion":"us-east-1","dynamodb":{"ApproximateCreationDateTime":1700000000,)"
      R"("Keys":{"pk":{"S":"test"}},"NewImage":{"a":{"B":"AQI="},"pk":{"S":"test"}},"OldImage":{"pk":{"S":"test"}},)"
      R"("SizeBytes":21,"SequenceNumber":"10000000000000000000200000000000000001","StreamViewType":"NEW_AND_OLD_IMAGES"}}],)"
      R"("NextShardIterator":"*"})");
}

TEST_F(StreamsTest, AShardThatEndsWithoutARecordEndsWhereItBegan) {
  const std::string arn = CreateStream();
  Disable();
  const std::string described = Describe(arn);
  EXPECT_EQ(Text(described, "/StreamDescription/Shards/0/SequenceNumberRange/EndingSequenceNumber"),
            Text(described, "/StreamDescription/Shards/0/SequenceNumberRange/StartingSequenceNumber"));
}

TEST_F(StreamsTest, EventIdsAreUniqueAndStable) {
  const std::string arn = CreateStream();
  Put("a");
  Put("b");
  const std::string first = Records(Iterator(arn)), second = Records(Iterator(arn));
  EXPECT_NE(Text(first, "/Records/0/eventID"), Text(first, "/Records/1/eventID"));
  EXPECT_EQ(Text(first, "/Records/0/eventID"), Text(second, "/Records/0/eventID"));
}

TEST_F(StreamsTest, SizeCountsWhatIsShown) {
  const std::pair<std::string, std::string> kSizes[] = {
      {"KEYS_ONLY", "3 3 3 "}, {"NEW_IMAGE", "9 9 3 "}, {"OLD_IMAGE", "3 9 9 "}, {"NEW_AND_OLD_IMAGES", "9 15 9 "}};
  for (const auto& [view, expected] : kSizes) {
    const std::string arn = CreateStream(view);
    Put("k", 1);
    Put("k", 2);
    MustCall("DeleteItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"k"}}})");
    simdjson::dom::parser parser;
    std::string sizes;
    const std::string body = Records(Iterator(arn));
    for (auto record : parser.parse(body)["Records"])
      sizes += fmt::format("{} ", int64_t{record["dynamodb"]["SizeBytes"]});
    EXPECT_EQ(sizes, expected) << view;
    MustCall("DeleteTable", R"({"TableName":"Tbl"})");
  }
}

TEST_F(StreamsTest, ErrorsOfStreamSpecification) {
  const std::string create = R"({"TableName":"Tbl","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"StreamSpecification":)";
  EXPECT_EQ(MustFail("CreateTable", create + R"({"StreamEnabled":false,"StreamViewType":"NEW_IMAGE"}})"),
            "ValidationException: One or more parameter values were invalid: Table is being created with a stream "
            "disabled, UpdateViewType should not be specified");
  MustCall("CreateTable", create + R"({"StreamEnabled":false}})");
  EXPECT_EQ(Count(MustCall("ListStreams", "{}"), "/Streams"), 0u);
  EXPECT_EQ(MustFail("UpdateTable", Update(R"({"StreamEnabled":false})")),
            "ValidationException: Table doesn't have a stream to disable: TableName: Tbl");
  Enable();
  EXPECT_EQ(MustFail("UpdateTable", Update(R"({"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"})")),
            "ValidationException: Table already has an enabled stream: TableName: Tbl");
}

TEST_F(StreamsTest, DisablingAndEnablingAgain) {
  const std::string first = CreateStream("NEW_IMAGE");
  Put("a");
  Disable();
  const std::string described = MustCall("DescribeTable", R"({"TableName":"Tbl"})");
  EXPECT_EQ(described.find("StreamSpecification"), std::string::npos);
  EXPECT_EQ(Text(described, "/Table/LatestStreamArn"), first);
  EXPECT_EQ(Text(Describe(first), "/StreamDescription/StreamStatus"), "DISABLED");
  EXPECT_NE(Text(Describe(first), "/StreamDescription/Shards/0/SequenceNumberRange/EndingSequenceNumber"), "");
  Put("unseen");
  const std::string second = Enable("KEYS_ONLY");
  EXPECT_NE(second, first) << "within the same millisecond";
  Put("b");
  EXPECT_EQ(Count(MustCall("ListStreams", R"({"TableName":"Tbl"})"), "/Streams"), 2u);
  const std::string old_records = Records(Iterator(first));
  EXPECT_EQ(Keys(old_records), "a ");
  EXPECT_EQ(Next(old_records), "") << "the end of a closed shard";
  EXPECT_EQ(Keys(Records(Iterator(second))), "b ");
  EXPECT_EQ(Text(Describe(second), "/StreamDescription/Shards/0/ParentShardId"), "");

  const std::string iterator = Iterator(first);
  clock_.AdvanceMillis(24 * kHour - 1);
  Keep();
  EXPECT_EQ(Keys(Records(Iterator(first))), "a ") << "readable for a day";
  clock_.AdvanceMillis(1);
  EXPECT_EQ(MustFail("DescribeStream", fmt::format(R"({{"StreamArn":"{}"}})", first)),
            "ResourceNotFoundException: Requested resource not found: Stream: " + first + " not found");
  EXPECT_EQ(Count(MustCall("ListStreams", "{}"), "/Streams"), 1u);
}

TEST_F(StreamsTest, StreamsOfADeletedTable) {
  const std::string arn = CreateStream();
  Put("a");
  const std::string iterator = Iterator(arn);
  MustCall("DeleteTable", R"({"TableName":"Tbl"})");
  EXPECT_EQ(Text(Describe(arn), "/StreamDescription/StreamStatus"), "DISABLED");
  EXPECT_EQ(Keys(Records(iterator)), "a ");
  const std::string again = CreateStream();
  EXPECT_NE(again, arn);
  EXPECT_EQ(Keys(Records(Iterator(again))), "");
  EXPECT_EQ(Count(MustCall("ListStreams", R"({"TableName":"Tbl"})"), "/Streams"), 2u);
  clock_.AdvanceMillis(24 * kHour);
  Keep();
  EXPECT_EQ(Count(MustCall("ListStreams", R"({"TableName":"Tbl"})"), "/Streams"), 1u);
}

TEST_F(StreamsTest, IteratorTypes) {
  const std::string arn = CreateStream();
  Put("a");
  Put("b");
  const std::string latest = Iterator(arn, "LATEST");
  Put("c");
  const std::string all = Records(Iterator(arn));
  const std::string b = Text(all, "/Records/1/dynamodb/SequenceNumber");
  EXPECT_EQ(Keys(all), "a b c ");
  EXPECT_EQ(Keys(Records(latest)), "c ");
  EXPECT_EQ(Keys(Records(Iterator(arn, "AT_SEQUENCE_NUMBER", b))), "b c ");
  EXPECT_EQ(Keys(Records(Iterator(arn, "AFTER_SEQUENCE_NUMBER", b))), "c ");
  const std::string next = Next(all);
  EXPECT_EQ(Records(next).find(R"({"Records":[],"NextShardIterator":)"), 0u);
  Put("d");
  EXPECT_EQ(Keys(Records(next)), "d ");
}

TEST_F(StreamsTest, IteratorErrors) {
  const std::string arn = CreateStream(), shard = FirstShard(arn);
  const auto fail = [&](std::string_view type, std::string_view number) {
    return MustFail("GetShardIterator", IteratorRequest(arn, shard, type, number)).substr(0, 20);
  };
  const std::string good = "10000000000000000000100000000000000001";
  EXPECT_EQ(fail("AT_SEQUENCE_NUMBER", {}), "ValidationException:");
  EXPECT_EQ(fail("AFTER_SEQUENCE_NUMBER", {}), "ValidationException:");
  EXPECT_EQ(fail("LATEST", good), "ValidationException:");
  EXPECT_EQ(fail("TRIM_HORIZON", good), "ValidationException:");
  EXPECT_EQ(fail("AT_SEQUENCE_NUMBER", "10000000000000000000x"), "ValidationException:");
  EXPECT_EQ(fail("AT_SEQUENCE_NUMBER", "000000000000000000001"), "ValidationException:") << "before the shard";
  EXPECT_EQ(MustFail("GetShardIterator", IteratorRequest(arn, "shardId-00000000000000000000-00000000", "LATEST")),
            "ResourceNotFoundException: Requested resource not found: Shard does not exist");
  EXPECT_EQ(MustFail("GetShardIterator", IteratorRequest(std::string(40, 'x'), shard, "LATEST")),
            "ValidationException: Invalid StreamArn");
  const std::string unknown = arn.substr(0, arn.size() - 1) + "x";
  EXPECT_EQ(MustFail("GetShardIterator", IteratorRequest(unknown, shard, "LATEST")),
            "ResourceNotFoundException: Requested resource not found: Stream: " + unknown + " not found");
  EXPECT_EQ(RecordsError("nonsense"), "ValidationException: Invalid ShardIterator");
  std::string tampered = Iterator(arn);
  tampered[tampered.size() - 8] = tampered[tampered.size() - 8] == 'A' ? 'B' : 'A';
  EXPECT_EQ(RecordsError(tampered), "ValidationException: Invalid ShardIterator");
  const std::string iterator = Iterator(arn);
  const auto limit = [&](int value) {
    return MustFail("GetRecords", fmt::format(R"({{"ShardIterator":"{}","Limit":{}}})", iterator, value));
  };
  EXPECT_EQ(limit(0).substr(0, 20), "ValidationException:");
  EXPECT_EQ(limit(1001),
            "ValidationException: 1 validation error detected: Value '1001' at 'limit' failed to satisfy constraint: "
            "Member must have value less than or equal to 1000");
}

TEST_F(StreamsTest, AnIteratorExpiresAfterFifteenMinutes) {
  const std::string arn = CreateStream();
  Put("a");
  const std::string iterator = Iterator(arn);
  clock_.AdvanceMillis(15 * 60 * 1000);
  EXPECT_EQ(Keys(Records(iterator)), "a ");
  clock_.AdvanceMillis(1);
  EXPECT_EQ(
      RecordsError(iterator),
      "ExpiredIteratorException: Iterator expired. The iterator was created at time Tue Nov 14 22:13:20 UTC 2023 "
      "while right now it is Tue Nov 14 22:28:20 UTC 2023 which is further in the future than the tolerated delay "
      "of 900000 milliseconds.");
}

TEST_F(StreamsTest, TrimmedData) {
  const std::string arn = CreateStream(), shard = FirstShard(arn);
  Put("a");
  Put("b");
  Keep();
  const std::string number = Text(Records(Iterator(arn)), "/Records/0/dynamodb/SequenceNumber");
  clock_.AdvanceMillis(3 * kHour);
  Put("c");
  Keep();
  clock_.AdvanceMillis(21 * kHour - 60 * 1000);
  Keep();
  const auto iterator_at = [&](std::string_view type, std::string_view sequence_number) {
    return Text(MustCall("GetShardIterator", IteratorRequest(arn, shard, type, sequence_number)), "/ShardIterator");
  };
  const std::string early = iterator_at("AFTER_SEQUENCE_NUMBER", number);
  EXPECT_EQ(Keys(Records(early)), "b c ");
  clock_.AdvanceMillis(2 * 60 * 1000);
  Keep();
  constexpr std::string_view kTrimmed =
      "TrimmedDataAccessException: The data you are trying to access has been trimmed";
  EXPECT_EQ(RecordsError(early), kTrimmed);
  EXPECT_EQ(MustFail("GetShardIterator", IteratorRequest(arn, shard, "AT_SEQUENCE_NUMBER", number)), kTrimmed);
  EXPECT_EQ(MustFail("GetShardIterator", IteratorRequest(arn, shard, "AFTER_SEQUENCE_NUMBER", number)), kTrimmed);
  EXPECT_EQ(Keys(Records(iterator_at("TRIM_HORIZON", {}))), "c ");
}

TEST_F(StreamsTest, RecordsComeInPages) {
  const std::string arn = CreateStream("KEYS_ONLY");
  for (int i = 0; i < 7; ++i) Put(fmt::format("k{}", i));
  std::string iterator = Iterator(arn), keys;
  for (int page = 0; page < 3; ++page) {
    const std::string records = Records(iterator, R"(,"Limit":3)");
    keys += Keys(records) + "| ";
    iterator = Next(records);
  }
  EXPECT_EQ(keys, "k0 k1 k2 | k3 k4 k5 | k6 | ");
}

TEST_F(StreamsTest, ShardsArePagedAndFiltered) {
  const std::string arn = CreateStream();
  Put("a");
  Split(arn, false);
  Split(arn, true);
  const std::string all = Describe(arn);
  ASSERT_EQ(Count(all, "/StreamDescription/Shards"), 4u);
  Strings ids, parents;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(Text(all, fmt::format("/StreamDescription/Shards/{}/ShardId", i).c_str()));
    parents.push_back(Text(all, fmt::format("/StreamDescription/Shards/{}/ParentShardId", i).c_str()));
    EXPECT_THAT(ids.back(), testing::MatchesRegex("shardId-[0-9]{20}-[0-9a-f]{8}"));
  }
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_EQ(parents, (Strings{"", ids[0], ids[1], ids[1]}));
  EXPECT_EQ(Text(all, "/StreamDescription/LastEvaluatedShardId"), "");
  EXPECT_EQ(Text(all, "/StreamDescription/TableName"), "Tbl");

  const std::string page = Describe(arn, R"(,"Limit":3)");
  EXPECT_EQ(Count(page, "/StreamDescription/Shards"), 3u);
  EXPECT_EQ(Text(page, "/StreamDescription/LastEvaluatedShardId"), ids[2]);
  const auto after = [&](const std::string& id) { return fmt::format(R"(,"ExclusiveStartShardId":"{}")", id); };
  EXPECT_EQ(Text(Describe(arn, after(ids[2])), "/StreamDescription/Shards/0/ShardId"), ids[3]);
  EXPECT_EQ(Count(Describe(arn, after(ids[3])), "/StreamDescription/Shards"), 0u);
  EXPECT_EQ(Count(Describe(arn, after(std::string(40, 'z'))), "/StreamDescription/Shards"), 0u);

  const auto children = [&](const std::string& id) {
    return Describe(arn, fmt::format(R"(,"ShardFilter":{{"Type":"CHILD_SHARDS","ShardId":"{}"}})", id));
  };
  EXPECT_EQ(Count(children(ids[1]), "/StreamDescription/Shards"), 2u);
  EXPECT_EQ(Text(children(ids[0]), "/StreamDescription/Shards/0/ShardId"), ids[1]);
  EXPECT_EQ(Count(children(ids[3]), "/StreamDescription/Shards"), 0u);
  EXPECT_EQ(MustFail("DescribeStream", fmt::format(R"({{"StreamArn":"{}","Limit":101}})", arn)).substr(0, 20),
            "ValidationException:");
}

TEST_F(StreamsTest, StreamsArePaged) {
  Strings arns;
  for (const char* name : {"Ta1", "Tb2", "Tc3"}) arns.push_back(CreateStream("KEYS_ONLY", name));
  const std::string first = MustCall("ListStreams", R"({"Limit":2})");
  EXPECT_EQ(Count(first, "/Streams"), 2u);
  EXPECT_EQ(Text(first, "/LastEvaluatedStreamArn"), arns[1]);
  EXPECT_EQ(Text(first, "/Streams/0/TableName"), "Ta1");
  const std::string second =
      MustCall("ListStreams", fmt::format(R"({{"Limit":2,"ExclusiveStartStreamArn":"{}"}})", arns[1]));
  EXPECT_EQ(Count(second, "/Streams"), 1u);
  EXPECT_EQ(Text(second, "/Streams/0/StreamArn"), arns[2]);
  EXPECT_EQ(Text(second, "/LastEvaluatedStreamArn"), "");
  EXPECT_EQ(Count(MustCall("ListStreams", R"({"Limit":3})"), "/Streams"), 3u);
  EXPECT_EQ(Text(MustCall("ListStreams", R"({"Limit":3})"), "/LastEvaluatedStreamArn"), "");
  EXPECT_EQ(MustFail("ListStreams", R"({"Limit":101})").substr(0, 20), "ValidationException:");
  EXPECT_EQ(MustFail("ListStreams", R"({"ExclusiveStartStreamArn":"0123456789012345678901234567890123456789"})"),
            "ValidationException: Invalid StreamArn");
  EXPECT_EQ(Count(Call("ListStreams", "{}", "eu-west-1").body, "/Streams"), 0u) << "another Region";
}

class DelayedStreamsTest : public StreamsTest {
 protected:
  DelayedStreamsTest() : StreamsTest(1000) {}
};

TEST_F(DelayedStreamsTest, StatesOnTheWay) {
  const std::string arn = CreateStream();
  EXPECT_EQ(Text(Describe(arn), "/StreamDescription/StreamStatus"), "ENABLING");
  clock_.AdvanceMillis(1000);
  EXPECT_EQ(Text(Describe(arn), "/StreamDescription/StreamStatus"), "ENABLED");
  Disable();
  EXPECT_EQ(Text(Describe(arn), "/StreamDescription/StreamStatus"), "DISABLING");
  EXPECT_EQ(MustFail("DeleteTable", R"({"TableName":"Tbl"})").substr(0, 23), "ResourceInUseException:");
  clock_.AdvanceMillis(1000);
  EXPECT_EQ(Text(Describe(arn), "/StreamDescription/StreamStatus"), "DISABLED");
}

}  // namespace
}  // namespace armature::api
