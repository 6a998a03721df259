#include "cli/bench/http/sigv4_signer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::cli::bench {
namespace {

using ::testing::HasSubstr;

constexpr char kSecret[] = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
constexpr int64_t kAugust30 = 1440938160;  // 2015-08-30T12:36:00Z

SigV4Signer MakeSigner() { return SigV4Signer({"AKIDEXAMPLE", kSecret, "us-east-1"}, "127.0.0.1:8000"); }

// Expected signatures computed with botocore 1.29 for the same request.
TEST(SigV4SignerTest, SignatureMatchesTheSdk) {
  SigV4Signer signer = MakeSigner();
  std::string request;
  signer.AppendRequest("GetItem", R"({"TableName":"t","Key":{"pk":{"S":"a"}}})", kAugust30, request);
  EXPECT_EQ(request,
            "POST / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nContent-Type: application/x-amz-json-1.0\r\n"
            "X-Amz-Target: DynamoDB_20120810.GetItem\r\nX-Amz-Date: 20150830T123600Z\r\n"
            "User-Agent: armature-bench\r\n"
            "Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/dynamodb/aws4_request, "
            "SignedHeaders=content-type;host;x-amz-date;x-amz-target, "
            "Signature=d78d42a93b9f92747ab7bba517b0662da803b882e54ff273ce3123af978b8246\r\n"
            "Content-Length: 40\r\n\r\n"
            R"({"TableName":"t","Key":{"pk":{"S":"a"}}})");
}

TEST(SigV4SignerTest, MidnightChangesTheKey) {
  SigV4Signer signer = MakeSigner();
  std::string request;
  signer.AppendRequest("GetItem", "{}", kAugust30, request);
  request.clear();
  signer.AppendRequest("GetItem", R"({"TableName":"t","Key":{"pk":{"S":"a"}}})", 1440979201, request);
  EXPECT_THAT(request, HasSubstr("X-Amz-Date: 20150831T000001Z"));
  EXPECT_THAT(request, HasSubstr("Signature=efc529c95f0a365ff8f87fc37935d2b88ae738a8d2b70e5669f760aea24da974"));
}

TEST(SigV4SignerTest, AlternatingOperationsKeepTheirOwnState) {
  SigV4Signer mixed = MakeSigner();
  SigV4Signer fresh = MakeSigner();
  std::string first;
  std::string second;
  std::string again;
  std::string expected;
  mixed.AppendRequest("GetItem", "{\"a\":1}", kAugust30, first);
  mixed.AppendRequest("PutItem", "{\"a\":1}", kAugust30, second);
  mixed.AppendRequest("GetItem", "{\"a\":1}", kAugust30, again);
  fresh.AppendRequest("PutItem", "{\"a\":1}", kAugust30, expected);
  EXPECT_EQ(first, again);
  EXPECT_EQ(second, expected);
}

}  // namespace
}  // namespace armature::cli::bench
