#include "triggers/mappings/event_pattern.h"

#include <gtest/gtest.h>

namespace armature::triggers {
namespace {

constexpr const char* kRecord = R"({
  "eventID": "c4ca4238a0b923820dcc509a6f75849b", "eventName": "MODIFY", "eventSource": "aws:dynamodb",
  "awsRegion": "eu-west-1",
  "dynamodb": {
    "ApproximateCreationDateTime": 1479499740, "SizeBytes": 59, "StreamViewType": "NEW_AND_OLD_IMAGES",
    "Keys": {"Id": {"N": "101"}},
    "NewImage": {
      "Id": {"N": "101"}, "Name": {"S": "Alice"}, "Empty": {"S": ""}, "Nothing": {"NULL": true},
      "Tags": {"SS": ["red", "green"]}, "On": {"BOOL": false},
      "Path": {"S": "pictures/cat.png"},
      "List": {"L": [{"S": "x"}, {"N": "7"}, {"M": {"a": {"S": "1"}, "b": {"S": "2"}}}]},
      "Address": {"M": {"City": {"S": "Paris"}, "Zip": {"N": "75001"}}}
    },
    "OldImage": {"Id": {"N": "101"}, "Name": {"S": "Bob"}}
  },
  "eventSourceARN": "arn:aws:dynamodb:eu-west-1:123456789012:table/T/stream/2024-01-01T00:00:00.000"
})";

bool MatchesText(const std::string& pattern, const std::string& record) {
  auto parsed = EventPattern::Parse(pattern);
  EXPECT_TRUE(parsed) << pattern << ": " << (parsed ? "" : parsed.error().message());
  if (!parsed) return false;
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  const auto parse_error = parser.parse(record).get(root);
  EXPECT_EQ(parse_error, simdjson::SUCCESS) << record;
  return parsed->Matches(root);
}

bool Matches(const std::string& pattern) { return MatchesText(pattern, kRecord); }
bool MatchesName(const std::string& values) {
  return Matches(R"({"dynamodb":{"NewImage":{"Name":{"S":)" + values + "}}}}");
}
bool MatchesSize(const std::string& values) { return Matches(R"({"dynamodb":{"SizeBytes":)" + values + "}}"); }

TEST(EventPattern, EqualsByStringExactly) {
  EXPECT_TRUE(Matches(R"({"eventName":["MODIFY"]})"));
  EXPECT_TRUE(Matches(R"({"eventName":["INSERT","MODIFY"]})"));
  EXPECT_FALSE(Matches(R"({"eventName":["INSERT"]})"));
  EXPECT_FALSE(Matches(R"({"eventName":["modify"]})"));
  EXPECT_FALSE(Matches(R"({"eventName":["MODIF"]})"));
  EXPECT_FALSE(Matches(R"({"eventname":["MODIFY"]})"));
}

TEST(EventPattern, AnErrorIsOneLineWhateverThePatternHolds) {
  const auto parsed = EventPattern::Parse(R"({"a":[{"anythi\\\ng-but":["x"]}]})");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message().find('\n'), std::string::npos) << parsed.error().message();
}

TEST(EventPattern, MembersAreAnded) {
  EXPECT_TRUE(Matches(R"({"eventName":["MODIFY"],"awsRegion":["eu-west-1"]})"));
  EXPECT_FALSE(Matches(R"({"eventName":["MODIFY"],"awsRegion":["us-east-1"]})"));
  EXPECT_TRUE(Matches(R"({"dynamodb":{"NewImage":{"Name":{"S":["Alice"]}},"OldImage":{"Name":{"S":["Bob"]}}}})"));
  EXPECT_FALSE(Matches(R"({"dynamodb":{"NewImage":{"Name":{"S":["Alice"]}},"OldImage":{"Name":{"S":["Eve"]}}}})"));
}

TEST(EventPattern, ReachesIntoMapsOfTheItem) {
  EXPECT_TRUE(Matches(R"({"dynamodb":{"NewImage":{"Address":{"M":{"City":{"S":["Paris"]}}}}}})"));
  EXPECT_FALSE(Matches(R"({"dynamodb":{"NewImage":{"Address":{"M":{"City":{"S":["Rome"]}}}}}})"));
}

TEST(EventPattern, EmptyStringAndNull) {
  EXPECT_TRUE(Matches(R"({"dynamodb":{"NewImage":{"Empty":{"S":[""]}}}})"));
  EXPECT_FALSE(MatchesName(R"([""])"));
  EXPECT_TRUE(MatchesText(R"({"a":[null]})", R"({"a":null})"));
  EXPECT_FALSE(MatchesText(R"({"a":[null]})", R"({"a":""})"));
  EXPECT_FALSE(MatchesText(R"({"a":[null]})", R"({})"));
  EXPECT_FALSE(MatchesText(R"({"a":["null"]})", R"({"a":null})"));
}

TEST(EventPattern, Booleans) {
  EXPECT_TRUE(Matches(R"({"dynamodb":{"NewImage":{"On":{"BOOL":[false]}}}})"));
  EXPECT_FALSE(Matches(R"({"dynamodb":{"NewImage":{"On":{"BOOL":[true]}}}})"));
  EXPECT_TRUE(Matches(R"({"dynamodb":{"NewImage":{"Nothing":{"NULL":[true]}}}})"));
  EXPECT_FALSE(Matches(R"({"dynamodb":{"NewImage":{"On":{"BOOL":["false"]}}}})"));
}

TEST(EventPattern, PrefixSuffixAndCase) {
  EXPECT_TRUE(MatchesName(R"([{"prefix":"Al"}])"));
  EXPECT_FALSE(MatchesName(R"([{"prefix":"al"}])"));
  EXPECT_FALSE(MatchesName(R"([{"prefix":"Alice and more"}])"));
  EXPECT_TRUE(Matches(R"({"dynamodb":{"NewImage":{"Path":{"S":[{"suffix":".png"}]}}}})"));
  EXPECT_FALSE(Matches(R"({"dynamodb":{"NewImage":{"Path":{"S":[{"suffix":".jpg"}]}}}})"));
  EXPECT_TRUE(MatchesName(R"([{"equals-ignore-case":"aLICE"}])"));
  EXPECT_FALSE(MatchesName(R"([{"equals-ignore-case":"alic"}])"));
  EXPECT_FALSE(MatchesSize(R"([{"prefix":"5"}])"));
}

TEST(EventPattern, AnythingBut) {
  EXPECT_TRUE(MatchesName(R"([{"anything-but":["Bob"]}])"));
  EXPECT_TRUE(MatchesName(R"([{"anything-but":"Bob"}])"));
  EXPECT_FALSE(MatchesName(R"([{"anything-but":["Bob","Alice"]}])"));
  EXPECT_FALSE(MatchesName(R"([{"anything-but":"Alice"}])"));
  EXPECT_TRUE(MatchesSize(R"([{"anything-but":[58,60]}])"));
  EXPECT_FALSE(MatchesSize(R"([{"anything-but":59}])"));
  EXPECT_TRUE(MatchesName(R"([{"anything-but":{"prefix":"Bo"}}])"));
  EXPECT_FALSE(MatchesName(R"([{"anything-but":{"prefix":"Al"}}])"));
  EXPECT_FALSE(MatchesName(R"([{"anything-but":{"prefix":["Bo","Al"]}}])"));
  EXPECT_FALSE(MatchesName(R"([{"anything-but":{"suffix":"ice"}}])"));
  EXPECT_FALSE(MatchesName(R"([{"anything-but":{"equals-ignore-case":["ALICE"]}}])"));
  // What is not there is not "anything but".
  EXPECT_FALSE(Matches(R"({"dynamodb":{"NewImage":{"Missing":{"S":[{"anything-but":"x"}]}}}})"));
}

TEST(EventPattern, NumericComparesJsonNumbers) {
  EXPECT_TRUE(MatchesSize(R"([59])"));
  EXPECT_TRUE(MatchesSize(R"([59.0])"));
  EXPECT_FALSE(MatchesSize(R"(["59"])"));
  EXPECT_TRUE(MatchesSize(R"([{"numeric":["=",59]}])"));
  EXPECT_FALSE(MatchesSize(R"([{"numeric":["=",59.5]}])"));
  EXPECT_TRUE(MatchesSize(R"([{"numeric":[">",10,"<=",59]}])"));
  EXPECT_FALSE(MatchesSize(R"([{"numeric":[">",10,"<",59]}])"));
  EXPECT_TRUE(MatchesSize(R"([{"numeric":[">=",59]}])"));
  EXPECT_FALSE(MatchesSize(R"([{"numeric":[">",59]}])"));
  EXPECT_TRUE(MatchesSize(R"([{"numeric":["<",1e3]}])"));
}

// DynamoDB's numbers are strings in a record, so neither numbers nor ranges match them: only strings do.
TEST(EventPattern, NumericDoesNotMatchNumbersOfItems) {
  EXPECT_FALSE(Matches(R"({"dynamodb":{"Keys":{"Id":{"N":[{"numeric":["=",101]}]}}}})"));
  EXPECT_FALSE(Matches(R"({"dynamodb":{"Keys":{"Id":{"N":[{"numeric":[">",1]}]}}}})"));
  EXPECT_FALSE(Matches(R"({"dynamodb":{"Keys":{"Id":{"N":[101]}}}})"));
  EXPECT_TRUE(Matches(R"({"dynamodb":{"Keys":{"Id":{"N":["101"]}}}})"));
}

TEST(EventPattern, ExistsAsksForLeaves) {
  EXPECT_TRUE(MatchesName(R"([{"exists":true}])"));
  EXPECT_FALSE(MatchesName(R"([{"exists":false}])"));
  EXPECT_TRUE(Matches(R"({"dynamodb":{"NewImage":{"Missing":{"S":[{"exists":false}]}}}})"));
  EXPECT_FALSE(Matches(R"({"dynamodb":{"NewImage":{"Missing":{"S":[{"exists":true}]}}}})"));
  EXPECT_TRUE(Matches(R"({"userIdentity":{"type":[{"exists":false}]}})"));
  // An object is no leaf.
  EXPECT_FALSE(Matches(R"({"dynamodb":{"NewImage":[{"exists":true}]}})"));
  EXPECT_TRUE(Matches(R"({"dynamodb":{"NewImage":[{"exists":false}]}})"));
  EXPECT_TRUE(MatchesText(R"({"a":[{"exists":true}]})", R"({"a":null})"));
  EXPECT_TRUE(MatchesText(R"({"a":[{"exists":false},"x"]})", R"({"a":"x"})"));
}

TEST(EventPattern, ArraysMatchByTheirElements) {
  EXPECT_TRUE(Matches(R"({"dynamodb":{"NewImage":{"Tags":{"SS":["green"]}}}})"));
  EXPECT_FALSE(Matches(R"({"dynamodb":{"NewImage":{"Tags":{"SS":["blue"]}}}})"));
  EXPECT_TRUE(Matches(R"({"dynamodb":{"NewImage":{"Tags":{"SS":[{"prefix":"r"}]}}}})"));
  EXPECT_TRUE(Matches(R"({"dynamodb":{"NewImage":{"List":{"L":{"S":["x"]}}}}})"));
  EXPECT_TRUE(MatchesText(R"({"a":[3]})", R"({"a":[1,[2,3]]})"));
}

TEST(EventPattern, MembersBelowAnArrayMatchInOneElement) {
  EXPECT_TRUE(MatchesText(R"({"l":{"a":[1],"b":[2]}})", R"({"l":[{"a":1,"b":2}]})"));
  EXPECT_FALSE(MatchesText(R"({"l":{"a":[1],"b":[2]}})", R"({"l":[{"a":1},{"b":2}]})"));
  EXPECT_TRUE(MatchesText(R"({"l":{"a":[{"exists":false}]}})", R"({"l":[]})"));
}

TEST(EventPattern, OrOverMembers) {
  EXPECT_TRUE(Matches(R"({"$or":[{"eventName":["INSERT"]},{"awsRegion":["eu-west-1"]}]})"));
  EXPECT_FALSE(Matches(R"({"$or":[{"eventName":["INSERT"]},{"awsRegion":["us-east-1"]}]})"));
  EXPECT_TRUE(Matches(R"({"eventName":["MODIFY"],"$or":[{"eventName":["INSERT"]},{"awsRegion":["eu-west-1"]}]})"));
  EXPECT_FALSE(Matches(R"({"eventName":["REMOVE"],"$or":[{"eventName":["MODIFY"]},{"awsRegion":["eu-west-1"]}]})"));
  EXPECT_TRUE(
      Matches(R"({"dynamodb":{"NewImage":{"$or":[{"Name":{"S":["Eve"]}},{"Path":{"S":[{"prefix":"pic"}]}}]}}})"));
}

TEST(EventPattern, BadPatternsAreRefused) {
  for (const char* pattern : {
           "",
           "nothing",
           "[]",
           "\"text\"",
           "{}",
           R"({"a":{}})",
           R"({"a":[]})",
           R"({"a":"x"})",
           R"({"a":1})",
           R"({"a":null})",
           R"({"a":[["x"]]})",
           R"({"a":[{}]})",
           R"({"a":[{"prefix":"x","suffix":"y"}]})",
           R"({"a":[{"like":"x"}]})",
           R"({"a":[{"prefix":1}]})",
           R"({"a":[{"prefix":""}]})",
           R"({"a":[{"suffix":""}]})",
           R"({"a":[{"exists":"yes"}]})",
           R"({"a":[{"numeric":[]}]})",
           R"({"a":[{"numeric":["="]}]})",
           R"({"a":[{"numeric":["=","5"]}]})",
           R"({"a":[{"numeric":["!",5]}]})",
           R"({"a":[{"numeric":[5,"="]}]})",
           R"({"a":[{"numeric":["<",5,">",3]}]})",
           R"({"a":[{"numeric":[">",5,"<",5]}]})",
           R"({"a":[{"numeric":[">",6,"<",5]}]})",
           R"({"a":[{"numeric":["=",5,"<",9]}]})",
           R"({"a":[{"anything-but":[]}]})",
           R"({"a":[{"anything-but":["x",1]}]})",
           R"({"a":[{"anything-but":null}]})",
           R"({"a":[{"anything-but":{"like":"x"}}]})",
           R"({"a":[{"anything-but":{"prefix":[]}}]})",
           R"({"$or":[]})",
           R"({"$or":[{"a":["x"]}]})",
           R"({"$or":{"a":["x"]}})",
           R"({"$or":["x","y"]})",
           R"({"a":["x"],"a":["y"]})",
       })
    EXPECT_FALSE(EventPattern::Parse(pattern)) << pattern;
}

TEST(EventPattern, TooLongIsRefused) {
  const std::string pattern = R"({"a":[")" + std::string(kMaxPatternBytes, 'x') + R"("]})";
  EXPECT_FALSE(EventPattern::Parse(pattern));
}

TEST(EventFilter, PatternsAreOred) {
  simdjson::dom::parser parser;
  simdjson::dom::element record;
  ASSERT_EQ(parser.parse(std::string_view(kRecord)).get(record), simdjson::SUCCESS);
  EXPECT_TRUE(EventFilter::Parse({})->Matches(record));
  EXPECT_TRUE(EventFilter::Parse({})->lets_everything_through());
  EXPECT_TRUE(EventFilter::Parse({R"({"eventName":["INSERT"]})", R"({"eventName":["MODIFY"]})"})->Matches(record));
  EXPECT_FALSE(EventFilter::Parse({R"({"eventName":["INSERT"]})", R"({"eventName":["REMOVE"]})"})->Matches(record));
  EXPECT_FALSE(EventFilter::Parse({R"({"eventName":["INSERT"]})", "{"}));
}

}  // namespace
}  // namespace armature::triggers
