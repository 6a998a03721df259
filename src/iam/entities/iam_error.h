// IamError: why IAM or STS refuse something, without anything of how it is told.
//
// AWS's code, the HTTP status that goes with it, and the text; the Query protocol makes XML or JSON of it, a command
// prints it. Made by the factories below, one per code. A value; used by all of iam/ and by whoever calls it.
#pragma once

#include <string>

#include "base/result.h"

namespace armature::iam {

struct IamError {
  std::string code;
  int http_status = 400;
  std::string message;
};

template <class T>
using IamResult = Result<T, IamError>;

[[gnu::cold]] IamError NoSuchEntity(std::string message);
[[gnu::cold]] IamError EntityAlreadyExists(std::string message);
[[gnu::cold]] IamError LimitExceeded(std::string message);
[[gnu::cold]] IamError DeleteConflict(std::string message);
[[gnu::cold]] IamError ValidationError(std::string message);
[[gnu::cold]] IamError InvalidInput(std::string message);
[[gnu::cold]] IamError MalformedPolicyDocument(std::string message);
[[gnu::cold]] IamError UnmodifiableEntity(std::string message);
[[gnu::cold]] IamError PolicyNotAttachable(std::string message);
// What a Status from storage becomes. Its text is for the log, not for the client.
[[gnu::cold]] IamError FromStatus(const Status& status);

}  // namespace armature::iam
