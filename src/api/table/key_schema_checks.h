// Key schemas and attribute definitions of a request, checked and turned into the model's.
//
// In AWS's order and wording (docs/dynamodb.md 8.6). Pure; used by CreateTable and for new indexes.
#pragma once

#include <string_view>
#include <vector>

#include "model/api_error.h"
#include "model/table_def.h"
#include "wire/requests.h"

namespace armature::api {

model::ApiResult<std::vector<model::KeyAttribute>> MakeAttributeDefinitions(
    const wire::List<wire::AttributeDefinition>& definitions);

// A table's or local index's schema: HASH, then at most one RANGE.
model::ApiResult<model::KeySchema> MakeKeySchema(const wire::List<wire::KeySchemaElement>& elements,
                                                 const std::vector<model::KeyAttribute>& definitions);

// A global index's schema: one to four HASH, then up to four RANGE attributes.
model::ApiResult<model::KeySchema> MakeGlobalKeySchema(const wire::List<wire::KeySchemaElement>& elements,
                                                       const std::vector<model::KeyAttribute>& definitions);

// Every definition must be used by some key; without indexes there must be exactly as many as key attributes.
model::ApiResult<void> CheckDefinitionsUsed(const model::TableDef& table);

// "One or more parameter values were invalid: …"
model::ApiError InvalidParameter(std::string_view detail);

}  // namespace armature::api
