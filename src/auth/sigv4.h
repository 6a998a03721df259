// Reading AWS Signature Version 4: who says to have signed a request, and with what.
//
// Presence and form only, in AWS's order of checks and with its texts, in steps, because a verifier has checks of its
// own between them; whether the signature holds is the Verifier's business (auth/verifier.h). A Credential is views
// into the request and, for percent-encoded queries and HTTP's dates, the arena. Pure, one pass, without allocation
// when the header is well-formed. Called by verifiers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "auth/auth_fault.h"
#include "base/memory/arena.h"
#include "net/http_message.h"

namespace armature::auth {

struct Credential {
  // Of ReadSignature:
  std::string_view text;            // "keyid/date/region/service/aws4_request", as sent
  std::string_view signed_headers;  // "host;x-amz-date;…", as sent
  std::string_view signature;
  std::string_view date;            // as sent: X-Amz-Date, or else Date
  std::string_view expires;         // X-Amz-Expires of a presigned request; empty: none
  std::string_view session_token;   // empty: none
  std::string_view content_sha256;  // what the request says the hash of its body is; empty: nothing
  bool presigned = false;           // in the query string instead of the Authorization header
  bool is_http_date = false;        // `date` is of the Date header, and may have its form
  // Of ReadSigningTime:
  std::string_view time;  // the date as "20130609T100015Z"
  int64_t signed_at_seconds = 0;
  // Of SplitScope:
  std::string_view access_key_id;
  std::string_view scope;       // all of the text behind the key id
  std::string_view scope_date;  // YYYYMMDD
  std::string_view region;
  std::string_view service;
  std::string_view terminator;  // "aws4_request"
};

// Header form or query form, algorithm, and that nothing is missing.
AuthResult<Credential> ReadSignature(const net::HttpRequest& request, Arena& arena);
// That the date is one.
AuthResult<void> ReadSigningTime(Credential& credential, Arena& arena);
// That the credential has five parts.
AuthResult<void> SplitScope(Credential& credential);

// All of it, for whoever believes what is well-formed. Region and key id are names (model/names/names.h) and nothing
// else: whatever is believed of a signature, they become keys, URLs and words of the log.
AuthResult<Credential> ParseAuthorization(const net::HttpRequest& request, Arena& arena);

// What a verifying server checks of a scope beyond form, all told together: that the Region is a name, the service one
// of `services` (faults name the first), the terminator, the day that of the signature's time.
AuthResult<void> CheckScope(const Credential& credential, std::span<const std::string_view> services);

// The key id, or the token that came with it, is nobody's.
[[gnu::cold]] AuthFault UnrecognizedClient();

}  // namespace armature::auth
