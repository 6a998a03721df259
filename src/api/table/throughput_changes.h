// How often throughput may change: provisioned units can be lowered four times in a UTC day and then once an hour, a
// table can be switched to on demand four times in 24 hours (docs/dynamodb.md 9.5, 9.6).
//
// Keeps the history that this needs in the definition. Pure; used by CreateTable and UpdateTable, for the table and
// each global index by itself.
#pragma once

#include "model/api_error.h"
#include "model/table_def.h"

namespace armature::api {

// Replaces provisioned units.
model::ApiResult<void> ChangeThroughput(const model::ProvisionedThroughput& requested, int64_t now_millis,
                                        model::ProvisionedThroughput& current);
// Of a table that goes on demand: its units go, which is a decrease that nobody is refused.
void DropThroughput(int64_t now_millis, model::ProvisionedThroughput& current);

// Counts a switch to on demand, if it may be. A table that is made on demand has used one.
model::ApiResult<void> CountSwitchToOnDemand(int64_t now_millis, model::TableDef& table);

}  // namespace armature::api
