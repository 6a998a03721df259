// What a verified signature costs per request, beside one that is only read.
#include <benchmark/benchmark.h>

#include "auth/accept_any.h"
#include "auth/verify/memory_key_ring.h"
#include "auth/verify/signature_testing.h"
#include "auth/verify/signature_verifier.h"

namespace armature::auth {
namespace {

// As botocore signs it: about 200 bytes of body.
TestRequest GetItem() {
  return {.body = R"({"TableName":"usertable","Key":{"pk":{"S":"user0000000042"}},"ConsistentRead":true,)"
                  R"("ProjectionExpression":"#a,#b","ExpressionAttributeNames":{"#a":"name","#b":"data"},)"
                  R"("ReturnConsumedCapacity":"NONE"})",
          .headers = {{"Content-Type", "application/x-amz-json-1.0"},
                      {"X-Amz-Target", "DynamoDB_20120810.GetItem"},
                      {"User-Agent", "Boto3/1.26 Python/3.11"}},
          .signed_headers = "content-type;host;x-amz-date;x-amz-target"};
}

struct House {
  House() {
    keys.Put(MakeTestUserKey());
    keys.Put(MakeTestSessionKey());
  }
  MemoryKeyRing keys;
  ManualClock clock{kTestMillis};
  AcceptAnyVerifier believing{"123456789012"};
  SignatureVerifier verifying{keys, clock};
};

void Run(benchmark::State& state, const Verifier& verifier, SignedTestRequest& request, bool is_right = true) {
  Arena arena;
  for (auto _ : state) {
    arena.Reset();
    auto verified = verifier.Verify(request.http(), {}, arena);
    if (verified.has_value() != is_right) state.SkipWithError("unexpected verdict");
    benchmark::DoNotOptimize(verified);
  }
}

void BM_ReadOnly(benchmark::State& state) {
  House house;
  SignedTestRequest request(GetItem());
  Run(state, house.believing, request);
}
BENCHMARK(BM_ReadOnly);

void BM_Verified(benchmark::State& state) {
  House house;
  SignedTestRequest request(GetItem());
  Run(state, house.verifying, request);
}
BENCHMARK(BM_Verified);

void BM_VerifiedWithAToken(benchmark::State& state) {
  House house;
  TestRequest from = GetItem();
  from.key_id = kTestSessionKey;
  from.token = kTestToken;
  from.signed_headers = "content-type;host;x-amz-date;x-amz-security-token;x-amz-target";
  SignedTestRequest request(from);
  Run(state, house.verifying, request);
}
BENCHMARK(BM_VerifiedWithAToken);

void BM_VerifiedPresigned(benchmark::State& state) {
  House house;
  SignedTestRequest request(GetItem(), true, "60");
  Run(state, house.verifying, request);
}
BENCHMARK(BM_VerifiedPresigned);

// A wrong signature keeps no signing key: each derives its own.
void BM_Refused(benchmark::State& state) {
  House house;
  TestRequest from = GetItem();
  from.signature = std::string(64, '0');
  SignedTestRequest request(from);
  Run(state, house.verifying, request, false);
}
BENCHMARK(BM_Refused);

void BM_Hashing(benchmark::State& state) {
  const std::string bytes(static_cast<size_t>(state.range(0)), 'x');
  for (auto _ : state) benchmark::DoNotOptimize(Sha256::Of(bytes));
}
BENCHMARK(BM_Hashing)->Arg(0)->Arg(200)->Arg(260)->Arg(1024);

}  // namespace
}  // namespace armature::auth

BENCHMARK_MAIN();
