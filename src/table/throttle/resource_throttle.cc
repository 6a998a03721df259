#include "table/throttle/resource_throttle.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace armature::table {

namespace {

int64_t Halves(double units) { return static_cast<int64_t>(std::ceil(units * 2)); }

// What a table on demand serves at once, however new it is.
constexpr int64_t kInitialReadUnits = 12'000;
constexpr int64_t kInitialWriteUnits = 4'000;
constexpr int64_t kMostWantedPartitions = 512;

// Provisioned throughput is for reads and writes at once, that of a table on demand for either.
uint32_t PartitionsFor(const ResourceThrottle::Settings& settings) {
  const auto share = [](int64_t units, int64_t of_partition) {
    return static_cast<double>(std::max<int64_t>(0, units)) / static_cast<double>(of_partition);
  };
  const bool is_on_demand = settings.mode == model::BillingMode::kPayPerRequest;
  const int64_t reads = std::max(settings.warm.read_units.value_or(0), is_on_demand ? kInitialReadUnits : 0);
  const int64_t writes = std::max(settings.warm.write_units.value_or(0), is_on_demand ? kInitialWriteUnits : 0);
  const double provisioned = share(settings.provisioned.read_units, kPartitionReadUnits) +
                             share(settings.provisioned.write_units, kPartitionWriteUnits);
  const double wanted =
      std::max({1.0, provisioned, share(reads, kPartitionReadUnits), share(writes, kPartitionWriteUnits)});
  return std::bit_ceil(static_cast<uint32_t>(std::min<double>(std::ceil(wanted), kMostWantedPartitions)));
}

}  // namespace

void ResourceThrottle::Configure(const ThrottleRules& rules, const Settings& settings) noexcept {
  if (!rules.clock) return;
  clock_.store(rules.clock, std::memory_order_relaxed);
  has_partition_limits_.store(rules.has_partition_limits, std::memory_order_relaxed);
  if (rules.has_partition_limits) wanted_partitions_.store(PartitionsFor(settings), std::memory_order_relaxed);
  const bool is_on_demand = settings.mode == model::BillingMode::kPayPerRequest;
  grows_with_use_.store(rules.has_partition_limits && is_on_demand, std::memory_order_relaxed);
  of_rate_.store(is_on_demand ? Limit::kOnDemandMaximum : Limit::kProvisioned, std::memory_order_relaxed);
  const auto set = [&](Use use, int64_t rate) {
    Direction& direction = of(use);
    // No rate at all, or one that nobody can come up to.
    const bool has_rate = rate > 0 && rate <= TokenBucket::kMostPerSecond;
    if (has_rate) direction.bucket.SetRate(rate, rules.clock->NowNanos());
    direction.has_rate.store(has_rate, std::memory_order_relaxed);
    // Last: who sees it sees all of the above.
    direction.is_limited.store(has_rate || rules.has_partition_limits, std::memory_order_release);
  };
  const auto& [mode, provisioned, on_demand, warm] = settings;
  set(Use::kRead, is_on_demand ? on_demand.max_read_units.value_or(0) : provisioned.read_units);
  set(Use::kWrite, is_on_demand ? on_demand.max_write_units.value_or(0) : provisioned.write_units);
}

Limit ResourceThrottle::Refused(const Direction& direction, Limit limit) const {
  direction.refusals.fetch_add(1, std::memory_order_relaxed);
  return limit;
}

Limit ResourceThrottle::Admit(Use use, double units, const Ceilings& ceilings, Admission& admission) {
  Direction& direction = of(use);
  if (!direction.is_limited.load(std::memory_order_acquire)) return Limit::kNone;
  const int64_t halves = Halves(units);
  const int64_t now = clock_.load(std::memory_order_relaxed)->NowNanos();
  const bool has_rate = direction.has_rate.load(std::memory_order_relaxed);
  if (has_rate && !direction.bucket.TryTake(halves, now))
    return Refused(direction, of_rate_.load(std::memory_order_relaxed));
  const bool has_ceilings = has_partition_limits_.load(std::memory_order_relaxed);
  if (has_ceilings && !ceilings->bucket(use).TryTake(halves, now)) {
    if (has_rate) direction.bucket.GiveBack(halves);
    return Refused(direction, Limit::kKeyRange);
  }
  Admission admitted;
  admitted.throttle_ = this;
  if (has_ceilings) admitted.ceilings_ = ceilings;
  admitted.halves_ = halves;
  admitted.use_ = use;
  admission = std::move(admitted);
  return Limit::kNone;
}

Limit ResourceThrottle::Check(Use use, PartitionCeilings& ceilings) const {
  const Direction& direction = of(use);
  if (!direction.is_limited.load(std::memory_order_acquire)) return Limit::kNone;
  const int64_t now = clock_.load(std::memory_order_relaxed)->NowNanos();
  if (direction.has_rate.load(std::memory_order_relaxed) && !direction.bucket.HasAny(now))
    return Refused(direction, of_rate_.load(std::memory_order_relaxed));
  if (has_partition_limits_.load(std::memory_order_relaxed) && !ceilings.bucket(use).HasAny(now))
    return Refused(direction, Limit::kKeyRange);
  return Limit::kNone;
}

Admission ResourceThrottle::Pay(Use use, double units, const Ceilings& ceilings) {
  Admission paid;
  if (!of(use).is_limited.load(std::memory_order_acquire)) return paid;
  paid.throttle_ = this;
  if (has_partition_limits_.load(std::memory_order_relaxed)) paid.ceilings_ = ceilings;
  paid.halves_ = Halves(units);
  paid.use_ = use;
  Take(use, paid.halves_, paid.ceilings_.get());
  return paid;
}

double ResourceThrottle::Balance(Use use, PartitionCeilings& ceilings) const {
  double left = std::numeric_limits<double>::infinity();
  const Direction& direction = of(use);
  if (!direction.is_limited.load(std::memory_order_acquire)) return left;
  const int64_t now = clock_.load(std::memory_order_relaxed)->NowNanos();
  if (direction.has_rate.load(std::memory_order_relaxed)) left = direction.bucket.Balance(now);
  if (has_partition_limits_.load(std::memory_order_relaxed)) left = std::min(left, ceilings.bucket(use).Balance(now));
  return left;
}

void ResourceThrottle::Take(Use use, int64_t halves, PartitionCeilings* ceilings) {
  const int64_t now = clock_.load(std::memory_order_relaxed)->NowNanos();
  // One that has lost its rate meanwhile has nothing to be paid.
  if (of(use).has_rate.load(std::memory_order_relaxed)) of(use).bucket.Take(halves, now);
  if (ceilings) ceilings->bucket(use).Take(halves, now);
}

void ResourceThrottle::GiveBack(Use use, int64_t halves, PartitionCeilings* ceilings) {
  if (of(use).has_rate.load(std::memory_order_relaxed)) of(use).bucket.GiveBack(halves);
  if (ceilings) ceilings->bucket(use).GiveBack(halves);
}

void Admission::SettleAt(double units) {
  ResourceThrottle& throttle = *std::exchange(throttle_, nullptr);
  const int64_t more = Halves(units) - halves_;
  if (more > 0) throttle.Take(use_, more, ceilings_.get());
  if (more < 0) throttle.GiveBack(use_, -more, ceilings_.get());
}

void Admission::GiveBack() noexcept { throttle_->GiveBack(use_, halves_, ceilings_.get()); }

}  // namespace armature::table
