// Event: one call as the audit log tells it, in the shape of AWS's CloudTrail, and its line of JSON.
//
// Plain values, views into the request mostly: an Event lives for the making of its line. Whatever a text holds, the
// line is well-formed JSON and one line. Texts that are secrets must not come here. Made by front/, through audit.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "auth/principal.h"
#include "base/random.h"

namespace armature::audit {

// What stands in the place of what is not told.
inline constexpr std::string_view kHidden = "HIDDEN_DUE_TO_SECURITY_REASONS";

struct EventResource {
  std::string_view type;  // "AWS::DynamoDB::Table"
  std::string arn;
  std::string account;
};

struct Event {
  std::string_view service;      // "dynamodb"
  std::string_view name;         // "CreateTable"
  std::string_view api_version;  // "2012-08-10"; empty: untold
  std::string_view region;
  std::string_view source_ip;
  std::string_view user_agent;
  std::string_view request_id;
  // Who calls; without an identity nobody knows, and `claimed_key_id` is who he says he is.
  auth::Principal caller;
  std::string_view claimed_key_id;
  bool is_unproven = false;  // nobody looked at the signature
  // Whom an identity provider vouches for; empty: it is no such call.
  bool is_web_identity = false;
  std::string web_provider;
  std::string web_subject;
  std::string_view error_code;  // empty: it went well
  std::string_view error_message;
  std::string_view request_parameters;  // JSON; empty: null
  std::string_view response_elements;   // the same
  std::vector<EventResource> resources;
  bool is_read_only = false;
  bool is_management = true;
  std::string_view recipient_account;  // whose resources it is about
  std::string_view secure_host;        // the Host header of a request that came through TLS; empty: it did not
  // Why the front turned it away before anything else; JSON of additionalEventData.
  std::string_view additional_data;
  int64_t now_millis = 0;
};

// With its end.
std::string LineOf(const Event& event, RandomSource& random);

// What the log says where so many events are missing.
std::string LostEvent(uint64_t lost, int64_t now_millis, RandomSource& random);

// "2026-11-19T01:02:03Z".
std::string IsoTime(int64_t epoch_millis);

}  // namespace armature::audit
