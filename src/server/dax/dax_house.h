// DaxHouse: the DAX nodes of a server.
//
// Stands on the Store, the Gate and the Front, whose pipeline its nodes ask. Load is called once, before Open; Open,
// Stop and what goes with them by one thread. Stop ends the nodes while the engine still answers what they have under
// way; the object stays until nobody can wake them any more.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "dax/attributes/attribute_lists.h"
#include "dax/node/dax_cluster.h"
#include "dax/node/table_schemas.h"
#include "front/pipeline.h"
#include "net/tls/tls_acceptor.h"
#include "server/dax/list_records.h"
#include "server/dax/local_backend.h"
#include "server/gate.h"
#include "server/options.h"
#include "server/store.h"
#include "server/tables.h"

namespace armature::server {

class DaxHouse final : private table::CatalogListener {
 public:
  // Everything must outlive it. Null `tls`: there is no certificate.
  DaxHouse(const ServeOptions& options, Store& store, Gate& gate, Tables& tables, const front::Pipeline& pipeline,
           std::shared_ptr<net::TlsAcceptor> tls);

  // Reads what the store has. The error is one line fit for a user.
  Status Load();
  // Starts the nodes that the options ask for.
  Status Open();
  void Stop();

  // "dax://127.0.0.1:8111 and daxs://127.0.0.1:9111": of the first node. REQUIRES: open.
  std::string Urls() const;

 private:
  Task<void> OnTableChange(const table::TableChange& change) override;

  const ServeOptions& options_;
  Store& store_;
  const std::shared_ptr<net::TlsAcceptor> tls_;
  LocalBackend backend_;
  ListRecords records_;
  dax::AttributeLists lists_;
  dax::TableSchemas schemas_;
  dax::DaxCluster cluster_;
};

}  // namespace armature::server
