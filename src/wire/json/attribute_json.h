// Attribute values as DynamoDB's JSON: {"S":"…"}, {"M":{…}}.
//
// Appends to the caller's string; numbers come out in canonical plain decimal, binary as base64, sets in stored order.
// Pure. Used by api/ to write replies, and by whatever else prints items.
#pragma once

#include <string>
#include <string_view>

#include "base/memory/arena.h"
#include "base/result.h"
#include "model/value.h"

namespace armature::wire {

void AppendValueAsJson(const model::Value& value, std::string& out);
// An object of attributes: {"a":{"S":"x"},"b":…}.
void AppendItemAsJson(model::Item item, std::string& out);
// The same straight from a stored record. The arena takes the decoded form; on error `out` is as it was.
Status AppendItemRecordAsJson(std::string_view record, Arena& arena, std::string& out);

}  // namespace armature::wire
