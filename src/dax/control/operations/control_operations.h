// The registry of the control plane's operations: from a schema of wire/services/dax.h to the coroutine of its name.
//
// Immutable, shared by all reactors. Used by front/.
#pragma once

#include <string>

#include "base/async.h"
#include "dax/control/control_context.h"
#include "model/api_error.h"
#include "wire/shape.h"

namespace armature::dax::control {

// `input` is the operation's …Input; the reply is appended to `body` if all went well. REQUIRES: `schema` is one of
// wire::dax::Operations(); everything referred to holds until the task is done.
Task<model::ApiResult<void>> RunControlOperation(const wire::OperationSchema& schema, const ControlContext& context,
                                                 const void* input, std::string& body);

}  // namespace armature::dax::control
