// Principal: on whose behalf a request is executed.
//
// Made by the Verifier for one request: the words that are asked for all the time, as views, and the Identity behind
// them, which has the rest and which the Principal keeps alive. The views point into the Identity, the request or its
// arena: good as long as the request.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "auth/identity.h"

namespace armature::auth {

// A tag of a request or a resource.
struct Tag {
  std::string_view key;
  std::string_view value;
};

struct Principal {
  std::string_view account;  // twelve digits
  std::string_view arn;      // "arn:aws:iam::123456789012:root"; of a session the session's
  std::string_view access_key_id;
  std::string_view user_name{};  // empty: not an IAM user
  // Never null in what a Verifier gives.
  std::shared_ptr<const Identity> identity{};
};

inline Principal PrincipalOf(std::shared_ptr<const Identity> identity, std::string_view access_key_id) {
  const Identity& who = *identity;
  return {.account = who.account,
          .arn = who.arn,
          .access_key_id = access_key_id,
          .user_name = who.user_name,
          .identity = std::move(identity)};
}

}  // namespace armature::auth
