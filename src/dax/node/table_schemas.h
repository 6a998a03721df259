// TableSchemas: the keys of tables, as DescribeTable tells them.
//
// Asked once and kept for a while, so that a cached item costs no look at its table. A table that is not there is not
// remembered. What was made anew under an old name is another table: it has another number, so that nothing cached of
// the old one is ever found again. Bounded. Thread-safe; look-ups take a shared lock. One for a process.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/async.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/shared_mutex.h"
#include "dax/backend/backend.h"
#include "dax/table_schema.h"

namespace armature::dax {

class TableSchemas {
 public:
  // As long as the clients keep theirs.
  static constexpr int64_t kKeptMillis = 60'000;
  static constexpr size_t kMostTables = 10'000;

  // Both must outlive it.
  TableSchemas(Backend& backend, const Clock& clock) : backend_(backend), clock_(clock) {}

  // What is known and fresh; null: it must be asked for.
  TableSchemaPtr Find(const Scope& scope, std::string_view table) const;
  // However old; null: nobody has asked for it, or it is gone.
  TableSchemaPtr Known(const Scope& scope, std::string_view table) const;
  // The error is what DescribeTable said.
  Task<Result<TableSchemaPtr, BackendError>> Get(const Scope& scope, std::string_view table);
  // It may not be there any more: it is asked for before it is used again, and is what it was if it has the same id.
  void Doubt(const Scope& scope, std::string_view table);
  // The table is gone, or not what it was: nothing kept of it is to be found again.
  void Forget(const Scope& scope, std::string_view table);

 private:
  struct Entry {
    TableSchemaPtr schema;
    std::string table_id;
    int64_t asked_at_millis = 0;
  };

  TableSchemaPtr Keep(const std::string& name, TableSchema schema, std::string table_id, int64_t now_millis);

  Backend& backend_;
  const Clock& clock_;
  mutable SharedMutex mutex_;
  std::unordered_map<std::string, Entry> entries_ ARMATURE_GUARDED_BY(mutex_);  // by account, Region and name
  std::atomic<uint32_t> next_number_{1};
};

}  // namespace armature::dax
