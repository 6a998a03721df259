// What AWS says of a policy that can be read and is malformed nevertheless.
//
// The checks go in AWS's order, each over the whole document before the next. Services, actions and condition keys that
// nobody knows are accepted. Pure; used when a policy is compiled.
#pragma once

#include "base/result.h"
#include "policy/document/document.h"

namespace armature::policy {

// Ok, or InvalidArgument with the text of AWS's MalformedPolicyDocument.
Result<void> CheckDocument(const Document& document, PolicyKind kind);

}  // namespace armature::policy
