// What an update touches: so that UPDATED_NEW can be told of an update that was asked for ALL_NEW.
//
// Both are about whole attributes only: of a part of one DynamoDB tells the part, which is its own to find. Pure.
#pragma once

#include <string_view>

#include "base/memory/arena.h"
#include "model/value.h"

namespace armature::dax {

// Whether all that the update names are whole attributes. False of what is no update.
bool TouchesWholeAttributes(std::string_view update, Arena& arena);

// The attributes of `item` that the update names. REQUIRES: TouchesWholeAttributes(update).
model::Item TouchedAttributes(model::Item item, std::string_view update, Arena& arena);

}  // namespace armature::dax
