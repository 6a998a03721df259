// A scalar as error messages show it. Pure; used by expr/ and, for start keys, by api/.
#pragma once

#include <string>

#include "model/value.h"

namespace armature::expr {

// "{N:1}", "{S:abc}"; binary in base64. REQUIRES: S, N or B.
std::string FormatScalar(const model::Value& value);

}  // namespace armature::expr
