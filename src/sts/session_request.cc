#include "sts/session_request.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "iam/changes/policies.h"
#include "iam/entities/messages.h"
#include "iam/entities/names.h"
#include "iam/entities/told.h"
#include "sts/messages.h"
#include "wire/query/query_errors.h"

namespace armature::sts {

using policy::ConditionValues;
using policy::KnownKey;
using query::QueryResult;

namespace {

// What the plain texts of session policies may be together.
constexpr size_t kMostPolicyText = 2048;

std::vector<iam::SessionTag> HandedDown(const auth::Identity& caller) {
  std::vector<iam::SessionTag> tags;
  if (!caller.session) return tags;
  std::set<std::string, std::less<>> keys;
  for (const std::string& key : caller.session->transitive_tag_keys) keys.insert(iam::FoldCase(key));
  for (const auth::IdentityTag& tag : caller.tags)
    if (keys.contains(iam::FoldCase(tag.key))) tags.push_back({tag.key, tag.value, true});
  return tags;
}

}  // namespace

QueryResult AddPolicies(const iam::Snapshot& state, const wire::Opt<std::string_view>& policy,
                        const wire::List<wire::sts::PolicyDescriptorTypeInput>& arns, iam::Session& session) {
  size_t size = 0;
  if (policy) {
    size += policy->size();
    if (size > kMostPolicyText) return wire::ValidationError(fmt::format(messages::kPolicyTooLong, kMostPolicyText));
    ARMATURE_CHECK_OK(iam::Told(iam::MakeDocument(*policy, policy::PolicyKind::kIdentity)));
    session.policies.emplace_back(*policy);
  }
  for (const auto& descriptor : arns) {
    const std::string_view arn = descriptor.arn.value_or({});
    size += arn.size();
    if (size > kMostPolicyText) return wire::ValidationError(fmt::format(messages::kPolicyTooLong, kMostPolicyText));
    const auto found = iam::MustFindPolicy(state, session.account, arn);
    if (!found) return wire::ValidationError(found.error().message);
    session.policy_arns.emplace_back(arn);
  }
  return {};
}

std::vector<iam::SessionTag> TagsOf(const wire::List<wire::sts::TagInput>& tags) {
  std::vector<iam::SessionTag> read;
  for (const auto& tag : tags) read.push_back({std::string(*tag.Key), std::string(*tag.Value), false});
  return read;
}

QueryResult AddTags(std::vector<iam::SessionTag> asked, const std::vector<std::string>& transitive_keys,
                    const auth::Identity* caller, iam::Session& session) {
  std::set<std::string, std::less<>> keys, transitive;
  for (const iam::SessionTag& tag : asked) {
    std::string folded = iam::FoldCase(tag.key);
    if (folded.starts_with("aws:")) return wire::InvalidParameterValue(iam::messages::kReservedTag);
    if (!keys.insert(std::move(folded)).second) return wire::InvalidParameterValue(iam::messages::kDuplicateTags);
  }
  for (const std::string& key : transitive_keys) transitive.insert(iam::FoldCase(key));
  if (!std::ranges::includes(keys, transitive)) return wire::InvalidParameterValue(messages::kTransitiveKeyNotTag);
  if (caller) {
    for (iam::SessionTag& tag : HandedDown(*caller)) {
      if (keys.contains(iam::FoldCase(tag.key))) return wire::InvalidParameterValue(messages::kTransitiveConflict);
      session.tags.push_back(std::move(tag));
    }
  }
  for (iam::SessionTag& tag : asked) {
    tag.is_transitive = transitive.contains(iam::FoldCase(tag.key));
    session.tags.push_back(std::move(tag));
  }
  return {};
}

QueryResult CheckNoFactor(const wire::Opt<std::string_view>& serial, const wire::Opt<std::string_view>& code) {
  if (!serial && !code) return {};
  return wire::AccessDenied(messages::kNoSuchFactor);
}

model::ApiResult<wire::sts::Credentials> Issue(StsService& service, int64_t now_millis, int64_t seconds,
                                               iam::Session& session) {
  session.issued_millis = now_millis;
  session.expires_millis = now_millis + seconds * 1000;
  const auto keys = service.directory.master_keys();
  if (!keys) return iam::AsApiError(iam::FromStatus(keys.error()));
  ARMATURE_TRY(std::string token, iam::Told(iam::SessionTokens(*keys).Issue(session, service.directory.random())));
  wire::sts::Credentials credentials;
  credentials.AccessKeyId = session.access_key_id;
  credentials.SecretAccessKey = session.secret;
  credentials.SessionToken = std::move(token);
  credentials.Expiration = {session.expires_millis};
  return credentials;
}

SessionConditions::SessionConditions(const iam::Session& session, const iam::Tags& resource_tags,
                                     std::string_view external_id, int64_t asked_seconds)
    : session_(session),
      resource_tags_(resource_tags),
      external_id_(external_id),
      seconds_(asked_seconds > 0 ? std::to_string(asked_seconds) : std::string()) {
  for (const iam::SessionTag& tag : session.tags) {
    tag_keys_.push_back(tag.key);
    if (tag.is_transitive) transitive_keys_.push_back(tag.key);
  }
}

ConditionValues SessionConditions::Find(const policy::ConditionKey& key) const {
  const auto one_unless_empty = [](std::string_view value) {
    return value.empty() ? ConditionValues::None() : ConditionValues::One(value);
  };
  const auto find_tag = [&](const auto& tags) {
    for (const auto& tag : tags)
      if (iam::FoldCase(tag.key) == key.tag) return ConditionValues::One(tag.value);
    return ConditionValues::None();
  };
  switch (key.known) {
    case KnownKey::kStsExternalId: return one_unless_empty(external_id_);
    case KnownKey::kStsRoleSessionName: return one_unless_empty(session_.name);
    case KnownKey::kStsSourceIdentity: return one_unless_empty(session_.source_identity);
    case KnownKey::kStsDurationSeconds: return one_unless_empty(seconds_);
    case KnownKey::kStsTransitiveTagKeys:
      return ConditionValues::Many(std::span<const std::string_view>(transitive_keys_));
    case KnownKey::kTagKeys: return ConditionValues::Many(std::span<const std::string_view>(tag_keys_));
    case KnownKey::kRequestTag: return find_tag(session_.tags);
    case KnownKey::kResourceTag:
    case KnownKey::kIamResourceTag: return find_tag(resource_tags_);
    default: return ConditionValues::None();
  }
}

}  // namespace armature::sts
