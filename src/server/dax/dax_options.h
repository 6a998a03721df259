// DaxOptions: everything `armature dax` can be told, by flags or by a configuration file.
//
// As server/options.h for `armature serve`: plain values with the defaults a laptop wants, flags win over the file,
// parsing prints nothing itself. Used by server/ only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "cli/client/endpoint.h"
#include "server/command/command_line.h"

namespace armature::server {

struct DaxOptions {
  cli::EndpointChoice endpoint;  // the DynamoDB behind the nodes, and as whom they reach it
  int64_t connect_timeout_millis = 1'000;
  int64_t request_timeout_millis = 10'000;
  uint64_t max_requests = 2048;  // to the endpoint at once; beyond that clients are throttled

  std::string cluster = "armature";  // the cluster's name, as policies know it
  std::string account = "123456789012";
  int nodes = 1;
  std::string host = "127.0.0.1";
  uint16_t port = 8111;         // of the first node; the next ones have those behind it
  std::string advertised_host;  // where clients are told to go; empty: the host
  // TLS on `port` instead, or on a port of its own beside it, as for `armature serve`.
  std::string tls_certificate;
  std::string tls_key;
  std::optional<uint16_t> tls_port;
  int threads = 0;  // of each node; 0: one per core
  int64_t busy_poll_micros = 0;
  uint64_t max_connections = 20'000;

  std::string data_directory = "./armature-dax";  // for attribute lists
  uint64_t cache_mebibytes = 256;                 // of each node
  int64_t record_ttl_millis = 300'000;
  int64_t query_ttl_millis = 300'000;

  std::string iam_file;  // principals; without it any well-formed signature is believed
  bool allow_unauthenticated = false;
  std::optional<uint16_t> metrics_port;  // none: there is no page
  std::string metrics_token_file;
  int64_t drain_seconds = 20;
  bool core_dumps = false;
  LogLevel log_level = LogLevel::kInfo;
};

// What parsing came to: options to run with, or a text to print and an exit code.
using ParsedDaxOptions = ParsedCommand<DaxOptions>;

// `arguments` are those behind `armature dax`.
ParsedDaxOptions ParseDaxOptions(const std::vector<std::string>& arguments);

}  // namespace armature::server
