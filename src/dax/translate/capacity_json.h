// ConsumedCapacity and ItemCollectionMetrics of DynamoDB's JSON replies, as clients read them.
//
// Pure. What is missing in them counts as zero, or as not told. Used by json_reply.
#pragma once

#include <string>

#include <simdjson.h>

#include "base/memory/arena.h"
#include "model/api_error.h"

namespace armature::dax {

enum class CapacityForm { kPlain, kOfTransaction };

void AppendJsonCapacity(std::string& out, simdjson::dom::object json, CapacityForm form);
// An error if it has no key.
model::ApiResult<void> AppendJsonMetrics(std::string& out, simdjson::dom::object json, Arena& arena);

}  // namespace armature::dax
