// What a PartiQL statement touches, and whether the caller may.
//
// Statements have actions of their own in policies (dynamodb:PartiQLSelect, …), each is one access, and an index is a
// resource of its own. Used inside api/partiql.
#pragma once

#include <string_view>

#include "api/partiql/bound_statement.h"
#include "api/request_context.h"
#include "model/api_error.h"

namespace armature::api {

model::ApiResult<void> AuthorizeStatement(const RequestContext& context, const BoundStatement& bound,
                                          const StatementUse& use);

}  // namespace armature::api
