#include "auth/verify/posture.h"

#include <gtest/gtest.h>

#include "auth/accept_any.h"
#include "auth/verify/memory_key_ring.h"
#include "auth/verify/signature_testing.h"
#include "auth/verify/signature_verifier.h"

namespace armature::auth {
namespace {

class PostureTest : public ::testing::Test {
 protected:
  std::string Caller(TestRequest request) {
    SignedTestRequest signed_request(std::move(request));
    Arena arena;
    const auto verified = posture_.Verify(signed_request.http(), {}, arena);
    is_unproven_ = verified && verified->is_unproven;
    return verified ? std::string(verified->principal.arn) : verified.error().message.substr(0, 25);
  }

  bool is_unproven_ = false;  // what was said of the last caller
  MemoryKeyRing keys_;
  ManualClock clock_{kTestMillis};
  const AcceptAnyVerifier believing_{"123456789012"};
  const SignatureVerifier verifying_{keys_, clock_};
  const PostureVerifier posture_{keys_, believing_, verifying_};
};

TEST_F(PostureTest, WithoutPrincipalsWhatIsWellFormedIsBelieved) {
  EXPECT_FALSE(posture_.is_verifying());
  EXPECT_EQ(Caller({}), "arn:aws:iam::123456789012:root");
  EXPECT_TRUE(is_unproven_);
  EXPECT_EQ(Caller({.key_id = "anybody", .signature = "0"}), "arn:aws:iam::123456789012:root");
  EXPECT_EQ(Caller({.date = "20010101T000000Z", .signature = "0"}), "arn:aws:iam::123456789012:root");
  EXPECT_EQ(Caller({.signature = ""}), "Authorization header requ");
}

TEST_F(PostureTest, TheFirstPrincipalShutsTheDoorAtOnce) {
  EXPECT_EQ(Caller({.key_id = "anybody", .signature = "0"}), "arn:aws:iam::123456789012:root");
  keys_.Put(MakeTestUserKey());
  EXPECT_TRUE(posture_.is_verifying());
  EXPECT_EQ(Caller({.key_id = "anybody", .signature = "0"}), "The security token includ");
  EXPECT_EQ(Caller({.signature = "0"}), "The request signature we ");
  EXPECT_EQ(Caller({}), "arn:aws:iam::111122223333:user/staff/alice");
  EXPECT_FALSE(is_unproven_);
}

}  // namespace
}  // namespace armature::auth
