// Parameter groups, subnet groups and events, by the operations of the API.
#include "dax/control/operations/operations_testing.h"

namespace armature::dax::control {
namespace {

using testing::HasSubstr;
using testing::Not;

class GroupsTest : public OperationsTest {};

TEST_F(GroupsTest, AParameterGroupIsMadeShownAndDeleted) {
  EXPECT_EQ(Call("CreateParameterGroup", R"({"ParameterGroupName":"Mine","Description":"d"})"),
            R"({"ParameterGroup":{"Description":"d","ParameterGroupName":"mine"}})");
  EXPECT_EQ(Outcome("CreateParameterGroup", R"({"ParameterGroupName":"mine"})"), "ParameterGroupAlreadyExistsFault");
  EXPECT_EQ(Outcome("CreateParameterGroup", R"({"ParameterGroupName":"default.dax1.0"})"),
            "ParameterGroupAlreadyExistsFault");
  EXPECT_EQ(Outcome("CreateParameterGroup", R"({"ParameterGroupName":"default.mine"})"), kBad);
  EXPECT_EQ(Outcome("CreateParameterGroup", R"({"ParameterGroupName":"no good"})"), kBad);
  EXPECT_EQ(
      Call("DescribeParameterGroups", "{}"),
      R"({"ParameterGroups":[{"Description":"Default parameter group for dax1.0","ParameterGroupName":"default.dax1.0"},)"
      R"({"Description":"d","ParameterGroupName":"mine"}]})");
  EXPECT_EQ(Call("DescribeParameterGroups", R"({"ParameterGroupNames":["MINE"]})"),
            R"({"ParameterGroups":[{"Description":"d","ParameterGroupName":"mine"}]})");
  EXPECT_EQ(Outcome("DescribeParameterGroups", R"({"ParameterGroupNames":["x"]})"), "ParameterGroupNotFoundFault");
  EXPECT_EQ(Call("DeleteParameterGroup", R"({"ParameterGroupName":"mine"})"),
            R"({"DeletionMessage":"Parameter group mine has been deleted."})");
  EXPECT_EQ(Outcome("DeleteParameterGroup", R"({"ParameterGroupName":"mine"})"), "ParameterGroupNotFoundFault");
}

TEST_F(GroupsTest, TheDefaultParameterGroupStaysAsItIs) {
  EXPECT_EQ(Outcome("DeleteParameterGroup", R"({"ParameterGroupName":"default.dax1.0"})"),
            "InvalidParameterGroupStateFault");
  EXPECT_EQ(
      Outcome(
          "UpdateParameterGroup",
          R"({"ParameterGroupName":"default.dax1.0","ParameterNameValues":[{"ParameterName":"record-ttl-millis","ParameterValue":"1"}]})"),
      "InvalidParameterGroupStateFault");
}

TEST_F(GroupsTest, ParametersAreSetAndToldToTheNodes) {
  ASSERT_EQ(Outcome("CreateParameterGroup", R"({"ParameterGroupName":"p"})"), "ok");
  Make("c", 1, R"(,"ParameterGroupName":"p")");
  Make("other");
  host_.Told();
  const auto update = [&](std::string_view values) {
    return Outcome("UpdateParameterGroup",
                   fmt::format(R"({{"ParameterGroupName":"p","ParameterNameValues":[{}]}})", values));
  };
  EXPECT_EQ(update(""), kBad);
  EXPECT_EQ(update(R"({"ParameterName":"record-ttl-millis","ParameterValue":"-1"})"), kBad);
  EXPECT_EQ(update(R"({"ParameterName":"ttl","ParameterValue":"1"})"), kBad);
  EXPECT_EQ(update(R"({})"), kBad);
  EXPECT_EQ(update(R"({"ParameterName":"record-ttl-millis","ParameterValue":"0"})"), "ok");
  EXPECT_THAT(Call("DescribeClusters", R"({"ClusterNames":["c"]})"), HasSubstr(R"("ParameterApplyStatus":"applying")"));
  EXPECT_THAT(Call("DescribeClusters", R"({"ClusterNames":["c"]})"), HasSubstr(R"("Status":"available")"));
  keeper_.Step();
  EXPECT_THAT(host_.Told(), testing::ElementsAre("apply 0 300000"));
  EXPECT_EQ(update(R"({"ParameterName":"record-ttl-millis","ParameterValue":"0"})"), "ok");
  keeper_.Step();
  EXPECT_TRUE(host_.Told().empty()) << "it was so already";
  EXPECT_EQ(Outcome("DeleteParameterGroup", R"({"ParameterGroupName":"p"})"), "InvalidParameterGroupStateFault");
  EXPECT_EQ(
      Outcome(
          "UpdateParameterGroup",
          R"({"ParameterGroupName":"x","ParameterNameValues":[{"ParameterName":"record-ttl-millis","ParameterValue":"1"}]})"),
      "ParameterGroupNotFoundFault");
  const std::string shown = Call("DescribeParameters", R"({"ParameterGroupName":"p"})");
  EXPECT_THAT(shown,
              HasSubstr(R"("ParameterName":"record-ttl-millis","ParameterType":"DEFAULT","ParameterValue":"0")"));
  EXPECT_THAT(shown,
              HasSubstr(R"("ParameterName":"query-ttl-millis","ParameterType":"DEFAULT","ParameterValue":"300000")"));
  EXPECT_EQ(Call("DescribeParameters", R"({"ParameterGroupName":"p","Source":"system"})"), R"({"Parameters":[]})");
  EXPECT_EQ(Outcome("DescribeParameters", R"({"ParameterGroupName":"x"})"), "ParameterGroupNotFoundFault");
}

TEST_F(GroupsTest, TheDefaultParameters) {
  const std::string shown = Call("DescribeDefaultParameters", "{}");
  EXPECT_THAT(shown, testing::StartsWith(
                         R"({"Parameters":[{"AllowedValues":"0-","ChangeType":"IMMEDIATE","DataType":"integer")"));
  EXPECT_THAT(shown, HasSubstr(R"("ParameterValue":"300000")"));
  EXPECT_EQ(Outcome("DescribeDefaultParameters", R"({"MaxResults":5})"), kBad);
}

TEST_F(GroupsTest, ASubnetGroupIsMadeChangedAndDeleted) {
  EXPECT_EQ(
      Call("CreateSubnetGroup", R"({"SubnetGroupName":"S","SubnetIds":["subnet-1","subnet-2"]})"),
      R"({"SubnetGroup":{"SubnetGroupName":"s","Subnets":[)"
      R"({"SubnetAvailabilityZone":"eu-north-1a","SubnetIdentifier":"subnet-1","SupportedNetworkTypes":["ipv4"]},)"
      R"({"SubnetAvailabilityZone":"eu-north-1b","SubnetIdentifier":"subnet-2","SupportedNetworkTypes":["ipv4"]}],)"
      R"("SupportedNetworkTypes":["ipv4"],"VpcId":"vpc-00000000"}})");
  EXPECT_EQ(Outcome("CreateSubnetGroup", R"({"SubnetGroupName":"s","SubnetIds":["subnet-1"]})"),
            "SubnetGroupAlreadyExistsFault");
  EXPECT_EQ(Outcome("CreateSubnetGroup", R"({"SubnetGroupName":"t","SubnetIds":["net"]})"), "InvalidSubnet");
  EXPECT_EQ(Outcome("CreateSubnetGroup", R"({"SubnetGroupName":"t","SubnetIds":[]})"), "InvalidSubnet");
  std::string many;
  for (int i = 0; i < 21; ++i) many += fmt::format(R"({}"subnet-{}")", i ? "," : "", i);
  EXPECT_EQ(Outcome("CreateSubnetGroup", fmt::format(R"({{"SubnetGroupName":"t","SubnetIds":[{}]}})", many)),
            "SubnetQuotaExceededFault");
  Make("c", 2, R"(,"SubnetGroupName":"s")");
  EXPECT_EQ(Outcome("UpdateSubnetGroup", R"({"SubnetGroupName":"s","SubnetIds":["subnet-1"]})"), "SubnetInUse");
  EXPECT_THAT(Call("UpdateSubnetGroup",
                   R"({"SubnetGroupName":"s","Description":"d","SubnetIds":["subnet-2","subnet-1","subnet-3"]})"),
              HasSubstr(R"("SubnetAvailabilityZone":"eu-north-1b","SubnetIdentifier":"subnet-2")"))
      << "it stays where it was";
  EXPECT_EQ(Outcome("UpdateSubnetGroup", R"({"SubnetGroupName":"x"})"), "SubnetGroupNotFoundFault");
  EXPECT_EQ(Outcome("DeleteSubnetGroup", R"({"SubnetGroupName":"s"})"), "SubnetGroupInUseFault");
  EXPECT_EQ(Outcome("DeleteSubnetGroup", R"({"SubnetGroupName":"default"})"), "SubnetGroupInUseFault");
  Outcome("DeleteCluster", R"({"ClusterName":"c"})");
  keeper_.Step();
  EXPECT_EQ(Call("DeleteSubnetGroup", R"({"SubnetGroupName":"s"})"),
            R"({"DeletionMessage":"Subnet group s has been deleted."})");
  EXPECT_EQ(Outcome("DeleteSubnetGroup", R"({"SubnetGroupName":"s"})"), "SubnetGroupNotFoundFault");
  EXPECT_EQ(Outcome("DescribeSubnetGroups", R"({"SubnetGroupNames":["s"]})"), "SubnetGroupNotFoundFault");
  EXPECT_THAT(Call("DescribeSubnetGroups", "{}"), HasSubstr(R"("SubnetGroupName":"default")"));
}

TEST_F(GroupsTest, GroupsHaveQuotas) {
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(Outcome("CreateParameterGroup", fmt::format(R"({{"ParameterGroupName":"p{}"}})", i)), "ok");
  EXPECT_EQ(Outcome("CreateParameterGroup", R"({"ParameterGroupName":"p"})"), "ParameterGroupQuotaExceededFault");
  for (int i = 0; i < 50; ++i)
    ASSERT_EQ(Outcome("CreateSubnetGroup", fmt::format(R"({{"SubnetGroupName":"s{}","SubnetIds":["subnet-1"]}})", i)),
              "ok");
  EXPECT_EQ(Outcome("CreateSubnetGroup", R"({"SubnetGroupName":"s","SubnetIds":["subnet-1"]})"),
            "SubnetGroupQuotaExceededFault");
}

TEST_F(GroupsTest, EventsTellWhatHappened) {
  Make("c");
  clock_.AdvanceMillis(60'000 * 10);
  ASSERT_EQ(Outcome("CreateParameterGroup", R"({"ParameterGroupName":"p"})"), "ok");
  EXPECT_EQ(
      Call("DescribeEvents", "{}"),
      R"({"Events":[{"Date":1700000000,"Message":"Cluster created.","SourceName":"c","SourceType":"CLUSTER"},)"
      R"({"Date":1700000600,"Message":"Parameter group created.","SourceName":"p","SourceType":"PARAMETER_GROUP"}]})");
  EXPECT_THAT(Call("DescribeEvents", R"({"SourceType":"CLUSTER"})"), Not(HasSubstr("PARAMETER_GROUP")));
  EXPECT_EQ(Call("DescribeEvents", R"({"SourceType":"CLUSTER","SourceName":"x"})"), R"({"Events":[]})");
  EXPECT_THAT(Call("DescribeEvents", R"({"Duration":5})"), Not(HasSubstr("CLUSTER")));
  EXPECT_THAT(Call("DescribeEvents", R"({"EndTime":1700000001})"), HasSubstr("CLUSTER"));
  EXPECT_THAT(Call("DescribeEvents", R"({"EndTime":1700000001})"), Not(HasSubstr("PARAMETER_GROUP")));
  EXPECT_THAT(Call("DescribeEvents", R"({"StartTime":1700000001.5})"), Not(HasSubstr("CLUSTER")));
  EXPECT_EQ(Call("DescribeEvents", R"({"StartTime":-1e300,"EndTime":1})"), R"({"Events":[]})");
  EXPECT_EQ(Outcome("DescribeEvents", R"({"SourceName":"c"})"), "InvalidParameterCombinationException");
  EXPECT_EQ(Outcome("DescribeEvents", R"({"SourceType":"TABLE"})"), "ValidationException");
  EXPECT_EQ(Outcome("DescribeEvents", R"({"Duration":0})"), kBad);
  EXPECT_EQ(Outcome("DescribeEvents", R"({"Duration":5,"StartTime":1})"), "InvalidParameterCombinationException");
  EXPECT_EQ(Outcome("DescribeEvents", R"({"StartTime":2,"EndTime":1})"), "InvalidParameterCombinationException");
  EXPECT_EQ(Outcome("DescribeEvents", R"({"StartTime":1e300})"), "InvalidParameterCombinationException");
  clock_.AdvanceMillis(int64_t{24} * 3600 * 1000 + 1);
  EXPECT_EQ(Call("DescribeEvents", "{}"), R"({"Events":[]})") << "of the last day";
  EXPECT_THAT(Call("DescribeEvents", R"({"Duration":20160})"), HasSubstr("Cluster created"));
}

}  // namespace
}  // namespace armature::dax::control
