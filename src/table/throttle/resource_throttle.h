// ResourceThrottle: what a table, or a global index, may use of its reads and of its writes.
//
// One bucket for each, however many partitions there are: what one partition does not use another may, up to what a
// partition serves. So it is on Amazon since capacity adapts at once (docs/adr/0038). Its rate is the provisioned one,
// or the maximum of a table on demand; where there is neither, and partitions have no limits, asking costs one branch.
//
// Reads and writes are apart, and so are a table and each of its global indexes; local indexes are the table's. Lives
// as long as the partitions do (partition/partition_set.h), through all changes of the definition. Thread-safe, but one
// Configure at a time. Asked by the read and write paths for what customers want, never for what the service does.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "model/table_def.h"
#include "table/throttle/admission.h"
#include "table/throttle/partition_ceilings.h"
#include "table/throttle/running_clock.h"
#include "table/throttle/throttle_rules.h"
#include "table/throttle/token_bucket.h"

namespace armature::table {

class ResourceThrottle {
 public:
  ResourceThrottle() = default;
  ResourceThrottle(const ResourceThrottle&) = delete;
  ResourceThrottle& operator=(const ResourceThrottle&) = delete;

  // What the definition of a table, or of an index, says of capacity.
  struct Settings {
    model::BillingMode mode = model::BillingMode::kPayPerRequest;  // of the table
    model::ProvisionedThroughput provisioned{};
    model::OnDemandThroughput on_demand{};
    model::WarmThroughput warm{};
  };
  template <class Owner>
  static Settings SettingsOf(model::BillingMode mode, const Owner& owner) {
    return {mode, owner.throughput, owner.on_demand, owner.warm};
  }
  // From now on; until the first call nothing is limited. What is saved or owed stays.
  void Configure(const ThrottleRules& rules, const Settings& settings) noexcept;

  // Whether anybody has to be asked.
  bool limits(Use use) const { return of(use).is_limited.load(std::memory_order_relaxed); }

  using Ceilings = std::shared_ptr<PartitionCeilings>;

  // Lets an operation in that costs `units` at the least, or says what is exhausted. `ceilings` are those of the
  // partition it goes to.
  Limit Admit(Use use, double units, const Ceilings& ceilings, Admission& admission);
  // Whether an operation would be let in.
  Limit Check(Use use, PartitionCeilings& ceilings) const;
  // Pays for an operation that was let in.
  Admission Pay(Use use, double units, const Ceilings& ceilings);

  // What is left to be used at once, in units; no limit: infinite.
  double Balance(Use use, PartitionCeilings& ceilings) const;

  // Where partitions have limits: how many there have to be for what the resource may use, a power of two, as they are
  // made by halving. Else 1.
  uint32_t wanted_partitions() const { return wanted_partitions_.load(std::memory_order_relaxed); }

  // Where partitions have limits and the resource is on demand: it is to serve twice what it has served before.
  bool grows_with_use() const { return grows_with_use_.load(std::memory_order_relaxed); }

  // How often somebody was refused.
  uint64_t refusals(Use use) const { return of(use).refusals.load(std::memory_order_relaxed); }

 private:
  friend class Admission;

  static constexpr int64_t kDepthSeconds = 300;

  struct Direction {
    TokenBucket bucket{kDepthSeconds};
    std::atomic<bool> is_limited{false};
    std::atomic<bool> has_rate{false};
    mutable std::atomic<uint64_t> refusals{0};
  };
  Direction& of(Use use) { return directions_[static_cast<size_t>(use)]; }
  const Direction& of(Use use) const { return directions_[static_cast<size_t>(use)]; }
  Limit Refused(const Direction& direction, Limit limit) const;
  void Take(Use use, int64_t halves, PartitionCeilings* ceilings);
  void GiveBack(Use use, int64_t halves, PartitionCeilings* ceilings);

  std::array<Direction, 2> directions_;
  std::atomic<bool> has_partition_limits_{false};
  std::atomic<bool> grows_with_use_{false};
  std::atomic<uint32_t> wanted_partitions_{1};
  std::atomic<Limit> of_rate_{Limit::kProvisioned};  // what the rate is
  // Set once, before anything is limited.
  std::atomic<const RunningClock*> clock_{nullptr};
};

}  // namespace armature::table
