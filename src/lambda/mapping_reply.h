// A mapping as Lambda's API shows it: EventSourceMappingConfiguration.
#pragma once

#include <string_view>

#include "base/text/json_writer.h"
#include "triggers/triggers.h"

namespace armature::lambda {

// `state` is the passing state of a change that was just made, or empty: what it is.
void WriteMapping(const triggers::Triggers& triggers, const triggers::Mapping& mapping, std::string_view state,
                  JsonWriter& json);

}  // namespace armature::lambda
