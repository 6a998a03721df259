// Authorizer: whether a principal may do what a request is about to do.
//
// Asked once for each Access of a request: after its expressions are bound, before anything is read, and whether or not
// the resource exists (who may not look must not learn that). One object serves all reactors: implementations are
// thread-safe and never block. Services without one allow everything. Asked through api/access.h, and by dax/
// for what is a cluster's.
#pragma once

#include "auth/access.h"
#include "auth/principal.h"
#include "model/api_error.h"

namespace armature::auth {

class Authorizer {
 public:
  virtual ~Authorizer() = default;
  // Ok, or the AccessDeniedException that the caller is told.
  virtual model::ApiResult<void> Authorize(const Principal& principal, const Access& access) const = 0;
};

}  // namespace armature::auth
