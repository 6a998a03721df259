#include "server/dax/remote_cluster.h"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/memory/memory_reserve.h"
#include "base/tasks/task_pool.h"
#include "server/command/metrics_token.h"
#include "server/dax/node_plans.h"

namespace armature::server {

namespace {

constexpr const char* kListFile = "attribute-lists";
// How long clients may take to read that their requests have ended.
constexpr std::chrono::seconds kLastWords(2);

dax::Credentials KeysOf(const cli::AwsCredentials& found) {
  return {.identity = {found.access_key_id, found.secret_access_key, found.session_token},
          .expires_at_millis = found.expires_at_millis};
}

// Looks for keys where they were found at first: files and programs may have others by now.
dax::CredentialStore::Load KeyLoader(const cli::EndpointChoice& choice) {
  return [choice]() -> Result<dax::Credentials> {
    ARMATURE_TRY(const cli::Endpoint found, cli::ResolveEndpoint(choice, cli::ProcessEnvironment()));
    return KeysOf(found.credentials);
  };
}

}  // namespace

RemoteCluster::RemoteCluster(const DaxOptions& options)
    : options_(options), refilling_(std::chrono::seconds(1), [] { MemoryReserve::Refill(); }) {}

Result<std::unique_ptr<RemoteCluster>> RemoteCluster::Build(const DaxOptions& options) {
  std::unique_ptr<RemoteCluster> made(new RemoteCluster(options));
  if (Status status = made->FindEndpoint(); !status.ok()) return status;
  if (Status status = made->MakeBackend(); !status.ok()) return status;
  ARMATURE_TRY(made->gate_, DaxGate::Open(options, made->clock_, made->metrics_));
  if (Status status = made->OpenLists(); !status.ok()) return status;
  if (Status status = made->OpenTls(); !status.ok()) return status;
  if (Status status = made->MakePage(); !status.ok()) return status;
  made->MakeCluster();
  return made;
}

Status RemoteCluster::FindEndpoint() {
  ARMATURE_TRY(endpoint_, cli::ResolveEndpoint(options_.endpoint, cli::ProcessEnvironment()));
  credentials_ =
      std::make_unique<dax::CredentialStore>(KeysOf(endpoint_.credentials), KeyLoader(options_.endpoint), clock_);
  return Status::Ok();
}

Status RemoteCluster::MakeBackend() {
  dax::RemoteBackendOptions backend;
  ARMATURE_TRY(backend.endpoint, dax::ParseEndpointUrl(endpoint_.url));
  if (backend.endpoint.is_secure) { ARMATURE_TRY(backend.tls, net::TlsConnector::Open(endpoint_.ca_file)); }
  if (HasRegionOfItsOwn()) backend.region = endpoint_.region;
  backend.max_calls = options_.max_requests;
  backend.connect_timeout_millis = options_.connect_timeout_millis;
  backend.timeout_millis = options_.request_timeout_millis;
  backend_ = std::make_unique<dax::RemoteBackend>(std::move(backend), *credentials_, clock_, metrics_);
  return Status::Ok();
}

Status RemoteCluster::OpenLists() {
  const std::filesystem::path directory = options_.data_directory;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    return Status::InvalidArgument(
        fmt::format("cannot make the directory {}: {}", directory.string(), error.message()));
  ARMATURE_TRY(list_file_, dax::AttributeListFile::Open(directory / kListFile, options_.account));
  lists_ = std::make_unique<dax::AttributeLists>(list_file_.get());
  schemas_ = std::make_unique<dax::TableSchemas>(*backend_, clock_);
  return lists_->Load();
}

Status RemoteCluster::OpenTls() {
  if (options_.tls_certificate.empty()) return Status::Ok();
  ARMATURE_TRY(
      tls_, net::TlsAcceptor::Open({.files = {options_.tls_certificate, options_.tls_key, {}}, .wants_kernel = false},
                                   metrics_, clock_));
  return Status::Ok();
}

Status RemoteCluster::MakePage() {
  if (!options_.metrics_port) return Status::Ok();
  ARMATURE_TRY(Secret token, ReadMetricsToken(options_.metrics_token_file));
  page_ = std::make_unique<MetricsPage>(MetricsPageOptions{.host = options_.host,
                                                           .port = *options_.metrics_port,
                                                           .token = std::move(token),
                                                           .keeps_out_others = [this] { return gate_->is_shut(); }},
                                        random_, metrics_);
  return Status::Ok();
}

void RemoteCluster::MakeCluster() {
  dax::ClusterSettings settings;
  settings.name = options_.cluster;
  settings.account = options_.account;
  settings.region = endpoint_.region;
  // A server of one's own may have tables for every Region; Amazon's endpoints have those of their own.
  settings.serves_every_scope = !HasRegionOfItsOwn();
  settings.cache_bytes = options_.cache_mebibytes << 20;
  settings.record_ttl_millis = options_.record_ttl_millis;
  settings.query_ttl_millis = options_.query_ttl_millis;
  cluster_ =
      std::make_unique<dax::DaxCluster>(std::move(settings), dax::ClusterServices{.backend = *backend_,
                                                                                  .lists = *lists_,
                                                                                  .schemas = *schemas_,
                                                                                  .clock = clock_,
                                                                                  .metrics = metrics_,
                                                                                  .verifier = gate_->verifier(),
                                                                                  .authorizer = &gate_->authorizer()});
}

Status RemoteCluster::Open() {
  NodePlaces places{.host = options_.host,
                    .advertised_host = options_.advertised_host,
                    .port = options_.port,
                    .tls_port = options_.tls_port,
                    .tls = tls_,
                    .region = endpoint_.region,
                    .threads = options_.threads,
                    .busy_poll = std::chrono::microseconds(options_.busy_poll_micros),
                    .max_connections = options_.max_connections,
                    .overloaded = [] { return MemoryReserve::is_spent(); }};
  if (tls_ && !places.tls_port) places.tls_port = std::exchange(places.port, std::nullopt);
  for (int number = 0; number < options_.nodes; ++number) {
    Status status = cluster_->AddNode(PlanOf(places, options_.cluster, number));
    if (!status.ok()) return status;
  }
  refilling_.Start();
  return page_ ? page_->Start() : Status::Ok();
}

void RemoteCluster::Close() {
  const std::chrono::seconds patience(options_.drain_seconds);
  // What the endpoint has not answered by then ends with an error, rather than without a word.
  TaskPool watch("dax-stop", 1);
  const TaskPool::Handle end = watch.Add([this, patience, waited = false]() mutable {
    if (!std::exchange(waited, true)) return TaskPool::Next::After(patience);
    backend_->Shutdown();
    return TaskPool::Next::End();
  });
  cluster_->StopAll(patience + kLastWords);
  watch.Cancel(end);
  watch.AwaitEnd(end);
  if (page_) page_->Stop();
  refilling_.Stop();
}

std::string RemoteCluster::Urls() const { return UrlsOf(*cluster_); }

std::optional<uint16_t> RemoteCluster::metrics_port() const {
  return page_ ? std::optional(page_->port()) : std::nullopt;
}

}  // namespace armature::server
