// ExclusiveStartKey: where a page begins, and everything that can be wrong with it.
//
// A start key names all attributes of a row's key (docs/dynamodb.md 7.3). The row need not exist, but has to lie within
// what the request reads. Query and Scan word the same faults differently. Pure; used inside api/query.
#pragma once

#include <cstdint>

#include "api/query/read_target.h"
#include "expr/bind/key_condition.h"
#include "model/api_error.h"
#include "storage/engine.h"

namespace armature::api {

// Values that are wrong whatever the schema is.
model::ApiResult<void> CheckStartKeyValues(const ReadRequest& request);

// The attributes and their types against the schema that is read.
model::ApiResult<void> CheckStartKey(const ReadRequest& request, const ReadTarget& target);

// Whether the condition names one item at most: there is nothing to go on with behind it.
bool SelectsOneItem(const ReadTarget& target, const expr::KeyQuery& query);

// Each cuts `range` down to what lies behind the start key. REQUIRES: CheckStartKey passed.
model::ApiResult<void> StartQuery(const ReadRequest& request, const ReadTarget& target, const expr::KeyQuery& query,
                                  bool is_reverse, storage::KeyRange& range);
model::ApiResult<void> StartScan(const ReadRequest& request, const ReadTarget& target, uint64_t segment, uint64_t total,
                                 storage::KeyRange& range);

}  // namespace armature::api
