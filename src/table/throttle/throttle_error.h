// ThrottleError: what who is refused for lack of capacity is told (docs/dynamodb.md 9.7).
//
// The exception and its text say which kind of capacity lacks, ThrottlingReasons of which resource. Pure. Made by the
// read and write paths, recognised by api/, which leaves the refused part of a batch unprocessed.
#pragma once

#include "model/api_error.h"
#include "model/table_def.h"
#include "table/throttle/throttle_rules.h"

namespace armature::table {

// `index` is the global index that was asked; null: the table. REQUIRES: a limit.
[[gnu::cold]] model::ApiError ThrottleError(const model::TableDef& table, const model::IndexDef* index, Use use,
                                            Limit limit, bool is_transaction = false);

// Whether that is what happened: nothing was done, and it can be sent again.
bool IsThrottleError(const model::ApiError& error);

}  // namespace armature::table
