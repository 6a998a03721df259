#include "server/house.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "server/command/metrics_token.h"
#include "server/dax/cluster_role.h"
#include "server/process/failure_log.h"

namespace armature::server {

namespace {

// Where programs on this machine reach the server.
std::string EndpointFor(const ServeOptions& options, uint16_t port) {
  const std::string& host = options.host;
  const char* const scheme = options.tls_certificate.empty() || options.tls_port ? "http" : "https";
  if (host == "0.0.0.0") return fmt::format("{}://127.0.0.1:{}", scheme, port);
  if (host == "::") return fmt::format("{}://[::1]:{}", scheme, port);
  return host.find(':') == std::string::npos ? fmt::format("{}://{}:{}", scheme, host, port)
                                             : fmt::format("{}://[{}]:{}", scheme, host, port);
}

}  // namespace

Result<std::unique_ptr<House>> House::Build(const ServeOptions& options) {
  ARMATURE_TRY(auto store, Store::Open(options));
  std::unique_ptr<House> house(new House(options, std::move(store)));
  if (Status status = house->Load(); !status.ok()) return status;
  return house;
}

House::House(const ServeOptions& options, std::unique_ptr<Store> store)
    : options_(options),
      store_(std::move(store)),
      tables_(options_, *store_),
      gate_(options_, *store_, tables_),
      background_(options_, *store_, gate_, tables_),
      dax_control_(*store_->engine, store_->clock, options_.control_plane_delay_millis) {}

Status House::Load() {
  dax_control_.book().SetCanEncrypt(!options_.tls_certificate.empty());
  dax_control_.book().SetRoleTrust([this](std::string_view role_arn, std::string_view cluster_arn) {
    return MayActAs(gate_, store_->clock, role_arn, cluster_arn);
  });
  if (Status status = gate_.Load(); !status.ok()) return status;
  if (Status status = tables_.Load(); !status.ok()) return status;
  if (Status status = background_.Load(); !status.ok()) return status;
  if (Status status = dax_control_.Load(); !status.ok()) return status;
  ARMATURE_TRY(auto tls, Front::OpenTls(options_, *store_));
  ARMATURE_TRY(Secret metrics_token, ReadMetricsToken(options_.metrics_token_file));
  ARMATURE_TRY(recording_, Recording::Open(options_, *store_));
  front_.emplace(options_, *store_, gate_, tables_, background_, dax_control_.book(), tls, std::move(metrics_token),
                 recording_ ? &recording_->audit() : nullptr);
  dax_nodes_.emplace(options_, *store_, gate_, tables_, background_.memory_watch(), front_->pipeline(), std::move(tls));
  if (is_encrypted()) rekeying_.emplace(*store_->keyring, *store_->engine, store_->metrics);
  return Status::Ok();
}

Status House::Open() {
  if (recording_) recording_->Start();
  Status listening = front_->Listen();
  if (listening.ok()) listening = dax_nodes_->Open();
  if (!listening.ok()) {
    LogFailure("closing", Close());
    return listening;
  }
  background_.Start(EndpointFor(options_, port()));
  tables_.Start();
  dax_control_.Start(*dax_nodes_);
  if (rekeying_) rekeying_->Start();
  return Status::Ok();
}

Status House::Close() {
  background_.StopFunctions();
  dax_control_.Stop();
  front_->Stop();
  dax_nodes_->Stop();
  background_.Stop();
  tables_.Stop();
  gate_.Stop();
  if (recording_) recording_->Stop();
  Status closed = store_->engine->Close();
  // Now, because it may be at what takes as long as the data are large, and only this ends it.
  if (rekeying_) rekeying_->Stop();
  return closed;
}

}  // namespace armature::server
