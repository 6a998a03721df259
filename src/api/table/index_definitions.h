// Index definitions of a request, checked and turned into the model's.
//
// Appends to table.indexes, whose key schema, billing mode and attribute definitions must be set. In AWS's order and
// wording (docs/dynamodb.md 8.6). Pure; used by CreateTable and UpdateTable.
#pragma once

#include <vector>

#include "model/api_error.h"
#include "model/table_def.h"
#include "wire/requests.h"

namespace armature::api {

model::ApiResult<void> AddLocalIndexes(const wire::List<wire::LocalSecondaryIndex>& requested, model::TableDef& table);
model::ApiResult<void> AddGlobalIndexes(const wire::List<wire::GlobalSecondaryIndex>& requested,
                                        model::TableDef& table);
// One global index, not yet numbered or added; its keys are looked up in `definitions`.
model::ApiResult<model::IndexDef> MakeGlobalIndex(const wire::GlobalSecondaryIndex& requested,
                                                  const std::vector<model::KeyAttribute>& definitions,
                                                  const model::TableDef& table);
// Limits over all indexes of a table.
model::ApiResult<void> CheckIndexTotals(const model::TableDef& table);

}  // namespace armature::api
