#include "audit/event.h"

#include <ctime>

#include <fmt/format.h>

#include "base/text/json_writer.h"
#include "base/text/visible_text.h"

namespace armature::audit {

namespace {

constexpr std::string_view kEventVersion = "1.11";
// Of texts that clients choose.
constexpr size_t kMostText = 1024;
constexpr size_t kMostMessage = 4096;

// Cut between characters, and made UTF-8.
std::string Told(std::string_view text, size_t most = kMostText) {
  if (text.size() <= most) return WellFormedUtf8(text);
  size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return WellFormedUtf8(text.substr(0, end)) + "...";
}

void Member(JsonWriter& json, std::string_view name, std::string_view text) { json.Member(name, Told(text)); }

// The id of an access key. What does not look like one may be a secret in the wrong place.
void KeyMember(JsonWriter& json, std::string_view id) {
  constexpr size_t kMostKeyId = 32;
  const bool is_plain = id.size() <= kMostKeyId &&
                        id.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") ==
                            std::string_view::npos;
  json.Member("accessKeyId", is_plain ? id : kHidden);
}

// "Reader" of "arn:aws:iam::111122223333:role/staff/Reader".
std::string_view LastPart(std::string_view arn) { return arn.substr(arn.find_last_of("/:") + 1); }

std::string_view IdentityType(auth::PrincipalKind kind) {
  switch (kind) {
    case auth::PrincipalKind::kRoot: return "Root";
    case auth::PrincipalKind::kUser: return "IAMUser";
    case auth::PrincipalKind::kAssumedRole: return "AssumedRole";
    case auth::PrincipalKind::kFederatedUser: return "FederatedUser";
  }
  return "Unknown";
}

void AppendIssuer(JsonWriter& json, const auth::Identity& who) {
  if (who.kind != auth::PrincipalKind::kAssumedRole && who.kind != auth::PrincipalKind::kFederatedUser) return;
  const bool is_root = who.entity_id.empty();
  json.Key("sessionIssuer");
  json.BeginObject();
  json.Member("type", who.kind == auth::PrincipalKind::kAssumedRole ? "Role" : is_root ? "Root" : "IAMUser");
  json.Member("principalId", is_root ? who.account : who.entity_id);
  json.Member("arn", who.entity_arn);
  json.Member("accountId", who.account);
  if (!is_root) json.Member("userName", LastPart(who.entity_arn));
  json.EndObject();
}

void AppendSession(JsonWriter& json, const auth::Identity& who) {
  if (!who.session) return;
  const auth::SessionFacts& session = *who.session;
  json.Key("sessionContext");
  json.BeginObject();
  AppendIssuer(json, who);
  if (!session.federated_provider.empty()) {
    json.Key("webIdFederationData");
    json.BeginObject();
    Member(json, "federatedProvider", session.federated_provider);
    json.EndObject();
  }
  json.Key("attributes");
  json.BeginObject();
  json.Member("creationDate", IsoTime(session.issued_at_millis));
  json.Member("mfaAuthenticated", session.mfa_at_millis ? "true" : "false");
  json.EndObject();
  if (!session.source_identity.empty()) Member(json, "sourceIdentity", session.source_identity);
  json.EndObject();
}

void AppendCaller(JsonWriter& json, const Event& event) {
  json.Key("userIdentity");
  json.BeginObject();
  if (event.is_web_identity) {
    json.Member("type", "WebIdentityUser");
    if (!event.web_subject.empty()) {
      Member(json, "principalId", fmt::format("{}:{}", event.web_provider, event.web_subject));
      Member(json, "userName", event.web_subject);
      Member(json, "identityProvider", event.web_provider);
    }
  } else if (!event.caller.identity) {
    json.Member("type", "Unknown");
    if (!event.claimed_key_id.empty()) KeyMember(json, event.claimed_key_id);
  } else {
    const auth::Identity& who = *event.caller.identity;
    json.Member("type", IdentityType(who.kind));
    json.Member("principalId", who.user_id);
    json.Member("arn", who.arn);
    json.Member("accountId", who.account);
    KeyMember(json, event.caller.access_key_id);
    if (!who.user_name.empty()) json.Member("userName", who.user_name);
    AppendSession(json, who);
  }
  json.EndObject();
}

void AppendResources(JsonWriter& json, const std::vector<EventResource>& resources) {
  if (resources.empty()) return;
  json.Key("resources");
  json.BeginArray();
  for (const EventResource& resource : resources) {
    json.BeginObject();
    Member(json, "accountId", resource.account);
    json.Member("type", resource.type);
    Member(json, "ARN", resource.arn);
    json.EndObject();
  }
  json.EndArray();
}

void RawOrNull(JsonWriter& json, std::string_view name, std::string_view value) {
  json.Key(name);
  if (value.empty()) json.Null();
  else json.Raw(value);
}

}  // namespace

std::string IsoTime(int64_t epoch_millis) {
  const std::time_t seconds = epoch_millis / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::string LineOf(const Event& event, RandomSource& random) {
  std::string line;
  line.reserve(1024 + event.request_parameters.size() + event.response_elements.size());
  JsonWriter json(line);
  json.BeginObject();
  json.Member("eventVersion", kEventVersion);
  AppendCaller(json, event);
  json.Member("eventTime", IsoTime(event.now_millis));
  json.Member("eventSource", fmt::format("{}.amazonaws.com", event.service));
  Member(json, "eventName", event.name);
  Member(json, "awsRegion", event.region);
  json.Member("sourceIPAddress", event.source_ip);
  Member(json, "userAgent", event.user_agent);
  if (!event.error_code.empty()) json.Member("errorCode", event.error_code);
  if (!event.error_message.empty()) json.Member("errorMessage", Told(event.error_message, kMostMessage));
  RawOrNull(json, "requestParameters", event.request_parameters);
  RawOrNull(json, "responseElements", event.response_elements);
  if (event.is_unproven) {
    json.Key("additionalEventData");
    json.Raw(R"({"signatureVerified":false})");
  } else if (!event.additional_data.empty()) {
    json.Key("additionalEventData");
    json.Raw(event.additional_data);
  }
  json.Member("requestID", event.request_id);
  json.Member("eventID", UuidV4(random));
  json.MemberBool("readOnly", event.is_read_only);
  AppendResources(json, event.resources);
  json.Member("eventType", "AwsApiCall");
  if (!event.api_version.empty()) json.Member("apiVersion", event.api_version);
  json.MemberBool("managementEvent", event.is_management);
  json.Member("recipientAccountId", event.recipient_account);
  json.Member("eventCategory", event.is_management ? "Management" : "Data");
  if (!event.secure_host.empty()) {
    json.Key("tlsDetails");
    json.BeginObject();
    Member(json, "clientProvidedHostHeader", event.secure_host);
    json.EndObject();
  }
  json.EndObject();
  line += '\n';
  return line;
}

std::string LostEvent(uint64_t lost, int64_t now_millis, RandomSource& random) {
  std::string line;
  JsonWriter json(line);
  json.BeginObject();
  json.Member("eventVersion", kEventVersion);
  json.Member("eventTime", IsoTime(now_millis));
  json.Member("eventSource", "armature.amazonaws.com");
  json.Member("eventName", "AuditEventsLost");
  json.Key("serviceEventDetails");
  json.BeginObject();
  json.MemberInt("lostEvents", static_cast<int64_t>(lost));
  json.EndObject();
  json.Member("eventID", UuidV4(random));
  json.MemberBool("readOnly", true);
  json.Member("eventType", "AwsServiceEvent");
  json.MemberBool("managementEvent", true);
  json.Member("eventCategory", "Management");
  json.EndObject();
  line += '\n';
  return line;
}

}  // namespace armature::audit
