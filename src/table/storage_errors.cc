#include "table/storage_errors.h"

#include <string>

#include "base/log.h"
#include "base/log_limit.h"
#include "model/messages/tables.h"

namespace armature::table {

namespace {
// The partition went with its table while the request was under way.
bool IsTableGone(const Status& status) { return status.code() == StatusCode::kNotFound; }

model::ApiError TableGone() {
  return model::ResourceNotFoundException(std::string(model::messages::kResourceNotFound));
}
}  // namespace

model::ApiError ReadError(const Table& table, const Status& status) {
  if (IsTableGone(status)) return TableGone();
  LogError("table {}: read failed: {}", table.def()->name, status.ToString());
  return model::FromStatus(status);
}

model::ApiError WriteError(const Table& table, const Status& status) {
  if (IsTableGone(status)) return TableGone();
  // The engine says itself, once, when it begins and ceases to refuse writes; one that a dead partition has refused is
  // done again; anything else is said now and then.
  static LogLimit limit;
  const StatusCode code = status.code();
  const bool is_said = code == StatusCode::kNoSpace || code == StatusCode::kUnavailable || code == StatusCode::kFenced;
  if (const auto left_out = is_said ? std::nullopt : limit.Pass())
    LogError("table {}: write failed: {} ({} lines like this were left out)", table.def()->name, status.ToString(),
             *left_out);
  return model::FromStatus(status);
}

}  // namespace armature::table
