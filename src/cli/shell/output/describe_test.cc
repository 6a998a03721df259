// Descriptions of tables, and marks under the place an error names.
#include "cli/shell/output/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/shell/catalog.h"

namespace armature::cli::shell {
namespace {

using ::testing::ElementsAre;

constexpr const char* kMusic = R"({
  "TableName": "Music", "TableStatus": "ACTIVE", "ItemCount": 3, "TableSizeBytes": 1536,
  "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
  "AttributeDefinitions": [{"AttributeName": "Album", "AttributeType": "S"}, {"AttributeName": "Artist", "AttributeType": "S"},
    {"AttributeName": "Song", "AttributeType": "N"}],
  "KeySchema": [{"AttributeName": "Artist", "KeyType": "HASH"}, {"AttributeName": "Song", "KeyType": "RANGE"}],
  "LocalSecondaryIndexes": [{"IndexName": "lsi", "ItemCount": 3,
    "KeySchema": [{"AttributeName": "Artist", "KeyType": "HASH"}, {"AttributeName": "Album", "KeyType": "RANGE"}],
    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["Plays", "Year"]}}],
  "GlobalSecondaryIndexes": [{"IndexName": "by-album", "IndexStatus": "CREATING", "ItemCount": 0,
    "KeySchema": [{"AttributeName": "Album", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]})";

class Describe : public ::testing::Test {
 protected:
  simdjson::dom::element Music() { return parser_.parse(std::string(kMusic)).value(); }
  simdjson::dom::parser parser_;
};

TEST_F(Describe, ATableWithIndexes) {
  EXPECT_EQ(RenderTableDescription(Music(), {}),
            "Table Music: ACTIVE, on demand, 3 items, 1.5 KiB\n"
            "\n"
            " attribute | type   | key of\n"
            "-----------+--------+--------------------------------------\n"
            " Artist    | string | partition key, lsi partition key\n"
            " Song      | number | sort key\n"
            " Album     | string | lsi sort key, by-album partition key\n"
            "\n"
            " index    | kind   | keys          | projects    | items | status\n"
            "----------+--------+---------------+-------------+-------+----------\n"
            " lsi      | local  | Artist, Album | Plays, Year |     3 | ACTIVE\n"
            " by-album | global | Album         | all         |     0 | CREATING\n");
}

TEST_F(Describe, OneLineInTheList) {
  EXPECT_THAT(TableLine(Music()), ElementsAre("Music", "Artist, Song", "lsi, by-album", "3", "1.5 KiB", "ACTIVE"));
}

TEST_F(Describe, NamesForCompletion) {
  const TableNames names = ReadTableNames(Music());
  EXPECT_THAT(names.keys, ElementsAre("Artist", "Song"));
  EXPECT_THAT(names.indexes, ElementsAre("lsi", "by-album"));
  EXPECT_THAT(names.attributes, ElementsAre("Album", "Artist", "Song"));
}

TEST(HumanSize, Units) {
  EXPECT_EQ(HumanSize(0), "0 bytes");
  EXPECT_EQ(HumanSize(1023), "1023 bytes");
  EXPECT_EQ(HumanSize(5 << 20), "5.0 MiB");
}

TEST(PointAt, MarksThePlace) {
  EXPECT_EQ(PointAt("SELECT COUNT(*) FROM t", "Unexpected path component at 1:8:5"),
            "  SELECT COUNT(*) FROM t\n         ^^^^^\n");
  EXPECT_EQ(PointAt("SELECT *\nFROM t x", "bad, at 2:8:1 as seen"), "  FROM t x\n         ^\n");
}

TEST(PointAt, NoPlaceNoMark) {
  for (const char* message : {"no position", "at 9:1:1", "at 1:99:1", "at 0:0:0", "12:30", ""}) {
    EXPECT_EQ(PointAt("SELECT 1", message), "") << message;
  }
}

}  // namespace
}  // namespace armature::cli::shell
