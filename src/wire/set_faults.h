// What DynamoDB says of a set that it does not take: with which of its members is in it twice.
//
// Pure. Whoever decodes sets, from whatever encoding, has them here in the words of the operation.
#pragma once

#include <string_view>
#include <vector>

#include "model/api_error.h"
#include "model/wording.h"

namespace armature::wire {

// A member of a set as it was sent: its bytes, by which sets are ordered, and how it is shown.
struct SetMember {
  std::string_view bytes;
  std::string_view text;
};

// `members` in the order of the request.
model::ApiError DuplicatesInStringSet(std::vector<SetMember> members, model::SetPrinting printing);
model::ApiError DuplicatesInBinarySet(std::vector<SetMember> members, model::SetPrinting printing);
model::ApiError DuplicatesInNumberSet(model::SetPrinting printing);

}  // namespace armature::wire
