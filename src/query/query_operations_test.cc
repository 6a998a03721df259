// Operations of every signature, found and executed by the registry.
#include "query/query_operations.h"

#include <set>
#include <string>

#include <gmock/gmock.h>

#include "base/testing/executor_testing.h"
#include "wire/query/form_decode.h"
#include "wire/query/iam.h"
#include "wire/query/sts.h"

namespace armature::query {
namespace {

using ::testing::HasSubstr;

// Who is there.
using Names = std::set<std::string, std::less<>>;

Task<QueryResult> CreateUser(Names& names, QueryContext& context, const wire::iam::CreateUserInput& input,
                             wire::iam::CreateUserOutput& output) {
  if (!names.emplace(*input.UserName).second)
    co_return wire::iam::EntityAlreadyExists("User with name " + std::string(*input.UserName) + " already exists.");
  wire::iam::User& user = output.User.emplace();
  user.UserName = *input.UserName;
  user.CreateDate = {context.now_millis};
  co_return QueryResult();
}

Task<QueryResult> DeleteUser(Names& names, QueryContext&, const wire::iam::DeleteUserInput& input) {
  names.erase(std::string(*input.UserName));
  co_return QueryResult();
}

Task<QueryResult> ListUsers(const Names& names, QueryContext&, const wire::iam::ListUsersInput&,
                            wire::iam::ListUsersOutput& output) {
  for (const std::string& name : names) output.Users.emplace_back().UserName = name;
  co_return QueryResult();
}

Task<QueryResult> GetAccessKeyInfo(QueryContext& context, const wire::sts::GetAccessKeyInfoInput&,
                                   wire::sts::GetAccessKeyInfoOutput& output) {
  output.Account = context.caller->account;
  co_return QueryResult();
}

class QueryOperationsTest : public testing::Test {
 protected:
  QueryOperationsTest() {
    operations_.Add<CreateUser>(names_);
    operations_.Add<DeleteUser>(names_);
    operations_.Add<ListUsers>(names_);
    operations_.Add<GetAccessKeyInfo>();
  }

  // The reply's body, or the error's code.
  template <class Input>
  std::string Call(std::string_view form_text) {
    Arena arena;
    std::string body;
    const auto form = wire::FormParameters::Parse({}, form_text, arena);
    const auto input = wire::DecodeFormAs<Input>(*form, arena);
    if (!input) return input.error().message;
    const auth::Principal caller{.account = "111122223333", .arn = {}, .access_key_id = {}};
    QueryContext context{.arena = arena, .caller = &caller, .now_millis = 1'772'366'400'000};
    const wire::ReplyTarget target{wire::ReplyForm::kXml, "id", body};
    const auto answered = RunBlocking(operations_.Execute(Input::Schema(), context, *input, target));
    EXPECT_TRUE(answered || body.empty()) << "nothing is written of a reply that fails";
    return answered ? body : answered.error().name;
  }

  Names names_;
  QueryOperations operations_;
};

TEST_F(QueryOperationsTest, WhatIsRegisteredIsFound) {
  EXPECT_TRUE(operations_.Has(wire::iam::CreateUserInput::Schema()));
  EXPECT_TRUE(operations_.Has(wire::sts::GetAccessKeyInfoInput::Schema()));
  EXPECT_FALSE(operations_.Has(wire::iam::CreateRoleInput::Schema()));
}

TEST_F(QueryOperationsTest, AnOperationGetsWhatItWorksOnAndFillsItsReply) {
  EXPECT_THAT(Call<wire::iam::CreateUserInput>("UserName=bob"),
              HasSubstr("<CreateUserResult><User><Arn/><CreateDate>2026-03-01T12:00:00Z</CreateDate>"));
  EXPECT_EQ(Call<wire::iam::CreateUserInput>("UserName=bob"), "EntityAlreadyExists");
  EXPECT_THAT(Call<wire::iam::ListUsersInput>(""), HasSubstr("<UserName>bob</UserName>"));
}

TEST_F(QueryOperationsTest, AnOperationWithoutOutput) {
  names_ = {"bob"};
  EXPECT_EQ(Call<wire::iam::DeleteUserInput>("UserName=bob"),
            R"(<DeleteUserResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><ResponseMetadata>)"
            "<RequestId>id</RequestId></ResponseMetadata></DeleteUserResponse>");
  EXPECT_TRUE(names_.empty());
}

TEST_F(QueryOperationsTest, AnOperationThatNeedsOnlyItsCaller) {
  EXPECT_THAT(Call<wire::sts::GetAccessKeyInfoInput>("AccessKeyId=AKIAIOSFODNN7EXAMPLE"),
              HasSubstr("<Account>111122223333</Account>"));
}

}  // namespace
}  // namespace armature::query
