#include "iam/access/principal_conditions.h"

#include <algorithm>
#include <ctime>
#include <span>

#include <fmt/format.h>

#include "iam/entities/names.h"

namespace armature::iam {

namespace {

using policy::ConditionValues;
using policy::KnownKey;

ConditionValues OneUnlessEmpty(std::string_view value) {
  return value.empty() ? ConditionValues::None() : ConditionValues::One(value);
}

ConditionValues OneOf(bool value) { return ConditionValues::One(value ? "true" : "false"); }

bool EqualsFolded(std::string_view text, std::string_view folded) {
  if (text.size() != folded.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    if (c != folded[i]) return false;
  }
  return true;
}

}  // namespace

std::string_view PrincipalConditions::Text::SetTime(int64_t millis) {
  const time_t seconds = static_cast<time_t>(millis / 1000);
  tm parts{};
  gmtime_r(&seconds, &parts);
  const auto end =
      fmt::format_to_n(bytes_.data(), bytes_.size(), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900,
                       parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  return {bytes_.data(), std::min(end.size, bytes_.size())};
}

std::string_view PrincipalConditions::Text::SetNumber(int64_t number) {
  const auto end = fmt::format_to_n(bytes_.data(), bytes_.size(), "{}", number);
  return {bytes_.data(), std::min(end.size, bytes_.size())};
}

ConditionValues PrincipalConditions::FindTag(std::string_view folded_key) const {
  for (const auto& tag : identity_.tags)
    if (EqualsFolded(tag.key, folded_key)) return ConditionValues::One(tag.value);
  return ConditionValues::None();
}

ConditionValues PrincipalConditions::FindFederationKey(std::string_view folded_name) const {
  if (!identity_.session) return ConditionValues::None();
  for (const auto& key : identity_.session->federation_keys)
    if (EqualsFolded(key.name, folded_name)) return ConditionValues::Many(std::span(key.values));
  return ConditionValues::None();
}

ConditionValues PrincipalConditions::Find(const policy::ConditionKey& key) const {
  const auto& session = identity_.session;
  const auth::Circumstances& how = circumstances_;
  switch (key.known) {
    case KnownKey::kPrincipalTag: return FindTag(key.tag);
    case KnownKey::kTokenIssueTime:
      return session ? ConditionValues::One(issued_.SetTime(session->issued_at_millis)) : ConditionValues::None();
    // Absent with long-term keys: a policy that wants MFA says BoolIfExists or Bool, and means it.
    case KnownKey::kMultiFactorAuthPresent:
      return session ? OneOf(session->mfa_at_millis.has_value()) : ConditionValues::None();
    case KnownKey::kMultiFactorAuthAge:
      if (!session || !session->mfa_at_millis) return ConditionValues::None();
      return ConditionValues::One(mfa_age_.SetNumber((how.now_millis - *session->mfa_at_millis) / 1000));
    case KnownKey::kFederatedProvider:
      return session ? OneUnlessEmpty(session->federated_provider) : ConditionValues::None();
    case KnownKey::kSourceIdentity: return session ? OneUnlessEmpty(session->source_identity) : ConditionValues::None();
    case KnownKey::kPrincipalIsAwsService:
    case KnownKey::kViaAwsService: return OneOf(false);
    case KnownKey::kSourceIp: return OneUnlessEmpty(how.source_ip);
    case KnownKey::kSecureTransport: return how.is_secure ? OneOf(*how.is_secure) : ConditionValues::None();
    case KnownKey::kUserAgent: return OneUnlessEmpty(how.user_agent);
    case KnownKey::kReferer: return OneUnlessEmpty(how.referer);
    case KnownKey::kCurrentTime: return ConditionValues::One(now_.SetTime(how.now_millis));
    case KnownKey::kEpochTime: return ConditionValues::One(epoch_.SetNumber(how.now_millis / 1000));
    case KnownKey::kRequestedRegion: return OneUnlessEmpty(how.requested_region);
    case KnownKey::kOther:
      if (const auto values = FindFederationKey(key.name); !values.empty()) return values;
      break;
    default: break;
  }
  return next_ ? next_->Find(key) : ConditionValues::None();
}

}  // namespace armature::iam
