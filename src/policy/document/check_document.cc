#include "policy/document/check_document.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "model/messages/policies.h"
#include "policy/document/operators.h"
#include "policy/document/principal_name.h"
#include "policy/values/glob.h"
#include "policy/values/instant.h"
#include "policy/values/letter_case.h"

namespace armature::policy {

namespace {

namespace messages = model::messages;

Status Malformed(std::string_view text) { return Status::InvalidArgument(std::string(text)); }

template <class... Args>
Status Malformed(std::string_view pattern, const Args&... args) {
  return Status::InvalidArgument(fmt::format(fmt::runtime(pattern), args...));
}

bool IsAlphanumeric(char c) { return (c >= '0' && c <= '9') || (LowerCase(c) >= 'a' && LowerCase(c) <= 'z'); }

std::vector<GlobPiece> PiecesOf(std::string_view pattern) {
  std::vector<GlobPiece> pieces;
  for (size_t i = 0; i < pattern.size(); ++i)
    pieces.push_back({pattern[i] == '*'   ? GlobPiece::Kind::kAny
                      : pattern[i] == '?' ? GlobPiece::Kind::kOne
                                          : GlobPiece::Kind::kLiteral,
                      pattern.substr(i, 1)});
  return pieces;
}

// Whether the pattern matches one of the texts.
template <size_t N>
bool MatchesOneOf(std::string_view pattern, const std::array<std::string_view, N>& texts) {
  const auto pieces = PiecesOf(pattern);
  return std::ranges::any_of(texts, [&](std::string_view text) { return MatchGlob(pieces, text); });
}

Texts ActionsOf(const DocumentStatement& statement) {
  return statement.actions ? *statement.actions : statement.not_actions.value_or(Texts());
}
Texts ResourcesOf(const DocumentStatement& statement) {
  return statement.resources ? *statement.resources : statement.not_resources.value_or(Texts());
}
bool HasResourceElement(const DocumentStatement& statement) { return statement.resources || statement.not_resources; }
bool HasPrincipalElement(const DocumentStatement& statement) {
  return statement.principals || statement.not_principals;
}

// --- what an older parser refuses

// "arn:aws:s3" is completed, "arn:aws:s3::x" is not: too few colons, and one part is empty already.
bool IsReadableArn(std::string_view resource) {
  if (resource == "*") return true;
  const bool is_short = std::ranges::count(resource, ':') < 5;
  if (is_short && resource.find("::") != std::string_view::npos) return false;
  const size_t service = resource.find(':', resource.find(':') + 1);
  return service == std::string_view::npos || !resource.substr(service).starts_with("::");
}

bool HasReadableDates(const ConditionEntry& condition) {
  const auto operation = ParseOperator(condition.operation);
  if (!operation || operation->family != OperatorFamily::kDate) return true;
  return std::ranges::all_of(condition.values, [](std::string_view value) { return ParseInstant(value).has_value(); });
}

Result<void> CheckLegacyParsing(const Document& document) {
  for (const DocumentStatement& statement : document.statements) {
    const bool is_readable = (statement.effect == "Allow" || statement.effect == "Deny") &&
                             std::ranges::all_of(statement.conditions, HasReadableDates) &&
                             std::ranges::all_of(ResourcesOf(statement), IsReadableArn);
    if (!is_readable) return Malformed(messages::kPolicyLegacyParsing);
  }
  return {};
}

// --- statement ids

Result<void> CheckSids(const Document& document, PolicyKind kind) {
  std::vector<std::string_view> sids;
  for (const DocumentStatement& statement : document.statements) {
    if (!statement.sid || statement.sid->empty()) continue;
    if (kind != PolicyKind::kResource && !std::ranges::all_of(*statement.sid, IsAlphanumeric))
      return Malformed(messages::kPolicySidForm);
    sids.push_back(*statement.sid);
  }
  std::ranges::sort(sids);
  if (std::ranges::adjacent_find(sids) != sids.end()) return Malformed(messages::kPolicySidsNotUnique);
  return {};
}

// --- resources

constexpr std::array<std::string_view, 8> kPartitions = {"aws",       "aws-cn",    "aws-us-gov", "aws-iso",
                                                         "aws-iso-b", "aws-iso-e", "aws-iso-f",  "aws-eusc"};
constexpr std::array<std::string_view, 13> kIamPaths = {"user/",
                                                        "federated-user/",
                                                        "role/",
                                                        "group/",
                                                        "instance-profile/",
                                                        "mfa/",
                                                        "server-certificate/",
                                                        "policy/",
                                                        "sms-mfa/",
                                                        "saml-provider/",
                                                        "oidc-provider/",
                                                        "report/",
                                                        "access-report/"};

// The five parts behind "arn", the last of which takes the rest. Those that are missing are completed with "*".
struct ResourceParts {
  std::array<std::string_view, 5> parts;
  size_t count = 0;

  explicit ResourceParts(std::string_view arn) {
    parts.fill("*");
    arn.remove_prefix(std::string_view("arn:").size());
    while (count < parts.size()) {
      const size_t colon = count + 1 < parts.size() ? arn.find(':') : std::string_view::npos;
      parts[count++] = arn.substr(0, colon);
      if (colon == std::string_view::npos) return;
      arn.remove_prefix(colon + 1);
    }
  }
  std::string_view partition() const { return parts[0]; }
  std::string_view service() const { return parts[1]; }
  std::string_view region() const { return parts[2]; }
  std::string_view path() const { return parts[4]; }
  std::string Completed() const {
    return fmt::format("arn:{}:{}:{}:{}:{}", parts[0], parts[1], parts[2], parts[3], parts[4]);
  }
};

Result<void> CheckResource(std::string_view resource) {
  if (resource == "*") return {};
  if (!resource.starts_with("arn:")) return Malformed(messages::kPolicyResourceNoArn, resource);
  const ResourceParts arn(resource);
  if (!MatchesOneOf(arn.partition(), kPartitions))
    return Malformed(messages::kPolicyPartition, arn.partition(), arn.Completed());
  if (arn.count < 2 || arn.service().find_first_of("*?") != std::string_view::npos)
    return Malformed(messages::kPolicyResourceVendor);
  const bool has_region = arn.count > 2 && !arn.region().empty() && arn.region() != "*";
  if (arn.service() == "iam") {
    if (has_region) return Malformed(messages::kPolicyIamRegion, resource);
    const auto begins_path = [&](std::string_view path) { return arn.path().starts_with(path); };
    const bool is_path =
        arn.path().starts_with('*') || arn.path() == "root" || std::ranges::any_of(kIamPaths, begins_path);
    if (!is_path) return Malformed(messages::kPolicyIamPath);
  }
  if (arn.service() == "s3" && has_region) return Malformed(messages::kPolicyS3Region, resource);
  return {};
}

Result<void> CheckResources(const Document& document) {
  for (const DocumentStatement& statement : document.statements)
    for (const std::string_view resource : ResourcesOf(statement)) ARMATURE_CHECK_OK(CheckResource(resource));
  return {};
}

// --- actions

Result<void> CheckAction(std::string_view action) {
  if (action == "*") return {};
  const size_t colon = action.find(':');
  if (colon == std::string_view::npos) return Malformed(messages::kPolicyActionWithoutVendor);
  if (action.find(':', colon + 1) != std::string_view::npos) return Malformed(messages::kPolicyActionColons);
  const std::string_view vendor = action.substr(0, colon);
  const auto may_stand = [](char c) { return IsAlphanumeric(c) || c == '-' || c == '.'; };
  if (vendor.empty() || !std::ranges::all_of(vendor, may_stand)) return Malformed(messages::kPolicyVendor, vendor);
  return {};
}

Result<void> CheckActions(const Document& document) {
  for (const DocumentStatement& statement : document.statements)
    for (const std::string_view action : ActionsOf(statement)) ARMATURE_CHECK_OK(CheckAction(action));
  return {};
}

// --- principals

// As the error names it.
std::string UpperCase(std::string_view kind) {
  std::string upper(kind);
  std::ranges::transform(upper, upper.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  return upper;
}

Result<void> CheckPrincipals(std::span<const PrincipalEntry> entries) {
  for (const PrincipalEntry& entry : entries)
    for (const std::string_view text : entry.texts) {
      if (ReadPrincipalName(entry.kind, text)) continue;
      if (entry.kind == "Federated") return Malformed(messages::kPolicyFederatedPrincipal);
      return Malformed(messages::kPolicyPrincipal, UpperCase(entry.kind), text);
    }
  return {};
}

Result<void> CheckPrincipals(const Document& document) {
  for (const DocumentStatement& statement : document.statements) {
    if (statement.principals) ARMATURE_CHECK_OK(CheckPrincipals(*statement.principals));
    if (statement.not_principals) ARMATURE_CHECK_OK(CheckPrincipals(*statement.not_principals));
  }
  return {};
}

Result<void> RequirePrincipals(const Document& document) {
  const auto is_empty = [](const DocumentStatement& statement) {
    const auto& entries = statement.principals ? statement.principals : statement.not_principals;
    const auto names_nobody = [](const PrincipalEntry& entry) { return entry.texts.empty(); };
    return !entries || std::ranges::all_of(*entries, names_nobody);
  };
  if (std::ranges::any_of(document.statements, is_empty)) return Malformed(messages::kPolicyWithoutPrincipal);
  return {};
}

// --- by kind

constexpr std::array<std::string_view, 6> kTrustActions = {
    "sts:assumerole", "sts:assumerolewithsaml", "sts:assumerolewithwebidentity",
    "sts:tagsession", "sts:setsourceidentity",  "sts:setcontext"};

bool IsTrustAction(std::string_view action) { return action != "*" && MatchesOneOf(LowerCase(action), kTrustActions); }

Result<void> RequireResources(const Document& document) {
  const auto is_empty = [](const DocumentStatement& statement) { return ResourcesOf(statement).empty(); };
  if (std::ranges::any_of(document.statements, is_empty)) return Malformed(messages::kPolicyWithoutResources);
  return {};
}

Result<void> CheckIdentity(const Document& document) {
  ARMATURE_CHECK_OK(RequireResources(document));
  if (std::ranges::any_of(document.statements, HasPrincipalElement)) return Malformed(messages::kPolicyWithPrincipal);
  return {};
}

Result<void> CheckTrust(const Document& document) {
  if (std::ranges::any_of(document.statements, HasResourceElement))
    return Malformed(messages::kTrustPolicyWithResource);
  ARMATURE_CHECK_OK(RequirePrincipals(document));
  for (const DocumentStatement& statement : document.statements)
    if (!std::ranges::all_of(ActionsOf(statement), IsTrustAction)) return Malformed(messages::kTrustPolicyActions);
  return CheckPrincipals(document);
}

Result<void> CheckResourcePolicy(const Document& document) {
  ARMATURE_CHECK_OK(RequireResources(document));
  ARMATURE_CHECK_OK(RequirePrincipals(document));
  return CheckPrincipals(document);
}

}  // namespace

Result<void> CheckDocument(const Document& document, PolicyKind kind) {
  if (kind == PolicyKind::kIdentity && document.version != "2012-10-17")
    return Malformed(messages::kPolicyVersionTooOld);
  ARMATURE_CHECK_OK(CheckLegacyParsing(document));
  ARMATURE_CHECK_OK(CheckSids(document, kind));
  const auto has_no_actions = [](const DocumentStatement& statement) { return ActionsOf(statement).empty(); };
  if (std::ranges::any_of(document.statements, has_no_actions)) return Malformed(messages::kPolicyWithoutActions);
  // A trust policy may have no resources at all, which says more than what is wrong with them.
  if (kind != PolicyKind::kTrust) ARMATURE_CHECK_OK(CheckResources(document));
  ARMATURE_CHECK_OK(CheckActions(document));
  switch (kind) {
    case PolicyKind::kIdentity: return CheckIdentity(document);
    case PolicyKind::kTrust: return CheckTrust(document);
    case PolicyKind::kResource: return CheckResourcePolicy(document);
  }
  return {};
}

}  // namespace armature::policy
