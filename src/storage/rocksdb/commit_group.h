// CommitGroup: the commits that the requests of one turn of a reactor make, written as one.
//
// RocksDB's cost of a write is mostly per call: the hand-over between writers, the log record and its checksum. A group
// is written at the end of its turn, or earlier when it has become large; members are atomic each by itself as before
// (a group is one record of the log, so it is all or nothing as a whole). Belongs to one thread. Used by RocksDbEngine
// only.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/tasks/turn.h"
#include "storage/engine.h"

namespace armature::storage {

class CommitGroup final : public Turn::Work {
 public:
  // One Commit or CommitMany under way; what it points to is the caller's operation.
  struct Member {
    explicit Member(CommitOp& op)
        : single{op.partition, op.batch}, sequence(&op.sequence), status(&op.status), mark(&op.mark), done(&op.done) {}
    explicit Member(CommitManyOp& op) : many(op.parts), status(&op.status), mark(&op.mark), done(&op.done) {}

    std::span<CommitManyOp::Part> parts() { return many.data() ? many : std::span(&single, 1); }
    std::span<const CommitManyOp::Part> parts() const { return many.data() ? many : std::span(&single, 1); }
    size_t bytes() const {
      size_t sum = 0;
      for (const auto& part : parts()) sum += part.batch->bytes();
      return sum;
    }
    void Finish(Status outcome) {
      if (sequence) *sequence = single.sequence;
      *status = std::move(outcome);
      done->Finish();
    }

    CommitManyOp::Part single;
    Sequence* sequence = nullptr;  // of `single`
    std::span<CommitManyOp::Part> many;
    Status* status;
    Mark* mark;
    Completion* done;
  };

  // What writes a group.
  class Writer {
   public:
    virtual ~Writer() = default;
    // No allocation fails in it (base/memory/memory_reserve.h).
    virtual void WriteGroup(std::span<Member> members) = 0;
  };

  // Joins the group of the calling thread's turn; writes at once where there are no turns.
  static void Join(Writer& writer, Member member);

  void EndOfTurn() override;

 private:
  static constexpr size_t kLargest = size_t{1} << 20;

  void Write();

  Writer* writer_ = nullptr;
  std::vector<Member> members_;
  std::vector<Member> writing_;
  size_t bytes_ = 0;
  bool is_waiting_ = false;  // for the end of the turn
};

}  // namespace armature::storage
