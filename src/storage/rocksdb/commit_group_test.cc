#include "storage/rocksdb/commit_group.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace armature::storage {
namespace {

// Records how members come to be written, and finishes them.
class RecordingWriter final : public CommitGroup::Writer {
 public:
  void WriteGroup(std::span<CommitGroup::Member> members) override {
    sizes.push_back(members.size());
    for (auto& member : members) {
      *member.mark = sizes.size();
      member.Finish(Status());
    }
  }
  std::vector<size_t> sizes;
};

Batch BatchOf(size_t value_bytes) {
  Batch batch;
  batch.Put("key", std::string(value_bytes, 'x'));
  return batch;
}

TEST(CommitGroupTest, WithoutTurnsACommitIsWrittenAtOnce) {
  RecordingWriter writer;
  const Batch batch = BatchOf(10);
  CommitOp op;
  op.batch = &batch;
  CommitGroup::Join(writer, CommitGroup::Member(op));
  EXPECT_EQ(writer.sizes, std::vector<size_t>{1});
  EXPECT_TRUE(op.done.finished());
}

TEST(CommitGroupTest, TheCommitsOfATurnAreWrittenTogether) {
  RecordingWriter writer;
  Turn turn;
  const Turn::Scope scope(turn);
  const Batch batch = BatchOf(10);
  CommitOp first, second;
  first.batch = second.batch = &batch;
  CommitManyOp::Part parts[] = {{nullptr, &batch}, {nullptr, &batch}};
  CommitManyOp many;
  many.parts = parts;
  for (int round = 1; round <= 2; ++round) {
    CommitGroup::Join(writer, CommitGroup::Member(first));
    CommitGroup::Join(writer, CommitGroup::Member(many));
    CommitGroup::Join(writer, CommitGroup::Member(second));
    EXPECT_FALSE(first.done.finished());
    ASSERT_TRUE(turn.has_work());
    turn.RunWork();
    EXPECT_FALSE(turn.has_work());
    EXPECT_TRUE(first.done.finished() && second.done.finished() && many.done.finished());
    EXPECT_EQ(writer.sizes, std::vector<size_t>(static_cast<size_t>(round), 3));
    EXPECT_EQ(many.mark, static_cast<Mark>(round));
    first.done.Rearm(), second.done.Rearm(), many.done.Rearm();
  }
}

TEST(CommitGroupTest, ALargeGroupDoesNotWaitForTheEndOfTheTurn) {
  RecordingWriter writer;
  Turn turn;
  const Turn::Scope scope(turn);
  const Batch small = BatchOf(10), large = BatchOf(size_t{2} << 20);
  CommitOp first, second, third;
  first.batch = third.batch = &small;
  second.batch = &large;
  CommitGroup::Join(writer, CommitGroup::Member(first));
  CommitGroup::Join(writer, CommitGroup::Member(second));
  EXPECT_EQ(writer.sizes, std::vector<size_t>{2});
  CommitGroup::Join(writer, CommitGroup::Member(third));
  EXPECT_FALSE(third.done.finished());
  while (turn.has_work()) turn.RunWork();
  EXPECT_TRUE(third.done.finished());
}

}  // namespace
}  // namespace armature::storage
