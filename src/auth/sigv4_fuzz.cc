// Signatures: whatever stands in the headers or the query, a credential is well-formed or an error with a text.
//
// Input: the query, then a header per line. A credential that was read, written out again as a header, reads the same.
// Canonical forms are canonical, and headers among them what a slow, obvious reading of the rules gives. Nobody who
// does not know the secret is believed; whatever is signed with it is, whatever else stands in headers and query.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "auth/signature.h"
#include "auth/sigv4.h"
#include "auth/verify/memory_key_ring.h"
#include "auth/verify/signature_testing.h"
#include "auth/verify/signature_verifier.h"
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

// --- canonicalisation

bool IsAnyOf(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

constexpr std::string_view kEncoded = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~%";

void CheckCanonicalForms(const net::HttpRequest& request) {
  const std::string query = CanonicalQuery(request.query);
  Require(IsAnyOf(query, std::string(kEncoded) + "&="), "a canonical query is encoded");
  // An encoded spelling of this name is a parameter like others, until it is canonical.
  if (query.find("X-Amz-Signature=") == std::string::npos)
    Require(CanonicalQuery(query) == query, "a canonical query stays what it is");
  const std::string path = CanonicalPath(request.query);
  Require(path.starts_with('/') && path.find("//") == std::string::npos && IsAnyOf(path, std::string(kEncoded) + "/"),
          "a canonical path is encoded and clean");
  Arena arena;
  for (const net::Header& header : request.headers) {
    const std::string_view names = CanonicalHeaderNames(header.value, arena);
    Require(CanonicalHeaderNames(names, arena) == names, "canonical names stay what they are");
    Require(names.size() <= header.value.size() && !names.starts_with(';') && !names.ends_with(';'), "names are names");
  }
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

std::string Folded(std::string_view value) {
  std::string folded;
  for (const char c : value) {
    if (c != ' ' && c != '\t') folded += c;
    else if (!folded.ends_with(' ')) folded += ' ';
  }
  if (folded.starts_with(' ')) folded.erase(0, 1);
  if (folded.ends_with(' ')) folded.pop_back();
  return folded;
}

// Those headers whose names can stand in SignedHeaders, as they are signed.
std::map<std::string, std::string> ValuesByName(const net::HttpRequest& request) {
  std::map<std::string, std::string> values;
  for (const net::Header& header : request.headers) {
    const std::string name = Lower(header.name);
    if (name.empty() || !IsAnyOf(name, "abcdefghijklmnopqrstuvwxyz0123456789-_")) continue;
    const auto [it, is_new] = values.emplace(name, Folded(header.value));
    if (!is_new) it->second.append(",").append(Folded(header.value));
  }
  return values;
}

void CheckHeaders(const net::HttpRequest& request) {
  std::string names;
  std::string expected = "POST\n/\n\n";
  for (const auto& [name, value] : ValuesByName(request)) {
    names.append(names.empty() ? "" : ";").append(name);
    expected.append(name).append(":").append(value).append("\n");
  }
  if (names.empty()) return;
  expected.append("\n").append(names).append("\n");
  Require(CanonicalHead({"POST", "/", "", request.headers, names}) == expected, "headers are signed by the rules");
}

// --- verification

bool HasBrokenEscape(std::string_view text) {
  for (size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1))
    if (at + 2 >= text.size() || !IsAnyOf(text.substr(at + 1, 2), "0123456789abcdefABCDEF")) return true;
  return false;
}

void CheckVerifier(const net::HttpRequest& request) {
  MemoryKeyRing keys;
  keys.Put(MakeTestUserKey());
  const ManualClock clock(kTestMillis);
  const SignatureVerifier verifier(keys, clock);
  Arena arena;
  const auto stranger = verifier.Verify(request, {}, arena);
  Require(!stranger && !stranger.error().message.empty(), "who does not know the secret is refused, with a text");

  TestRequest signed_request{.query = std::string(request.query)};
  if (signed_request.query.find("X-Amz-Algorithm") != std::string::npos || HasBrokenEscape(request.query)) return;
  std::string names = "host;x-amz-date";
  for (const net::Header& header : request.headers) {
    const std::string name = Lower(header.name);
    if (name == "authorization" || name == "x-amz-date" || name == "x-amz-security-token" ||
        name == "x-amz-content-sha256") {
      continue;
    }
    signed_request.headers.emplace_back(header.name, header.value);
    if (!name.empty() && IsAnyOf(name, "abcdefghijklmnopqrstuvwxyz0123456789-_")) names.append(";").append(name);
  }
  signed_request.signed_headers = names;  // in no order, and some perhaps twice
  SignedTestRequest known(signed_request);
  const auto believed = verifier.Verify(known.http(), {}, arena);
  Require(believed && believed->principal.user_name == "alice", "who knows the secret is believed");
}

}  // namespace
}  // namespace armature::auth

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using armature::Require;
  namespace auth = armature::auth;
  const armature::net::HttpRequest request = auth::MakeRequest(armature::FuzzText(data, size));
  auth::CheckCanonicalForms(request);
  auth::CheckHeaders(request);
  auth::CheckVerifier(request);
  armature::Arena arena;
  const auto credential = auth::ParseAuthorization(request, arena);
  if (!credential) {
    Require(!credential.error().message.empty(), "errors have a text");
    return 0;
  }
  for (const std::string_view part : {credential->access_key_id, credential->scope_date, credential->region,
                                      credential->service, credential->terminator}) {
    Require(part.find('/') == std::string_view::npos, "parts have no slash");
  }
  Require(!credential->signature.empty() && !credential->date.empty(), "a credential is whole");
  (void)auth::CheckScope(*credential, auth::kDynamoDbSigningNames);
  auth::CheckRewritten(*credential);
  return 0;
}
