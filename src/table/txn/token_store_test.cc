#include "table/txn/token_store.h"

#include <gtest/gtest.h>

#include "storage/faulty/faulty_engine.h"
#include "table/keys/key_layout.h"

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
  void Commit(const storage::Batch& changes) {
    storage::CommitOp commit;
    commit.partition = &engine_->system();
    commit.batch = &changes;
    engine_->Commit(commit);
    ASSERT_TRUE(commit.status.ok());
  }
  // A whole transaction with that token.
  void Complete(const std::string& id) {
    const auto begun = Begin(id);
    ASSERT_EQ(begun.state, State::kNew);
    Commit(begun.changes);
    ASSERT_TRUE(engine_->Sync().ok());
  }
  size_t SystemRows() {
    storage::ScanOp scan;
    scan.partition = &engine_->system();
    scan.at.view = storage::View::kLatest;
    engine_->Scan(scan);
    return scan.rows.size();
  }

  Metrics metrics_;
  std::unique_ptr<storage::FaultyEngine> engine_ = storage::OpenFaultyEngine({}, metrics_);
  ManualClock clock_;
  std::unique_ptr<TokenStore> tokens_ = std::make_unique<TokenStore>(*engine_, clock_);
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

TEST_F(TokenStoreTest, ACrashKeepsWhatWasDurable) {
  Complete("a");
  {
    const auto begun = Begin("b");
    Commit(begun.changes);
  }
  engine_->Crash();
  tokens_ = std::make_unique<TokenStore>(*engine_, clock_);
  EXPECT_EQ(StateOf("a"), State::kDone);
  EXPECT_EQ(StateOf("b"), State::kNew);
}

TEST_F(TokenStoreTest, ATokenWhoseTransactionIsNotDurableIsNeitherDoneNorNew) {
  {
    const auto begun = Begin("a");
    Commit(begun.changes);
  }
  const auto again = RunBlocking(tokens_->Begin("a", kParameters));
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code(), StatusCode::kUnavailable);
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
    Commit(again.changes);
    ASSERT_TRUE(engine_->Sync().ok());
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
