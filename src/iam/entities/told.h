// What IAM refuses, as a client of the Query protocol is told it.
//
// Pure. Used by the operations of IAM and STS.
#pragma once

#include <type_traits>
#include <utility>

#include "iam/entities/iam_error.h"
#include "model/api_error.h"

namespace armature::iam {

[[gnu::cold]] inline model::ApiError AsApiError(IamError error) {
  model::ApiError told;
  told.name = std::move(error.code);
  told.http_status = error.http_status;
  told.message = std::move(error.message);
  return told;
}

template <class T>
model::ApiResult<T> Told(IamResult<T> result) {
  if (!result) return AsApiError(std::move(result).error());
  if constexpr (std::is_void_v<T>) return {};
  else return std::move(result).value();
}

}  // namespace armature::iam
