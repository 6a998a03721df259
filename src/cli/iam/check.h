// Check: whether a principal may do something, with what every statement says of it, as text.
//
// Pure: it looks at one snapshot of IAM and at the surroundings that were found. The decision is that of the server
// (policy/evaluate.h), with the condition keys that the question gives, those that the principal himself answers, and
// the tags of the resource. Used by the command.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/iam/options.h"
#include "cli/iam/surroundings.h"
#include "iam/state/snapshot.h"

namespace armature::cli::iam_command {

struct Answer {
  bool is_allowed = false;
  std::string text;  // lines
};

// NotFound: there is no such principal. InvalidArgument: session policies of somebody who is no role.
Result<Answer> Check(const iam::Snapshot& state, const Question& question, const Surroundings& surroundings,
                     int64_t now_millis);

}  // namespace armature::cli::iam_command
