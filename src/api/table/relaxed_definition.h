// A CreateTable request as DynamoDB Local takes it: what Amazon refuses as superfluous is left out beforehand.
//
// So the checks know nothing of compatibility, and what is left gets Amazon's checks and texts. Pure. Called by
// CreateTable when the server's Compatibility says so.
#pragma once

#include "base/arena.h"
#include "model/compatibility.h"
#include "wire/requests.h"

namespace armature::api {

// A copy without what `compatibility` drops; lists that change lie in the arena.
wire::CreateTableInput RelaxedDefinition(const wire::CreateTableInput& request,
                                         const model::Compatibility& compatibility, Arena& arena);

}  // namespace armature::api
