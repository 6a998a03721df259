// House: a running server, in eight parts, each standing on those before it: store, gate, tables, background,
// recording, DAX's clusters, front, DAX's nodes.
//
// The only place that knows them all, and the order of starting and stopping. Built on the main thread; Open starts the
// network and the workers, Close stops them in reverse, answers what is under way first, and closes the store. Used by
// serve.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "server/dax/dax_control.h"
#include "server/dax/dax_nodes.h"
#include "server/encryption/rekeying.h"
#include "server/parts/background.h"
#include "server/parts/front.h"
#include "server/parts/gate.h"
#include "server/parts/options.h"
#include "server/parts/recording.h"
#include "server/parts/store.h"
#include "server/parts/tables.h"

namespace armature::server {

class House {
 public:
  // Opens the store and loads what is in it. The error is one line fit for a user.
  static Result<std::unique_ptr<House>> Build(const ServeOptions& options);

  // Listens and starts the workers. On an error the house is closed again.
  Status Open();
  // REQUIRES: open.
  uint16_t port() const { return front_->port(); }
  // Whether signatures are verified, as things are now.
  bool verifies_signatures() const { return gate_.is_shut(); }
  uint16_t tls_port() const { return front_->tls_port(); }  // REQUIRES: and --tls-port was given
  // Where DAX clients find it; empty: nowhere. REQUIRES: open.
  std::string dax_urls() const { return dax_nodes_->Urls(); }
  bool is_encrypted() const { return store_->is_encrypted(); }
  // Read again what may change while a server runs. On an error all is as before.
  Status ReloadTls() { return front_->ReloadTls(); }
  // What came of it. REQUIRES: is_encrypted.
  Result<std::optional<storage::Keyring::Renewal>> ReloadKeys() { return rekeying_->Reload(); }

  // Drains, stops, closes. Ok if everything acknowledged is where it belongs.
  Status Close();

 private:
  House(const ServeOptions& options, std::unique_ptr<Store> store);
  Status Load();

  const ServeOptions options_;
  const std::unique_ptr<Store> store_;
  Tables tables_;
  Gate gate_;
  Background background_;
  std::unique_ptr<Recording> recording_;  // made by Load; null: nothing is recorded
  DaxControl dax_control_;
  std::optional<Front> front_;         // made by Load
  std::optional<DaxNodes> dax_nodes_;  // made by Load
  std::optional<Rekeying> rekeying_;   // made by Load, where data are encrypted
};

}  // namespace armature::server
