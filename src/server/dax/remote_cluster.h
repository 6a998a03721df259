// RemoteCluster: DAX nodes in front of an endpoint of DynamoDB's API, as `armature dax` runs them.
//
// In parts that stand on those before them: the endpoint and its keys, the backend, who is let in, attribute lists, the
// cluster, the page of metrics. Built on the main thread; Open starts what listens, Close stops it and answers first
// what is under way. The nodes go before the backend does, as their reactors have connections of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/random.h"
#include "base/result.h"
#include "cli/client/endpoint.h"
#include "dax/attributes/attribute_list_file.h"
#include "dax/attributes/attribute_lists.h"
#include "dax/backend/credentials.h"
#include "dax/backend/remote_backend.h"
#include "dax/node/dax_cluster.h"
#include "dax/node/table_schemas.h"
#include "net/tls/tls_acceptor.h"
#include "server/dax/dax_gate.h"
#include "server/dax/dax_options.h"
#include "server/dax/metrics_page.h"
#include "workers/periodic.h"

namespace armature::server {

class RemoteCluster {
 public:
  // Finds the endpoint and its keys, and reads what was kept. The error is one line fit for a user.
  static Result<std::unique_ptr<RemoteCluster>> Build(const DaxOptions& options);

  Status Open();
  void Close();
  // New connections get the certificate that the files hold now. On an error the old one stays.
  Status ReloadTls() { return tls_ ? tls_->Reload() : Status::Ok(); }

  bool verifies_signatures() const { return gate_->is_shut(); }
  const cli::Endpoint& endpoint() const { return endpoint_; }
  std::string Urls() const;                      // of the first node. REQUIRES: open
  std::optional<uint16_t> metrics_port() const;  // REQUIRES: open. None: there is no page

 private:
  explicit RemoteCluster(const DaxOptions& options);
  Status FindEndpoint();
  Status MakeBackend();
  Status OpenLists();
  Status OpenTls();
  Status MakePage();
  void MakeCluster();
  bool HasRegionOfItsOwn() const { return endpoint_.is_amazons || !options_.endpoint.region.empty(); }

  const DaxOptions options_;
  const SystemClock clock_;
  SystemRandom random_;
  Metrics metrics_;
  cli::Endpoint endpoint_;
  std::unique_ptr<dax::CredentialStore> credentials_;
  std::unique_ptr<dax::RemoteBackend> backend_;
  std::unique_ptr<DaxGate> gate_;
  std::unique_ptr<dax::AttributeListFile> list_file_;
  std::unique_ptr<dax::AttributeLists> lists_;
  std::unique_ptr<dax::TableSchemas> schemas_;
  std::shared_ptr<net::TlsAcceptor> tls_;  // null: no certificate was given
  std::unique_ptr<dax::DaxCluster> cluster_;
  std::unique_ptr<MetricsPage> page_;  // null: none was asked for
  workers::Periodic refilling_;        // of the memory reserve
};

}  // namespace armature::server
