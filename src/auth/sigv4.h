// Reading AWS Signature Version 4: who says to have signed a request, and with what.
//
// Presence and form only, in DynamoDB's order of checks and with its texts; whether the signature holds is the
// Verifier's business (auth/verifier.h). A Credential is views into the request (and, for percent-encoded queries, the
// arena); its Region and key id are names (model/names/names.h) and nothing else. Pure, one pass, without allocation
// when the header is well-formed. Called by front/.
#pragma once

#include <string_view>

#include "base/memory/arena.h"
#include "model/api_error.h"
#include "net/http_message.h"

namespace armature::auth {

struct Credential {
  std::string_view access_key_id;
  std::string_view scope_date;  // YYYYMMDD of the credential scope
  std::string_view region;
  std::string_view service;
  std::string_view terminator;      // "aws4_request"
  std::string_view signed_headers;  // "host;x-amz-date;…"
  std::string_view signature;
  std::string_view date;           // as sent: X-Amz-Date, or else Date
  std::string_view session_token;  // empty: none
  bool presigned = false;          // in the query string instead of the Authorization header
};

// The arena is touched only for presigned requests.
model::ApiResult<Credential> ParseAuthorization(const net::HttpRequest& request, Arena& arena);

// What a verifying server checks beyond form: service, terminator and day of the scope (the Region is a name already).
model::ApiResult<void> CheckScope(const Credential& credential);

}  // namespace armature::auth
