#include "arena/deferring_engine.h"

namespace armature::arena {

void DeferringEngine::RunOne(size_t number) {
  std::swap(waiting_[number], waiting_.back());
  const Waiting next = std::move(waiting_.back());
  waiting_.pop_back();
  next.run();
}

void DeferringEngine::GoDown() {
  is_down_ = true;
  const std::vector<Waiting> waiting = std::exchange(waiting_, {});
  for (const Waiting& one : waiting) one.fail();
}

void DeferringEngine::WhenDurable(storage::DurableOp& op) {
  if (is_down_) return Fail(op);
  inner_.WhenDurable(op);
  if (!is_deferred_) static_cast<void>(inner_.Sync());
}

}  // namespace armature::arena
