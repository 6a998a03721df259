// QueryContext: what every operation of IAM and STS is given besides its request.
//
// Made by the front for one request, on one reactor; views into the request and its arena. What an operation works on
// is its own first parameter (query/query_operations.h), so that this knows nothing of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "auth/access.h"
#include "auth/principal.h"
#include "base/memory/arena.h"
#include "model/api_error.h"

namespace armature::query {

// Ok, or the error whose name is the Code that the client is told.
using QueryResult = model::ApiResult<void>;

struct QueryContext {
  Arena& arena;
  // On whose behalf. Null for an operation that is called unsigned, and only there.
  const auth::Principal* caller = nullptr;
  // Nobody has looked at his signature, because there are no principals.
  bool is_unproven = false;
  std::string_view region{};      // that the signature is scoped to; empty: unsigned
  std::string_view iam_action{};  // what policies call the operation: "iam:CreateUser"
  std::string_view host{};        // where the client reached us
  std::string_view user_agent{};
  std::string_view referer{};
  std::string source_ip{};          // without a port
  std::optional<bool> is_secure{};  // whether it came through TLS
  std::string_view request_id{};
  int64_t now_millis = 0;
};

// The same for policies. Views into the context.
inline auth::Circumstances CircumstancesOf(const QueryContext& context) {
  auth::Circumstances how;
  how.source_ip = context.source_ip;
  how.is_secure = context.is_secure;
  how.user_agent = context.user_agent;
  how.referer = context.referer;
  how.requested_region = context.region;
  how.now_millis = context.now_millis;
  return how;
}

}  // namespace armature::query
