// The one checker of constraints: a decoded request against its schema.
//
// Collects up to ten faults in AWS's order and wording into one ValidationException: missing members, lengths, ranges,
// patterns, enums, map keys. Rules between members, and whatever needs a table, belong to api/. Pure and, for a
// request without fault, free of allocation. Called by front/, and by wire/query/ for forms.
#pragma once

#include <optional>
#include <string>

#include "model/api_error.h"
#include "model/wording.h"
#include "wire/shape.h"

namespace armature::wire {

// `request` points to the structure of schema.input, as DecodeRequest filled it; `wording` is DecodeErrors::WordingOf.
model::ApiResult<void> ValidateRequest(const OperationSchema& schema, const model::Wording& wording,
                                       const void* request);

// Whether texts show the value that a constraint refuses, and the values that an enum has.
enum class Echo : bool { kNothing, kValues };

// The text of a service whose members all have one turn; nothing if no constraint of `input` is broken.
std::optional<std::string> ConstraintFaults(const ShapeDesc& input, Echo echo, const void* request);

bool MatchesPattern(Pattern pattern, std::string_view text);

}  // namespace armature::wire
