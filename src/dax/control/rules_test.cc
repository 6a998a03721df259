#include "dax/control/rules.h"

#include <gtest/gtest.h>

#include "dax/control/control_testing.h"

namespace armature::dax::control {
namespace {

template <class T>
std::string NameOfError(const model::ApiResult<T>& result) {
  return result ? "ok" : result.error().name;
}

TEST(RulesTest, NamesOfClusters) {
  for (const std::string_view good : {"a", "a1", "my-cluster", "a234567890123456789z"})
    EXPECT_EQ(CheckClusterName(good).value(), good);
  EXPECT_EQ(CheckClusterName("MyCluster").value(), "mycluster");
  for (const std::string_view bad : {"", "1a", "-a", "a-", "a--b", "a_b", "a.b", "ä", "a2345678901234567890z"})
    EXPECT_EQ(NameOfError(CheckClusterName(bad)), kBad) << bad;
}

TEST(RulesTest, NamesOfGroups) {
  EXPECT_EQ(CheckGroupName("My.Group-1").value(), "my.group-1");
  for (const std::string_view bad : {"", "1a", "a b", "a_b"}) EXPECT_EQ(NameOfError(CheckGroupName(bad)), kBad) << bad;
  EXPECT_EQ(NameOfError(CheckGroupName(std::string(256, 'a'))), kBad);
}

TEST(RulesTest, NodeTypes) {
  EXPECT_EQ(NameOfError(CheckNodeType("dax.r5.large")), "ok");
  EXPECT_EQ(NameOfError(CheckNodeType("dax.t3.small")), "ok");
  for (const std::string_view bad : {"", "r5.large", "dax.r5.huge", "DAX.R5.LARGE"})
    EXPECT_EQ(NameOfError(CheckNodeType(bad)), kBad) << bad;
}

TEST(RulesTest, Roles) {
  constexpr std::string_view kAccount = "111122223333";
  EXPECT_EQ(NameOfError(CheckRoleArn("arn:aws:iam::111122223333:role/service-role/x", kAccount)), "ok");
  for (const std::string_view bad :
       {"", "role", "arn:aws:iam::111122223333:user/x", "arn:aws:iam::111122223333:role/", "arn:aws:iam::1:role/x",
        "arn:aws:sts::111122223333:role/x", "arn:aws:iam::444455556666:role/x"})
    EXPECT_EQ(NameOfError(CheckRoleArn(bad, kAccount)), kBad) << bad;
}

TEST(RulesTest, MaintenanceWindows) {
  EXPECT_EQ(CheckMaintenanceWindow("Sun:05:00-sun:06:00").value(), "sun:05:00-sun:06:00");
  EXPECT_EQ(NameOfError(CheckMaintenanceWindow("sun:23:30-mon:00:30")), "ok") << "over the week's end";
  for (const std::string_view bad :
       {"", "sun", "sun:05:00", "sun:05:00-", "sun:05:00-sun:05:59", "sun:05:00-sun:05:00", "xyz:05:00-sun:06:00",
        "sun:24:00-mon:06:00", "sun:05:60-mon:06:00", "sun:5:00-sun:06:00", "sun:05:00-sun:06:00-sun:07:00"})
    EXPECT_EQ(NameOfError(CheckMaintenanceWindow(bad)), kBad) << bad;
}

TEST(RulesTest, Parameters) {
  EXPECT_EQ(ReadParameter(kRecordTtl, "0").value(), 0);
  EXPECT_EQ(ReadParameter(kQueryTtl, "9223372036854775807").value(), INT64_MAX);
  for (const std::string_view bad : {"", "-1", "-0", "1.5", "1e3", " 1", "x", "9223372036854775808"})
    EXPECT_EQ(NameOfError(ReadParameter(kQueryTtl, bad)), kBad) << bad;
  EXPECT_EQ(NameOfError(ReadParameter("ttl", "1")), kBad);
}

TEST(RulesTest, SubnetsAndTopics) {
  EXPECT_EQ(NameOfError(CheckSubnetId("subnet-0a1b2c3d")), "ok");
  for (const std::string_view bad : {"", "subnet-", "net-1", "subnet-A", "subnet-a b"})
    EXPECT_EQ(NameOfError(CheckSubnetId(bad)), "InvalidSubnet") << bad;
  EXPECT_EQ(NameOfError(CheckTopicArn("arn:aws:sns:eu-north-1:111122223333:t")), "ok");
  EXPECT_EQ(NameOfError(CheckTopicArn("t")), kBad);
  EXPECT_EQ(ReadTopicStatus("inactive").value(), false);
  EXPECT_EQ(NameOfError(ReadTopicStatus("off")), kBad);
}

TEST(RulesTest, Tags) {
  const auto check = [](std::vector<wire::dax::TagInput> tags) {
    wire::List<wire::dax::TagInput> list;
    list.data = tags.data();
    list.count = tags.size();
    return NameOfError(CheckTags(list));
  };
  const auto tag = [](std::string_view key, std::string_view value) {
    return wire::dax::TagInput{{key, true}, {value, true}};
  };
  const std::string long_key(129, 'k'), long_value(257, 'v');
  EXPECT_EQ(check({tag("k", ""), tag("K", "v")}), "ok");
  EXPECT_EQ(check({tag("", "v")}), kBad);
  EXPECT_EQ(check({{}}), kBad);
  EXPECT_EQ(check({tag(long_key, "v")}), kBad);
  EXPECT_EQ(check({tag("k", long_value)}), kBad);
  EXPECT_EQ(check({tag("AWS:x", "v")}), kBad);
  EXPECT_EQ(check({tag("k", "v"), tag("k", "w")}), kBad);
}

}  // namespace
}  // namespace armature::dax::control
