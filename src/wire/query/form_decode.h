// From the parameters of a form to an operation's request: decoded by its schema, and its constraints checked.
//
// "UserName" is a member, "Tags.member.2.Key" a member of a structure in a list, "Tags" with an empty value an empty
// list. Lists stand in the order of their numbers, which may have gaps; parameters that the schema does not know are
// ignored. Depth is the schema's, so bounded. Pure; used by front/.
#pragma once

#include "base/memory/arena.h"
#include "model/api_error.h"
#include "wire/query/form.h"
#include "wire/query/query_schema.h"

namespace armature::wire {

// The operation's …Input, in the arena. MalformedInput if a parameter cannot be read, ValidationError if it may not
// have its value, with the words of the service.
model::ApiResult<const void*> DecodeForm(const QueryOperationSchema& schema, const FormParameters& form, Arena& arena);

// DecodeFormAs<iam::CreateUserInput>(form, arena)
template <class Input>
model::ApiResult<const Input*> DecodeFormAs(const FormParameters& form, Arena& arena) {
  ARMATURE_TRY(const void* const input, DecodeForm(Input::Schema(), form, arena));
  return static_cast<const Input*>(input);
}

}  // namespace armature::wire
