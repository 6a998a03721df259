// IdentityApi: the operations of IAM and STS that a server answers, and what they work on.
//
// Stands on the Gate, whose directory they change. A server that believes everybody (`armature local`) has nobody to
// manage: of STS it answers only who calls.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "iam_api/iam_service.h"
#include "oidc/issuer_keys.h"
#include "query/query_operations.h"
#include "server/parts/gate.h"
#include "server/parts/options.h"
#include "sts/sts_service.h"

namespace armature::server {

// "ISSUER=FILE" or "ISSUER=URL", as --oidc-issuer has it. The error is one line fit for a user.
Result<oidc::IssuerSource> ParseIssuer(std::string_view text);

class IdentityApi {
 public:
  // REQUIRES: the issuers of the options can be parsed, as the command line has made sure of.
  IdentityApi(const ServeOptions& options, Gate& gate, const Clock& clock);

  const query::QueryOperations& operations() const { return operations_; }

 private:
  oidc::IssuerKeys issuers_;
  iam_api::IamService iam_;
  sts::StsService sts_;
  query::QueryOperations operations_;
};

}  // namespace armature::server
