#include "storage/rocksdb/commit_group.h"

#include "base/memory/memory_reserve.h"

namespace armature::storage {

void CommitGroup::Join(Writer& writer, Member member) {
  Turn* const turn = Turn::Current();
  if (!turn) {
    const Essential commit;
    return writer.WriteGroup({&member, 1});
  }
  thread_local CommitGroup group;
  if (group.writer_ != &writer) {  // several engines on one loop: only in tests
    group.Write();
    group.writer_ = &writer;
  }
  // The member is in the group and the group announced, or neither.
  const Essential joined;
  group.members_.push_back(member);
  group.bytes_ += member.bytes();
  if (group.bytes_ > kLargest) return group.Write();
  if (!std::exchange(group.is_waiting_, true)) turn->AtEnd(group);
}

void CommitGroup::EndOfTurn() {
  is_waiting_ = false;
  Write();
}

void CommitGroup::Write() {
  if (members_.empty()) return;
  const Essential commit;
  // Finishing a member may start the next commit of this thread.
  writing_.swap(members_);
  bytes_ = 0;
  writer_->WriteGroup(writing_);
  writing_.clear();
}

}  // namespace armature::storage
