#include "server/dax/dax_nodes.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/memory/memory_reserve.h"
#include "dax/codec/key_codec.h"
#include "server/dax/cluster_role.h"

namespace armature::server {

namespace {

constexpr std::string_view kOfOptions;  // the ARN of the cluster that has none

dax::ClusterSettings SettingsOf(const ServeOptions& options) {
  dax::ClusterSettings settings;
  settings.account = options.account;
  settings.region = options.region;
  // One set of tables lies in the server's own account and Region, whatever a signature says.
  settings.serves_every_scope = options.sharing != TableSharing::kOneForAll;
  settings.cache_bytes = options.dax.cache_mebibytes << 20;
  settings.record_ttl_millis = options.dax.record_ttl_millis;
  settings.query_ttl_millis = options.dax.query_ttl_millis;
  settings.is_coherent = options.dax.is_coherent;
  return settings;
}

// "mycluster-c" is the third.
int NumberOf(std::string_view node_id) {
  const char last = node_id.empty() ? 'a' : node_id.back();
  return std::clamp(last - 'a', 0, 25);
}

}  // namespace

struct DaxNodes::Shared {
  Shared(storage::Engine& engine, const std::string& own_account) : records(engine, own_account), lists(&records) {}
  ListRecords records;
  dax::AttributeLists lists;
};

struct DaxNodes::Cluster {
  Cluster(dax::ClusterSettings settings, std::string role_arn, std::string arn, Shared& shared, DaxNodes& house)
      : role(house.gate_, house.store_.clock, std::move(role_arn), std::move(arn)),
        backend(house.pipeline_, role),
        schemas(backend, house.store_.clock),
        nodes(std::move(settings), {.backend = backend,
                                    .lists = shared.lists,
                                    .schemas = schemas,
                                    .clock = house.store_.clock,
                                    .metrics = house.store_.metrics,
                                    .verifier = house.gate_.uncounted_verifier(),
                                    .authorizer = house.gate_.authorizer(),
                                    .limits = house.gate_.limits(),
                                    .recorder = house.recorder_ ? &*house.recorder_ : nullptr}) {}
  ClusterRole role;
  LocalBackend backend;
  dax::TableSchemas schemas;
  dax::DaxCluster nodes;
};

DaxNodes::DaxNodes(const ServeOptions& options, Store& store, Gate& gate, Tables& tables, const MemoryWatch& memory,
                   const front::Pipeline& pipeline, std::shared_ptr<net::TlsAcceptor> tls)
    : options_(options),
      store_(store),
      gate_(gate),
      tables_(tables),
      memory_(memory),
      pipeline_(pipeline),
      tls_(std::move(tls)) {
  if (pipeline_.audit()) recorder_.emplace(*pipeline_.audit());
  tables_.catalog().AddListener(*this);
  if (options_.dax.is_coherent) tables_.writes().SetListener(this);
}

DaxNodes::~DaxNodes() = default;

Status DaxNodes::Prepare() {
  if (shared_) return Status::Ok();
  auto shared = std::make_unique<Shared>(*store_.engine, options_.account);
  if (Status status = shared->lists.Load(); !status.ok()) return status;
  shared_ = std::move(shared);
  return Status::Ok();
}

DaxNodes::ClusterPtr DaxNodes::MakeCluster(dax::ClusterSettings settings, std::string role_arn, std::string arn) {
  return std::make_shared<Cluster>(std::move(settings), std::move(role_arn), std::move(arn), *shared_, *this);
}

DaxNodes::ClusterPtr DaxNodes::Find(std::string_view arn) const {
  MutexLock lock(mutex_);
  const auto found = clusters_.find(arn);
  return found == clusters_.end() ? nullptr : found->second;
}

std::vector<DaxNodes::ClusterPtr> DaxNodes::All() const {
  MutexLock lock(mutex_);
  std::vector<ClusterPtr> all;
  for (const auto& [arn, cluster] : clusters_) all.push_back(cluster);
  return all;
}

// --- Those of the options

NodePlaces DaxNodes::PlacesOf(std::optional<uint16_t> port, std::optional<uint16_t> tls_port) const {
  return {.host = options_.host,
          .advertised_host = options_.dax.advertised_host,
          .port = port,
          .tls_port = tls_port,
          .tls = tls_,
          .region = options_.region,
          .threads = options_.threads,
          .busy_poll = std::chrono::microseconds(options_.dax.busy_poll_micros),
          .max_connections = options_.max_connections,
          .max_connections_per_address = options_.max_connections_per_address,
          .max_buffered_bytes = memory_.limit_of_buffers(),
          .overloaded = [&memory = memory_] { return memory.is_over() || MemoryReserve::is_spent(); }};
}

Status DaxNodes::Open() {
  if (!options_.dax.is_asked_for()) return Status::Ok();
  if (Status status = Prepare(); !status.ok()) return status;
  const ClusterPtr cluster = MakeCluster(SettingsOf(options_), {}, std::string(kOfOptions));
  {
    MutexLock lock(mutex_);
    clusters_.emplace(kOfOptions, cluster);
  }
  const NodePlaces places = PlacesOf(options_.dax.port, options_.dax.tls_port);
  for (int number = 0; number < options_.dax.nodes; ++number) {
    Status status = cluster->nodes.AddNode(PlanOf(places, cluster->nodes.settings().name, number));
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

void DaxNodes::Stop() {
  for (const ClusterPtr& cluster : All()) cluster->nodes.StopAll(std::chrono::seconds(options_.drain_seconds));
}

std::string DaxNodes::Urls() const {
  const ClusterPtr cluster = Find(kOfOptions);
  return cluster ? UrlsOf(cluster->nodes) : std::string();
}

// --- Those of clusters that were made

Result<dax::control::NodeAddress> DaxNodes::Start(const dax::control::NodePlan& plan) {
  if (plan.is_encrypted && !tls_)
    return Status::InvalidArgument(
        fmt::format("DAX cluster {} speaks TLS, and the server has no certificate (--tls-cert)", plan.cluster));
  if (Status status = Prepare(); !status.ok()) return status;
  ClusterPtr cluster = Find(plan.cluster_arn);
  if (!cluster) {
    dax::ClusterSettings settings = SettingsOf(options_);
    settings.name = plan.cluster;
    settings.account = plan.account;
    settings.region = plan.region;
    settings.serves_every_scope = false;
    settings.record_ttl_millis = plan.parameters.record_ttl_millis;
    settings.query_ttl_millis = plan.parameters.query_ttl_millis;
    cluster = MakeCluster(std::move(settings), plan.role_arn, plan.cluster_arn);
    MutexLock lock(mutex_);
    clusters_.emplace(plan.cluster_arn, cluster);
  }
  const std::optional<uint16_t> port(plan.port), none;
  dax::NodePlan node =
      PlanOf(plan.is_encrypted ? PlacesOf(none, port) : PlacesOf(port, none), plan.cluster, NumberOf(plan.node_id));
  node.id = plan.node_id;
  node.port = plan.port;
  node.zone = plan.zone;
  Status status = cluster->nodes.AddNode(node);
  // Its port of before may be somebody else's by now.
  if (status.code() == StatusCode::kLocked && node.port != 0) {
    node.port = 0;
    status = cluster->nodes.AddNode(node);
  }
  if (!status.ok()) return status;
  return dax::control::NodeAddress{node.advertised_host, cluster->nodes.PortOf(plan.node_id)};
}

void DaxNodes::Stop(std::string_view cluster_arn, std::string_view node_id) {
  // Those it serves have its sisters.
  constexpr std::chrono::milliseconds kPatience(1000);
  if (const ClusterPtr cluster = Find(cluster_arn)) cluster->nodes.RemoveNode(node_id, kPatience);
}

void DaxNodes::Apply(std::string_view cluster_arn, const dax::control::ParameterValues& parameters) {
  if (const ClusterPtr cluster = Find(cluster_arn))
    cluster->nodes.SetTimesToLive(parameters.record_ttl_millis, parameters.query_ttl_millis);
}

void DaxNodes::Forget(std::string_view cluster_arn) {
  MutexLock lock(mutex_);
  const auto found = clusters_.find(cluster_arn);
  if (found == clusters_.end()) return;
  gone_.push_back(found->second);
  clusters_.erase(found);
}

// --- What tables tell

// A table that is gone, or was made anew, has nothing in the caches any more.
Task<void> DaxNodes::OnTableChange(const table::TableChange& change) {
  if (change.after) co_return;
  for (const ClusterPtr& cluster : All())
    cluster->schemas.Forget({change.before->account, change.before->region}, change.before->name);
}

// The write is in the table, and its client not answered yet: what is cached from here on is read after it.
void DaxNodes::OnWritten(const table::Table& table, model::Item key) noexcept {
  const Essential cannot_be_given_up;
  const auto definition = table.def();
  for (const ClusterPtr& cluster : All()) {
    const dax::TableSchemaPtr schema =
        cluster->schemas.Known({definition->account, definition->region}, definition->name);
    std::string bytes;
    if (!schema || !dax::AppendKey(bytes, *schema, key)) continue;  // nothing of it was ever asked for here
    for (const auto& node : cluster->nodes.nodes()) node->caches().NoteForeignWrite(schema->number, bytes);
  }
}

}  // namespace armature::server
