// A CreateTable request as DynamoDB Local takes it: what Amazon refuses as superfluous is left out beforehand.
//
// So the checks know nothing of compatibility, and what is left gets Amazon's checks and texts. Pure. Called by
// CreateTable for every request; changes nothing unless the server's Compatibility says so.
#pragma once

#include "base/memory/arena.h"
#include "model/api_error.h"
#include "model/compatibility.h"
#include "wire/requests.h"

namespace armature::api {

// A copy without what `compatibility` drops; lists that change lie in the arena. The error is one that DynamoDB Local
// has in words of its own.
model::ApiResult<wire::CreateTableInput> RelaxedDefinition(const wire::CreateTableInput& request,
                                                           const model::Compatibility& compatibility, Arena& arena);

}  // namespace armature::api
