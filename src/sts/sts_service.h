// StsService: what the operations of STS work on.
//
// References only; what is referred to outlives it. Made by server/.
#pragma once

#include "iam/store/directory.h"
#include "oidc/issuer_keys.h"

namespace armature::sts {

struct StsService {
  iam::Directory& directory;
  oidc::IssuerKeys& issuers;  // whose web identities are believed
};

}  // namespace armature::sts
