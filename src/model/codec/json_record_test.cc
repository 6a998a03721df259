#include "model/codec/json_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::model {
namespace {

struct Pair {
  std::string name;
  uint64_t number = 0;
};

Pair ReadPair(const JsonRecord& record) { return {record.Text("name"), record.Unsigned("number")}; }

// The status that reading `text` ends with, when `read` looks at its list of pairs and its list of texts.
Status Outcome(std::string_view text) {
  const auto outcome = ReadJsonRecord(text, "the record", 2, [](const JsonRecord& record) -> Result<size_t> {
    return record.List("pairs", ReadPair).size() + record.Texts("texts").size();
  });
  return outcome ? Status() : outcome.error();
}

TEST(JsonRecordTest, MembersAreReadByTheirKind) {
  const auto read = [](const JsonRecord& record) -> Result<bool> {
    EXPECT_EQ(record.Int("int"), -7);
    EXPECT_EQ(record.Unsigned("all"), UINT64_MAX);
    EXPECT_TRUE(record.Bool("bool"));
    EXPECT_EQ(record.Text("text"), "x");
    EXPECT_EQ(record.Object("object")->Int("inner"), 1);
    EXPECT_THAT(record.Texts("texts"), testing::ElementsAre("a", "b"));
    const auto pairs = record.List("pairs", ReadPair);
    EXPECT_EQ(pairs.size(), 1u);
    EXPECT_EQ(pairs.front().name, "n");
    EXPECT_EQ(pairs.front().number, 5u);
    return true;
  };
  EXPECT_TRUE(ReadJsonRecord(R"({"version":2,"int":-7,"all":-1,"bool":true,"text":"x","object":{"inner":1},)"
                             R"("texts":["a","b"],"pairs":[{"name":"n","number":5}]})",
                             "it", 2, read));
}

TEST(JsonRecordTest, WhatIsMissingOrOfAnotherKindReadsAsNothing) {
  const auto read = [](const JsonRecord& record) -> Result<bool> {
    for (const char* key : {"none", "other"}) {
      EXPECT_EQ(record.Int(key), 0);
      EXPECT_EQ(record.Int(key, 3), 3);
      EXPECT_EQ(record.OptionalInt(key), std::nullopt);
      EXPECT_FALSE(record.Bool(key));
      EXPECT_EQ(record.Text(key), "");
      EXPECT_FALSE(record.Object(key));
      EXPECT_TRUE(record.Texts(key).empty());
      EXPECT_TRUE(record.List("none", ReadPair).empty());
    }
    return true;
  };
  EXPECT_TRUE(ReadJsonRecord(R"({"other":null})", "it", 1, read));
}

TEST(JsonRecordTest, SaysWhatIsWrongWithARecord) {
  EXPECT_TRUE(Outcome(R"({"pairs":[],"texts":[]})").ok());
  for (const char* text : {"", "[]", "{", "1"}) EXPECT_EQ(Outcome(text).code(), StatusCode::kCorruption) << text;
  EXPECT_EQ(Outcome("x").message(), "the record is not JSON");
  EXPECT_EQ(Outcome(R"({"version":3})").code(), StatusCode::kFormat);
  EXPECT_EQ(Outcome(R"({"version":3})").message(), "the record was written by a newer version of armature");
  for (const char* text : {R"({"pairs":[1]})", R"({"pairs":["x"]})", R"({"texts":[1]})", R"({"texts":[{}]})"}) {
    EXPECT_EQ(Outcome(text).code(), StatusCode::kCorruption) << text;
    EXPECT_THAT(Outcome(text).message(), testing::StartsWith("the record is damaged: ")) << text;
  }
}

}  // namespace
}  // namespace armature::model
