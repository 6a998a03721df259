// A cache of parsed statements by their text; applications send the same few texts for ever.
//
// One per thread, so a hit costs a hash and no lock. Bounded in entries and bytes by two generations, as the cache of
// expressions is. What it hands out is shared, for a request may wait while others push its statement out. Faulty texts
// are not kept. Used by api/partiql.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "model/api_error.h"
#include "partiql/ast.h"

namespace armature::partiql {

class StatementCache {
 public:
  explicit StatementCache(size_t max_entries = 256, size_t max_bytes = 4 << 20)
      : max_entries_(max_entries), max_bytes_(max_bytes) {}
  StatementCache(const StatementCache&) = delete;
  StatementCache& operator=(const StatementCache&) = delete;

  // The calling thread's own.
  static StatementCache& ForThisThread();

  model::ApiResult<StatementPtr> Get(std::string_view text);

  size_t entries() const { return young_.size() + old_.size(); }

 private:
  // Keys point into the statements.
  using Map = std::unordered_map<std::string_view, StatementPtr>;

  void Keep(const StatementPtr& statement);

  const size_t max_entries_;  // of each generation
  const size_t max_bytes_;
  Map young_;
  Map old_;
  size_t young_bytes_ = 0;
};

}  // namespace armature::partiql
