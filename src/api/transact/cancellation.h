// TransactionCanceledException and the other errors only transactions have.
//
// A cancelled transaction says for every action why, or that there was nothing against it. Used by the transact
// operations.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/api_error.h"

namespace armature::api {

struct CancellationReason {
  std::string_view code = "None";
  std::string message;    // not with "None"
  std::string item_json;  // if the request wants it and there is one
};

model::ApiError TransactionCanceledException(std::span<const CancellationReason> reasons);
// Cancelled because action `index` of `count` cannot be done at all.
model::ApiError CancelledByValidation(size_t index, size_t count, const model::ApiError& error);
model::ApiError TransactionInProgressException();
model::ApiError IdempotentParameterMismatchException();

}  // namespace armature::api
