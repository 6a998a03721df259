// What the command line of `armature bench` says, parsed and checked.
//
// Plain data plus the one function that fills it; no I/O but reading the environment's AWS credentials and the file of
// certificates to trust.
// Used by every part of the load driver.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/bench/http/sigv4_signer.h"
#include "cli/bench/http/tls_client.h"

namespace armature::cli::bench {

struct Endpoint {
  std::string host;
  uint16_t port = 0;
  bool is_secure = false;  // https
  TlsTrust trust{};        // then; whose certificates it may show

  std::string HostHeader() const;
};

// Accepts http://host[:port][/] and the same with https; anything else is refused. Loads no trust.
Result<Endpoint> ParseEndpoint(const std::string& url);
// The same of dax://host:port.
Result<Endpoint> ParseDaxEndpoint(const std::string& url);

// "250ms", "5s", "2m" or plain seconds.
Result<std::chrono::nanoseconds> ParseDuration(const std::string& text);

// Where in a partition a Query begins: anywhere, or in the first, middle or last hundredth of it.
enum class Place { kAnywhere, kStart, kMiddle, kEnd };

struct Options {
  Endpoint endpoint;
  std::optional<Endpoint> dax;  // the node that the load goes to; tables and items are made at the endpoint
  Credentials credentials;
  std::string workload;
  std::string table = "armature-bench";
  std::string expect_file;  // the body the `fixed` workload insists on
  uint32_t connections = 32;
  uint32_t threads = 1;
  std::chrono::nanoseconds duration{};
  std::chrono::nanoseconds warmup{};
  uint64_t requests = 0;  // when set, the run ends after that many instead of after `duration`
  double rate = 0;        // requests per second of the open loop; 0 is the closed loop
  uint64_t items = 10'000;
  uint32_t item_size = 200;
  uint64_t partition_items = 1000;  // how many of the items with a sort key share a partition key
  Place place = Place::kAnywhere;
  uint64_t seed = 1;
  std::vector<int> pids;
  bool json = false;
};

// Either the options, or the exit code to end with (help was asked for, or an error was printed).
Result<Options, int> ParseOptions(int argc, char** argv);

}  // namespace armature::cli::bench
