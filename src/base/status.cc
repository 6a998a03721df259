#include <memory>
#include <new>
#include <utility>

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
    case StatusCode::kBusy: return "busy";
    case StatusCode::kUnknown: return "outcome not known";
    case StatusCode::kLocked: return "locked";
    case StatusCode::kFormat: return "format";
    case StatusCode::kInvalidArgument: return "invalid argument";
  }
  return "unknown code";
}

Status::Status(StatusCode code, std::string message) noexcept : code_(code) {
  if (message.empty()) return;
  try {
    message_ = std::make_shared<const std::string>(std::move(message));
  } catch (const std::bad_alloc&) {  // the code is what callers react to
  }
}

const std::string& Status::message() const {
  static const std::string none;
  return message_ ? *message_ : none;
}

std::string Status::ToString() const {
  std::string text(StatusCodeName(code_));
  if (message_) text.append(": ").append(*message_);
  return text;
}

}  // namespace armature
