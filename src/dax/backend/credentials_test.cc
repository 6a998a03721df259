// When credentials are read again, and who waits for it.
#include "dax/backend/credentials.h"

#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace armature::dax {
namespace {

Credentials KeyNamed(const std::string& id, std::optional<int64_t> ends = {}) { return {{id, "secret", ""}, ends}; }
std::string IdOf(const CredentialsPtr& credentials) { return credentials->identity.access_key_id; }

class CredentialStoreTest : public testing::Test {
 protected:
  CredentialStore::Load Loads() {
    return [this]() -> Result<Credentials> {
      ++loads;
      if (released.valid()) released.wait();
      return next;
    };
  }
  static CredentialsPtr Renew(CredentialStore& store, CredentialsPtr refused) {
    return RunBlocking(store.Renew(std::move(refused)));
  }
  void AwaitLoads(int count) {
    for (int i = 0; i < 10'000 && loads < count; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(loads, count);
  }

  ManualClock clock;
  std::atomic<int> loads{0};
  Result<Credentials> next = KeyNamed("new");
  std::shared_future<void> released;
};

TEST_F(CredentialStoreTest, WithoutASourceTheyNeverChange) {
  CredentialStore store(KeyNamed("one", 1), {}, clock);
  const CredentialsPtr first = store.Current();
  EXPECT_EQ(IdOf(first), "one");
  EXPECT_EQ(Renew(store, first), first);
}

TEST_F(CredentialStoreTest, RefusedOnesAreReplacedByWhatThereIsNow) {
  CredentialStore store(KeyNamed("old"), Loads(), clock);
  const CredentialsPtr old = store.Current();
  EXPECT_EQ(loads, 0);
  const CredentialsPtr renewed = Renew(store, old);
  EXPECT_EQ(IdOf(renewed), "new");
  EXPECT_EQ(store.Current(), renewed);
  EXPECT_EQ(Renew(store, old), renewed) << "who was late gets what there is";
  EXPECT_EQ(loads, 1);
}

TEST_F(CredentialStoreTest, TheSameOnesAgainAreTheSameObjectAndNobodyReadsAllTheTime) {
  next = KeyNamed("old");
  CredentialStore store(KeyNamed("old"), Loads(), clock);
  const CredentialsPtr old = store.Current();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Renew(store, old), old);
  EXPECT_EQ(loads, 1);
  clock.AdvanceMillis(CredentialStore::kPauseMillis);
  next = KeyNamed("new");
  EXPECT_EQ(IdOf(Renew(store, old)), "new");
  EXPECT_EQ(loads, 2);
}

TEST_F(CredentialStoreTest, AFailureLeavesWhatThereWas) {
  next = Status::Unavailable("no file");
  CredentialStore store(KeyNamed("old"), Loads(), clock);
  EXPECT_EQ(IdOf(Renew(store, store.Current())), "old");
}

TEST_F(CredentialStoreTest, BeforeTheyEndTheyAreReadAgainAndNobodyWaits) {
  std::promise<void> release;
  released = release.get_future().share();
  const int64_t ends = clock.NowMillis() + CredentialStore::kRenewBeforeMillis + 1'000;
  CredentialStore store(KeyNamed("old", ends), Loads(), clock);
  EXPECT_EQ(IdOf(store.Current()), "old");
  EXPECT_EQ(loads, 0);
  clock.AdvanceMillis(1'000);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(IdOf(store.Current()), "old");
  AwaitLoads(1);
  release.set_value();
  for (int i = 0; i < 10'000 && IdOf(store.Current()) == "old"; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(IdOf(store.Current()), "new");
  EXPECT_EQ(loads, 1);
}

TEST_F(CredentialStoreTest, WhoeverWaitsGetsWhatOneReadingFound) {
  std::promise<void> release;
  released = release.get_future().share();
  CredentialStore store(KeyNamed("old"), Loads(), clock);
  const CredentialsPtr old = store.Current();
  std::vector<std::future<CredentialsPtr>> waiting;
  for (int i = 0; i < 4; ++i) waiting.push_back(std::async(std::launch::async, [&] { return Renew(store, old); }));
  AwaitLoads(1);
  release.set_value();
  for (auto& one : waiting) EXPECT_EQ(IdOf(one.get()), "new");
  EXPECT_EQ(loads, 1);
}

}  // namespace
}  // namespace armature::dax
