// MakeSelfSigned: a P-256 key and a certificate that it signs itself, for a server on one's own machine.
//
// Whoever is to trust it is given the certificate itself, as a bundle of one: it may not sign others, so a lost key
// speaks for these names and no more. A client may show it too. Pure but for the random bytes. Used by `armature tls
// self-signed` and by tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace armature {

struct SelfSignedRequest {
  std::vector<std::string> hosts;  // DNS names (the first label may be *) and IP addresses
  int64_t not_before_seconds = 0;  // since 1970
  int64_t not_after_seconds = 0;
};

struct SelfSigned {
  std::string certificate_pem;
  std::string key_pem;  // PKCS #8, without a passphrase
};

// Whether a certificate can be made out to it: an IP address, or a DNS name of letters, digits, hyphens and dots.
bool IsCertificateHost(std::string_view host);

// kInvalidArgument: no host, or one that IsCertificateHost refuses.
Result<SelfSigned> MakeSelfSigned(const SelfSignedRequest& request);

}  // namespace armature
