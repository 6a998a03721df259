// Front: the part of a server that clients meet: the sockets, and what becomes of a request.
//
// Stands on the Store, the Gate, the Tables, the Background and DAX's clusters, and is the last to start.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "api/request_context.h"
#include "audit/audit.h"
#include "base/limits/token_buckets.h"
#include "base/memory/secret.h"
#include "base/result.h"
#include "dax/control/cluster_book.h"
#include "front/dispatcher.h"
#include "front/pipeline.h"
#include "net/server.h"
#include "net/tls/tls_acceptor.h"
#include "server/parts/background.h"
#include "server/parts/gate.h"
#include "server/parts/identity_api.h"
#include "server/parts/options.h"
#include "server/parts/store.h"
#include "server/parts/tables.h"

namespace armature::server {

class Front {
 public:
  // Null where no certificate was given: then nothing of TLS is set up. The error is one line fit for a user.
  static Result<std::shared_ptr<net::TlsAcceptor>> OpenTls(const ServeOptions& options, Store& store);

  // Null `audit`: nothing is recorded. REQUIRES: gate, tables, background and clusters are loaded.
  Front(const ServeOptions& options, Store& store, Gate& gate, Tables& tables, Background& background,
        dax::control::ClusterBook& clusters, std::shared_ptr<net::TlsAcceptor> tls, Secret metrics_token,
        const audit::Audit* audit = nullptr);

  Status Listen();
  // For those who ask it on behalf of others: DAX nodes.
  const front::Pipeline& pipeline() const { return pipeline_; }
  uint16_t port() const { return server_.port(); }          // REQUIRES: it listens
  uint16_t tls_port() const { return server_.tls_port(); }  // REQUIRES: and --tls-port was given
  // New connections get the certificate that the files hold now. On an error the old one stays.
  Status ReloadTls();
  // Answers what is under way, for a while, and takes no more.
  void Stop();

 private:
  const ServeOptions& options_;
  const std::shared_ptr<net::TlsAcceptor> tls_;
  const api::Services services_;
  const std::unique_ptr<TokenBuckets> addresses_;  // null: they may ask as often as they like
  const front::Pipeline pipeline_;
  const IdentityApi identity_api_;
  front::Dispatcher dispatcher_;
  net::Server server_;
};

}  // namespace armature::server
