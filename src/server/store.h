// Store: what all other parts of a server stand on: time, chance, metrics, and the open engine.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/random.h"
#include "base/result.h"
#include "server/options.h"
#include "storage/engine.h"

namespace armature::server {

struct Store {
  // The error is one line fit for a user.
  static Result<std::unique_ptr<Store>> Open(const ServeOptions& options);

  const SystemClock clock{};
  SystemRandom random{};
  Metrics metrics{};
  std::unique_ptr<storage::Engine> engine{};
};

}  // namespace armature::server
