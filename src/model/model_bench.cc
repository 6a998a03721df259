// Micro-benchmarks of what every request does with values: parse, size, encode, decode, make keys.
#include <array>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "model/codec/item_codec.h"
#include "model/codec/key_codec.h"
#include "model/item_size.h"

namespace armature::model {
namespace {

constexpr std::array<std::string_view, 3> kNumbers = {"1234567", "-12345.6789",
                                                      "12345678901234567890123456789012345678"};

Number Num(std::string_view text) { return Number::Parse(text).value(); }

// Five attributes, about 200 bytes: the usual item of the usual benchmark.
struct SampleItem {
  Arena arena;
  std::string text = std::string(120, 'x');
  std::array<MapEntry, 5> entries = {
      MapEntry{"active", Value::Bool(true)}, MapEntry{"count", Value::OfNumber(Num("42"), arena)},
      MapEntry{"payload", Value::String(text)}, MapEntry{"pk", Value::String("customer#0000012345")},
      MapEntry{"updated", Value::OfNumber(Num("1763182740123"), arena)}};
  Item item() const { return entries; }
};

void BM_NumberParse(benchmark::State& state) {
  const auto text = kNumbers[static_cast<size_t>(state.range(0))];
  for (auto _ : state) benchmark::DoNotOptimize(Number::Parse(text));
  state.SetLabel(std::string(text));
}
BENCHMARK(BM_NumberParse)->DenseRange(0, 2);

void BM_NumberAppendTo(benchmark::State& state) {
  const Number number = Num(kNumbers[static_cast<size_t>(state.range(0))]);
  std::string out;
  for (auto _ : state) {
    out.clear();
    number.AppendTo(out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(BM_NumberAppendTo)->DenseRange(0, 2);

void BM_NumberEncodeOrdered(benchmark::State& state) {
  const Number number = Num(kNumbers[static_cast<size_t>(state.range(0))]);
  std::string out;
  for (auto _ : state) {
    out.clear();
    number.EncodeOrdered(out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(BM_NumberEncodeOrdered)->DenseRange(0, 2);

void BM_NumberAdd(benchmark::State& state) {
  const Number a = Num(kNumbers[0]), b = Num(kNumbers[static_cast<size_t>(state.range(0))]);
  for (auto _ : state) benchmark::DoNotOptimize(Number::Add(a, b));
}
BENCHMARK(BM_NumberAdd)->DenseRange(0, 1);

void BM_ItemSize(benchmark::State& state) {
  const SampleItem sample;
  for (auto _ : state) benchmark::DoNotOptimize(ItemSize(sample.item()));
}
BENCHMARK(BM_ItemSize);

void BM_ItemEncode(benchmark::State& state) {
  const SampleItem sample;
  const size_t size = ItemSize(sample.item());
  std::string out;
  for (auto _ : state) {
    out.clear();
    EncodeItem(sample.item(), size, out);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(out.size()));
}
BENCHMARK(BM_ItemEncode);

void BM_ItemDecode(benchmark::State& state) {
  const SampleItem sample;
  std::string record;
  EncodeItem(sample.item(), ItemSize(sample.item()), record);
  Arena arena;
  for (auto _ : state) {
    arena.Reset();
    benchmark::DoNotOptimize(DecodeItem(record, arena));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(record.size()));
}
BENCHMARK(BM_ItemDecode);

void BM_KeyEncode(benchmark::State& state) {
  const SampleItem sample;
  const Value& key = *FindAttribute(sample.item(), "pk");
  std::string out;
  for (auto _ : state) {
    out.clear();
    AppendKeyValue(key, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(BM_KeyEncode);

}  // namespace
}  // namespace armature::model

BENCHMARK_MAIN();
