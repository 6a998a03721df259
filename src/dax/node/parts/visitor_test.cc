// Whose a connection is, through changes of keys and policies, and as time passes.
#include "dax/node/parts/visitor.h"

#include <gtest/gtest.h>

namespace armature::dax {
namespace {

using auth::AuthFault;
using auth::AuthFaultKind;

class ScriptedDoor final : public Doorkeeper {
 public:
  auth::AuthResult<SignedIn> SignIn(const ParsedRequest& request, Arena&) const override {
    ++looks;
    if (fault) return *fault;
    return SignedIn{identity, std::string(request.access_key_id), "us-east-1", std::string(request.user_agent)};
  }
  uint64_t generation() const override { return changes; }
  int64_t NowMillis() const override { return now; }

  mutable int looks = 0;
  uint64_t changes = 1;
  int64_t now = 1'000'000;
  std::optional<AuthFault> fault;
  std::shared_ptr<const auth::Identity> identity =
      std::make_shared<const auth::Identity>(auth::RootIdentity("111122223333"));
};

class VisitorTest : public testing::Test {
 protected:
  void Sign(std::string_view token = {}) {
    ParsedRequest request;
    request.access_key_id = "AKIDEXAMPLE";
    request.session_token = token;
    visitor_.Take(request, door_, arena_);
  }
  std::string Who() {
    const auto caller = visitor_.Look(door_, arena_);
    return caller ? caller->access_key_id + " of " + caller->identity->account : "nobody";
  }

  Arena arena_;
  ScriptedDoor door_;
  Visitor visitor_;
};

constexpr const char* kHim = "AKIDEXAMPLE of 111122223333";

TEST_F(VisitorTest, WhoHasNotSignedIsNobodyAndMaySign) {
  EXPECT_EQ(Who(), "nobody");
  EXPECT_FALSE(visitor_.fault());
  EXPECT_TRUE(visitor_.may_sign_again());
  EXPECT_EQ(visitor_.HeldBytes(), 0u);
}

TEST_F(VisitorTest, ASignatureIsLookedAtOnceWhileNothingChanges) {
  Sign();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Who(), kHim);
  EXPECT_EQ(door_.looks, 1);
}

TEST_F(VisitorTest, AChangeOfPoliciesCountsWithTheNextRequest) {
  Sign();
  EXPECT_EQ(Who(), kHim);
  door_.identity = std::make_shared<const auth::Identity>(auth::RootIdentity("444455556666"));
  ++door_.changes;
  EXPECT_EQ(Who(), "AKIDEXAMPLE of 444455556666");
  EXPECT_EQ(door_.looks, 2);
}

TEST_F(VisitorTest, AKeyThatIsTakenAwayIsNobodysAtOnce) {
  Sign("token");
  EXPECT_GT(visitor_.HeldBytes(), 0u);
  ++door_.changes;
  door_.fault = AuthFault{AuthFaultKind::kUnrecognizedClient, "invalid"};
  EXPECT_EQ(Who(), "nobody");
  EXPECT_EQ(visitor_.fault()->kind, AuthFaultKind::kUnrecognizedClient);
  EXPECT_TRUE(visitor_.may_sign_again()) << "perhaps with a key that is good";
  EXPECT_EQ(visitor_.HeldBytes(), 0u);
  // He stays so until he signs again, whatever becomes of the key.
  door_.fault.reset();
  ++door_.changes;
  EXPECT_EQ(Who(), "nobody");
  Sign();
  EXPECT_EQ(Who(), kHim);
}

TEST_F(VisitorTest, ASignatureThatIsWrongFromTheBeginningIsNotWorthAnother) {
  door_.fault = AuthFault{AuthFaultKind::kInvalidSignature, "wrong"};
  Sign();
  EXPECT_EQ(Who(), "nobody");
  EXPECT_FALSE(visitor_.may_sign_again());
  EXPECT_EQ(visitor_.HeldBytes(), 0u) << "of a stranger nothing is kept";
  door_.fault = AuthFault{AuthFaultKind::kExpiredToken, "old"};
  Sign();
  EXPECT_TRUE(visitor_.may_sign_again());
}

TEST_F(VisitorTest, TimePassesForSignaturesToo) {
  Sign();
  door_.now += Visitor::kLookAgainMillis - 1;
  door_.fault = AuthFault{AuthFaultKind::kExpiredToken, "old"};
  EXPECT_EQ(Who(), kHim);
  door_.now += 1;
  EXPECT_EQ(Who(), "nobody");
}

TEST_F(VisitorTest, WhoIsPutOffIsLookedAtAgainByHimself) {
  Sign();
  ++door_.changes;
  door_.fault = AuthFault{AuthFaultKind::kThrottled, "Rate exceeded"};
  EXPECT_EQ(Who(), "nobody");
  EXPECT_EQ(Who(), "nobody");
  door_.fault.reset();
  EXPECT_EQ(Who(), kHim);
  EXPECT_FALSE(visitor_.fault());
}

TEST_F(VisitorTest, WhatIsLongerThanAnySignatureIsNotKept) {
  Sign(std::string(Visitor::kMostBytes, 't'));
  EXPECT_EQ(Who(), "nobody");
  EXPECT_FALSE(visitor_.may_sign_again());
  EXPECT_EQ(door_.looks, 0);
  EXPECT_EQ(visitor_.HeldBytes(), 0u);
}

}  // namespace
}  // namespace armature::dax
