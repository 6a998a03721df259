#include "storage/narrow/narrow_engine.h"

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/metrics.h"
#include "storage/engine_calls.h"
#include "storage/memory/memory_engine.h"
#include "storage/storage_testing.h"

namespace armature::storage {
namespace {

constexpr PartitionId kOne = 1, kTwo = 2;

class NarrowEngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const PartitionId id : {kOne, kTwo})
      ASSERT_TRUE(RunBlocking(engine_->CreatePartition({.id = id, .keyspace = id, .epoch = 1})).ok());
    one_ = Open(kOne, 1);
    two_ = Open(kTwo, 1);
  }

  std::shared_ptr<OpenPartition> Open(PartitionId id, Epoch epoch) {
    auto opened = RunBlocking(engine_->OpenPartitionAt(id, epoch));
    EXPECT_TRUE(opened.has_value()) << (opened ? "" : opened.error().ToString());
    return opened ? *opened : nullptr;
  }

  static std::string Key(std::string_view rest) {
    std::string key = "\x10";
    AppendBigEndian(key, uint64_t{7});
    return key.append(rest);
  }

  struct Outcome {
    StatusCode code = StatusCode::kOk;
    Sequence sequence = 0;
    Mark mark = 0;
  };
  Outcome Commit(OpenPartition& partition, const Batch& batch) {
    CommitOp op;
    op.partition = &partition, op.batch = &batch;
    engine_->Commit(op);
    Await(op.done);
    return {op.status.code(), op.sequence, op.mark};
  }
  Outcome Put(OpenPartition& partition, std::string_view key, std::string_view value = "v") {
    Batch batch;
    batch.Put(Key(key), value);
    return Commit(partition, batch);
  }
  StatusCode Durable(const OpenPartition& partition, Mark mark) {
    DurableOp op;
    op.partition = &partition, op.mark = mark;
    engine_->WhenDurable(op);
    Await(op.done);
    return op.status.code();
  }
  std::unique_ptr<DurableOp> Park(const OpenPartition& partition, Mark mark) {
    auto op = std::make_unique<DurableOp>();
    op->partition = &partition, op->mark = mark;
    engine_->WhenDurable(*op);
    return op;
  }
  std::string Read(const OpenPartition& partition, std::string_view key, View view = View::kLatest) {
    return GetOr(*engine_, Key(key), "-", {view}, &partition);
  }
  // The keys behind the hash, joined.
  std::string Scan(const OpenPartition& partition, View view, bool is_reverse = false, size_t limit_rows = SIZE_MAX) {
    ScanOp op;
    op.partition = &partition, op.begin = "\x10", op.at.view = view;
    op.is_reverse = is_reverse, op.limit_rows = limit_rows;
    RunScan(*engine_, op);
    EXPECT_TRUE(op.status.ok()) << op.status.ToString();
    std::string keys;
    for (const auto& row : op.rows) keys.append(row.key.substr(Key("").size()));
    return keys;
  }

  Metrics metrics_;
  std::unique_ptr<NarrowEngine> engine_ = OpenNarrowEngine(OpenMemoryEngine(metrics_), {.seed = 4});
  std::shared_ptr<OpenPartition> one_, two_;
};

TEST_F(NarrowEngineTest, WhatIsOrderedIsReadAtOnceAndDurableLater) {
  engine_->HoldBack(kOne);
  const Outcome put = Put(*one_, "a");
  EXPECT_EQ(put.sequence, 1u);
  EXPECT_EQ(one_->newest(), 1u);
  EXPECT_EQ(engine_->queued(kOne), 1u);
  EXPECT_EQ(Read(*one_, "a"), "v");
  EXPECT_EQ(Read(*one_, "a", View::kDurable), "-");
  EXPECT_LT(engine_->DurableUpTo(*one_), put.mark);
  const auto parked = Park(*one_, put.mark);
  EXPECT_FALSE(parked->done.finished());

  // Another partition does not wait for this one.
  const Outcome other = Put(*two_, "b");
  EXPECT_EQ(Durable(*two_, other.mark), StatusCode::kOk);
  EXPECT_EQ(Read(*two_, "b", View::kDurable), "v");
  EXPECT_FALSE(parked->done.finished());

  engine_->LetGo(kOne);
  Await(parked->done);
  EXPECT_TRUE(parked->status.ok());
  EXPECT_EQ(Read(*one_, "a", View::kDurable), "v");
  EXPECT_GE(engine_->DurableUpTo(*one_), put.mark);
  EXPECT_EQ(engine_->queued(kOne), 0u);
}

TEST_F(NarrowEngineTest, AnswersComeFromAnotherThread) {
  // Outside of an executor a coroutine goes on where it is answered.
  const auto find_thread = [](Completion& done, std::promise<std::thread::id>& thread) -> Task<void> {
    co_await done;
    thread.set_value(std::this_thread::get_id());
  };
  engine_->HoldBack(kOne);
  const auto parked = Park(*one_, Put(*one_, "a").mark);
  std::promise<std::thread::id> answered_by;
  Detach(find_thread(parked->done, answered_by));
  engine_->LetGo(kOne);
  EXPECT_NE(answered_by.get_future().get(), std::this_thread::get_id());
}

TEST_F(NarrowEngineTest, ReadsOfTheLatestSeeTheOverlayOverTheRest) {
  for (const char* key : {"b", "d", "f", "h"}) ASSERT_EQ(Durable(*one_, Put(*one_, key, "old").mark), StatusCode::kOk);
  engine_->HoldBack(kOne);
  Batch batch;
  batch.Put(Key("a"), "new");
  batch.Delete(Key("b"));
  batch.Delete(Key("d"));
  batch.Put(Key("e"), "new");
  batch.Put(Key("f"), "new");
  batch.Put(Key("z"), "new");
  ASSERT_EQ(Commit(*one_, batch).code, StatusCode::kOk);

  EXPECT_EQ(Scan(*one_, View::kLatest), "aefhz");
  EXPECT_EQ(Scan(*one_, View::kLatest, true), "zhfea");
  EXPECT_EQ(Scan(*one_, View::kDurable), "bdfh");
  EXPECT_EQ(Scan(*one_, View::kDurable, true), "hfdb");
  for (const size_t limit : {1, 2, 3, 4, 5}) {
    EXPECT_EQ(Scan(*one_, View::kLatest, false, limit), std::string("aefhz").substr(0, limit));
    EXPECT_EQ(Scan(*one_, View::kLatest, true, limit), std::string("zhfea").substr(0, limit));
  }
  const std::string a = Key("a"), b = Key("b"), f = Key("f"), h = Key("h");
  const std::string_view keys[] = {h, b, a, f};
  MultiGetOp get;
  get.partition = one_.get(), get.keys = keys, get.at.view = View::kLatest;
  engine_->MultiGet(get);
  Await(get.done);
  ASSERT_TRUE(get.status.ok());
  EXPECT_EQ(get.entries[0].value, "old");
  EXPECT_FALSE(get.entries[1].found);
  EXPECT_EQ(get.entries[2].value, "new");
  EXPECT_EQ(get.entries[3].value, "new");
}

TEST_F(NarrowEngineTest, NumberedRowsHaveTheSameKeysBeforeAndAfter) {
  engine_->HoldBack(kOne);
  Batch numbered;
  numbered.PutNumbered("\x90", "x");
  numbered.PutNumbered("\x90", "y");
  ASSERT_EQ(Put(*one_, "a").sequence, 1u);
  ASSERT_EQ(Commit(*one_, numbered).sequence, 3u);
  const auto keys = [&](View view) {
    ScanOp op;
    op.partition = one_.get(), op.begin = "\x90", op.at.view = view;
    RunScan(*engine_, op);
    std::string text;
    for (const auto& row : op.rows) text.append(row.key).append(row.value);
    return text;
  };
  const std::string before = keys(View::kLatest);
  EXPECT_EQ(before, std::string("\x90\0\0\0\0\0\0\0\2x\x90\0\0\0\0\0\0\0\3y", 20));
  EXPECT_EQ(keys(View::kDurable), "");
  engine_->LetGo(kOne);
  one_ = Open(kOne, 2);
  EXPECT_EQ(keys(View::kDurable), before);
}

TEST_F(NarrowEngineTest, AFenceRefusesACommitAndKillsTheHandle) {
  engine_->FenceNext(kOne);
  EXPECT_EQ(Put(*one_, "a").code, StatusCode::kFenced);
  EXPECT_FALSE(one_->is_alive());
  EXPECT_EQ(Put(*one_, "a").code, StatusCode::kFenced);
  EXPECT_EQ(Read(*one_, "a").substr(0, 6), "fenced");
  EXPECT_EQ(RunBlocking(engine_->OpenPartitionAt(kOne, 1)).error().code(), StatusCode::kFenced);
  EXPECT_EQ(Put(*two_, "b").code, StatusCode::kOk) << "the others go on";

  one_ = Open(kOne, 2);
  EXPECT_EQ(one_->opened_at(), 0u);
  EXPECT_EQ(Scan(*one_, View::kLatest), "");
  EXPECT_EQ(Put(*one_, "a").sequence, 1u);
}

TEST_F(NarrowEngineTest, AFenceLosesAWaitingCommitOrKeepsThoseBeforeIt) {
  bool has_kept = false, has_lost = false;
  Epoch epoch = 1;
  Sequence newest = 0;
  for (int round = 0; round < 40; ++round) {
    engine_->HoldBack(kOne);
    std::vector<Outcome> puts;
    std::vector<std::unique_ptr<DurableOp>> parked;
    for (int i = 0; i < 4; ++i) {
      puts.push_back(Put(*one_, std::to_string(i), std::to_string(round)));
      if (i < 3) parked.push_back(Park(*one_, puts[i].mark));
    }
    engine_->FenceNext(kOne);
    EXPECT_EQ(Durable(*one_, puts[3].mark), StatusCode::kFenced);
    const auto old = one_;
    one_ = Open(kOne, ++epoch);
    EXPECT_EQ(one_->newest(), one_->opened_at());
    EXPECT_GE(one_->opened_at(), newest);
    EXPECT_LT(one_->opened_at(), puts[3].sequence) << "what was fenced is not done";
    for (int i = 0; i < 3; ++i) {
      Await(parked[i]->done);
      const bool is_done = puts[i].sequence <= one_->opened_at();
      (is_done ? has_kept : has_lost) = true;
      EXPECT_EQ(parked[i]->status.code(), is_done ? StatusCode::kUnknown : StatusCode::kFenced);
      EXPECT_EQ(Durable(*old, puts[i].mark), is_done ? StatusCode::kOk : StatusCode::kFenced) << "now it is settled";
      EXPECT_EQ(Read(*one_, std::to_string(i), View::kDurable) == std::to_string(round), is_done);
    }
    newest = one_->newest();
  }
  EXPECT_TRUE(has_kept);
  EXPECT_TRUE(has_lost);
}

TEST_F(NarrowEngineTest, AnUnknownCommitIsDoneIfItsNumberIsThere) {
  Epoch epoch = 1;
  for (const bool is_done : {true, false, false, true}) {
    engine_->HoldBack(kOne);
    const Outcome before = Put(*one_, "before");
    const auto parked = Park(*one_, before.mark);
    engine_->UnknownNext(kOne, is_done);
    const std::string value = "of epoch " + std::to_string(epoch);
    const Outcome unknown = Put(*one_, "a", value);
    EXPECT_EQ(unknown.code, StatusCode::kUnknown);
    EXPECT_EQ(unknown.sequence, before.sequence + 1);
    EXPECT_FALSE(one_->is_alive());
    Await(parked->done);
    EXPECT_EQ(parked->status.code(), StatusCode::kUnknown);
    EXPECT_EQ(Put(*one_, "later").code, StatusCode::kFenced);

    one_ = Open(kOne, ++epoch);
    EXPECT_EQ(unknown.sequence <= one_->opened_at(), is_done);
    EXPECT_EQ(Read(*one_, "a") == value, is_done);
    EXPECT_EQ(Read(*one_, "later"), "-");
    EXPECT_EQ(Put(*one_, "next").sequence, one_->opened_at() + 1);
  }
}

TEST_F(NarrowEngineTest, WhatADeadHandleHasLostIsNotDurableHoweverFarItsSuccessorComes) {
  engine_->DoubtNext(kOne, false);
  const auto dead = one_;
  const Outcome lost = Put(*dead, "lost");
  ASSERT_EQ(Durable(*dead, lost.mark), StatusCode::kUnknown);
  one_ = Open(kOne, 2);
  const Outcome later = Put(*one_, "later");
  ASSERT_EQ(Durable(*one_, later.mark), StatusCode::kOk);
  EXPECT_GE(engine_->DurableUpTo(*one_), later.mark);
  EXPECT_LT(engine_->DurableUpTo(*dead), lost.mark);
}

TEST_F(NarrowEngineTest, ADoubtIsFoundOutWhenWaiting) {
  Epoch epoch = 1;
  for (const bool is_done : {true, false}) {
    engine_->HoldBack(kOne);
    const Outcome before = Put(*one_, "before");
    engine_->DoubtNext(kOne, is_done);
    const std::string value = "of epoch " + std::to_string(epoch);
    const Outcome doubted = Put(*one_, "a", value), after = Put(*one_, "b", value);
    EXPECT_EQ(doubted.code, StatusCode::kOk);
    EXPECT_EQ(after.sequence, before.sequence + 2);
    EXPECT_EQ(Read(*one_, "b"), value);
    const auto later = Park(*one_, after.mark);
    engine_->LetGo(kOne);
    EXPECT_EQ(Durable(*one_, before.mark), StatusCode::kOk) << "what came before is not in doubt";
    EXPECT_EQ(Durable(*one_, doubted.mark), StatusCode::kUnknown);
    Await(later->done);
    EXPECT_EQ(later->status.code(), StatusCode::kUnknown);
    EXPECT_FALSE(one_->is_alive());

    one_ = Open(kOne, ++epoch);
    EXPECT_EQ(one_->opened_at(), is_done ? after.sequence : before.sequence);
    EXPECT_EQ(Read(*one_, "a", View::kDurable) == value, is_done);
    EXPECT_EQ(Read(*one_, "b", View::kDurable) == value, is_done);
  }
}

TEST_F(NarrowEngineTest, BusyDoesNothingAndPasses) {
  engine_->BusyNext(kOne, 2);
  EXPECT_EQ(Put(*one_, "a").code, StatusCode::kBusy);
  EXPECT_EQ(Put(*one_, "a").code, StatusCode::kBusy);
  EXPECT_TRUE(one_->is_alive());
  EXPECT_EQ(Read(*one_, "a"), "-");
  EXPECT_EQ(Put(*one_, "a").sequence, 1u);
}

TEST_F(NarrowEngineTest, ACommitToTheSystemPartitionThatIsNotAnsweredIsThereOrNeverWillBe) {
  Sequence number = 0;
  for (const bool is_done : {true, false}) {
    engine_->UnknownNext(kSystemPartition, is_done);
    engine_->BusyNext(kSystemPartition, 1);
    Batch batch;
    batch.Put("k", is_done ? "done" : "not done");
    const Outcome unknown = Commit(engine_->system(), batch);
    EXPECT_EQ(unknown.code, StatusCode::kUnknown);
    EXPECT_EQ(unknown.sequence, number + 1);
    EXPECT_TRUE(engine_->system().is_alive());
    EXPECT_EQ(GetOr(*engine_, "k", "-", {View::kLatest}), "done");
    number += is_done;
    batch.Clear();
    batch.Delete("another");
    EXPECT_EQ(Commit(engine_->system(), batch).code, StatusCode::kBusy);
    EXPECT_EQ(Commit(engine_->system(), batch).sequence, ++number);
  }
}

TEST_F(NarrowEngineTest, ACrashTakesWhatIsNotDurable) {
  ASSERT_EQ(Durable(*one_, Put(*one_, "kept").mark), StatusCode::kOk);
  Batch system;
  system.Put("k", "kept");
  ASSERT_TRUE(CommitAndWait(*engine_, system).ok());
  for (const PartitionId id : {kSystemPartition, kOne}) engine_->HoldBack(id);
  const auto parked = Park(*one_, Put(*one_, "lost").mark);
  system.Clear();
  system.Put("k", "lost");
  const auto of_system = Park(engine_->system(), Commit(engine_->system(), system).mark);
  EXPECT_EQ(engine_->system().newest(), 2u);
  engine_->Crash();
  for (const PartitionId id : {kSystemPartition, kOne}) engine_->LetGo(id);
  for (const auto* op : {&parked, &of_system}) {
    Await((*op)->done);
    EXPECT_EQ((*op)->status.code(), StatusCode::kUnknown);
  }
  EXPECT_FALSE(one_->is_alive());
  EXPECT_FALSE(two_->is_alive());
  EXPECT_EQ(Put(*one_, "late").code, StatusCode::kFenced);

  // As after a restart: under the epoch it has.
  const auto reopened = Open(kOne, 1);
  EXPECT_NE(reopened, one_);
  EXPECT_EQ(reopened->opened_at(), 1u);
  EXPECT_EQ(Scan(*reopened, View::kLatest), "kept");
  EXPECT_EQ(Put(*reopened, "next").sequence, 2u);
  EXPECT_EQ(GetOr(*engine_, "k", "-", {View::kLatest}), "kept");
  EXPECT_EQ(engine_->system().newest(), 1u);
  EXPECT_EQ(Commit(engine_->system(), system).sequence, 2u);
}

TEST_F(NarrowEngineTest, TakingOverALivingHandleLosesNothing) {
  engine_->HoldBack(kOne);
  Outcome last;
  for (int i = 0; i < 10; ++i) last = Put(*one_, std::to_string(i));
  const auto parked = Park(*one_, last.mark);
  const auto owner = Open(kOne, 2);
  EXPECT_FALSE(one_->is_alive());
  EXPECT_EQ(owner->opened_at(), 10u);
  EXPECT_EQ(Scan(*owner, View::kDurable), "0123456789");
  Await(parked->done);
  EXPECT_TRUE(parked->status.ok());
}

TEST_F(NarrowEngineTest, ASplitAndADropSettleFirst) {
  engine_->HoldBack(kOne);
  engine_->HoldBack(kTwo);
  const auto split = Park(*one_, Put(*one_, "a").mark), dropped = Park(*two_, Put(*two_, "b").mark);
  ASSERT_TRUE(RunBlocking(engine_->SplitPartition(kOne, 8, 11, 12)).ok());
  ASSERT_TRUE(RunBlocking(engine_->DropPartition(kTwo)).ok());
  for (const auto* op : {&split, &dropped}) {
    Await((*op)->done);
    EXPECT_TRUE((*op)->status.ok());
  }
  EXPECT_EQ(Put(*one_, "a").code, StatusCode::kFenced);
  EXPECT_EQ(Put(*two_, "b").code, StatusCode::kNotFound);
  const auto low = Open(11, 1);
  EXPECT_EQ(low->opened_at(), 1u);
  EXPECT_EQ(Scan(*low, View::kDurable), "a");
}

TEST_F(NarrowEngineTest, CloseMakesDurableWhatIsQueued) {
  engine_->HoldBack(kOne);
  const auto parked = Park(*one_, Put(*one_, "a").mark);
  ASSERT_TRUE(engine_->Close().ok());
  EXPECT_TRUE(parked->done.finished());
  EXPECT_TRUE(parked->status.ok());
  EXPECT_EQ(Put(*one_, "b").code, StatusCode::kUnavailable);
}

TEST_F(NarrowEngineTest, ACallerLearnsTheNumberOfAnUnknownCommit) {
  const auto commit = [&](Sequence& attempted) -> Task<StatusCode> {
    Batch batch;
    batch.PutNumbered("\x90", "x");
    batch.PutNumbered("\x90", "y");
    const auto committed = co_await CommitBatch(*engine_, *one_, batch, &attempted);
    co_return committed ? StatusCode::kOk : committed.error().code();
  };
  Sequence attempted = 0;
  EXPECT_EQ(RunBlocking(commit(attempted)), StatusCode::kOk);
  engine_->UnknownNext(kOne, true);
  EXPECT_EQ(RunBlocking(commit(attempted)), StatusCode::kUnknown);
  EXPECT_EQ(attempted, 4u);
  EXPECT_EQ(Open(kOne, 2)->opened_at(), 4u);
}

// Commits to it take no numbers, so there is none to compare.
TEST_F(NarrowEngineTest, WhatHasEndedIsNeverInDoubt) {
  ASSERT_TRUE(RunBlocking(engine_->SplitPartition(kOne, 8, 11, 12)).ok());
  const auto ended = Open(kOne, 1);
  Batch batch;
  batch.Put("\x90", "v");
  engine_->UnknownNext(kOne, false);
  EXPECT_EQ(Commit(*ended, batch).code, StatusCode::kOk);
  engine_->DoubtNext(kOne, false);
  EXPECT_EQ(Durable(*ended, Commit(*ended, batch).mark), StatusCode::kOk);
  engine_->HoldBack(kOne);
  batch.Put("\x91", "w");
  ASSERT_EQ(Commit(*ended, batch).code, StatusCode::kOk);
  engine_->FenceNext(kOne);
  EXPECT_EQ(Commit(*ended, batch).code, StatusCode::kFenced);
  const auto again = Open(kOne, 2);
  EXPECT_EQ(GetOr(*engine_, "\x91", "-", {}, again.get()), "w");
}

}  // namespace
}  // namespace armature::storage
