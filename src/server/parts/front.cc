#include "server/parts/front.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/memory/memory_reserve.h"
#include "front/routes.h"

namespace armature::server {

namespace {

api::Services ServicesFrom(const ServeOptions& options, Store& store, const Gate& gate, Tables& tables) {
  api::Services services{*store.engine,   tables.catalog(), tables.reads(), tables.writes(),
                         tables.tokens(), tables.journal(), store.clock,    store.random};
  services.authorizer = gate.authorizer();
  services.principals = &gate.principals();
  services.allows_partiql_scans = !options.no_partiql_scans;
  services.shares_tables = options.sharing == TableSharing::kOneForAll;
  services.is_encrypted = store.is_encrypted();
  services.compatibility = options.compatibility;
  return services;
}

net::ServerOptions NetOptionsFrom(const ServeOptions& options, const MemoryWatch& memory,
                                  const std::shared_ptr<net::TlsAcceptor>& tls) {
  net::ServerOptions net;
  net.host = options.host;
  net.port = options.port;
  net.threads = options.threads;
  net.tls = tls;
  net.tls_port = options.tls_port;
  net.max_connections = options.max_connections;
  net.max_connections_per_address = options.max_connections_per_address;
  net.max_buffered_bytes = memory.limit_of_buffers();
  net.overloaded = [&memory] { return memory.is_over() || MemoryReserve::is_spent(); };
  return net;
}

}  // namespace

Result<std::shared_ptr<net::TlsAcceptor>> Front::OpenTls(const ServeOptions& options, Store& store) {
  if (options.tls_certificate.empty()) return std::shared_ptr<net::TlsAcceptor>();
  const net::TlsFiles files{options.tls_certificate, options.tls_key, options.tls_client_ca};
  return net::TlsAcceptor::Open({.files = files, .wants_kernel = options.tls_kernel}, store.metrics, store.clock);
}

Front::Front(const ServeOptions& options, Store& store, Gate& gate, Tables& tables, Background& background,
             dax::control::ClusterBook& clusters, std::shared_ptr<net::TlsAcceptor> tls, Secret metrics_token,
             const audit::Audit* audit)
    : options_(options),
      tls_(std::move(tls)),
      services_(ServicesFrom(options, store, gate, tables)),
      addresses_(options.rate_per_address
                     ? std::make_unique<TokenBuckets>(*options.rate_per_address, store.clock, store.random.NextU64())
                     : nullptr),
      pipeline_(front::PipelineOptions{.region = options.region,
                                       .has_region_of_its_own = options.sharing == TableSharing::kOneForAll},
                services_, gate.verifier(), audit),
      identity_api_(options, gate, store.clock),
      dispatcher_(front::DispatcherOptions{auth::SitePolicy(options.host, options.allowed_hosts, options.cors_origins),
                                           options.slow_request_millis, audit, addresses_.get()},
                  front::MakeRoutes(pipeline_, options.region, &background.triggers(), store.metrics,
                                    &identity_api_.operations(),
                                    {std::move(metrics_token), [&gate] { return gate.is_shut(); }}, &clusters),
                  store.random, store.metrics),
      server_(NetOptionsFrom(options, background.memory_watch(), tls_), dispatcher_, store.metrics) {}

Status Front::Listen() { return server_.Start(); }

Status Front::ReloadTls() { return tls_ ? tls_->Reload() : Status::Ok(); }

void Front::Stop() {
  const size_t cut_off = server_.Stop(std::chrono::seconds(options_.drain_seconds));
  if (cut_off > 0) LogWarn("{} requests were cut off", cut_off);
  dispatcher_.Stop();
}

}  // namespace armature::server
