#include "wire/json_output.h"

#include <gtest/gtest.h>

#include "wire/services/dax.h"

namespace armature::wire {
namespace {

TEST(JsonOutputTest, AbsentMembersAreLeftOutAndEmptyListsAreThere) {
  dax::CreateClusterOutput output;
  output.Cluster.emplace();
  output.Cluster->ClusterName = "a\"b";
  output.Cluster->TotalNodes = 3;
  output.Cluster->NodeIdsToRemove.emplace();
  output.Cluster->ClusterDiscoveryEndpoint.emplace().Port = 8111;
  std::string body;
  AppendJsonOutput(output, body);
  EXPECT_EQ(body, R"({"Cluster":{"ClusterDiscoveryEndpoint":{"Port":8111},"ClusterName":"a\"b","NodeIdsToRemove":[],)"
                  R"("TotalNodes":3}})");
}

TEST(JsonOutputTest, ATimeHasMillis) {
  dax::DescribeEventsOutput output;
  output.Events.emplace().emplace_back().Date = Timestamp{1'700'000'000'123};
  std::string body;
  AppendJsonOutput(output, body);
  EXPECT_EQ(body, R"({"Events":[{"Date":1700000000.123}]})");
}

TEST(JsonOutputTest, AReplyWithoutMembersIsAnObject) {
  std::string body = "before";
  AppendJsonOutput(dax::ListTagsOutput(), body);
  EXPECT_EQ(body, "before{}");
}

}  // namespace
}  // namespace armature::wire
