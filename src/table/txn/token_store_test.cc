#include "table/txn/token_store.h"

#include <gtest/gtest.h>

#include "base/codec/hex.h"
#include "storage/faulty/faulty_engine.h"
#include "storage/testing/test_engine.h"
#include "table/keys/key_layout.h"
#include "table/system_records.h"

namespace armature::table {
namespace {

using State = TokenStore::State;
constexpr ParameterHash kParameters{1, 2};
constexpr ParameterHash kOthers{1, 3};

class TokenStoreTest : public testing::Test {
 protected:
  TokenStore::Begun Begin(const std::string& id, ParameterHash parameters = kParameters) {
    auto begun = RunBlocking(tokens_->Begin(id, parameters));
    EXPECT_TRUE(begun.has_value());
    return std::move(*begun);
  }
  State StateOf(const std::string& id, ParameterHash parameters = kParameters) { return Begin(id, parameters).state; }
  void Commit(const storage::Batch& changes) { ASSERT_TRUE(RunBlocking(WriteSystemRecords(*engine_, changes)).ok()); }
  // A whole transaction with that token.
  void Complete(const std::string& id) {
    const auto begun = Begin(id);
    ASSERT_EQ(begun.state, State::kNew);
    ASSERT_TRUE(RunBlocking(WriteSystemRecordsDurably(*engine_, begun.changes)).ok());
  }
  size_t SystemRows() {
    storage::ScanOp scan;
    const storage::KeyRange all;
    EXPECT_TRUE(RunBlocking(ReadSystemRecords(*engine_, all, scan)).ok());
    return scan.rows.size();
  }

  Metrics metrics_;
  std::unique_ptr<storage::Engine> engine_ = storage::MakeTestEngine(metrics_);
  ManualClock clock_;
  std::unique_ptr<TokenStore> tokens_ = std::make_unique<TokenStore>(*engine_, clock_);
};

// What is not durable stays so.
class TokenStoreCrashTest : public TokenStoreTest {
 protected:
  TokenStoreCrashTest() {
    auto engine = storage::OpenFaultyEngine({.is_auto_sync = true}, metrics_);
    disk_ = engine.get();
    engine_ = std::move(engine);
    tokens_ = std::make_unique<TokenStore>(*engine_, clock_);
  }
  storage::FaultyEngine* disk_ = nullptr;
};

TEST_F(TokenStoreTest, ATokenIsRunningUntilItsClaimGoes) {
  {
    const auto running = Begin("a");
    EXPECT_EQ(running.state, State::kNew);
    EXPECT_EQ(StateOf("a"), State::kRunning);
    EXPECT_EQ(StateOf("a", kOthers), State::kRunning);
    EXPECT_EQ(StateOf("b"), State::kNew);
  }
  EXPECT_EQ(StateOf("a"), State::kNew) << "a transaction that was not committed leaves nothing";
}

TEST_F(TokenStoreTest, ACommittedTokenIsKnownByItsParameters) {
  Complete("a");
  EXPECT_EQ(StateOf("a"), State::kDone);
  EXPECT_EQ(StateOf("a", kOthers), State::kMismatch);
  clock_.AdvanceMillis(kTokenLifetimeMillis - 1);
  EXPECT_EQ(StateOf("a"), State::kDone);
  clock_.AdvanceMillis(1);
  EXPECT_EQ(StateOf("a"), State::kNew);
}

TEST_F(TokenStoreCrashTest, ACrashKeepsWhatWasDurable) {
  Complete("a");
  {
    const auto begun = Begin("b");
    Commit(begun.changes);
  }
  disk_->Crash();
  tokens_ = std::make_unique<TokenStore>(*engine_, clock_);
  EXPECT_EQ(StateOf("a"), State::kDone);
  EXPECT_EQ(StateOf("b"), State::kNew);
}

TEST_F(TokenStoreCrashTest, ATokenWhoseTransactionIsNotDurableIsNeitherDoneNorNew) {
  {
    const auto begun = Begin("a");
    Commit(begun.changes);
  }
  const auto again = RunBlocking(tokens_->Begin("a", kParameters));
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code(), StatusCode::kUnavailable);
}

// The example of docs/design/formats.md.
TEST_F(TokenStoreTest, BytesAsDocumented) {
  const auto begun = Begin(std::string("1\0r\0t", 5));
  std::string shown;
  begun.changes.ForEach([&](storage::Batch::Kind, std::string_view key, std::string_view value) {
    shown += ToHex(key) + " -> " + ToHex(value) + "\n";
  });
  EXPECT_EQ(shown,
            "493100720074 -> 01"
            "0000000000000001"
            "0000000000000002"
            "0000018bcfee8fc0\n"
            "45"
            "0000018bcfee8fc0"
            "3100720074 -> \n");
}

TEST_F(TokenStoreTest, ExpiredTokensAreRemoved) {
  const size_t before = SystemRows();
  Complete("a");
  clock_.AdvanceMillis(1000);
  Complete("b");
  clock_.AdvanceMillis(kTokenLifetimeMillis - 1000);
  ASSERT_TRUE(RunBlocking(tokens_->RemoveExpired()).ok());
  EXPECT_EQ(SystemRows(), before + 2);
  EXPECT_EQ(StateOf("b"), State::kDone);
  clock_.AdvanceMillis(1000);
  ASSERT_TRUE(RunBlocking(tokens_->RemoveExpired()).ok());
  EXPECT_EQ(SystemRows(), before);
}

TEST_F(TokenStoreTest, RemovalSparesATokenThatIsInUseAgain) {
  const size_t before = SystemRows();
  Complete("a");
  clock_.AdvanceMillis(kTokenLifetimeMillis);
  {
    const auto again = Begin("a");
    ASSERT_TRUE(RunBlocking(tokens_->RemoveExpired()).ok());
    EXPECT_EQ(SystemRows(), before + 2) << "left alone while it runs";
    ASSERT_TRUE(RunBlocking(WriteSystemRecordsDurably(*engine_, again.changes)).ok());
  }
  ASSERT_TRUE(RunBlocking(tokens_->RemoveExpired()).ok());
  EXPECT_EQ(SystemRows(), before + 2) << "only the old expiry entry goes";
  EXPECT_EQ(StateOf("a"), State::kDone);
}

TEST_F(TokenStoreTest, RemovalIsDoneInBoundedSteps) {
  const size_t before = SystemRows();
  for (int i = 0; i < 5; ++i) Complete(std::to_string(i));
  clock_.AdvanceMillis(kTokenLifetimeMillis);
  ASSERT_TRUE(RunBlocking(tokens_->RemoveExpired(2)).ok());
  EXPECT_EQ(SystemRows(), before + 6);
}

}  // namespace
}  // namespace armature::table
