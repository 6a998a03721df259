// Whole answers: what is found, for how long, and that a coherent cache never has one from before a write.
#include "dax/cache/query_cache.h"

#include <string>

#include <gtest/gtest.h>

namespace armature::dax {
namespace {

using Kind = QueryCache::Kind;

class QueryCacheTest : public testing::Test {
 protected:
  std::string Answer(QueryCache& cache, std::string_view asked, Kind kind = Kind::kQuery, uint32_t table = 7) {
    std::string answer;
    return cache.Find(kind, table, asked, answer) ? answer : "nothing";
  }
  void Read(QueryCache& cache, std::string_view asked, std::string_view answer, Kind kind = Kind::kQuery) {
    cache.Keep(cache.BeginRead(7), kind, 7, asked, answer);
  }

  ManualClock clock_;
  CacheSettings settings_;
  EntryStore store_{{.max_bytes = 4 << 20, .seed = 1}};
  Counter query_hits_, query_misses_, scan_hits_, scan_misses_;
  const QueryCacheCounters counters_{
      .query_hits = query_hits_, .query_misses = query_misses_, .scan_hits = scan_hits_, .scan_misses = scan_misses_};
  QueryCache cache_{store_, settings_, clock_, /*is_coherent=*/false, counters_};
  QueryCache coherent_{store_, settings_, clock_, /*is_coherent=*/true, counters_};
};

TEST_F(QueryCacheTest, AnswersAreKeptByAllThatWasAsked) {
  EXPECT_EQ(Answer(cache_, "a"), "nothing");
  Read(cache_, "a", "answer to a");
  Read(cache_, "a", "scan", Kind::kScan);
  Read(cache_, "nothing there", "");
  EXPECT_EQ(Answer(cache_, "a"), "answer to a");
  EXPECT_EQ(Answer(cache_, "a", Kind::kScan), "scan");
  EXPECT_EQ(Answer(cache_, "b", Kind::kScan), "nothing");
  EXPECT_EQ(Answer(cache_, "a", Kind::kQuery, 8), "nothing");
  EXPECT_EQ(Answer(cache_, "nothing there"), "");
  EXPECT_EQ(query_hits_.value(), 2u);
  EXPECT_EQ(query_misses_.value(), 2u);
  EXPECT_EQ(scan_hits_.value(), 1u);
  EXPECT_EQ(scan_misses_.value(), 1u);
}

TEST_F(QueryCacheTest, LargeAnswersAreKeptWhole) {
  EntryStore store({.max_bytes = 16 << 20, .shards = 1, .seed = 1});
  QueryCache cache(store, settings_, clock_, false, counters_);
  std::string answer;
  for (int i = 0; answer.size() < (1u << 20); ++i) answer += std::to_string(i);
  Read(cache, std::string(5'000, 'q'), answer);
  EXPECT_EQ(Answer(cache, std::string(5'000, 'q')), answer);
}

TEST_F(QueryCacheTest, AnswersEndAfterTheirTimeWhateverIsWritten) {
  Read(cache_, "a", "old");
  cache_.NoteWrite(7);
  clock_.AdvanceMillis(299'999);
  EXPECT_EQ(Answer(cache_, "a"), "old");
  clock_.AdvanceMillis(1);
  EXPECT_EQ(Answer(cache_, "a"), "nothing");
}

TEST_F(QueryCacheTest, ZeroKeepsNothingAndGivesNothing) {
  Read(cache_, "a", "kept before");
  settings_.query_ttl_millis = 0;
  EXPECT_EQ(Answer(cache_, "a"), "nothing");
  Read(cache_, "b", "answer");
  EXPECT_EQ(store_.figures().entries, 1u);
  settings_.query_ttl_millis = 1'000;
  EXPECT_EQ(Answer(cache_, "a"), "kept before");
  EXPECT_EQ(Answer(cache_, "b"), "nothing");
}

TEST_F(QueryCacheTest, ACoherentOneForgetsATableAtAWrite) {
  Read(coherent_, "a", "old");
  coherent_.NoteWrite(8);
  EXPECT_EQ(Answer(coherent_, "a"), "old");
  coherent_.NoteWrite(7);
  EXPECT_EQ(Answer(coherent_, "a"), "nothing");
  Read(coherent_, "a", "new");
  EXPECT_EQ(Answer(coherent_, "a"), "new");
}

TEST_F(QueryCacheTest, ACoherentOneKeepsNoReadAcrossAWrite) {
  const QueryCache::Version begun = coherent_.BeginRead(7);
  coherent_.NoteWrite(7);
  coherent_.Keep(begun, Kind::kQuery, 7, "a", "old");
  EXPECT_EQ(Answer(coherent_, "a"), "nothing");
  EXPECT_EQ(store_.figures().entries, 0u);
  EXPECT_NE(begun, coherent_.BeginRead(7));
}

}  // namespace
}  // namespace armature::dax
