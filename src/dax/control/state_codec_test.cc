#include "dax/control/state_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dax/control/control_testing.h"

namespace armature::dax::control {
namespace {

// All that is stored of a place, read again.
PlaceState Reread(const PlaceState& state) {
  PlaceState read = NewPlace(kPlace);
  for (const auto& [key, record] : ChangesBetween(kPlace, NewPlace(kPlace), state)) {
    EXPECT_EQ(PlaceOfKey(key), kPlace);
    EXPECT_TRUE(record && DecodeRecord(key, *record, read).ok()) << key;
  }
  return read;
}

template <class T>
void Put(ByName<T>& all, T part) {
  const std::string name = part.name;
  all[name] = std::make_shared<const T>(std::move(part));
}

TEST(StateCodecTest, AClusterComesBackAsItWas) {
  Cluster cluster = ClusterOf("c", 2);
  cluster.description = "what \"for\"\n";
  cluster.node_type = "dax.r5.large";
  cluster.role_arn = "arn:aws:iam::111122223333:role/r";
  cluster.maintenance_window = "sun:05:00-sun:06:00";
  cluster.network_type = "ipv4";
  cluster.topic_arn = "arn:aws:sns:eu-north-1:111122223333:t";
  cluster.is_topic_active = false;
  cluster.is_encrypted = cluster.has_sse = cluster.applies_parameters = true;
  cluster.status = ClusterStatus::kModifying;
  cluster.due_millis = 7;
  cluster.security_groups = {"sg-1", "sg-2"};
  cluster.tags = {{"k", "v"}, {"e", ""}};
  cluster.nodes[1].status = NodeStatus::kRebooting;
  cluster.nodes[1].created_millis = 5;
  cluster.nodes[1].address = {"127.0.0.1", 65'535};
  const PlaceState fresh = NewPlace(kPlace);
  PlaceState state = fresh;
  Put(state.clusters, cluster);
  const PlaceState read = Reread(state);
  ASSERT_TRUE(Find(read.clusters, "c"));
  // What is written of both is the same.
  PlaceState without = read;
  without.clusters.clear();
  EXPECT_EQ(ChangesBetween(kPlace, without, read), ChangesBetween(kPlace, fresh, state));
  EXPECT_EQ(Find(read.clusters, "c")->nodes[1].address, cluster.nodes[1].address);
  EXPECT_EQ(Find(read.clusters, "c")->tags, cluster.tags);
  EXPECT_EQ(Find(read.clusters, "c")->description, cluster.description);
  EXPECT_EQ(Find(read.clusters, "c")->status, cluster.status);
  EXPECT_FALSE(Find(read.clusters, "c")->is_topic_active);
}

TEST(StateCodecTest, GroupsAndEventsComeBackAsTheyWere) {
  PlaceState state = NewPlace(kPlace);
  Put(state.parameter_groups, ParameterGroup{"p", "of mine", {0, 9'007'199'254'740'993}});
  Put(state.subnet_groups, SubnetGroup{"s", "", {{"subnet-1", "eu-north-1a"}}});
  state.events[16] = std::make_shared<const Event>(Event{3, SourceType::kSubnetGroup, "s", "made"});
  const PlaceState read = Reread(state);
  EXPECT_EQ(Find(read.parameter_groups, "p")->values, (ParameterValues{0, 9'007'199'254'740'993}));
  EXPECT_EQ(Find(read.parameter_groups, "p")->description, "of mine");
  EXPECT_EQ(Find(read.subnet_groups, "s")->subnets[0].zone, "eu-north-1a");
  ASSERT_TRUE(read.events.contains(16));
  EXPECT_EQ(read.events.at(16)->message, "made");
  EXPECT_EQ(read.events.at(16)->source_type, SourceType::kSubnetGroup);
}

TEST(StateCodecTest, OnlyWhatIsAnotherIsStored) {
  PlaceState before = NewPlace(kPlace);
  Put(before.clusters, ClusterOf("a"));
  Put(before.clusters, ClusterOf("b"));
  EXPECT_THAT(ChangesBetween(kPlace, before, before), testing::IsEmpty());
  PlaceState after = before;
  after.clusters.erase("a");
  const auto changes = ChangesBetween(kPlace, before, after);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_FALSE(changes.begin()->second) << "it goes";
}

TEST(StateCodecTest, DamageIsToldAndChangesNothing) {
  PlaceState state = NewPlace(kPlace);
  Put(state.clusters, ClusterOf("c"));
  auto changes = ChangesBetween(kPlace, NewPlace(kPlace), state);
  const auto& [key, record] = *changes.begin();
  PlaceState read = NewPlace(kPlace);
  for (const std::string& bad :
       {std::string("garbage"), record->substr(0, record->size() / 2), std::string(R"({"version":1,"status":9})"),
        std::string(R"({"version":1,"nodes":[{"port":70000}]})"), std::string(R"({"version":1,"nodes":[7]})")})
    EXPECT_EQ(DecodeRecord(key, bad, read).code(), StatusCode::kCorruption) << bad;
  EXPECT_EQ(DecodeRecord(key, R"({"version":2})", read).code(), StatusCode::kFormat);
  for (const std::string_view bad : {"", "a", "a\0b", "a\0b\0"}) EXPECT_FALSE(DecodeRecord(bad, *record, read).ok());
  EXPECT_FALSE(DecodeRecord(std::string("a\0b\0zname", 9), *record, read).ok());
  EXPECT_FALSE(DecodeRecord(std::string("a\0b\0exyz", 8), R"({"version":1})", read).ok());
  EXPECT_TRUE(read.clusters.empty());
}

}  // namespace
}  // namespace armature::dax::control
