// The read path: items as of the durable view.
//
// A read never waits and never sees what a crash could take back; strongly and eventually consistent reads are answered
// alike. Thread-safe. Called by api/ and workers/; calls storage/ only.
#pragma once

#include <string>

#include "base/async.h"
#include "model/api_error.h"
#include "model/value.h"
#include "storage/engine.h"
#include "table/table.h"

namespace armature::table {

// One read, used once.
struct ItemRead {
  // in
  Table* table = nullptr;
  model::Item key;  // exactly the key attributes
  // out
  bool found = false;
  std::string_view record() const { return read_.value; }  // the stored record, checksum not yet checked

 private:
  friend class ReadPath;
  std::string storage_key_;
  storage::GetOp read_;
};

class ReadPath {
 public:
  explicit ReadPath(storage::Engine& engine) : engine_(engine) {}

  Task<model::ApiResult<void>> Get(ItemRead& read) const;

 private:
  storage::Engine& engine_;
};

}  // namespace armature::table
