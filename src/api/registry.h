// The registry: one line per operation the server answers.
//
// Ties an operation's schema (its decoded request type) to the coroutine that executes it. Built at compile time,
// read-only; used by the dispatcher, and by the tests that compare it with the schemas.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

struct Operation {
  using Execute = Task<model::ApiResult<void>> (*)(RequestContext& context, const void* request);
  Execute execute = nullptr;
  size_t request_size = 0;
  void* (*make_request)(Arena& arena) = nullptr;
};

// The operation behind a schema; null when the server does not answer it (yet).
const Operation* FindOperation(const wire::OperationSchema& schema);

}  // namespace armature::api
