// What a request is told when the store has refused it, and what the log is.
#pragma once

#include "base/result.h"
#include "model/api_error.h"
#include "table/table.h"

namespace armature::table {

model::ApiError ReadError(const Table& table, const Status& status);
model::ApiError WriteError(const Table& table, const Status& status);

}  // namespace armature::table
