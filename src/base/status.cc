#include <array>

#include "base/result.h"

namespace armature {

std::string_view StatusCodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk: return "ok";
    case StatusCode::kNotFound: return "not found";
    case StatusCode::kFenced: return "fenced";
    case StatusCode::kCorruption: return "corruption";
    case StatusCode::kNoSpace: return "no space";
    case StatusCode::kIoError: return "i/o error";
    case StatusCode::kUnavailable: return "unavailable";
    case StatusCode::kLocked: return "locked";
    case StatusCode::kFormat: return "format";
    case StatusCode::kInvalidArgument: return "invalid argument";
  }
  return "unknown";
}

std::string Status::ToString() const {
  std::string text(StatusCodeName(code_));
  if (!message_.empty()) text.append(": ").append(message_);
  return text;
}

}  // namespace armature
