#include "cli/bench/options.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/bench/dax_wire.h"
#include "cli/bench/workload.h"

namespace armature::cli::bench {
namespace {

std::string FromEnvironment(const char* name, const char* fallback) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? fallback : value;
}

std::string DescribeWorkloads() {
  std::string text = "Workloads:\n";
  for (const WorkloadInfo& info : Workloads()) text += fmt::format("  {:<16} {}\n", info.name, info.description);
  text +=
      "\nRequests are signed with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS's documentation\n"
      "example key if they are not set. The exit code is 1 if any answer was wrong.";
  return text;
}

}  // namespace

std::string Endpoint::HostHeader() const { return fmt::format("{}:{}", host, port); }

Result<Endpoint> ParseEndpoint(const std::string& url) {
  std::string_view rest = url;
  Endpoint endpoint;
  endpoint.is_secure = rest.starts_with("https://");
  if (!endpoint.is_secure && !rest.starts_with("http://")) {
    return Status::InvalidArgument(fmt::format("--endpoint must begin with http:// or https:// (got '{}')", url));
  }
  rest.remove_prefix(rest.find("://") + 3);
  if (!rest.empty() && rest.back() == '/') rest.remove_suffix(1);
  const size_t colon = rest.rfind(':');
  endpoint.host = std::string(rest.substr(0, colon));
  endpoint.port = endpoint.is_secure ? 443 : 80;
  if (colon != std::string_view::npos) {
    const std::string_view port = rest.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), endpoint.port);
    if (error != std::errc() || end != port.data() + port.size() || endpoint.port == 0) {
      return Status::InvalidArgument(fmt::format("'{}' is not a port", port));
    }
  }
  if (endpoint.host.empty() || endpoint.host.find('/') != std::string::npos) {
    return Status::InvalidArgument(fmt::format("'{}' is not of the form http://host:port", url));
  }
  return endpoint;
}

Result<Endpoint> ParseDaxEndpoint(const std::string& url) {
  constexpr std::string_view kScheme = "dax://";
  if (!url.starts_with(kScheme))
    return Status::InvalidArgument(fmt::format("--dax must begin with dax:// (got '{}')", url));
  return ParseEndpoint("http://" + url.substr(kScheme.size()));
}

Result<std::chrono::nanoseconds> ParseDuration(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  double seconds = 0;
  if (unit.empty() || unit == "s") {
    seconds = number;
  } else if (unit == "ms") {
    seconds = number / 1e3;
  } else if (unit == "m") {
    seconds = number * 60;
  } else {
    seconds = -1;
  }
  if (error != std::errc() || seconds < 0 || seconds > 1e6) {
    return Status::InvalidArgument(fmt::format("'{}' is not a duration such as 250ms, 5s or 2m", text));
  }
  return std::chrono::nanoseconds(static_cast<int64_t>(seconds * 1e9));
}

Result<Options, int> ParseOptions(int argc, char** argv) {
  Options options;
  std::string endpoint = "http://127.0.0.1:8000";
  std::string dax;
  std::string ca_file;
  std::string duration = "5s";
  std::string warmup = "500ms";
  options.credentials.region = "us-east-1";

  CLI::App app(
      "Runs a named workload against a DynamoDB endpoint, verifies every answer, and prints throughput,\n"
      "latency and, with --pid, what each request cost the server.",
      argc > 0 ? argv[0] : "armature bench");
  app.footer(DescribeWorkloads());
  app.add_option("--endpoint", endpoint, "URL of the endpoint")->capture_default_str();
  app.add_option("--ca-file", ca_file, "Certificates to trust for https, PEM [the system's]")->envname("AWS_CA_BUNDLE");
  app.add_option("--dax", dax, "Send the load to this DAX node, dax://HOST:PORT, by its own protocol: get and put");
  app.add_option("--workload", options.workload, "What to send; see below")->required();
  app.add_option("--table", options.table, "Table to use; made if missing")->capture_default_str();
  app.add_option("--connections", options.connections, "Keep-alive connections")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "Threads of the driver")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  auto* duration_option =
      app.add_option("--duration", duration, "Measured time, such as 5s or 500ms")->capture_default_str();
  app.add_option("--requests", options.requests, "End after this many measured requests instead")
      ->excludes(duration_option);
  app.add_option("--warmup", warmup, "Time under load before measuring")->capture_default_str();
  app.add_option("--rate", options.rate,
                 "Open loop: send at this many requests per second whatever the server does;\n"
                 "latency then counts from the intended sending time")
      ->check(CLI::PositiveNumber);
  app.add_option("--items", options.items, "Items (or counters) the workload works on")
      ->check(CLI::Range(uint64_t{1}, uint64_t{4'000'000'000}))
      ->capture_default_str();
  app.add_option("--item-size", options.item_size, "Size of an item in bytes, as DynamoDB counts")
      ->check(CLI::Range(32, 400 * 1024))
      ->capture_default_str();
  app.add_option("--partition-items", options.partition_items,
                 "Items under one partition key, for workloads with sort keys; each number has its own table")
      ->check(CLI::Range(uint64_t{1}, uint64_t{4'000'000'000}))
      ->capture_default_str();
  app.add_option("--where", options.place, "Where in its partition a Query begins: start, middle, end or random")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Place>{
          {"start", Place::kStart}, {"middle", Place::kMiddle}, {"end", Place::kEnd}, {"random", Place::kAnywhere}}))
      ->default_str("random");
  app.add_option("--region", options.credentials.region, "Region to sign for")->capture_default_str();
  app.add_option("--pid", options.pids,
                 "Server process (with its children) whose CPU and memory to report; repeatable");
  app.add_option("--expect", options.expect_file, "File with the body the workload `fixed` expects");
  app.add_option("--seed", options.seed, "Seed of the random choices")->capture_default_str();
  app.add_flag("--json", options.json, "Print one JSON object instead of text");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Exceptions are CLI11's interface for help and for errors; they end here.
    return Unexpected<int>{app.exit(error)};
  }

  const auto fail = [](const Status& status) {
    fmt::print(stderr, "armature bench: {}\n", status.message());
    return Unexpected<int>{2};
  };
  auto parsed_endpoint = ParseEndpoint(endpoint);
  if (!parsed_endpoint) return fail(parsed_endpoint.error());
  options.endpoint = *parsed_endpoint;
  if (options.endpoint.is_secure) {
    auto trust = LoadTrust(ca_file);
    if (!trust) return fail(trust.error());
    options.endpoint.trust = std::move(*trust);
  }
  if (!dax.empty()) {
    auto node = ParseDaxEndpoint(dax);
    if (!node) return fail(node.error());
    options.dax = *node;
    if (!DaxWire::Knows(options.workload))
      return fail(Status::InvalidArgument(fmt::format("the workload '{}' cannot be sent by --dax", options.workload)));
  }
  auto parsed_duration = ParseDuration(duration);
  if (!parsed_duration) return fail(parsed_duration.error());
  options.duration = *parsed_duration;
  auto parsed_warmup = ParseDuration(warmup);
  if (!parsed_warmup) return fail(parsed_warmup.error());
  options.warmup = *parsed_warmup;
  if (FindWorkload(options.workload) == nullptr) {
    return fail(Status::InvalidArgument(fmt::format("there is no workload '{}'; --help lists them", options.workload)));
  }
  if (options.threads > options.connections) options.threads = options.connections;
  if (options.items < options.threads) options.threads = static_cast<uint32_t>(options.items);
  options.credentials.access_key_id = FromEnvironment("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE");
  options.credentials.secret_access_key =
      FromEnvironment("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
  return options;
}

}  // namespace armature::cli::bench
