// Items out of DynamoDB's JSON replies.
//
// The reply is a server's: whatever is wrong with it is an InternalServerError to the client. Texts point into the
// document, the rest is in the arena. Pure.
#pragma once

#include <simdjson.h>

#include "base/memory/arena.h"
#include "model/api_error.h"
#include "model/value.h"

namespace armature::dax {

// An object of attributes: {"a":{"S":"x"}, …}.
model::ApiResult<model::Item> ItemOfJson(simdjson::dom::element json, Arena& arena);

}  // namespace armature::dax
