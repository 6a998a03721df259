// DaxNodes: the DAX nodes of a server: those that its options ask for, and those of the clusters that were made.
//
// Stands on the Store, the Gate and the Front, whose pipeline its nodes ask and in whose audit log their calls are.
// What nodes share (attribute lists) is read from the store when the first one starts. Open and Stop by one thread,
// what NodeHost has by another, one after the other (DaxControl stops first). Stop ends the nodes while the engine
// still answers what they have under way; the object stays until nobody can wake them any more.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "dax/attributes/attribute_lists.h"
#include "dax/control/node_host.h"
#include "dax/node/dax_cluster.h"
#include "dax/node/table_schemas.h"
#include "front/pipeline.h"
#include "net/tls/tls_acceptor.h"
#include "server/dax/dax_recorder.h"
#include "server/dax/list_records.h"
#include "server/dax/local_backend.h"
#include "server/dax/node_plans.h"
#include "server/parts/gate.h"
#include "server/parts/options.h"
#include "server/parts/store.h"
#include "server/parts/tables.h"
#include "server/process/memory_watch.h"

namespace armature::server {

class DaxNodes final : public dax::control::NodeHost, private table::CatalogListener, private table::WriteListener {
 public:
  // Everything must outlive it. Null `tls`: there is no certificate.
  DaxNodes(const ServeOptions& options, Store& store, Gate& gate, Tables& tables, const MemoryWatch& memory,
           const front::Pipeline& pipeline, std::shared_ptr<net::TlsAcceptor> tls);

  ~DaxNodes() override;

  // Starts the nodes that the options ask for. The error is one line fit for a user.
  Status Open();
  void Stop();

  // "dax://127.0.0.1:8111 and daxs://127.0.0.1:9111": of the first node that the options asked for; empty: for none.
  std::string Urls() const;

  // --- of the clusters that were made
  Result<dax::control::NodeAddress> Start(const dax::control::NodePlan& plan) override;
  void Stop(std::string_view cluster_arn, std::string_view node_id) override;
  void Apply(std::string_view cluster_arn, const dax::control::ParameterValues& parameters) override;
  void Forget(std::string_view cluster_arn) override;

 private:
  struct Shared;
  struct Cluster;
  using ClusterPtr = std::shared_ptr<Cluster>;

  Status Prepare();
  ClusterPtr MakeCluster(dax::ClusterSettings settings, std::string role_arn, std::string arn);
  ClusterPtr Find(std::string_view arn) const;
  std::vector<ClusterPtr> All() const;
  NodePlaces PlacesOf(std::optional<uint16_t> port, std::optional<uint16_t> tls_port) const;

  Task<void> OnTableChange(const table::TableChange& change) override;
  void OnWritten(const table::Table& table, model::Item key) noexcept override;

  const ServeOptions& options_;
  Store& store_;
  Gate& gate_;
  Tables& tables_;
  const MemoryWatch& memory_;
  const front::Pipeline& pipeline_;
  const std::shared_ptr<net::TlsAcceptor> tls_;
  std::optional<DaxRecorder> recorder_;  // none: there is no audit log
  std::unique_ptr<Shared> shared_;       // made by Prepare

  mutable Mutex mutex_;
  std::map<std::string, ClusterPtr, std::less<>> clusters_ ARMATURE_GUARDED_BY(mutex_);  // by ARN; "": of the options
  std::vector<ClusterPtr> gone_ ARMATURE_GUARDED_BY(mutex_);  // somebody may still wake what was cut off in them
};

}  // namespace armature::server
