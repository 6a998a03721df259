// The quotas on throughput: of a table, of a global index, and of an account in a Region, which DescribeLimits tells.
//
// Amazon's figures before anybody has asked for more. Checked is what a request raises: what a table had before the
// quotas were kept to, it keeps. Used by CreateTable, UpdateTable and DescribeLimits.
#pragma once

#include "api/request_context.h"
#include "model/api_error.h"
#include "model/table_def.h"

namespace armature::api {

inline constexpr int64_t kAccountMaxUnits =
    80'000;                                        // of provisioned tables and indexes together, reads and writes each
inline constexpr int64_t kTableMaxUnits = 40'000;  // of a table and of each index

// `before` is what the table was; null: it is new.
model::ApiResult<void> CheckThroughputQuotas(const RequestContext& context, const model::TableDef* before,
                                             const model::TableDef& after);

}  // namespace armature::api
