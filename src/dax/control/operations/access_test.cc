// What the Authorizer is asked before an operation of DAX does anything, and what the audit hears of it.
#include "dax/control/operations/operations_testing.h"

namespace armature::dax::control {
namespace {

using testing::ElementsAre;

// Notes each question, and denies those about one action.
class NotingAuthorizer final : public auth::Authorizer {
 public:
  model::ApiResult<void> Authorize(const auth::Principal&, const auth::Access& access) const override {
    asked.push_back(fmt::format("{} {}", access.action(), access.resource().Arn()));
    const auth::AccessConditions conditions = access.conditions();
    for (const auth::Tag& tag : conditions.request_tags) asked.push_back(fmt::format("{}={}", tag.key, tag.value));
    for (const std::string_view key : conditions.bare_tag_keys) asked.push_back(fmt::format("{}=", key));
    if (!conditions.passed_to_service.empty()) asked.emplace_back(conditions.passed_to_service);
    for (const auth::Tag& tag : access.resource_tags().tags)
      resource_tags.push_back(fmt::format("{}={}", tag.key, tag.value));
    if (access.action() == denied) return model::AccessDeniedException("no");
    return {};
  }
  std::vector<std::string> Asked() { return std::exchange(asked, {}); }

  mutable std::vector<std::string> asked;
  mutable std::vector<std::string> resource_tags;
  std::string denied;
};

class ControlAccessTest : public OperationsTest {
 protected:
  ControlAccessTest() { authorizer_ = &asker_; }
  std::vector<std::string> AskedOf(std::string_view name, const std::string& body) {
    asker_.Asked();
    Call(name, body);
    return asker_.Asked();
  }

  NotingAuthorizer asker_;
};

TEST_F(ControlAccessTest, ACreationAsksForTheRoleToo) {
  EXPECT_THAT(AskedOf("CreateCluster", Creation("C", 1, R"(,"Tags":[{"Key":"k","Value":"v"}])")),
              ElementsAre("dax:CreateCluster " + std::string(kArn), "k=v", "iam:PassRole " + std::string(kRole),
                          "dax.amazonaws.com"));
  asker_.denied = "iam:PassRole";
  EXPECT_EQ(Outcome("CreateCluster", Creation("d")), "AccessDeniedException");
  EXPECT_FALSE(ClusterNamed("d"));
}

TEST_F(ControlAccessTest, ARoleThatDoesNotTrustDaxIsNotTaken) {
  std::string asked;
  bool is_trusting = false;
  book_.SetRoleTrust([&](std::string_view role_arn, std::string_view cluster_arn) {
    asked = fmt::format("{} for {}", role_arn, cluster_arn);
    return is_trusting;
  });
  asker_.denied = "iam:PassRole";
  EXPECT_EQ(Outcome("CreateCluster", Creation("C")), "AccessDeniedException");
  EXPECT_EQ(asked, "") << "who may not give it away learns nothing of it";
  asker_.denied.clear();
  EXPECT_EQ(Call("CreateCluster", Creation("C")),
            fmt::format("InvalidParameterValueException: No permission to assume role: {}", kRole));
  EXPECT_EQ(asked, fmt::format("{} for {}", kRole, kArn));
  EXPECT_FALSE(ClusterNamed("c"));
  is_trusting = true;
  EXPECT_EQ(Outcome("CreateCluster", Creation("C")), "ok");
}

TEST_F(ControlAccessTest, WhatIsAboutAClusterAsksForIt) {
  const std::string arn(kArn);
  const std::string resource = fmt::format(R"("ResourceName":"{}")", kArn);
  for (const std::string_view name : {"UpdateCluster", "DeleteCluster"})
    EXPECT_THAT(AskedOf(name, R"({"ClusterName":"C"})"), ElementsAre(fmt::format("dax:{} {}", name, arn)));
  for (const std::string_view name : {"IncreaseReplicationFactor", "DecreaseReplicationFactor"})
    EXPECT_THAT(AskedOf(name, R"({"ClusterName":"c","NewReplicationFactor":2})"),
                ElementsAre(fmt::format("dax:{} {}", name, arn)));
  EXPECT_THAT(AskedOf("RebootNode", R"({"ClusterName":"c","NodeId":"c-a"})"), ElementsAre("dax:RebootNode " + arn));
  EXPECT_THAT(AskedOf("DescribeClusters", R"({"ClusterNames":["c"]})"), ElementsAre("dax:DescribeClusters " + arn));
  EXPECT_THAT(AskedOf("DescribeClusters", "{}"),
              ElementsAre("dax:DescribeClusters arn:aws:dax:eu-north-1:111122223333:cache/*"));
  EXPECT_THAT(AskedOf("ListTags", "{" + resource + "}"), ElementsAre("dax:ListTags " + arn));
  EXPECT_THAT(AskedOf("TagResource", "{" + resource + R"(,"Tags":[{"Key":"k","Value":"v"}]})"),
              ElementsAre("dax:TagResource " + arn, "k=v"));
  EXPECT_THAT(AskedOf("UntagResource", "{" + resource + R"(,"TagKeys":["k"]})"),
              ElementsAre("dax:UntagResource " + arn, "k="));
}

TEST_F(ControlAccessTest, WhatIsAboutGroupsAsksForAnything) {
  const std::pair<const char*, const char*> calls[] = {
      {"CreateParameterGroup", R"({"ParameterGroupName":"p"})"},
      {"DescribeParameterGroups", "{}"},
      {"UpdateParameterGroup", R"({"ParameterGroupName":"p","ParameterNameValues":[]})"},
      {"DeleteParameterGroup", R"({"ParameterGroupName":"p"})"},
      {"DescribeParameters", R"({"ParameterGroupName":"p"})"},
      {"DescribeDefaultParameters", "{}"},
      {"CreateSubnetGroup", R"({"SubnetGroupName":"s","SubnetIds":["subnet-1"]})"},
      {"DescribeSubnetGroups", "{}"},
      {"UpdateSubnetGroup", R"({"SubnetGroupName":"s"})"},
      {"DeleteSubnetGroup", R"({"SubnetGroupName":"s"})"},
      {"DescribeEvents", "{}"},
  };
  for (const auto& [name, body] : calls) EXPECT_THAT(AskedOf(name, body), ElementsAre(fmt::format("dax:{} *", name)));
}

TEST_F(ControlAccessTest, WhoIsDeniedLearnsNothingAndChangesNothing) {
  Make("c");
  for (const wire::OperationSchema& schema : wire::dax::Operations()) {
    asker_.denied = schema.iam_action;
    const std::string body = fmt::format(
        R"({{"ClusterName":"c","NodeId":"c-a","NodeType":"x","ReplicationFactor":0,"IamRoleArn":"x",)"
        R"("NewReplicationFactor":2,"ParameterGroupName":"p","ParameterNameValues":[],"SubnetGroupName":"default",)"
        R"("SubnetIds":[],"ResourceName":"{}","Tags":[],"TagKeys":[]}})",
        kArn);
    const int writes = store_.writes;
    EXPECT_EQ(Call(schema.name, body), "AccessDeniedException: no") << schema.name;
    EXPECT_EQ(store_.writes, writes) << schema.name;
  }
}

TEST_F(ControlAccessTest, PoliciesSeeTheTagsOfTheCluster) {
  Make("c", 1, R"(,"Tags":[{"Key":"team","Value":"red"}])");
  asker_.resource_tags.clear();
  Call("DeleteCluster", R"({"ClusterName":"c"})");
  EXPECT_THAT(asker_.resource_tags, ElementsAre("team=red"));
}

TEST_F(ControlAccessTest, TheAuditHearsWhatIsTouchedAndDenied) {
  auth::AccessWitness witness;
  witness.CollectAll();
  witness_ = &witness;
  authorizer_ = nullptr;
  Call("CreateCluster", Creation("c"));
  ASSERT_EQ(witness.seen().size(), 2u) << "the cluster and its role, though nobody is asked";
  EXPECT_EQ(witness.seen()[0].arn, kArn);
  EXPECT_EQ(witness.seen()[0].account, "111122223333");
  EXPECT_EQ(witness.seen()[1].kind, auth::ResourceKind::kRole);
  authorizer_ = &asker_;
  asker_.denied = "dax:DeleteCluster";
  Call("DeleteCluster", R"({"ClusterName":"c"})");
  EXPECT_EQ(witness.denial(), "no");
}

}  // namespace
}  // namespace armature::dax::control
