#include "dax/node/parts/error_reply.h"

#include <gtest/gtest.h>

#include "dax/node/testing/dax_client.h"
#include "dax/node/testing/fake_backend.h"

namespace armature::dax {
namespace {

using auth::AuthFault;
using auth::AuthFaultKind;

// What was appended, in words; it stands alone.
template <class Append>
std::string Told(Append append) {
  std::string out = "before";
  append(out);
  EXPECT_EQ(out.substr(0, 6), "before");
  CborReader reader(std::string_view(out).substr(6));
  for (int i = 0; i < 3; ++i) reader.Skip();
  EXPECT_TRUE(reader.ok() && reader.at_end());
  return ErrorIn(std::string_view(out).substr(6));
}

TEST(ErrorReply, WhatIsNoRequest) {
  EXPECT_EQ(Told([](std::string& out) { AppendRefusal("no", out); }), "4,37,38,39,46 ValidationException");
}

TEST(ErrorReply, SignaturesThatMayBeMadeAnewAndThoseThatMayNot) {
  const auto told = [](std::optional<AuthFault> fault, bool may_sign_again) {
    return Told([&](std::string& out) { AppendSignatureFault(fault, may_sign_again, out); });
  };
  EXPECT_EQ(told(std::nullopt, true), "4,23,31,33 MissingAuthenticationTokenException");
  EXPECT_EQ(told(AuthFault{AuthFaultKind::kExpiredToken, ""}, true), "4,23,31,33 ExpiredTokenException");
  EXPECT_EQ(told(AuthFault{AuthFaultKind::kUnrecognizedClient, ""}, false), "4,23,31,32 UnrecognizedClientException");
  EXPECT_EQ(told(AuthFault{AuthFaultKind::kInvalidSignature, ""}, false), "4,23,31,32 InvalidSignatureException");
  EXPECT_EQ(told(AuthFault{AuthFaultKind::kThrottled, ""}, false), "4,37,38,39,50 ThrottlingException")
      << "a new signature would not help";
}

TEST(ErrorReply, NoRoom) {
  EXPECT_EQ(Told(&AppendOverload), "4,37,38,39,50 ThrottlingException");
  EXPECT_EQ(Told(&AppendThrottling), "4,37,38,39,50 ThrottlingException");
  EXPECT_EQ(Told(&AppendListsFull), "4,37,38,39,49 LimitExceededException");
}

TEST(ErrorReply, OwnFaultsAndTablesThatAreNotThere) {
  EXPECT_EQ(Told(&AppendFailure).substr(0, 13), "4,37,38,39,47");
  EXPECT_EQ(Told([](std::string& out) { AppendNoSuchTable(ErrorNamed("ResourceNotFoundException"), out); }),
            "4,23,24 ResourceNotFoundException");
}

}  // namespace
}  // namespace armature::dax
