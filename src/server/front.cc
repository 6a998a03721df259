#include "server/front.h"

#include <algorithm>
#include <chrono>

#include "base/log.h"
#include "base/memory/memory_reserve.h"
#include "front/routes.h"

namespace armature::server {

namespace {

// What clients may hold of the memory with large requests and unread answers.
size_t BufferLimit(uint64_t memory_limit_bytes) {
  return std::clamp<uint64_t>(memory_limit_bytes / 4, uint64_t{32} << 20, uint64_t{512} << 20);
}

api::Services ServicesFrom(const ServeOptions& options, Store& store, Tables& tables) {
  api::Services services{*store.engine,   tables.catalog(), tables.reads(), tables.writes(),
                         tables.tokens(), tables.journal(), store.clock,    store.random};
  services.allows_partiql_scans = !options.no_partiql_scans;
  services.shares_tables = options.sharing == TableSharing::kOneForAll;
  services.compatibility = options.compatibility;
  return services;
}

net::ServerOptions NetOptionsFrom(const ServeOptions& options, const MemoryWatch& memory) {
  net::ServerOptions net;
  net.host = options.host;
  net.port = options.port;
  net.threads = options.threads;
  net.max_connections = options.max_connections;
  net.max_buffered_bytes = BufferLimit(memory.limit_bytes());
  net.overloaded = [&memory] { return memory.is_over() || MemoryReserve::is_spent(); };
  return net;
}

}  // namespace

Front::Front(const ServeOptions& options, Store& store, Tables& tables, Background& background)
    : options_(options),
      services_(ServicesFrom(options, store, tables)),
      verifier_(options.account, options.sharing == TableSharing::kPerKeyAndRegion ? auth::KeyAccounts::kOneEach
                                                                                   : auth::KeyAccounts::kOneForAll),
      pipeline_(front::PipelineOptions{.region = options.region,
                                       .has_region_of_its_own = options.sharing == TableSharing::kOneForAll},
                services_, verifier_),
      dispatcher_(front::DispatcherOptions{auth::SitePolicy(options.host, options.allowed_hosts, options.cors_origins),
                                           options.slow_request_millis},
                  front::MakeRoutes(pipeline_, options.region, &background.triggers(), store.metrics), store.random,
                  store.metrics),
      server_(NetOptionsFrom(options, background.memory_watch()), dispatcher_, store.metrics) {}

Status Front::Listen() { return server_.Start(); }

void Front::Stop() {
  const size_t cut_off = server_.Stop(std::chrono::seconds(options_.drain_seconds));
  if (cut_off > 0) LogWarn("{} requests were cut off", cut_off);
  dispatcher_.Stop();
}

}  // namespace armature::server
