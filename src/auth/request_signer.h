// Signs requests of our own to services of AWS, for HttpClient to send. Pure; called by workers/ and cli/.
#pragma once

#include <cstdint>
#include <string>

#include "base/http_client.h"

namespace armature::auth {

struct SigningIdentity {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;  // may be empty
};

// Adds Host, X-Amz-Date, X-Amz-Security-Token (if there is one) and Authorization to the request's headers, all of
// which are signed with its body. What is signed must not be changed any more.
void SignRequest(const SigningIdentity& identity, std::string_view region, std::string_view service,
                 int64_t unix_seconds, HttpClientRequest& request);

}  // namespace armature::auth
