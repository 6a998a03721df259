// Where nodes listen, one behind the other, and where their clients are told to go. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "dax/node/dax_cluster.h"
#include "dax/node/dax_node.h"

namespace armature::server {

struct NodePlaces {
  std::string host;
  std::string advertised_host;              // empty: where they listen
  std::optional<uint16_t> port;             // of the first node, without TLS; 0: any free one
  std::optional<uint16_t> tls_port;         // likewise, with TLS. One of both is there
  std::shared_ptr<net::TlsAcceptor> tls{};  // REQUIRES: there, if tls_port is
  std::string region;
  int threads = 0;
  std::chrono::microseconds busy_poll{0};
  // Of each node; see dax::NodePlan.
  size_t max_connections = 20'000;
  size_t max_connections_per_address = 0;
  size_t max_buffered_bytes = size_t{256} << 20;
  std::function<bool()> overloaded{};
};

dax::NodePlan PlanOf(const NodePlaces& places, const std::string& cluster, int number);

// "dax://127.0.0.1:8111 and daxs://127.0.0.1:9111": of the first node. REQUIRES: it serves.
std::string UrlsOf(const dax::DaxCluster& cluster);

}  // namespace armature::server
