// What CreateEventSourceMapping and UpdateEventSourceMapping have in common: the settings of a mapping.
//
// Reads those a request names into a mapping and leaves the others as they are; checks them by Lambda's rules.
#pragma once

#include "lambda/rest_request.h"
#include "triggers/triggers.h"

namespace armature::lambda {

// Changes the mapping as the body says, function included.
model::ApiResult<void> ReadSettings(Members& body, triggers::Mapping& mapping);
// Limits, filter patterns, and that function and destination are there.
model::ApiResult<void> CheckSettings(const triggers::Triggers& triggers, const triggers::Mapping& mapping);

}  // namespace armature::lambda
