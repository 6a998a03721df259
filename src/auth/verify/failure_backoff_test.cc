#include "auth/verify/failure_backoff.h"

#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace armature::auth {
namespace {

constexpr BackoffOptions kOptions{
    .failures_of_key = 3, .failures_of_address = 10, .window_millis = 1000, .pause_millis = 5000};

class FailureBackoffTest : public ::testing::Test {
 protected:
  void Fail(int times, std::string_view address = "192.0.2.1", std::string_view key = "k") {
    for (int i = 0; i < times; ++i) backoff_.NoteFailure(address, key);
  }
  bool Refuses(std::string_view address = "192.0.2.1", std::string_view key = "k") const {
    return backoff_.Refuses(address, key) != FailureBackoff::Refusal::kNone;
  }

  ManualClock clock_;
  FailureBackoff backoff_{kOptions, clock_, 7};
};

TEST_F(FailureBackoffTest, APauseFollowsTooManyFailures) {
  EXPECT_TRUE(backoff_.is_quiet());
  Fail(2);
  EXPECT_FALSE(backoff_.is_quiet());
  EXPECT_FALSE(Refuses());
  Fail(1);
  EXPECT_TRUE(Refuses());
  EXPECT_FALSE(Refuses("192.0.2.1", "other"));
  EXPECT_FALSE(Refuses("192.0.2.2"));
  clock_.AdvanceMillis(4999);
  EXPECT_TRUE(Refuses());
  clock_.AdvanceMillis(1);
  EXPECT_FALSE(Refuses());
  EXPECT_TRUE(backoff_.is_quiet());
  Fail(2);
  EXPECT_FALSE(Refuses()) << "it begins anew";
  Fail(1);
  EXPECT_TRUE(Refuses());
}

TEST_F(FailureBackoffTest, FailuresOfAnotherWindowAreForgotten) {
  for (int i = 0; i < 10; ++i) {
    Fail(2);
    clock_.AdvanceMillis(1000);
  }
  EXPECT_FALSE(Refuses());
}

TEST_F(FailureBackoffTest, FailuresWhilePausedDoNotProlongIt) {
  Fail(3);
  clock_.AdvanceMillis(4000);
  Fail(3);
  clock_.AdvanceMillis(1000);
  EXPECT_FALSE(Refuses());
}

TEST_F(FailureBackoffTest, AnAddressThatTriesManyKeysIsRefusedWhole) {
  for (int i = 0; i < 9; ++i) Fail(1, "192.0.2.1", fmt::format("k{}", i));
  EXPECT_FALSE(Refuses("192.0.2.1", "good"));
  Fail(1, "192.0.2.1", "k9");
  EXPECT_EQ(backoff_.Refuses("192.0.2.1", "good"), FailureBackoff::Refusal::kAddress) << "not for its own failures";
  EXPECT_FALSE(Refuses("192.0.2.2", "good"));
}

TEST_F(FailureBackoffTest, AKeyIsRefusedForItsOwnFailuresFirst) {
  Fail(10);
  EXPECT_EQ(backoff_.Refuses("192.0.2.1", "k"), FailureBackoff::Refusal::kKey);
}

TEST_F(FailureBackoffTest, WithoutALimitNobodyIsRefusedForThat) {
  FailureBackoff by_key({.failures_of_key = 3, .failures_of_address = 0}, clock_, 7);
  FailureBackoff by_address({.failures_of_key = 0, .failures_of_address = 3}, clock_, 7);
  FailureBackoff never({.failures_of_key = 0, .failures_of_address = 0}, clock_, 7);
  for (FailureBackoff* const backoff : {&by_key, &by_address, &never})
    for (int i = 0; i < 100; ++i) backoff->NoteFailure("192.0.2.1", "k");
  EXPECT_EQ(by_key.Refuses("192.0.2.1", "other"), FailureBackoff::Refusal::kNone);
  EXPECT_EQ(by_key.Refuses("192.0.2.1", "k"), FailureBackoff::Refusal::kKey);
  EXPECT_EQ(by_address.Refuses("192.0.2.1", "k"), FailureBackoff::Refusal::kAddress);
  EXPECT_EQ(never.Refuses("192.0.2.1", "k"), FailureBackoff::Refusal::kNone);
  EXPECT_TRUE(never.is_quiet());
}

TEST_F(FailureBackoffTest, OfIPv6TheNetworkCounts) {
  Fail(3, "2001:db8::1");
  EXPECT_TRUE(Refuses("2001:db8::1"));
  EXPECT_TRUE(Refuses("2001:db8:0:0:ffff::2"));
  EXPECT_FALSE(Refuses("2001:db8:0:1::1"));
  Fail(3, "::ffff:192.0.2.9");
  EXPECT_TRUE(Refuses("192.0.2.9"));
  EXPECT_FALSE(Refuses("192.0.2.10"));
}

TEST_F(FailureBackoffTest, AnUnknownAddressIsNeverRefused) {
  Fail(100, "");
  EXPECT_FALSE(Refuses(""));
}

TEST_F(FailureBackoffTest, AClockThatIsSetBackEndsThePause) {
  Fail(3);
  EXPECT_TRUE(Refuses());
  clock_.AdvanceMillis(-86'400'000);
  EXPECT_FALSE(Refuses());
  Fail(3);
  EXPECT_TRUE(Refuses());
}

// Addresses by the hundred thousand cost no memory, and do not set free whoever is paused.
TEST_F(FailureBackoffTest, AFloodOfAddressesPushesOutThoseWithFewFailures) {
  Fail(3);
  for (int i = 0; i < 100'000; ++i)
    backoff_.NoteFailure(fmt::format("10.{}.{}.{}", i >> 16, i >> 8 & 255, i & 255), "");
  EXPECT_TRUE(Refuses());
}

TEST_F(FailureBackoffTest, TextThatIsNoAddressIsOneToo) {
  const std::string long_text(1000, ':');
  Fail(3, long_text);
  EXPECT_TRUE(Refuses(long_text));
}

TEST_F(FailureBackoffTest, ThreadsMayMeet) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, i] {
      for (int j = 0; j < 20'000; ++j) {
        backoff_.NoteFailure(fmt::format("10.0.{}.{}", i, j & 255), "k");
        (void)backoff_.Refuses("192.0.2.1", "k");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Fail(3);
  EXPECT_TRUE(Refuses());
}

}  // namespace
}  // namespace armature::auth
