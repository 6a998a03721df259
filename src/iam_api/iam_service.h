// IamService: what the operations of IAM work on.
//
// References only; what is referred to outlives it. Made by server/.
#pragma once

#include "iam/store/directory.h"
#include "iam/store/usage.h"

namespace armature::iam_api {

struct IamService {
  iam::Directory& directory;
  const iam::UsageTable& usage;
};

}  // namespace armature::iam_api
