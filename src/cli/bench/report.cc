#include "cli/bench/report.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace armature::cli::bench {
namespace {

double PerRequest(double total, const LoadResult& result) {
  return total / static_cast<double>(std::max<uint64_t>(result.latency_ns.count(), 1));
}

double Throughput(const LoadResult& result) {
  return result.seconds > 0 ? static_cast<double>(result.latency_ns.count()) / result.seconds : 0;
}

std::string Time(uint64_t ns) {
  const auto value = static_cast<double>(ns);
  if (value < 1e6) return fmt::format("{:.1f} µs", value / 1e3);
  if (value < 1e9) return fmt::format("{:.2f} ms", value / 1e6);
  return fmt::format("{:.2f} s", value / 1e9);
}

std::string JsonText(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace

std::string TextReport(const Options& options, const LoadResult& result) {
  const Histogram& latency = result.latency_ns;
  std::string out =
      fmt::format("workload     {}, {} connections, {}, {} driver thread{}\n", options.workload, options.connections,
                  options.rate > 0 ? fmt::format("open loop at {:.0f}/s", options.rate) : "closed loop",
                  options.threads, options.threads == 1 ? "" : "s");
  auto to = std::back_inserter(out);
  fmt::format_to(to, "requests     {} in {:.2f} s, {:.0f} per second\n", latency.count(), result.seconds,
                 Throughput(result));
  fmt::format_to(to, "latency      p50 {}, p90 {}, p99 {}, p99.9 {}, max {}\n", Time(latency.Percentile(50)),
                 Time(latency.Percentile(90)), Time(latency.Percentile(99)), Time(latency.Percentile(99.9)),
                 Time(latency.max()));
  if (result.unsent > 0)
    fmt::format_to(to, "unsent       {} requests were due but found no free connection\n", result.unsent);
  if (result.has_server_usage) {
    fmt::format_to(to, "server       {:.2f} µs CPU per request, {:.0f} % of a core, RSS {:.1f} MiB\n",
                   PerRequest(result.server_cpu_us, result), result.server_cpu_us / result.seconds / 1e4,
                   static_cast<double>(result.server_rss_bytes) / (1 << 20));
  }
  fmt::format_to(to, "driver       {:.2f} µs CPU per request\n", PerRequest(result.client_cpu_us, result));
  fmt::format_to(to, "errors       {}\n", result.errors);
  for (const std::string& example : result.error_examples) fmt::format_to(to, "  {}\n", example);
  return out;
}

std::string JsonReport(const Options& options, const LoadResult& result) {
  const Histogram& latency = result.latency_ns;
  const auto us = [&](double percentile) { return static_cast<double>(latency.Percentile(percentile)) / 1e3; };
  std::string out = fmt::format(
      R"({{"workload":{},"connections":{},"threads":{},"rate":{},"items":{},"item_size":{},)"
      R"("requests":{},"seconds":{:.6f},"throughput":{:.1f},)"
      R"("latency_us":{{"mean":{:.2f},"p50":{:.2f},"p90":{:.2f},"p99":{:.2f},"p999":{:.2f},"max":{:.2f}}},)"
      R"("unsent":{},"client_cpu_us_per_request":{:.3f},)",
      JsonText(options.workload), options.connections, options.threads, options.rate, options.items, options.item_size,
      latency.count(), result.seconds, Throughput(result), latency.Mean() / 1e3, us(50), us(90), us(99), us(99.9),
      static_cast<double>(latency.max()) / 1e3, result.unsent, PerRequest(result.client_cpu_us, result));
  auto to = std::back_inserter(out);
  if (result.has_server_usage) {
    fmt::format_to(to, R"("server_cpu_us_per_request":{:.3f},"server_rss_bytes":{},)",
                   PerRequest(result.server_cpu_us, result), result.server_rss_bytes);
  }
  fmt::format_to(to, R"("errors":{},"error_examples":[)", result.errors);
  for (size_t i = 0; i < result.error_examples.size(); ++i) {
    fmt::format_to(to, "{}{}", i == 0 ? "" : ",", JsonText(result.error_examples[i]));
  }
  return out + "]}\n";
}

}  // namespace armature::cli::bench
