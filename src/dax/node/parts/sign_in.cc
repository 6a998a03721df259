#include "dax/node/parts/sign_in.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "auth/signature.h"
#include "net/http_message.h"

namespace armature::dax {

namespace {

constexpr std::array<std::string_view, 1> kSigningNames{"dax"};
constexpr std::string_view kSignedHost = "dax.amazonaws.com";
constexpr std::string_view kSignedHeaders = "host;x-amz-date";

// Line `number` of the string to sign: algorithm, time, scope, hash.
std::string_view Line(std::string_view text, int number) {
  for (; number > 0 && !text.empty(); --number) {
    const size_t end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return text.substr(0, text.find('\n'));
}

}  // namespace

auth::AuthResult<SignedIn> SignIn(const auth::Verifier& verifier, const ParsedRequest& request, auth::Expected expected,
                                  Arena& arena) {
  const std::string authorization =
      fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", auth::kSignatureAlgorithm,
                  request.access_key_id, Line(request.string_to_sign, 2), kSignedHeaders, request.signature);
  net::HttpRequest http;
  http.method = net::Method::kPost;
  http.method_name = "POST";
  http.target = http.path = "/";
  http.headers = {
      {"Host", kSignedHost}, {"X-Amz-Date", Line(request.string_to_sign, 1)}, {"Authorization", authorization}};
  if (!request.session_token.empty()) http.headers.push_back({"X-Amz-Security-Token", request.session_token});
  if (!request.user_agent.empty()) http.headers.push_back({"User-Agent", request.user_agent});

  expected.services = kSigningNames;
  ARMATURE_TRY(const auth::Verified verified, verifier.Verify(http, expected, arena));
  // An identity that only the verifier keeps alive lives as long as that does, which is longer than any connection.
  return SignedIn{verified.principal.identity, std::string(verified.principal.access_key_id),
                  std::string(verified.region), std::string(request.user_agent), verified.is_unproven};
}

}  // namespace armature::dax
