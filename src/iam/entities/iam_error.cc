#include "iam/entities/iam_error.h"

#include <utility>

#include "base/log.h"

namespace armature::iam {

IamError NoSuchEntity(std::string message) { return {"NoSuchEntity", 404, std::move(message)}; }
IamError EntityAlreadyExists(std::string message) { return {"EntityAlreadyExists", 409, std::move(message)}; }
IamError LimitExceeded(std::string message) { return {"LimitExceeded", 409, std::move(message)}; }
IamError DeleteConflict(std::string message) { return {"DeleteConflict", 409, std::move(message)}; }
IamError ValidationError(std::string message) { return {"ValidationError", 400, std::move(message)}; }
IamError InvalidInput(std::string message) { return {"InvalidInput", 400, std::move(message)}; }
IamError MalformedPolicyDocument(std::string message) { return {"MalformedPolicyDocument", 400, std::move(message)}; }
IamError UnmodifiableEntity(std::string message) { return {"UnmodifiableEntity", 400, std::move(message)}; }
IamError PolicyNotAttachable(std::string message) { return {"PolicyNotAttachable", 400, std::move(message)}; }

IamError FromStatus(const Status& status) {
  LogError("a change to IAM could not be stored: {}", status.ToString());
  switch (status.code()) {
    case StatusCode::kNoSpace:
    case StatusCode::kUnavailable:
    case StatusCode::kBusy:
      return {"ServiceUnavailable", 503, "The request has failed due to a temporary failure of the server."};
    default:
      return {"ServiceFailure", 500,
              "The request processing has failed because of an unknown error, exception or failure."};
  }
}

}  // namespace armature::iam
