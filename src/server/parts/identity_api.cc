#include "server/parts/identity_api.h"

#include <utility>

#include "iam_api/iam_operations.h"
#include "sts/sts_operations.h"

namespace armature::server {

namespace {

std::vector<oidc::IssuerSource> IssuersOf(const ServeOptions& options) {
  std::vector<oidc::IssuerSource> issuers;
  for (const std::string& text : options.oidc_issuers)
    if (auto issuer = ParseIssuer(text)) issuers.push_back(std::move(*issuer));
  return issuers;
}

}  // namespace

Result<oidc::IssuerSource> ParseIssuer(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
    return Status::InvalidArgument("an issuer is given as ISSUER=FILE or ISSUER=URL");
  oidc::IssuerSource issuer;
  issuer.issuer = text.substr(0, equals);
  const std::string_view source = text.substr(equals + 1);
  const bool is_url = source.starts_with("https://") || source.starts_with("http://");
  (is_url ? issuer.key_set_url : issuer.key_set_file) = source;
  return issuer;
}

IdentityApi::IdentityApi(const ServeOptions& options, Gate& gate, const Clock& clock)
    : issuers_(IssuersOf(options), clock), iam_{gate.directory(), gate.usage()}, sts_{gate.directory(), issuers_} {
  sts::AddOperations(operations_);
  if (options.believes_everybody) return;
  sts::AddOperations(operations_, sts_);
  iam_api::AddOperations(operations_, iam_);
}

}  // namespace armature::server
