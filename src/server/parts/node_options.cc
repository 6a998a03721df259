#include "server/parts/node_options.h"

#include <CLI/CLI.hpp>

namespace armature::server {

namespace {
constexpr int kMostNodes = 11;  // as AWS has it
constexpr int64_t kMostBusyPollMicros = 1'000'000;
constexpr int64_t kMostTtlMillis = int64_t{10} * 365 * 86'400'000;
}  // namespace

bool ArePorts(std::optional<uint16_t> first, int count) {
  return !first || *first == 0 || *first + count - 1 <= 65'535;
}

void AddNodeOptions(CLI::App& app, NodeOptions& options) {
  app.add_option("--dax-port", options.port,
                 "Answer DAX clients on this port, from a cache; 0 picks a free one (dax://HOST:PORT)");
  app.add_option("--dax-tls-port", options.tls_port,
                 "The same through TLS, with the certificate of --tls-cert (daxs://HOST:PORT)")
      ->needs(app.get_option("--tls-cert"));
  app.add_option("--dax-nodes", options.nodes, "How many nodes the DAX cluster has, on ports one after the other")
      ->capture_default_str()
      ->check(CLI::Range(1, kMostNodes));
  app.add_option("--dax-advertise", options.advertised_host,
                 "The address at which DAX clients reach this machine, if it is not the one that is listened on")
      ->type_name("IP");
  app.add_option("--dax-cache-mib", options.cache_mebibytes, "Memory of each DAX node's cache")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--dax-record-ttl-millis", options.record_ttl_millis,
                 "How long an item stays in the DAX cache; 0: until its place is needed")
      ->capture_default_str()
      ->check(CLI::Range(int64_t{0}, kMostTtlMillis));
  app.add_option("--dax-query-ttl-millis", options.query_ttl_millis,
                 "How long a page of Query or Scan stays there; 0: none is kept")
      ->capture_default_str()
      ->check(CLI::Range(int64_t{0}, kMostTtlMillis));
  app.add_flag("--dax-coherent", options.is_coherent,
               "Nothing in the DAX cache is older than the last acknowledged write, whoever wrote it");
  app.add_option("--dax-busy-poll-micros", options.busy_poll_micros,
                 "How long a DAX node's thread that has answered looks for the next request before it sleeps: shorter "
                 "waits, for a processor that is never idle while requests come")
      ->capture_default_str()
      ->check(CLI::Range(int64_t{0}, kMostBusyPollMicros));
}

}  // namespace armature::server
