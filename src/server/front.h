// Front: the part of a server that clients meet: the sockets, and what becomes of a request.
//
// Stands on the Store, the Tables and the Background, and is the last to start.
#pragma once

#include <cstdint>
#include <optional>

#include "api/request_context.h"
#include "auth/accept_any.h"
#include "base/result.h"
#include "front/dispatcher.h"
#include "front/pipeline.h"
#include "net/server.h"
#include "server/background.h"
#include "server/options.h"
#include "server/store.h"
#include "server/tables.h"

namespace armature::server {

class Front {
 public:
  // REQUIRES: tables and background are loaded.
  Front(const ServeOptions& options, Store& store, Tables& tables, Background& background);

  Status Listen();
  uint16_t port() const { return server_.port(); }  // REQUIRES: it listens
  // Answers what is under way, for a while, and takes no more.
  void Stop();

 private:
  const ServeOptions& options_;
  const api::Services services_;
  const auth::AcceptAnyVerifier verifier_;
  const front::Pipeline pipeline_;
  front::Dispatcher dispatcher_;
  net::Server server_;
};

}  // namespace armature::server
