// A cache of parsed statements by their text; applications send the same few texts for ever.
//
// One per thread, so a hit costs a hash and no lock. Bounded in entries and bytes (base/memory/generation_cache.h).
// What it hands out is shared, for a request may wait while others push its statement out. Faulty texts are not kept.
// Used by api/partiql.
#pragma once

#include <string_view>

#include "base/memory/generation_cache.h"
#include "model/api_error.h"
#include "partiql/ast.h"

namespace armature::partiql {

class StatementCache {
 public:
  explicit StatementCache(size_t max_entries = 256, size_t max_bytes = 4 << 20) : parsed_(max_entries, max_bytes) {}

  // The calling thread's own.
  static StatementCache& ForThisThread();

  model::ApiResult<StatementPtr> Get(std::string_view text);

  size_t entries() const { return parsed_.entries(); }

 private:
  // Keys point into the statements.
  GenerationCache<std::string_view, StatementPtr> parsed_;
};

}  // namespace armature::partiql
