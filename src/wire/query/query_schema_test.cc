// The generated tables.
#include "wire/query/query_schema.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "wire/query/iam.h"
#include "wire/query/sts.h"

namespace armature::wire {
namespace {

TEST(QuerySchema, EveryOperationIsFoundByItsNameAndHasAnIndexOfItsOwn) {
  std::set<size_t> indexes;
  for (const QueryService& service : QueryServices()) {
    for (const QueryOperationSchema& operation : OperationsOf(service)) {
      EXPECT_EQ(FindQueryOperation(service, operation.name), &operation);
      EXPECT_EQ(operation.service, &service);
      EXPECT_EQ(operation.iam_action, std::string(service.name) + ":" + std::string(operation.name));
      EXPECT_TRUE(indexes.insert(operation.index).second) << operation.name;
      EXPECT_LT(operation.index, QueryOperationCount());
    }
  }
  EXPECT_EQ(indexes.size(), QueryOperationCount());
  EXPECT_EQ(FindQueryOperation(QueryServices()[0], "createUser"), nullptr);
  EXPECT_EQ(FindQueryOperation(QueryServices()[0], ""), nullptr);
}

TEST(QuerySchema, AnInputKnowsItsOperation) {
  EXPECT_EQ(iam::CreateUserInput::Schema().name, "CreateUser");
  EXPECT_EQ(iam::CreateUserInput::Schema().service->version, "2010-05-08");
  EXPECT_EQ(sts::AssumeRoleInput::Schema().service->xml_namespace, "https://sts.amazonaws.com/doc/2011-06-15/");
  EXPECT_EQ(sts::AssumeRoleInput::Schema().input->size, sizeof(sts::AssumeRoleInput));
}

TEST(QuerySchema, OnlyWebIdentitiesComeUnsigned) {
  for (const QueryService& service : QueryServices())
    for (const QueryOperationSchema& operation : OperationsOf(service))
      EXPECT_EQ(operation.is_unsigned, operation.name == "AssumeRoleWithWebIdentity") << operation.name;
}

TEST(QuerySchema, WhatChangesSomethingSaysSo) {
  EXPECT_TRUE(iam::CreateUserInput::Schema().changes_state);
  EXPECT_TRUE(iam::AttachRolePolicyInput::Schema().changes_state);
  EXPECT_FALSE(iam::ListUsersInput::Schema().changes_state);
  EXPECT_FALSE(iam::SimulateCustomPolicyInput::Schema().changes_state);
  for (const QueryOperationSchema& operation : OperationsOf(*sts::AssumeRoleInput::Schema().service))
    EXPECT_FALSE(operation.changes_state) << operation.name;
}

TEST(QuerySchema, RepliesHaveResultsWhereTheModelHasThem) {
  EXPECT_TRUE(iam::CreateUserInput::Schema().has_result);
  EXPECT_TRUE(iam::UpdateRoleInput::Schema().has_result) << "empty, but there";
  EXPECT_FALSE(iam::DeleteUserInput::Schema().has_result);
}

}  // namespace
}  // namespace armature::wire
