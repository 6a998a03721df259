#include "auth/limits/principal_limits.h"

#include <map>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "auth/verify/memory_key_ring.h"
#include "auth/verify/signature_testing.h"
#include "auth/verify/signature_verifier.h"

namespace armature::auth {
namespace {

class PrincipalLimitsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    keys_.Put(MakeTestUserKey());
    keys_.Put(MakeTestUserKey("AKIDSECOND"));  // of the same user
    keys_.Put(MakeTestSessionKey());
  }

  // "ok", or what he is told.
  std::string Ask(const PrincipalLimits& limits, TestRequest request) {
    SignedTestRequest signed_request(std::move(request));
    Arena arena;
    const auto verified = limits.Verify(signed_request.http(), {}, arena);
    return verified ? "ok" : verified.error().message.substr(0, 25);
  }
  int AskUntilRefused(const PrincipalLimits& limits, const TestRequest& request) {
    for (int asked = 0; asked < 1000; ++asked)
      if (Ask(limits, request) != "ok") return asked;
    return 1000;
  }
  uint64_t Limited() { return metrics_.GetCounter("armature_requests_limited_total", "", R"(by="principal")").value(); }

  MemoryKeyRing keys_;
  ManualClock clock_{kTestMillis};
  Metrics metrics_;
  const SignatureVerifier inner_{keys_, clock_};
  const PrincipalLimits limits_{{.requests = Rate{2, 5}, .max_connections = 0}, inner_, clock_, 7, metrics_};
};

TEST_F(PrincipalLimitsTest, WhoAsksTooOftenIsToldToWaitAndThenServedAgain) {
  EXPECT_EQ(AskUntilRefused(limits_, {}), 5);
  EXPECT_EQ(Ask(limits_, {}), "Rate exceeded");
  EXPECT_EQ(Limited(), 2u);
  clock_.AdvanceMillis(500);
  EXPECT_EQ(AskUntilRefused(limits_, {}), 1);
}

// Behind one signature, by way of another verifier, as DAX's come.
TEST_F(PrincipalLimitsTest, RequestsThatAreNotSignedCountAsThoseThatAre) {
  SignedTestRequest signed_request{TestRequest()};
  Arena arena;
  const auto verified = inner_.Verify(signed_request.http(), {}, arena);
  ASSERT_TRUE(verified);
  const Identity& identity = *verified->principal.identity;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limits_.CountRequest(identity));
  EXPECT_EQ(AskUntilRefused(limits_, {}), 2);
  const auto counted = limits_.CountRequest(identity);
  ASSERT_FALSE(counted);
  EXPECT_EQ(counted.error().kind, AuthFaultKind::kThrottled);
  EXPECT_EQ(Limited(), 2u);
  clock_.AdvanceMillis(500);
  EXPECT_TRUE(limits_.CountRequest(identity));
}

TEST_F(PrincipalLimitsTest, AllKeysOfAUserAreOne) {
  EXPECT_EQ(AskUntilRefused(limits_, {}), 5);
  EXPECT_EQ(Ask(limits_, {.key_id = "AKIDSECOND"}), "Rate exceeded");
}

TEST_F(PrincipalLimitsTest, OthersAreServedMeanwhile) {
  EXPECT_EQ(AskUntilRefused(limits_, {}), 5);
  EXPECT_EQ(Ask(limits_, {.key_id = std::string(kTestSessionKey), .token = std::string(kTestToken)}), "ok");
}

TEST_F(PrincipalLimitsTest, WhoOnlyNamesAKeySpendsNothingOfItsOwner) {
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Ask(limits_, {.signature = "0"}), "The request signature we ");
  EXPECT_EQ(AskUntilRefused(limits_, {}), 5);
}

}  // namespace
}  // namespace armature::auth
