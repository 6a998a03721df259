#include "partiql/cache.h"

#include "partiql/parser.h"

namespace armature::partiql {

StatementCache& StatementCache::ForThisThread() {
  thread_local StatementCache cache;
  return cache;
}

model::ApiResult<StatementPtr> StatementCache::Get(std::string_view text) {
  if (const auto* found = parsed_.Find(text)) return *found;
  ARMATURE_TRY(const StatementPtr statement, Parse(text));
  return parsed_.Keep(statement->source, statement, statement->MemoryBytes());
}

}  // namespace armature::partiql
