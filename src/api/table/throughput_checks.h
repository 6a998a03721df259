// Throughput of a request: provisioned, on-demand and warm, checked and turned into the model's.
//
// Alike for tables and global indexes. Pure; used by CreateTable and UpdateTable.
#pragma once

#include "model/api_error.h"
#include "model/table_def.h"
#include "wire/requests.h"

namespace armature::api {

// Both numbers are there (wire/ saw to that) and not absurd.
model::ApiResult<model::ProvisionedThroughput> MakeProvisionedThroughput(const wire::ProvisionedThroughput& requested);

// Merges what is asked into `current`. -1 removes a maximum where `may_remove` (UpdateTable).
model::ApiResult<void> ApplyOnDemandThroughput(const wire::OnDemandThroughput& requested, model::BillingMode mode,
                                               bool may_remove, model::OnDemandThroughput& current);

// Warm throughput can only be raised.
model::ApiResult<void> ApplyWarmThroughput(const wire::WarmThroughput& requested,
                                           const model::ProvisionedThroughput& throughput,
                                           model::WarmThroughput& current);

}  // namespace armature::api
