// NodeOptions: what `armature serve` can be told of the DAX nodes in it. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace armature::server {

struct NodeOptions {
  std::optional<uint16_t> port;      // of the first node; those behind it have the ones that follow. None: no DAX
  std::optional<uint16_t> tls_port;  // likewise, with the server's certificate
  int nodes = 1;
  std::string advertised_host;     // where clients are told to go; empty: where the server listens
  uint64_t cache_mebibytes = 256;  // of each node
  int64_t record_ttl_millis = 300'000;
  int64_t query_ttl_millis = 300'000;
  bool is_coherent = false;
  int64_t busy_poll_micros = 0;  // how long a thread of a node looks for requests before it sleeps

  bool is_asked_for() const { return port || tls_port; }
};

// Whether so many ports one behind the other are all ports. Free ones (0) are not in a row.
bool ArePorts(std::optional<uint16_t> first, int count);

void AddNodeOptions(CLI::App& app, NodeOptions& options);

}  // namespace armature::server
