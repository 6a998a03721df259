#include "model/names/names.h"

#include <string>

#include <gtest/gtest.h>

namespace armature::model {
namespace {

using namespace std::string_literals;

// What has been tried to get a name into a key, a URL, a log line or a record.
const std::string kHostile[] = {"",          "us-east-1\xff", "us-east-1\0"s,  "us-east-1\0123"s,
                                "us east",   "us\neast",      "us\reast",      "evil.com/",
                                "evil.com#", "a@b",           "a:b",           "a?b",
                                "a%b",       "a/../..",       "us-east-1\x7f", "\x1b[31m",
                                "éu-west-1", "a\\b",          "a\"b",          "{region}"};

TEST(NamesTest, RegionsAreNames) {
  for (const std::string name : {"us-east-1", "local", "LOCAL", "eu_west", "us-gov-west-1", "ap-southeast-7", "c"})
    EXPECT_TRUE(IsRegionName(name)) << name;
  for (const std::string& name : kHostile) EXPECT_FALSE(IsRegionName(name)) << name;
  EXPECT_FALSE(IsRegionName("a.b"));
  EXPECT_TRUE(IsRegionName(std::string(63, 'a')));
  EXPECT_FALSE(IsRegionName(std::string(64, 'a')));
}

TEST(NamesTest, AccountsAreTwelveDigits) {
  EXPECT_TRUE(IsAccountId("123456789012"));
  for (const std::string name : {"12345678901", "1234567890123", "12345678901a", "12345678901\0"})
    EXPECT_FALSE(IsAccountId(name));
}

TEST(NamesTest, AccessKeysAreVisibleAscii) {
  for (const std::string name : {"AKIDEXAMPLE", "fakeAccessKey", "me@home", "{{x}}", "a.b-c_d"})
    EXPECT_TRUE(IsAccessKeyId(name)) << name;
  for (const std::string& name : {""s, "a b"s, "a\nb"s, "a\0b"s, "a\xff"s, "é"s, std::string(129, 'a')})
    EXPECT_FALSE(IsAccessKeyId(name)) << name;
}

TEST(NamesTest, TablesAndStreams) {
  for (const std::string name : {"Music", "a.b_c-d", "x"}) {
    EXPECT_TRUE(IsTableName(name));
    EXPECT_TRUE(IsKinesisStreamName(name));
  }
  for (const std::string& name : kHostile) {
    EXPECT_FALSE(IsTableName(name)) << name;
    EXPECT_FALSE(IsKinesisStreamName(name)) << name;
  }
  EXPECT_FALSE(IsKinesisStreamName(std::string(129, 'a')));
}

}  // namespace
}  // namespace armature::model
