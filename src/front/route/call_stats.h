// CallStats: what is counted and logged of the requests for one operation.
//
// Registered once at the start; Record may be called by any thread. Held by the routes, one for each operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/metrics.h"

namespace armature::front {

class CallStats {
 public:
  CallStats() = default;
  // `name` is how the log calls it and must outlive this; `label` how the metrics do: several may share one.
  CallStats(Metrics& metrics, std::string_view name, std::string_view label, size_t operation = 0);

  std::string_view name() const { return name_; }
  // Which of its route's operations it is.
  size_t operation() const { return operation_; }

  void Record(int status, int64_t nanos) const;

 private:
  std::string_view name_;
  size_t operation_ = 0;
  Counter* requests_ = nullptr;
  Counter* client_errors_ = nullptr;
  Counter* server_errors_ = nullptr;
  LatencyHistogram* latency_ = nullptr;
};

}  // namespace armature::front
