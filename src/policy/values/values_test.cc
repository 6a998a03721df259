#include <gtest/gtest.h>

#include "base/memory/arena.h"
#include "policy/values/action_pattern.h"
#include "policy/values/instant.h"
#include "policy/values/ip_range.h"

namespace armature::policy {
namespace {

int64_t Seconds(std::string_view text) {
  const auto instant = ParseInstant(text);
  EXPECT_TRUE(instant) << text;
  return instant ? instant->seconds : -1;
}

TEST(Instant, ReadsTheProfileOfTheW3c) {
  EXPECT_EQ(Seconds("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(Seconds("2026-11-18T11:30:00Z"), 1795001400);
  EXPECT_EQ(Seconds("2026-11-18T11:30Z"), 1795001400);
  EXPECT_EQ(Seconds("2026-11-18T12:30:00+01:00"), 1795001400);
  EXPECT_EQ(Seconds("2026-11-18T03:30:00-0800"), 1795001400);
  EXPECT_EQ(Seconds("2026-11-18T11:30:00"), 1795001400);
  EXPECT_EQ(Seconds("2026-11-18"), 1794960000);
  EXPECT_EQ(Seconds("2026-11"), 1793491200);
  EXPECT_EQ(Seconds("1969-12-31T23:59:59Z"), -1);
}

TEST(Instant, AnIntegerIsSecondsSinceTheEpoch) {
  EXPECT_EQ(Seconds("1795001400"), 1795001400);
  EXPECT_EQ(Seconds("-1"), -1);
  EXPECT_EQ(Seconds("+5"), 5);
  EXPECT_EQ(Seconds("2026"), 2026);
}

TEST(Instant, FractionsCount) {
  EXPECT_EQ(ParseInstant("2026-11-18T11:30:00.5Z")->nanoseconds, 500000000);
  EXPECT_LT(*ParseInstant("2026-11-18T11:30:00.499999999Z"), *ParseInstant("2026-11-18T11:30:00.5Z"));
  EXPECT_EQ(*ParseInstant("2026-11-18T11:30:00.500Z"), *ParseInstant("2026-11-18T11:30:00.5Z"));
  EXPECT_EQ(ParseInstant("2026-11-18T11:30:00.1234567899Z")->nanoseconds, 123456789);
}

TEST(Instant, WhatIsNoTimeIsNone) {
  for (const char* text :
       {"", "now", "2026-13-01", "2026-02-30", "2026-11-18T", "2026-11-18T24:00Z", "2026-11-18T11",
        "2026-11-18T11:30:00.Z", "2026-11-18T11:30:00+1:00", "2026-11-18 11:30:00Z", "2026-1-1", "+-5", "1e9", "12.5",
        "2026-11-18Z", "99999999999999999999", "2026-11-18T11:30:00Zjunk", "-026-11-18"})
    EXPECT_FALSE(ParseInstant(text)) << text;
}

bool Contains(std::string_view range, std::string_view address) {
  const auto parsed = IpRange::Parse(range);
  const auto at = IpAddress::Parse(address);
  EXPECT_TRUE(parsed) << range;
  EXPECT_TRUE(at) << address;
  return parsed && at && parsed->Contains(*at);
}

TEST(IpRange, HoldsTheAddressesThatShareItsBits) {
  EXPECT_TRUE(Contains("203.0.113.0/24", "203.0.113.255"));
  EXPECT_FALSE(Contains("203.0.113.0/24", "203.0.114.0"));
  EXPECT_TRUE(Contains("203.0.113.77/24", "203.0.113.1"));
  EXPECT_TRUE(Contains("10.128.0.0/9", "10.200.0.1"));
  EXPECT_FALSE(Contains("10.128.0.0/9", "10.127.0.1"));
  EXPECT_TRUE(Contains("0.0.0.0/0", "1.2.3.4"));
  EXPECT_TRUE(Contains("2001:db8::/32", "2001:db8:1::1"));
  EXPECT_FALSE(Contains("2001:db8::/32", "2001:db9::1"));
}

TEST(IpRange, AnAddressAloneIsARangeOfOne) {
  EXPECT_TRUE(Contains("10.0.0.1", "10.0.0.1"));
  EXPECT_FALSE(Contains("10.0.0.1", "10.0.0.2"));
  EXPECT_TRUE(Contains("::1", "::1"));
  EXPECT_FALSE(Contains("::1", "::2"));
}

TEST(IpRange, OfOneVersionHoldsNoAddressOfTheOther) {
  EXPECT_FALSE(Contains("0.0.0.0/0", "::1"));
  EXPECT_FALSE(Contains("::/0", "127.0.0.1"));
  EXPECT_FALSE(Contains("10.0.0.1", "::ffff:10.0.0.1"));
}

TEST(IpRange, WhatIsNoRangeIsNone) {
  for (const char* text : {"", "10.0.0", "10.0.0.1/33", "10.0.0.1/-1", "10.0.0.1/", "::1/129", "10.0.0.1/8x", "host",
                           "*", "10.0.0.1/+8", "fe80::1%eth0"})
    EXPECT_FALSE(IpRange::Parse(text)) << text;
  EXPECT_FALSE(IpAddress::Parse(std::string_view("10.0.0.1\0", 9)));
}

bool MatchesAction(std::string_view pattern, std::string_view action) {
  Arena arena;
  return ActionPattern::Compile(pattern, arena).Matches(action);
}

TEST(ActionPattern, ComparesWithoutCase) {
  EXPECT_TRUE(MatchesAction("dynamodb:GetItem", "dynamodb:getitem"));
  EXPECT_TRUE(MatchesAction("DynamoDB:GETITEM", "dynamodb:getitem"));
  EXPECT_FALSE(MatchesAction("dynamodb:GetItem", "dynamodb:getitems"));
}

TEST(ActionPattern, HasWildcards) {
  EXPECT_TRUE(MatchesAction("*", "dynamodb:getitem"));
  EXPECT_TRUE(MatchesAction("dynamodb:*", "dynamodb:getitem"));
  EXPECT_FALSE(MatchesAction("dynamodb:*", "dynamodbx:getitem"));
  EXPECT_TRUE(MatchesAction("dynamodb:Get*", "dynamodb:getitem"));
  EXPECT_FALSE(MatchesAction("dynamodb:Get*", "dynamodb:batchgetitem"));
  EXPECT_TRUE(MatchesAction("dynamodb:*Get*", "dynamodb:batchgetitem"));
  EXPECT_TRUE(MatchesAction("dynamodb:?etItem", "dynamodb:getitem"));
  EXPECT_FALSE(MatchesAction("dynamodb:?etItem", "dynamodb:etitem"));
  EXPECT_TRUE(MatchesAction("dynamodb:*Item", "dynamodb:putitem"));
}

}  // namespace
}  // namespace armature::policy
