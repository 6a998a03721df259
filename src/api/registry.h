// The registry: which coroutine executes which operation.
//
// Ties an operation's schema (its decoded request type) to its handler. The handlers' declarations (api/handlers.h) and
// the table are generated from schema/: an operation that is answered and has no handler does not link, one that is not
// answered yet says so in its schema. Built at compile time, read-only; used by the front, and by the tests that
// compare it with the schemas.
#pragma once

#include <array>

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

struct Operation {
  using Execute = Task<model::ApiResult<void>> (*)(RequestContext& context, const void* request);
  Execute execute = nullptr;  // null: the server does not answer it yet
  void* (*make_request)(Arena& arena) = nullptr;
};

template <class Request>
using Handler = Task<model::ApiResult<void>> (*)(RequestContext&, const Request&);

template <class Request, Handler<Request> Execute>
constexpr Operation OperationOf() {
  return {[](RequestContext& context, const void* request) {
            return Execute(context, *static_cast<const Request*>(request));
          },
          [](Arena& arena) -> void* { return arena.New<Request>(); }};
}

// By OperationId, so that finding one is an index. Generated.
extern const std::array<Operation, wire::kOperationCount> kOperations;

// The operation behind a schema; null when the server does not answer it (yet).
inline const Operation* FindOperation(const wire::OperationSchema& schema) {
  const Operation& operation = kOperations[schema.index];
  return operation.execute ? &operation : nullptr;
}

}  // namespace armature::api
