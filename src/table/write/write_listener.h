// WriteListener: whoever has to know of every write of an item before its client is answered: caches beside the tables.
//
// Told once the write is durable and readers see it, whoever asked for it, and also of one that failed or whose outcome
// is unknown; on the writer's executor, several at a time. It must be quick and must not throw. Thread-safe.
#pragma once

#include "model/value.h"

namespace armature::table {

class Table;

class WriteListener {
 public:
  virtual ~WriteListener() = default;
  virtual void OnWritten(const Table& table, model::Item key) noexcept = 0;
};

}  // namespace armature::table
