#include "partiql/cache.h"

#include <utility>

#include "partiql/parser.h"

namespace armature::partiql {

StatementCache& StatementCache::ForThisThread() {
  thread_local StatementCache cache;
  return cache;
}

model::ApiResult<StatementPtr> StatementCache::Get(std::string_view text) {
  if (const auto it = young_.find(text); it != young_.end()) return it->second;
  if (const auto it = old_.find(text); it != old_.end()) {
    const StatementPtr statement = it->second;
    old_.erase(it);
    Keep(statement);
    return statement;
  }
  auto parsed = Parse(text);
  if (parsed) Keep(*parsed);
  return parsed;
}

void StatementCache::Keep(const StatementPtr& statement) {
  const size_t bytes = statement->MemoryBytes();
  if (young_.size() >= max_entries_ || young_bytes_ + bytes > max_bytes_) {
    old_ = std::move(young_);
    young_ = {};
    young_bytes_ = 0;
  }
  young_.emplace(statement->source, statement);
  young_bytes_ += bytes;
}

}  // namespace armature::partiql
