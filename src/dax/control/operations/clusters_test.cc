// Clusters, their nodes and tags, by the operations of the API.
#include "dax/control/operations/operations_testing.h"

namespace armature::dax::control {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(OperationsTest, EveryOperationIsThere) {
  EXPECT_EQ(wire::dax::Operations().size(), 21u);
  for (const wire::OperationSchema& schema : wire::dax::Operations()) {
    EXPECT_EQ(schema.service, "AmazonDAXV3");
    EXPECT_EQ(&schema, wire::dax::FindOperation(schema.name));
    EXPECT_NE(Call(schema.name, "{}"), "") << "it runs, or says what it lacks";
  }
  EXPECT_EQ(wire::dax::FindOperation("createcluster"), nullptr);
}

TEST_F(OperationsTest, ANewClusterIsShownAsItIsCreated) {
  EXPECT_EQ(
      Call("CreateCluster", Creation("My-Cluster", 1, R"(,"Description":"d","Tags":[{"Key":"k","Value":"v"}])")),
      R"({"Cluster":{"ActiveNodes":0,"ClusterArn":"arn:aws:dax:eu-north-1:111122223333:cache/my-cluster",)"
      R"("ClusterEndpointEncryptionType":"NONE","ClusterName":"my-cluster","Description":"d",)"
      R"("IamRoleArn":"arn:aws:iam::111122223333:role/dax","NetworkType":"ipv4","NodeType":"dax.r5.large",)"
      R"("Nodes":[{"AvailabilityZone":"eu-north-1a","NodeCreateTime":1700000000,"NodeId":"my-cluster-a",)"
      R"("NodeStatus":"creating","ParameterGroupStatus":"in-sync"}],)"
      R"("ParameterGroup":{"NodeIdsToReboot":[],"ParameterApplyStatus":"in-sync","ParameterGroupName":"default.dax1.0"},)"
      R"("PreferredMaintenanceWindow":"sun:05:00-sun:06:00","SSEDescription":{"Status":"DISABLED"},)"
      R"("SecurityGroups":[{"SecurityGroupIdentifier":"sg-00000000","Status":"active"}],"Status":"creating",)"
      R"("SubnetGroup":"default","TotalNodes":1}})");
  keeper_.Step();
  const std::string shown = Call("DescribeClusters", R"({"ClusterNames":["MY-cluster"]})");
  EXPECT_THAT(shown, HasSubstr(R"("Status":"available")"));
  EXPECT_THAT(
      shown,
      HasSubstr(R"("ClusterDiscoveryEndpoint":{"Address":"127.0.0.1","Port":8111,"URL":"dax://127.0.0.1:8111"})"));
  EXPECT_THAT(shown, HasSubstr(R"("Endpoint":{"Address":"127.0.0.1","Port":8111},"NodeCreateTime")"));
  EXPECT_THAT(Call("ListTags", R"({"ResourceName":"arn:aws:dax:eu-north-1:111122223333:cache/my-cluster"})"),
              R"({"Tags":[{"Key":"k","Value":"v"}]})");
}

TEST_F(OperationsTest, OptionsOfAClusterAreKept) {
  Make(
      "c", 2,
      R"(,"ClusterEndpointEncryptionType":"TLS","SSESpecification":{"Enabled":true},"SecurityGroupIds":["sg-1"],)"
      R"("NotificationTopicArn":"arn:aws:sns:eu-north-1:111122223333:t","PreferredMaintenanceWindow":"mon:01:00-mon:03:00",)"
      R"("AvailabilityZones":["eu-north-1c","eu-north-1c"])");
  EXPECT_TRUE(host_.plans[0].is_encrypted);
  EXPECT_EQ(host_.plans[0].role_arn, kRole);
  EXPECT_EQ(host_.plans[1].zone, "eu-north-1c");
  const std::string shown = Call("DescribeClusters", "{}");
  EXPECT_THAT(shown, HasSubstr(R"("URL":"daxs://127.0.0.1:8111")"));
  EXPECT_THAT(shown, HasSubstr(R"("SSEDescription":{"Status":"ENABLED"})"));
  EXPECT_THAT(shown, HasSubstr(R"("TopicStatus":"active")"));
  EXPECT_THAT(shown, HasSubstr(R"([{"SecurityGroupIdentifier":"sg-1","Status":"active"}])"));
}

TEST_F(OperationsTest, WhatACreationMayNotHave) {
  const auto create = [&](std::string_view more, int nodes = 1) {
    return Outcome("CreateCluster", Creation("c", nodes, more));
  };
  EXPECT_EQ(Outcome("CreateCluster", Creation("1c")), kBad);
  EXPECT_EQ(create("", 0), kBad);
  EXPECT_EQ(create("", -1), kBad);
  EXPECT_EQ(create("", 12), "NodeQuotaForClusterExceededFault");
  EXPECT_EQ(create("", INT32_MAX), "NodeQuotaForClusterExceededFault");
  EXPECT_EQ(create(R"(,"SubnetGroupName":"none")"), "SubnetGroupNotFoundFault");
  EXPECT_EQ(create(R"(,"ParameterGroupName":"none")"), "ParameterGroupNotFoundFault");
  EXPECT_EQ(create(R"(,"AvailabilityZones":["eu-north-1a","eu-north-1b"])"), kBad);
  EXPECT_EQ(create(R"(,"AvailabilityZones":["us-east-1a"])"), kBad);
  EXPECT_EQ(create(R"(,"PreferredMaintenanceWindow":"always")"), kBad);
  EXPECT_EQ(create(R"(,"NetworkType":"ipv6")"), kBad);
  EXPECT_EQ(create(R"(,"NetworkType":"ipx")"), "ValidationException");
  EXPECT_EQ(create(R"(,"ClusterEndpointEncryptionType":"SSL")"), "ValidationException");
  EXPECT_EQ(create(R"(,"SSESpecification":{})"), "ValidationException");
  EXPECT_EQ(create(R"(,"NodeType":"dax.huge")"), kBad);
  EXPECT_EQ(create(R"(,"IamRoleArn":"role")"), kBad);
  EXPECT_EQ(create(R"(,"Tags":[{"Key":"aws:k"}])"), kBad);
  EXPECT_EQ(create(R"(,"ReplicationFactor":"one")"), "SerializationException");
  std::string tags = R"(,"Tags":[{"Key":"k"})";
  for (int i = 0; i < 50; ++i) tags += fmt::format(R"(,{{"Key":"k{}"}})", i);
  EXPECT_EQ(create(tags + "]"), "TagQuotaPerResourceExceeded");
  EXPECT_EQ(
      Call("CreateCluster", R"({"NodeType":"t","ReplicationFactor":1,"IamRoleArn":"r"})"),
      "ValidationException: 1 validation error detected: Value null at 'clusterName' failed to satisfy constraint: "
      "Member must not be null");
  EXPECT_TRUE(store_.records.empty());
  EXPECT_EQ(create(""), "ok");
  EXPECT_EQ(create(""), "ClusterAlreadyExistsFault");
}

TEST_F(OperationsTest, AnAccountHasSoManyNodes) {
  for (const char* name : {"a", "b", "c", "d"}) Make(name, 11);
  EXPECT_EQ(Outcome("CreateCluster", Creation("e", 7)), "NodeQuotaForCustomerExceededFault");
  Make("e", 5);
  EXPECT_EQ(Outcome("IncreaseReplicationFactor", R"({"ClusterName":"e","NewReplicationFactor":7})"),
            "NodeQuotaForCustomerExceededFault");
  EXPECT_EQ(Outcome("IncreaseReplicationFactor", R"({"ClusterName":"e","NewReplicationFactor":6})"), "ok");
  place_.region = "us-east-1";
  EXPECT_EQ(Outcome("CreateCluster", Creation("e", 7)), "ok") << "in a Region";
}

TEST_F(OperationsTest, NodesSpreadOverTheZones) {
  Make("c", 4);
  std::map<std::string, int> zones;
  for (const Node& node : ClusterNamed("c")->nodes) ++zones[node.zone];
  EXPECT_EQ(zones, (std::map<std::string, int>{{"eu-north-1a", 2}, {"eu-north-1b", 1}, {"eu-north-1c", 1}}));
}

TEST_F(OperationsTest, AClusterGrows) {
  Make("c");
  const auto grow = [&](int64_t to) {
    return Outcome("IncreaseReplicationFactor", fmt::format(R"({{"ClusterName":"c","NewReplicationFactor":{}}})", to));
  };
  EXPECT_EQ(grow(1), kBad);
  EXPECT_EQ(grow(0), kBad);
  EXPECT_EQ(grow(12), "NodeQuotaForClusterExceededFault");
  EXPECT_EQ(grow(INT64_MAX), "NodeQuotaForClusterExceededFault");
  EXPECT_EQ(grow(3), "ok");
  EXPECT_THAT(Call("DescribeClusters", "{}"), HasSubstr(R"("Status":"modifying")"));
  EXPECT_EQ(grow(4), "InvalidClusterStateFault") << "not yet";
  keeper_.Step();
  EXPECT_EQ(ClusterNamed("c")->nodes[2].id, "c-c");
  EXPECT_EQ(host_.running.size(), 3u);
  EXPECT_EQ(Outcome("IncreaseReplicationFactor", R"({"ClusterName":"x","NewReplicationFactor":2})"),
            "ClusterNotFoundFault");
}

TEST_F(OperationsTest, AClusterShrinks) {
  Make("c", 5);
  const auto shrink = [&](std::string_view rest) {
    return Outcome("DecreaseReplicationFactor", fmt::format(R"({{"ClusterName":"c",{}}})", rest));
  };
  EXPECT_EQ(shrink(R"("NewReplicationFactor":0)"), kBad);
  EXPECT_EQ(shrink(R"("NewReplicationFactor":5)"), kBad);
  EXPECT_EQ(shrink(R"("NewReplicationFactor":4,"NodeIdsToRemove":["c-x"])"), "NodeNotFoundFault");
  EXPECT_EQ(shrink(R"("NewReplicationFactor":3,"NodeIdsToRemove":["c-b","c-b"])"), kBad);
  EXPECT_EQ(shrink(R"("NewReplicationFactor":4,"NodeIdsToRemove":["c-b"],"AvailabilityZones":["eu-north-1a"])"),
            "InvalidParameterCombinationException");
  EXPECT_EQ(shrink(R"("NewReplicationFactor":4,"AvailabilityZones":["us-east-1a"])"), kBad);
  EXPECT_EQ(shrink(R"("NewReplicationFactor":3,"AvailabilityZones":["eu-north-1a"])"), kBad);

  EXPECT_EQ(shrink(R"("NewReplicationFactor":4,"NodeIdsToRemove":["C-B"])"), "ok");
  EXPECT_THAT(Call("DescribeClusters", "{}"), HasSubstr(R"("NodeIdsToRemove":["c-b"])"));
  keeper_.Step();
  EXPECT_THAT(host_.running, testing::ElementsAre("c-a", "c-c", "c-d", "c-e"));
  EXPECT_EQ(shrink(R"("NewReplicationFactor":3,"AvailabilityZones":["eu-north-1a"])"), "ok");
  keeper_.Step();
  EXPECT_THAT(host_.running, testing::ElementsAre("c-a", "c-c", "c-e")) << "the last one that lies there";
  EXPECT_EQ(shrink(R"("NewReplicationFactor":1)"), "ok");
  keeper_.Step();
  EXPECT_THAT(host_.running, testing::ElementsAre("c-a"));
  EXPECT_EQ(Outcome("IncreaseReplicationFactor", R"({"ClusterName":"c","NewReplicationFactor":2})"), "ok");
  EXPECT_EQ(ClusterNamed("c")->nodes[1].id, "c-b") << "the letter is free again";
}

TEST_F(OperationsTest, ANodeIsRebooted) {
  Make("c", 2);
  host_.Told();
  EXPECT_EQ(Outcome("RebootNode", R"({"ClusterName":"c","NodeId":"c-z"})"), "NodeNotFoundFault");
  EXPECT_EQ(Outcome("RebootNode", R"({"ClusterName":"x","NodeId":"c-a"})"), "ClusterNotFoundFault");
  const std::string shown = Call("RebootNode", R"({"ClusterName":"c","NodeId":"c-b"})");
  EXPECT_THAT(shown, HasSubstr(R"("NodeStatus":"rebooting")"));
  EXPECT_THAT(shown, HasSubstr(R"("Status":"available")"));
  keeper_.Step();
  EXPECT_THAT(host_.Told(), testing::ElementsAre("stop c-b", "start c-b"));
}

TEST_F(OperationsTest, AClusterIsUpdated) {
  Make("c");
  host_.Told();
  ASSERT_EQ(Outcome("CreateParameterGroup", R"({"ParameterGroupName":"p"})"), "ok");
  const auto update = [&](std::string_view rest) {
    return Outcome("UpdateCluster", fmt::format(R"({{"ClusterName":"c"{}}})", rest));
  };
  EXPECT_EQ(update(""), "InvalidParameterCombinationException");
  EXPECT_EQ(update(R"(,"ParameterGroupName":"none")"), "ParameterGroupNotFoundFault");
  EXPECT_EQ(update(R"(,"PreferredMaintenanceWindow":"never")"), kBad);
  EXPECT_EQ(update(R"(,"NotificationTopicStatus":"inactive")"), "InvalidParameterCombinationException");
  EXPECT_EQ(update(R"(,"NotificationTopicArn":"x")"), kBad);
  EXPECT_EQ(
      update(
          R"(,"Description":"new","ParameterGroupName":"P","SecurityGroupIds":["sg-9"],"NotificationTopicStatus":"inactive",)"
          R"("NotificationTopicArn":"arn:aws:sns:eu-north-1:111122223333:t","PreferredMaintenanceWindow":"tue:01:00-tue:02:00")"),
      "ok");
  EXPECT_EQ(update(R"(,"Description":"newer")"), "InvalidClusterStateFault");
  EXPECT_THAT(Call("DescribeClusters", "{}"),
              HasSubstr(R"("ParameterApplyStatus":"applying","ParameterGroupName":"p")"));
  keeper_.Step();
  EXPECT_THAT(host_.Told(), testing::ElementsAre("apply 300000 300000"));
  const auto cluster = ClusterNamed("c");
  EXPECT_EQ(cluster->description, "new");
  EXPECT_FALSE(cluster->is_topic_active);
  EXPECT_EQ(cluster->security_groups, std::vector<std::string>{"sg-9"});
  EXPECT_EQ(cluster->status, ClusterStatus::kAvailable);
}

TEST_F(OperationsTest, AClusterIsDeleted) {
  EXPECT_EQ(Outcome("DeleteCluster", R"({"ClusterName":"c"})"), "ClusterNotFoundFault");
  ASSERT_EQ(Outcome("CreateCluster", Creation("c")), "ok");
  EXPECT_EQ(Outcome("DeleteCluster", R"({"ClusterName":"c"})"), "InvalidClusterStateFault") << "it is being created";
  keeper_.Step();
  EXPECT_THAT(Call("DeleteCluster", R"({"ClusterName":"c"})"), HasSubstr(R"("Status":"deleting")"));
  EXPECT_EQ(Outcome("DeleteCluster", R"({"ClusterName":"c"})"), "InvalidClusterStateFault");
  keeper_.Step();
  EXPECT_EQ(Outcome("DescribeClusters", R"({"ClusterNames":["c"]})"), "ClusterNotFoundFault");
  EXPECT_EQ(Call("DescribeClusters", "{}"), R"({"Clusters":[]})");
  EXPECT_TRUE(host_.running.empty());
}

TEST_F(OperationsTest, AClusterWithoutAPortCanBeDeleted) {
  host_.refuses = true;
  Make("c");
  EXPECT_THAT(Call("DescribeClusters", "{}"), HasSubstr(R"("Status":"incompatible-network")"));
  EXPECT_EQ(Outcome("DeleteCluster", R"({"ClusterName":"c"})"), "ok");
  keeper_.Step();
  EXPECT_EQ(Call("DescribeClusters", "{}"), R"({"Clusters":[]})");
}

TEST_F(OperationsTest, ClustersAreListedInPages) {
  for (int i = 0; i < 21; ++i) Make(fmt::format("c{:02}", i));
  EXPECT_EQ(Outcome("DescribeClusters", R"({"MaxResults":1})"), kBad);
  const std::string first = Call("DescribeClusters", R"({"MaxResults":20})");
  const size_t at = first.find(R"("NextToken":")");
  ASSERT_NE(at, std::string::npos);
  const std::string token = first.substr(at + 13, first.size() - at - 15);
  const std::string rest = Call("DescribeClusters", fmt::format(R"({{"MaxResults":20,"NextToken":"{}"}})", token));
  EXPECT_THAT(rest, HasSubstr("c20-a"));
  EXPECT_THAT(rest, Not(HasSubstr("c19-a")));
  EXPECT_THAT(rest, Not(HasSubstr("NextToken")));
}

TEST_F(OperationsTest, TagsComeAndGo) {
  Make("c");
  const std::string arn = R"("ResourceName":"arn:aws:dax:eu-north-1:111122223333:cache/c")";
  EXPECT_EQ(Call("TagResource", fmt::format(R"({{{},"Tags":[{{"Key":"b","Value":"2"}},{{"Key":"a"}}]}})", arn)),
            R"({"Tags":[{"Key":"a","Value":""},{"Key":"b","Value":"2"}]})");
  EXPECT_EQ(Call("TagResource", fmt::format(R"({{{},"Tags":[{{"Key":"b","Value":"3"}}]}})", arn)),
            R"({"Tags":[{"Key":"a","Value":""},{"Key":"b","Value":"3"}]})");
  EXPECT_EQ(Outcome("UntagResource", fmt::format(R"({{{},"TagKeys":["a","z"]}})", arn)), "TagNotFoundFault");
  EXPECT_EQ(Call("UntagResource", fmt::format(R"({{{},"TagKeys":["a"]}})", arn)),
            R"({"Tags":[{"Key":"b","Value":"3"}]})");
  EXPECT_EQ(Call("ListTags", fmt::format("{{{}}}", arn)), R"({"Tags":[{"Key":"b","Value":"3"}]})");
  EXPECT_EQ(Outcome("TagResource", fmt::format(R"({{{},"Tags":[]}})", arn)), kBad);
  EXPECT_EQ(Outcome("UntagResource", fmt::format(R"({{{},"TagKeys":[]}})", arn)), kBad);
  for (const char* bad :
       {"c", "arn:aws:dax:eu-north-1:111122223333:cluster/c", "arn:aws:dax:eu-north-1:111122223333:cache/",
        "arn:aws:dynamodb:eu-north-1:111122223333:cache/c"})
    EXPECT_EQ(Outcome("ListTags", fmt::format(R"({{"ResourceName":"{}"}})", bad)), "InvalidARNFault") << bad;
  for (const char* other : {"arn:aws:dax:us-east-1:111122223333:cache/c", "arn:aws:dax:eu-north-1:444455556666:cache/c",
                            "arn:aws:dax:eu-north-1:111122223333:cache/x"})
    EXPECT_EQ(Outcome("ListTags", fmt::format(R"({{"ResourceName":"{}"}})", other)), "ClusterNotFoundFault") << other;
  std::string many;
  for (int i = 0; i < 50; ++i) many += fmt::format(R"({}{{"Key":"k{}"}})", i ? "," : "", i);
  EXPECT_EQ(Outcome("TagResource", fmt::format(R"({{{},"Tags":[{}]}})", arn, many)), "TagQuotaPerResourceExceeded");
  Outcome("DeleteCluster", R"({"ClusterName":"c"})");
  EXPECT_EQ(Outcome("UntagResource", fmt::format(R"({{{},"TagKeys":["b"]}})", arn)), "InvalidClusterStateFault");
}

TEST_F(OperationsTest, AFullDiskIsToldAndNothingIsBegun) {
  store_.is_full = true;
  EXPECT_EQ(Outcome("CreateCluster", Creation("c")), "ServiceUnavailableException");
  store_.is_full = false;
  EXPECT_EQ(Call("DescribeClusters", "{}"), R"({"Clusters":[]})");
}

}  // namespace
}  // namespace armature::dax::control
