// Micro-benchmarks: what one request pays for its policies. Run `policy_bench`; not part of the tests.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "policy/evaluate.h"
#include "policy/managed_policies.h"
#include "policy/policy.h"
#include "policy/testing/policy_testing.h"

namespace armature::policy {
namespace {

// Five statements, one of them with a condition on the leading key.
constexpr std::string_view kFiveStatements = R"({"Version":"2012-10-17","Statement":[
  {"Sid":"Tables","Effect":"Allow","Action":["dynamodb:ListTables","dynamodb:DescribeLimits"],"Resource":"*"},
  {"Sid":"Describe","Effect":"Allow","Action":"dynamodb:Describe*","Resource":"arn:aws:dynamodb:*:111122223333:table/*"},
  {"Sid":"Own","Effect":"Allow","Action":["dynamodb:GetItem","dynamodb:PutItem","dynamodb:UpdateItem","dynamodb:DeleteItem",
    "dynamodb:Query","dynamodb:BatchGetItem","dynamodb:BatchWriteItem"],
   "Resource":["arn:aws:dynamodb:us-east-1:111122223333:table/Games","arn:aws:dynamodb:us-east-1:111122223333:table/Games/index/*"],
   "Condition":{"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["${aws:username}"]}}},
  {"Sid":"Streams","Effect":"Allow","Action":["dynamodb:GetRecords","dynamodb:GetShardIterator","dynamodb:DescribeStream"],
   "Resource":"arn:aws:dynamodb:*:*:table/*/stream/*"},
  {"Sid":"Never","Effect":"Deny","Action":"dynamodb:DeleteTable","Resource":"*"}]})";

// As a server has it: values are at hand, and a switch finds them.
class BenchConditions : public ConditionSource {
 public:
  explicit BenchConditions(std::string key) : keys_{std::move(key)} {}
  ConditionValues Find(const ConditionKey& key) const override {
    switch (key.known) {
      case KnownKey::kLeadingKeys: return ConditionValues::Many(std::span<const std::string>(keys_));
      case KnownKey::kSecureTransport: return ConditionValues::One("true");
      default: return ConditionValues::None();
    }
  }

 private:
  std::vector<std::string> keys_;
};

void Run(benchmark::State& state, std::string_view document, std::string_view action, const std::string& leading_key,
         bool allowed) {
  const auto policy = Parse(document, PolicyKind::kIdentity);
  const BenchConditions conditions(leading_key);
  const Request request{action, kTableArn, kAccount, kBob, conditions};
  const ApplicablePolicies policies{.identity = {&*policy, 1}};
  if (Evaluate(request, policies).allowed() != allowed) state.SkipWithError("decides otherwise");
  for (auto _ : state) benchmark::DoNotOptimize(Evaluate(request, policies));
}

void BM_OwnItem(benchmark::State& state) { Run(state, kFiveStatements, "dynamodb:GetItem", "bob", true); }
BENCHMARK(BM_OwnItem);

void BM_ItemOfAnother(benchmark::State& state) { Run(state, kFiveStatements, "dynamodb:GetItem", "eve", false); }
BENCHMARK(BM_ItemOfAnother);

void BM_ManagedFullAccess(benchmark::State& state) {
  for (const ManagedPolicy& managed : ManagedPolicies())
    if (managed.name == "AmazonDynamoDBFullAccess") Run(state, managed.document, "dynamodb:GetItem", "bob", true);
}
BENCHMARK(BM_ManagedFullAccess);

void BM_ManagedReadOnly(benchmark::State& state) {
  for (const ManagedPolicy& managed : ManagedPolicies())
    if (managed.name == "AmazonDynamoDBReadOnlyAccess") Run(state, managed.document, "dynamodb:PutItem", "bob", false);
}
BENCHMARK(BM_ManagedReadOnly);

void BM_Parse(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Parse(kFiveStatements, PolicyKind::kIdentity));
}
BENCHMARK(BM_Parse);

}  // namespace
}  // namespace armature::policy

BENCHMARK_MAIN();
