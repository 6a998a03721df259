// Pace: how long background work rests, so that requests do not feel it.
//
// Made when a portion of work begins, asked when it has ended, on the same thread. A portion gets a fixed share of one
// core and of the time that passes: on a busy machine portions take longer, and so do the rests behind them. Used by
// workers that go in portions.
#pragma once

#include <chrono>
#include <cstdint>

namespace armature::workers {

class Pace {
 public:
  // Rests for `rests_per_cpu_time` times the CPU time that the portion takes.
  explicit Pace(int64_t rests_per_cpu_time);

  std::chrono::milliseconds Rest() const;

 private:
  const int64_t rests_per_cpu_time_;
  const int64_t started_nanos_;
  const int64_t cpu_nanos_;
};

}  // namespace armature::workers
