#include "storage/narrow/narrow_faults.h"

#include <utility>

namespace armature::storage {

NarrowFaults::Fault NarrowFaults::PlannedOfCommit(PartitionId id) {
  const auto planned = planned_.find(id);
  if (planned == planned_.end()) return {};
  if (planned->second.next) return *std::exchange(planned->second.next, std::nullopt);
  if (planned->second.busy == 0) return {};
  --planned->second.busy;
  return {Kind::kBusy};
}

NarrowFaults::Fault NarrowFaults::OfCommit(PartitionId id) {
  if (const Fault planned = PlannedOfCommit(id); planned.kind != Kind::kNone) return planned;
  double roll = Roll();
  for (const auto& [kind, rate] : {std::pair(Kind::kBusy, rates_.busy), std::pair(Kind::kFence, rates_.fence),
                                   std::pair(Kind::kUnknown, rates_.unknown), std::pair(Kind::kDoubt, rates_.doubt)}) {
    if (roll < rate) return {kind, random_.Below(2) == 0};
    roll -= rate;
  }
  return {};
}

bool NarrowFaults::FencesSplit(PartitionId id) {
  const auto planned = planned_.find(id);
  if (planned == planned_.end() || !planned->second.next || planned->second.next->kind != Kind::kFence) return false;
  planned->second.next.reset();
  return true;
}

bool NarrowFaults::FencesWait(PartitionId id) {
  if (const auto planned = planned_.find(id); planned != planned_.end() && planned->second.next) return FencesSplit(id);
  return rates_.fence > 0 && Roll() < rates_.fence;
}

}  // namespace armature::storage
