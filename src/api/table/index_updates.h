// GlobalSecondaryIndexUpdates: indexes made, changed and removed on a live table.
//
// Checks in AWS's order and wording (docs/dynamodb.md 8.3, 18.1) and changes the definition: a new index is CREATING,
// one to be removed DELETING. What has to happen to rows is workers/index_backfill's business. Pure; for UpdateTable.
#pragma once

#include <cstdint>

#include "model/api_error.h"
#include "model/table_def.h"
#include "wire/requests.h"

namespace armature::api {

// What can be said of the request alone.
model::ApiResult<void> CheckIndexUpdates(const wire::List<wire::GlobalSecondaryIndexUpdate>& updates);

// REQUIRES: CheckIndexUpdates agreed; the table's own billing mode and throughput are already changed.
model::ApiResult<void> ApplyIndexUpdates(const wire::UpdateTableInput& request, bool was_on_demand, int64_t now_millis,
                                         model::TableDef& table);

}  // namespace armature::api
