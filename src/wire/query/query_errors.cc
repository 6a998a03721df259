#include "wire/query/query_errors.h"

#include <utility>

#include <fmt/format.h>

#include "model/messages/query.h"

namespace armature::wire {

namespace messages = model::messages;

namespace {

// What DynamoDB calls it, and the Query protocol.
struct Face {
  std::string_view name;
  std::string_view code;
  int http_status;
};
constexpr Face kFaces[] = {
    {"AccessDeniedException", "AccessDenied", 403},
    {"ThrottlingException", "Throttling", 400},
    {"InternalServerError", "InternalFailure", 500},
    {"ServiceUnavailableException", "ServiceUnavailable", 503},
};

}  // namespace

model::ApiError QueryError(std::string_view code, int http_status, std::string message) {
  model::ApiError error;
  error.name = code;
  error.http_status = http_status;
  error.message = std::move(message);
  return error;
}

model::ApiError ValidationError(std::string message) { return QueryError("ValidationError", 400, std::move(message)); }

model::ApiError InvalidParameterValue(std::string message) {
  return QueryError("InvalidParameterValue", 400, std::move(message));
}

model::ApiError AccessDenied(std::string message) { return QueryError("AccessDenied", 403, std::move(message)); }

model::ApiError MalformedInput(std::string message) { return QueryError("MalformedInput", 400, std::move(message)); }

model::ApiError MissingAction() { return QueryError("MissingAction", 400, std::string(messages::kMissingAction)); }

model::ApiError InvalidAction(std::string_view action, std::string_view version) {
  return QueryError(
      "InvalidAction", 400,
      fmt::format(messages::kNoSuchAction, action, version.empty() ? messages::kNoVersionSpecified : version));
}

model::ApiError FormTooLarge() {
  return QueryError("RequestEntityTooLarge", 413, std::string(messages::kFormTooLarge));
}

model::ApiError MustBePosted(std::string_view action) {
  return AccessDenied(fmt::format(messages::kMustBePosted, action));
}

model::ApiError AsQueryError(model::ApiError error) {
  for (const Face& face : kFaces)
    if (error.name == face.name) return QueryError(face.code, face.http_status, std::move(error.message));
  return error;
}

}  // namespace armature::wire
