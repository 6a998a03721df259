// What a hit of the caches costs, and what keeping costs, at several numbers of entries.
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/random.h"
#include "dax/cache/item_cache.h"

namespace armature::dax {
namespace {

struct BenchedCache {
  explicit BenchedCache(size_t items, size_t blob_bytes) {
    const std::string blob(blob_bytes, 'b');
    for (size_t i = 0; i < items; ++i) {
      const std::string key = Key(i);
      cache.KeepItem(cache.BeginRead(1, key), 1, key, blob);
    }
  }
  static std::string Key(uint64_t number) {
    std::string key = "user0000000000000000";
    const std::string digits = std::to_string(number);
    return key.replace(key.size() - digits.size(), digits.size(), digits);
  }

  SystemClock clock;
  CacheSettings settings;
  EntryStore store{{.max_bytes = size_t{1} << 30, .seed = 1}};
  Counter hits, misses;
  ItemCache cache{store, settings, clock, 2, {.hits = hits, .misses = misses}};
};

std::vector<std::string> ShuffledKeys(size_t items) {
  SeededRandom random(3);
  std::vector<std::string> keys;
  for (size_t i = 0; i < 1 << 16; ++i) keys.push_back(BenchedCache::Key(random.Below(items)));
  return keys;
}

void BM_Hit(benchmark::State& state) {
  const auto items = static_cast<size_t>(state.range(0));
  BenchedCache cached(items, static_cast<size_t>(state.range(1)));
  const std::vector<std::string> keys = ShuffledKeys(items);
  std::string answer;
  size_t next = 0;
  for (auto _ : state) {
    answer.clear();
    benchmark::DoNotOptimize(cached.cache.Find(1, keys[next++ % keys.size()], answer));
  }
  const EntryFigures figures = cached.store.figures();
  state.counters["bytes_per_entry"] = static_cast<double>(figures.memory_bytes) / static_cast<double>(figures.entries);
  state.counters["of_kept"] = static_cast<double>(figures.memory_bytes) / static_cast<double>(figures.kept_bytes);
}
BENCHMARK(BM_Hit)
    ->Args({1, 200})
    ->Args({1'000, 200})
    ->Args({100'000, 200})
    ->Args({1'000'000, 177})
    ->Args({1'000, 4'000});

void BM_Miss(benchmark::State& state) {
  BenchedCache cached(100'000, 200);
  std::string answer;
  const std::string key = "somebody else";
  for (auto _ : state) benchmark::DoNotOptimize(cached.cache.Find(1, key, answer));
}
BENCHMARK(BM_Miss);

// Into a full store: each one that is kept pushes another out.
void BM_KeepWhenFull(benchmark::State& state) {
  EntryStore store({.max_bytes = size_t{64} << 20, .seed = 1});
  SeededRandom random(4);
  const auto most = static_cast<uint64_t>(state.range(0));
  const std::string filling(most, 'b');
  uint64_t next = 0;
  const auto put = [&] {
    const std::string key = BenchedCache::Key(next++);
    store.Put(key, std::string_view(filling).substr(0, 1 + random.Below(most)), 0);
  };
  while (store.figures().evictions == 0) put();
  for (auto _ : state) put();
}
BENCHMARK(BM_KeepWhenFull)->Arg(200)->Arg(4'000)->Arg(400'000);

void BM_Write(benchmark::State& state) {
  BenchedCache cached(1'000, 200);
  const std::string key = BenchedCache::Key(7), blob(200, 'n');
  for (auto _ : state) cached.cache.BeginWrite(1, key).EndItem(blob);
}
BENCHMARK(BM_Write);

}  // namespace
}  // namespace armature::dax

BENCHMARK_MAIN();
