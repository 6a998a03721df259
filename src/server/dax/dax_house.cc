#include "server/dax/dax_house.h"

#include <chrono>
#include <utility>

#include "server/dax/node_plans.h"

namespace armature::server {

namespace {

dax::ClusterSettings SettingsOf(const ServeOptions& options) {
  dax::ClusterSettings settings;
  settings.account = options.account;
  settings.region = options.region;
  settings.serves_every_scope = true;
  settings.cache_bytes = options.dax.cache_mebibytes << 20;
  settings.record_ttl_millis = options.dax.record_ttl_millis;
  settings.query_ttl_millis = options.dax.query_ttl_millis;
  settings.is_coherent = options.dax.is_coherent;
  return settings;
}

}  // namespace

DaxHouse::DaxHouse(const ServeOptions& options, Store& store, Gate& gate, Tables& tables,
                   const front::Pipeline& pipeline, std::shared_ptr<net::TlsAcceptor> tls)
    : options_(options),
      store_(store),
      tls_(std::move(tls)),
      backend_(pipeline),
      records_(*store.engine),
      lists_(&records_),
      schemas_(backend_, store.clock),
      cluster_(SettingsOf(options), {.backend = backend_,
                                     .lists = lists_,
                                     .schemas = schemas_,
                                     .clock = store.clock,
                                     .metrics = store.metrics,
                                     .verifier = gate.verifier(),
                                     .authorizer = gate.authorizer()}) {
  tables.catalog().AddListener(*this);
}

Status DaxHouse::Load() { return lists_.Load(); }

Status DaxHouse::Open() {
  if (!options_.dax.is_asked_for()) return Status::Ok();
  const NodePlaces places{.host = options_.host,
                          .advertised_host = options_.dax.advertised_host,
                          .port = options_.dax.port,
                          .tls_port = options_.dax.tls_port,
                          .tls = tls_,
                          .region = options_.region,
                          .threads = options_.threads,
                          .max_connections = options_.max_connections};
  for (int number = 0; number < options_.dax.nodes; ++number) {
    Status status = cluster_.AddNode(PlanOf(places, cluster_.settings().name, number));
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

void DaxHouse::Stop() { cluster_.StopAll(std::chrono::seconds(options_.drain_seconds)); }

std::string DaxHouse::Urls() const { return UrlsOf(cluster_); }

// A table that is gone, or was made anew, has nothing in the caches any more.
Task<void> DaxHouse::OnTableChange(const table::TableChange& change) {
  if (!change.after) schemas_.Forget({change.before->account, change.before->region}, change.before->name);
  co_return;
}

}  // namespace armature::server
