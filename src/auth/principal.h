// Principal: on whose behalf a request is executed.
//
// Made by the Verifier for one request. Views into the request, its arena or the verifier: good as long as the request.
#pragma once

#include <span>
#include <string_view>

namespace armature::auth {

struct Tag {
  std::string_view key;
  std::string_view value;
};

struct Principal {
  std::string_view account;  // twelve digits
  std::string_view arn;      // "arn:aws:iam::123456789012:root"
  std::string_view access_key_id;
  std::string_view user_name{};         // empty: the account's root
  std::span<const Tag> session_tags{};  // of a session that was given some
};

}  // namespace armature::auth
