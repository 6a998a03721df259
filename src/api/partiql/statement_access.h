// What a PartiQL statement touches, and whether the caller may.
//
// Statements have actions of their own in policies (dynamodb:PartiQLSelect, …), each is one access, and an index is a
// resource of its own. Used inside api/partiql.
#pragma once

#include <string_view>

#include "api/partiql/bound_statement.h"
#include "api/request_context.h"
#include "model/api_error.h"
#include "model/table_def.h"

namespace armature::api {

// Whether statements can be about it: tables and indexes with more than one attribute in a part of their key are not
// for PartiQL.
bool FitsStatements(const model::KeySchema& key);

model::ApiResult<void> AuthorizeStatement(const RequestContext& context, const BoundStatement& bound,
                                          const StatementUse& use);

}  // namespace armature::api
