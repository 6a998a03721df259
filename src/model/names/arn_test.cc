#include "model/names/arn.h"

#include <gtest/gtest.h>

namespace armature::model {
namespace {

TEST(Arns, AreTakenApart) {
  const auto arn = ParseArn("arn:aws-cn:lambda:cn-north-1:123456789012:function:f:live");
  ASSERT_TRUE(arn);
  EXPECT_EQ(arn->partition, "aws-cn");
  EXPECT_EQ(arn->service, "lambda");
  EXPECT_EQ(arn->region, "cn-north-1");
  EXPECT_EQ(arn->account, "123456789012");
  EXPECT_EQ(arn->resource, "function:f:live");
}

TEST(Arns, MayHaveEmptyParts) {
  const auto arn = ParseArn("arn:aws:iam::123456789012:user/a/b");
  ASSERT_TRUE(arn);
  EXPECT_EQ(arn->region, "");
  EXPECT_EQ(arn->resource, "user/a/b");
  EXPECT_TRUE(ParseArn("arn:::::"));
}

TEST(Arns, NeedAllTheirColons) {
  for (const char* wrong : {"", "arn", "arn:", "Tbl", "arn:aws:s3:r:bucket", "ARN:aws:s3:r:a:b", "xarn:aws:s3:r:a:b"})
    EXPECT_FALSE(ParseArn(wrong)) << wrong;
}

TEST(Arns, AreMade) {
  EXPECT_EQ(MakeArn("kms", "eu-west-1", "123456789012", "alias/x"), "arn:aws:kms:eu-west-1:123456789012:alias/x");
  const std::string table = MakeTableArn("eu-west-1", "123456789012", "Tbl");
  EXPECT_EQ(table, "arn:aws:dynamodb:eu-west-1:123456789012:table/Tbl");
  EXPECT_EQ(MakeIndexArn(table, "by_name"), table + "/index/by_name");
  EXPECT_EQ(MakeStreamArn(table, "2026-01-01T00:00:00.000"), table + "/stream/2026-01-01T00:00:00.000");
}

TEST(TableArns, AreOfAnyPartition) {
  for (const char* partition : {"aws", "aws-us-gov", "", "ddblocal"}) {
    const std::string text = std::string("arn:") + partition + ":dynamodb:eu-west-1:123456789012:table/Tbl";
    const auto arn = ParseTableArn(text);
    ASSERT_TRUE(arn) << text;
    EXPECT_EQ(arn->region, "eu-west-1");
    EXPECT_EQ(arn->account, "123456789012");
    EXPECT_EQ(arn->table, "Tbl");
  }
}

TEST(TableArns, NameTablesOnly) {
  for (const char* wrong :
       {"", "Tbl", "table/Tbl", "arn:aws:dynamodb:r:a:table/", "arn:aws:dynamodb:r:a:Tbl", "arn:aws:s3:r:a:table/Tbl",
        "arn:aws:dynamodb:r:a:table/Tbl/index/i", "arn:aws:dynamodb:r:a:table/Tbl/stream/x", "arn:aws:dynamodb:r:a",
        "arn:aws:dynamodb:r:table/Tbl", "nra:aws:dynamodb:r:a:table/Tbl"})
    EXPECT_FALSE(ParseTableArn(wrong)) << wrong;
}

TEST(StreamArns, AreTakenApart) {
  const auto arn = ParseStreamArn("arn:aws:dynamodb:eu-west-1:123456789012:table/T/stream/2026-11-15T08:00:00.000");
  ASSERT_TRUE(arn);
  EXPECT_EQ(arn->region, "eu-west-1");
  EXPECT_EQ(arn->account, "123456789012");
  EXPECT_EQ(arn->table, "T");
  EXPECT_EQ(arn->label, "2026-11-15T08:00:00.000");
}

TEST(StreamArns, NameStreamsOnly) {
  for (const char* wrong : {"", "arn", "arn:aws:dynamodb:r:a:table/T", "arn:aws:s3:r:a:table/T/stream/x",
                            "arn:aws:dynamodb:r:a:index/T/stream/x", "arn:aws:dynamodb:r:a:table/T/stream/",
                            "arn:aws:dynamodb:r:a:table//stream/x", "arn:aws:dynamodb:r:a:table/T/stream/x/y",
                            "arn:aws:dynamodb:r:a:table/T/index/i/stream/x", "arn:other:dynamodb:r:a:table/T/stream/x",
                            // Parts left out from the middle.
                            "arn:table/T/stream/x", "arn:aws/T/stream/x", "arn:aws:dynamodb:table/T/stream/x",
                            "arn:aws:dynamodb:r:table/T/stream/x"})
    EXPECT_FALSE(ParseStreamArn(wrong)) << wrong;
}

TEST(KinesisStreamArns, NameStreamsOfARegion) {
  const auto arn = ParseKinesisStreamArn("arn:aws:kinesis:eu-west-1:123456789012:stream/a-b");
  ASSERT_TRUE(arn);
  EXPECT_EQ(arn->region, "eu-west-1");
  EXPECT_EQ(arn->name, "a-b");
  for (const char* wrong :
       {"", "a-b", "arn:aws:kinesis:eu-west-1:123456789012:stream/",
        "arn:aws:kinesis:eu-west-1:123456789012:stream/a/consumer/b:1",
        "arn:aws:kinesis:evil.example/#:123456789012:stream/a", "arn:aws:firehose:eu-west-1:123456789012:stream/a"})
    EXPECT_FALSE(ParseKinesisStreamArn(wrong)) << wrong;
}

}  // namespace
}  // namespace armature::model
