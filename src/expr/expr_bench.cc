// Micro-benchmarks: what one request pays for its expressions. Run `expr_bench`; not part of the tests.
#include <string_view>

#include <benchmark/benchmark.h>

#include "base/memory/arena.h"
#include "expr/apply/evaluate.h"
#include "expr/apply/projection.h"
#include "expr/apply/update.h"
#include "expr/bind/expression_set.h"
#include "expr/expr_testing.h"
#include "expr/parse/cache.h"
#include "expr/parse/parser.h"

namespace armature::expr {
namespace {

constexpr std::string_view kCondition = "attribute_exists(pk) AND #v = :old";
constexpr std::string_view kUpdate = "SET #c = #c + :one, updated = :old";
constexpr std::string_view kProjection = "pk, #v, m.k, l[0]";
constexpr std::string_view kItem = "pk=S:k,counter=N:41,l=L[N:1,N:2],m=M{k=S:v,o=S:w},ts=S:2024,version=N:7";
constexpr NameBinding kNames[] = {{"#v", "version"}, {"#c", "counter"}};

struct Fixture {
  Arena lasting;
  Arena arena;
  model::Item item = MakeItem(lasting, kItem);
  ValueBinding values[2] = {{":old", V(lasting, "N:7")}, {":one", V(lasting, "N:1")}};

  ExpressionSet Set() {
    arena.Reset();
    return {arena, std::span(kNames), std::span<const ValueBinding>(values)};
  }
};

void BM_ParseCondition(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Parse(Grammar::kCondition, kCondition));
}
BENCHMARK(BM_ParseCondition);

void BM_CacheHit(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(&ExpressionCache::ForThisThread().Get(Grammar::kCondition, kCondition));
}
BENCHMARK(BM_CacheHit);

void BM_BindCondition(benchmark::State& state) {
  Fixture fixture;
  for (auto _ : state) {
    auto set = fixture.Set();
    benchmark::DoNotOptimize(set.AddCondition(ExpressionKind::kCondition, kCondition));
  }
}
BENCHMARK(BM_BindCondition);

void BM_EvaluateCondition(benchmark::State& state) {
  Fixture fixture;
  auto set = fixture.Set();
  const auto bound = set.AddCondition(ExpressionKind::kCondition, kCondition);
  for (auto _ : state) benchmark::DoNotOptimize(Evaluate(**bound, fixture.item));
}
BENCHMARK(BM_EvaluateCondition);

void BM_BindUpdate(benchmark::State& state) {
  Fixture fixture;
  for (auto _ : state) {
    auto set = fixture.Set();
    benchmark::DoNotOptimize(set.AddUpdate(kUpdate));
  }
}
BENCHMARK(BM_BindUpdate);

void BM_ApplyUpdate(benchmark::State& state) {
  Fixture fixture;
  Arena bound_arena;
  ExpressionSet set(bound_arena, std::span(kNames), std::span<const ValueBinding>(fixture.values));
  const auto bound = set.AddUpdate(kUpdate);
  for (auto _ : state) {
    fixture.arena.Reset();
    benchmark::DoNotOptimize(ApplyUpdate(**bound, fixture.item, true, {}, fixture.arena));
  }
}
BENCHMARK(BM_ApplyUpdate);

void BM_BindAndProject(benchmark::State& state) {
  Fixture fixture;
  for (auto _ : state) {
    auto set = fixture.Set();
    const auto bound = set.AddProjection(kProjection);
    benchmark::DoNotOptimize(Project(**bound, fixture.item, fixture.arena));
  }
}
BENCHMARK(BM_BindAndProject);

}  // namespace
}  // namespace armature::expr

BENCHMARK_MAIN();
