// Percent-encoding as Signature Version 4 wants it, by the names that auth/ calls it: base/codec has it.
#pragma once

#include "base/codec/percent_encoding.h"

namespace armature::auth {

using armature::PercentDecode;
using armature::PercentEncode;

}  // namespace armature::auth
