// Signatures: whatever stands in the headers or the query, a credential is well-formed or an error with a text.
//
// Input: the query, then a header per line. A credential that was read, written out again as a header, reads the same.
#include <algorithm>
#include <string>

#include "auth/sigv4.h"
#include "base/memory/arena.h"
#include "base/testing/fuzz_check.h"
#include "net/http_message.h"

namespace armature::auth {
namespace {

bool SameCredential(const Credential& a, const Credential& b) {
  return a.access_key_id == b.access_key_id && a.scope_date == b.scope_date && a.region == b.region &&
         a.service == b.service && a.terminator == b.terminator && a.signed_headers == b.signed_headers &&
         a.signature == b.signature && a.date == b.date;
}

void CheckRewritten(const Credential& credential) {
  std::string scope(credential.access_key_id);
  for (const std::string_view part :
       {credential.scope_date, credential.region, credential.service, credential.terminator}) {
    scope.append("/").append(part);
  }
  // A query may hold bytes that end a header's part.
  for (const std::string_view text : {std::string_view(scope), credential.signed_headers, credential.signature}) {
    if (text.find_first_of(" ,") != std::string_view::npos || text.ends_with('/')) return;
  }
  std::string header = "AWS4-HMAC-SHA256 Credential=" + scope;
  header.append(",SignedHeaders=").append(credential.signed_headers).append(",Signature=").append(credential.signature);
  net::HttpRequest request;
  request.headers = {{"authorization", header}};
  request.headers.push_back(
      {credential.presigned || credential.date.size() == 16 ? "x-amz-date" : "date", credential.date});
  Arena arena;
  const auto again = ParseAuthorization(request, arena);
  Require(again && SameCredential(*again, credential), "a credential written as a header reads the same");
}

// As net/ hands it up: no line breaks, values without blanks around them.
net::HttpRequest MakeRequest(std::string_view text) {
  net::HttpRequest request;
  request.query = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(request.query.size() + 1, text.size()));
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const size_t colon = std::min(line.find(": "), line.size());
    std::string_view value = line.substr(std::min(colon + 2, line.size()));
    while (value.starts_with(' ')) value.remove_prefix(1);
    while (value.ends_with(' ')) value.remove_suffix(1);
    request.headers.push_back({line.substr(0, colon), value});
  }
  return request;
}

}  // namespace
}  // namespace armature::auth

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using armature::Require;
  namespace auth = armature::auth;
  const armature::net::HttpRequest request = auth::MakeRequest(armature::FuzzText(data, size));
  armature::Arena arena;
  const auto credential = auth::ParseAuthorization(request, arena);
  if (!credential) {
    Require(credential.error().http_status == 400 && !credential.error().message.empty(), "errors are the client's");
    return 0;
  }
  for (const std::string_view part : {credential->access_key_id, credential->scope_date, credential->region,
                                      credential->service, credential->terminator}) {
    Require(part.find('/') == std::string_view::npos, "parts have no slash");
  }
  Require(!credential->signature.empty() && !credential->date.empty(), "a credential is whole");
  (void)auth::CheckScope(*credential);
  auth::CheckRewritten(*credential);
  return 0;
}
