#include "server/dax/dax_house.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace armature::server {

namespace {

dax::ClusterSettings SettingsOf(const ServeOptions& options) {
  return {.account = options.account,
          .region = options.region,
          .serves_every_scope = true,
          .cache_bytes = options.dax.cache_mebibytes << 20,
          .record_ttl_millis = options.dax.record_ttl_millis,
          .query_ttl_millis = options.dax.query_ttl_millis,
          .is_coherent = options.dax.is_coherent};
}

// Where clients are told to go: an address, and one that can be gone to.
std::string AdvertisedHost(const ServeOptions& options) {
  if (!options.dax.advertised_host.empty()) return options.dax.advertised_host;
  if (options.host == "localhost" || options.host == "0.0.0.0") return "127.0.0.1";
  return options.host == "::" ? "::1" : options.host;
}

std::string Bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : fmt::format("[{}]", host);
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

dax::NodePlan DaxHouse::PlanOf(int number) const {
  const auto nth = [number](uint16_t first) { return static_cast<uint16_t>(first == 0 ? 0 : first + number); };
  dax::NodePlan plan{.number = number,
                     .id = fmt::format("{}-{}", cluster_.settings().name, static_cast<char>('a' + number)),
                     .host = options_.host,
                     .advertised_host = AdvertisedHost(options_),
                     .zone = fmt::format("{}{}", options_.region, static_cast<char>('a' + number % 3)),
                     .threads = options_.threads,
                     .max_connections = options_.max_connections};
  if (options_.dax.port) plan.port = nth(*options_.dax.port);
  if (!options_.dax.tls_port) return plan;
  plan.tls = tls_;
  if (options_.dax.port) plan.tls_port = nth(*options_.dax.tls_port);
  else plan.port = nth(*options_.dax.tls_port);
  return plan;
}

Status DaxHouse::Open() {
  if (!options_.dax.is_asked_for()) return Status::Ok();
  for (int number = 0; number < options_.dax.nodes; ++number)
    if (Status status = cluster_.AddNode(PlanOf(number)); !status.ok()) return status;
  return Status::Ok();
}

void DaxHouse::Stop() { cluster_.StopAll(std::chrono::seconds(options_.drain_seconds)); }

std::string DaxHouse::Urls() const {
  const auto nodes = cluster_.nodes();
  const dax::DaxNode& first = *nodes->front();
  const std::string host = Bracketed(first.plan().advertised_host);
  if (first.plan().tls && !first.plan().tls_port) return fmt::format("daxs://{}:{}", host, first.port());
  std::string urls = fmt::format("dax://{}:{}", host, first.port());
  if (first.plan().tls_port) urls += fmt::format(" and daxs://{}:{}", host, first.tls_port());
  return urls;
}

// A table that is gone, or was made anew, has nothing in the caches any more.
Task<void> DaxHouse::OnTableChange(const table::TableChange& change) {
  if (!change.after) schemas_.Forget({change.before->account, change.before->region}, change.before->name);
  co_return;
}

}  // namespace armature::server
