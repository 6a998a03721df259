#include "base/metrics.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace armature {

void LatencyHistogram::RecordMicros(uint64_t micros) {
  // Bucket i holds latencies up to 2^i µs.
  const size_t index = micros <= 1 ? 0 : static_cast<size_t>(std::bit_width(micros - 1));
  buckets_[std::min(index, kBuckets - 1)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(micros, std::memory_order_relaxed);
}

Metrics::Family& Metrics::FamilyFor(std::string_view name, std::string_view help, std::string_view type) {
  auto it = families_.find(name);
  if (it == families_.end()) {
    it = families_.emplace(std::string(name), Family{}).first;
    it->second.help = help;
    it->second.type = type;
  }
  return it->second;
}

Counter& Metrics::GetCounter(std::string_view name, std::string_view help, std::string_view labels) {
  MutexLock lock(mutex_);
  auto& slot = FamilyFor(name, help, "counter").counters[std::string(labels)];
  if (!slot) slot = std::make_unique<Counter>();
  return *slot;
}

LatencyHistogram& Metrics::GetHistogram(std::string_view name, std::string_view help, std::string_view labels) {
  MutexLock lock(mutex_);
  auto& slot = FamilyFor(name, help, "histogram").histograms[std::string(labels)];
  if (!slot) slot = std::make_unique<LatencyHistogram>();
  return *slot;
}

void Metrics::AddGauge(std::string_view name, std::string_view help, std::function<double()> read,
                       std::string_view labels) {
  MutexLock lock(mutex_);
  FamilyFor(name, help, "gauge").gauges[std::string(labels)] = std::move(read);
}

namespace {

std::string Braced(std::string_view labels) { return labels.empty() ? "" : fmt::format("{{{}}}", labels); }

void RenderHistogram(std::string& out, std::string_view name, std::string_view labels,
                     const LatencyHistogram& histogram) {
  const std::string prefix = labels.empty() ? "" : fmt::format("{},", labels);
  uint64_t cumulative = 0;
  for (size_t i = 0; i < LatencyHistogram::kBuckets; ++i) {
    cumulative += histogram.bucket(i);
    const bool is_last = i + 1 == LatencyHistogram::kBuckets;
    const std::string bound = is_last ? "+Inf" : fmt::format("{}", static_cast<double>(1ULL << i) / 1e6);
    fmt::format_to(std::back_inserter(out), "{}_bucket{{{}le=\"{}\"}} {}\n", name, prefix, bound, cumulative);
  }
  fmt::format_to(std::back_inserter(out), "{}_sum{} {}\n", name, Braced(labels),
                 static_cast<double>(histogram.sum_micros()) / 1e6);
  fmt::format_to(std::back_inserter(out), "{}_count{} {}\n", name, Braced(labels), cumulative);
}

}  // namespace

std::string Metrics::RenderPrometheus() const {
  MutexLock lock(mutex_);
  std::string out;
  for (const auto& [name, family] : families_) {
    fmt::format_to(std::back_inserter(out), "# HELP {} {}\n# TYPE {} {}\n", name, family.help, name, family.type);
    for (const auto& [labels, counter] : family.counters)
      fmt::format_to(std::back_inserter(out), "{}{} {}\n", name, Braced(labels), counter->value());
    for (const auto& [labels, read] : family.gauges)
      fmt::format_to(std::back_inserter(out), "{}{} {}\n", name, Braced(labels), read());
    for (const auto& [labels, histogram] : family.histograms) RenderHistogram(out, name, labels, *histogram);
  }
  return out;
}

}  // namespace armature
