#include "front/route/call_stats.h"

#include <string>

#include <fmt/format.h>

namespace armature::front {

CallStats::CallStats(Metrics& metrics, std::string_view name, std::string_view label, size_t operation)
    : name_(name), operation_(operation) {
  const std::string labels = fmt::format("operation=\"{}\"", label);
  requests_ = &metrics.GetCounter("armature_requests_total", "Requests answered, by operation", labels);
  client_errors_ =
      &metrics.GetCounter("armature_client_errors_total", "Requests answered with 4xx, by operation", labels);
  server_errors_ =
      &metrics.GetCounter("armature_server_errors_total", "Requests answered with 5xx, by operation", labels);
  latency_ = &metrics.GetHistogram("armature_request_seconds", "Time from a complete request to its reply", labels);
}

void CallStats::Record(int status, int64_t nanos) const {
  requests_->Add();
  if (status >= 500) server_errors_->Add();
  else if (status >= 400) client_errors_->Add();
  latency_->RecordMicros(static_cast<uint64_t>(nanos) / 1000);
}

}  // namespace armature::front
