// Store: what all other parts of a server stand on: time, chance, metrics, the keys of the data, and the open engine.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/random.h"
#include "base/result.h"
#include "server/parts/options.h"
#include "storage/encryption/keyring.h"
#include "storage/engine.h"

namespace armature::server {

struct Store {
  // The error is one line fit for a user.
  static Result<std::unique_ptr<Store>> Open(const ServeOptions& options);

  const SystemClock clock{};
  SystemRandom random{};
  Metrics metrics{};
  std::shared_ptr<storage::Keyring> keyring{};  // null: nothing is encrypted
  std::unique_ptr<storage::Engine> engine{};

  bool is_encrypted() const { return keyring != nullptr; }
};

}  // namespace armature::server
