#include "dax/control/cluster_keeper.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dax/control/control_testing.h"

namespace armature::dax::control {
namespace {

using model::ApiResult;
using testing::ElementsAre;
using testing::IsEmpty;

class ClusterKeeperTest : public testing::Test {
 protected:
  explicit ClusterKeeperTest(int64_t delay_millis = 0) : delay_millis_(delay_millis) { Open(); }

  void Open() {
    book_ = std::make_unique<ClusterBook>(store_, clock_, delay_millis_);
    ASSERT_TRUE(RunBlocking(book_->Load()).ok());
    keeper_ = std::make_unique<ClusterKeeper>(*book_, host_);
  }
  // As kill -9 has it: nobody stops anything.
  void Crash() {
    host_.running.clear();
    Open();
  }
  void Change(ClusterBook::Edit edit) { ASSERT_TRUE(RunBlocking(book_->Change(kPlace, std::move(edit)))); }
  void Make(size_t nodes) {
    Change([&](Draft& draft) -> ApiResult<void> {
      Cluster cluster = ClusterOf("c", nodes);
      cluster.due_millis = draft.due_millis();
      draft.Put(std::move(cluster));
      return {};
    });
  }
  void Edit(std::function<void(Cluster&)> edit) {
    Change([&](Draft& draft) -> ApiResult<void> {
      Cluster cluster = *Find(draft.state().clusters, "c");
      cluster.due_millis = draft.due_millis();
      edit(cluster);
      draft.Put(std::move(cluster));
      return {};
    });
  }
  std::shared_ptr<const Cluster> cluster() { return Find(book_->Current(kPlace)->clusters, "c"); }
  std::string Status() { return cluster() ? std::string(NameOf(cluster()->status)) : "gone"; }

  const int64_t delay_millis_;
  ManualClock clock_;
  MemoryClusterStore store_;
  FakeNodeHost host_;
  std::unique_ptr<ClusterBook> book_;
  std::unique_ptr<ClusterKeeper> keeper_;
};

TEST_F(ClusterKeeperTest, ANewClusterBecomesAvailable) {
  Make(2);
  EXPECT_EQ(Status(), "creating");
  EXPECT_FALSE(keeper_->Step()) << "nothing is left to be done";
  EXPECT_EQ(Status(), "available");
  EXPECT_THAT(host_.Told(), ElementsAre("start c-a", "start c-b"));
  EXPECT_EQ(host_.plans[0].cluster_arn, kArn);
  EXPECT_EQ(host_.plans[0].region, "eu-north-1");
  EXPECT_EQ(cluster()->nodes[1].address, (NodeAddress{"127.0.0.1", 8112}));
  EXPECT_EQ(cluster()->nodes[1].status, NodeStatus::kAvailable);
  const int writes = store_.writes;
  EXPECT_FALSE(keeper_->Step());
  EXPECT_THAT(host_.Told(), IsEmpty());
  EXPECT_EQ(store_.writes, writes) << "a round without work writes nothing";
}

TEST_F(ClusterKeeperTest, AfterACrashNodesRunWhereTheyRan) {
  Make(2);
  keeper_->Step();
  Crash();
  host_.taken.insert(8112);
  host_.plans.clear();
  EXPECT_FALSE(keeper_->Step());
  EXPECT_EQ(host_.plans[0].port, 8111);
  EXPECT_EQ(host_.plans[1].port, 8112);
  EXPECT_EQ(cluster()->nodes[0].address.port, 8111);
  EXPECT_EQ(cluster()->nodes[1].address.port, 8113) << "somebody else has it now, and clients are told";
}

TEST_F(ClusterKeeperTest, WhatACrashLeftHalfDoneGoesOn) {
  Make(2);
  Crash();
  EXPECT_EQ(Status(), "creating");
  keeper_->Step();
  EXPECT_EQ(Status(), "available");
  Edit([](Cluster& edited) { edited.status = ClusterStatus::kDeleting; });
  Crash();
  host_.Told();
  EXPECT_FALSE(keeper_->Step());
  EXPECT_EQ(Status(), "gone");
  EXPECT_THAT(host_.Told(), ElementsAre("forget " + std::string(kArn)));
}

TEST_F(ClusterKeeperTest, NodesThatAreToGoAreStopped) {
  Make(3);
  keeper_->Step();
  host_.Told();
  Edit([](Cluster& edited) {
    edited.status = ClusterStatus::kModifying;
    edited.nodes[1].status = NodeStatus::kDeleting;
  });
  EXPECT_FALSE(keeper_->Step());
  EXPECT_THAT(host_.Told(), ElementsAre("stop c-b"));
  EXPECT_EQ(Status(), "available");
  EXPECT_EQ(cluster()->nodes.size(), 2u);
}

TEST_F(ClusterKeeperTest, ANodeIsRebooted) {
  Make(2);
  keeper_->Step();
  host_.Told();
  Edit([](Cluster& edited) { edited.nodes[0].status = NodeStatus::kRebooting; });
  EXPECT_FALSE(keeper_->Step());
  EXPECT_THAT(host_.Told(), ElementsAre("stop c-a", "start c-a"));
  EXPECT_EQ(cluster()->nodes[0].status, NodeStatus::kAvailable);
  EXPECT_EQ(cluster()->nodes[0].address.port, 8111) << "at its port";
}

TEST_F(ClusterKeeperTest, ParametersAreApplied) {
  Make(1);
  keeper_->Step();
  host_.Told();
  Change([&](Draft& draft) -> ApiResult<void> {
    draft.Put(ParameterGroup{"p", "", {1, 2}});
    return {};
  });
  Edit([](Cluster& edited) {
    edited.parameter_group = "p";
    edited.applies_parameters = true;
  });
  EXPECT_FALSE(keeper_->Step());
  EXPECT_THAT(host_.Told(), ElementsAre("apply 1 2"));
  EXPECT_FALSE(cluster()->applies_parameters);
  Crash();
  host_.plans.clear();
  keeper_->Step();
  EXPECT_EQ(host_.plans[0].parameters, (ParameterValues{1, 2}));
}

TEST_F(ClusterKeeperTest, ANodeThatCannotStartIsTriedAgain) {
  host_.refuses = true;
  Make(1);
  EXPECT_TRUE(keeper_->Step()) << "to be tried again";
  EXPECT_EQ(Status(), "incompatible-network");
  host_.refuses = false;
  EXPECT_FALSE(keeper_->Step());
  EXPECT_EQ(Status(), "available");
}

TEST_F(ClusterKeeperTest, WhatCannotBeNotedIsNotedLater) {
  Make(1);
  store_.is_full = true;
  EXPECT_TRUE(keeper_->Step());
  EXPECT_EQ(Status(), "creating");
  store_.is_full = false;
  EXPECT_FALSE(keeper_->Step());
  EXPECT_EQ(Status(), "available");
  EXPECT_EQ(cluster()->nodes[0].address.port, host_.next_port - 1) << "where it runs, not where it ran first";
}

TEST_F(ClusterKeeperTest, StopEndsAllAndNotesNothing) {
  Make(2);
  keeper_->Step();
  keeper_->Stop();
  EXPECT_THAT(host_.running, IsEmpty());
  EXPECT_EQ(Status(), "available");
}

class SlowClusterKeeperTest : public ClusterKeeperTest {
 protected:
  SlowClusterKeeperTest() : ClusterKeeperTest(1000) {}
};

TEST_F(SlowClusterKeeperTest, NothingGoesOnBeforeItIsDue) {
  Make(1);
  EXPECT_TRUE(keeper_->Step());
  EXPECT_EQ(Status(), "creating");
  clock_.AdvanceMillis(1000);
  EXPECT_FALSE(keeper_->Step());
  EXPECT_EQ(Status(), "available");
  Edit([](Cluster& edited) { edited.status = ClusterStatus::kModifying; });
  EXPECT_TRUE(keeper_->Step());
  EXPECT_EQ(Status(), "modifying");
  Crash();
  EXPECT_TRUE(keeper_->Step());
  EXPECT_EQ(host_.running.size(), 1u) << "but what ran runs";
  clock_.AdvanceMillis(1000);
  EXPECT_FALSE(keeper_->Step());
  EXPECT_EQ(Status(), "available");
}

}  // namespace
}  // namespace armature::dax::control
