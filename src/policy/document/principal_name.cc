#include "policy/document/principal_name.h"

#include <algorithm>

#include "model/names/arn.h"
#include "policy/document/document.h"

namespace armature::policy {

namespace {

constexpr size_t kAccountDigits = 12;
constexpr size_t kShortestUniqueId = 16;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

bool IsAccount(std::string_view text) { return text.size() == kAccountDigits && std::ranges::all_of(text, IsDigit); }

bool IsUniqueId(std::string_view text) {
  return (text.starts_with("AIDA") || text.starts_with("AROA")) && text.size() >= kShortestUniqueId &&
         std::ranges::all_of(text, [](char c) { return IsUpper(c) || IsDigit(c); });
}

// Also with a path behind it, as providers of tokens have.
bool IsDomain(std::string_view text) {
  const std::string_view host = text.substr(0, text.find('/'));
  return !host.empty() && host.find('.') != std::string_view::npos && !host.starts_with('.') && !host.ends_with('.') &&
         std::ranges::all_of(host,
                             [](char c) { return IsLower(c) || IsUpper(c) || IsDigit(c) || c == '.' || c == '-'; });
}

bool HasNameBehind(std::string_view resource, std::string_view type) {
  return resource.starts_with(type) && resource.size() > type.size() && !resource.ends_with('/');
}

std::optional<PrincipalName> ReadArn(std::string_view text) {
  const auto arn = model::ParseArn(text);
  if (!arn || !arn->partition.starts_with("aws") || !arn->region.empty() || !IsAccount(arn->account))
    return std::nullopt;
  if (text.find_first_of("*?") != std::string_view::npos) return std::nullopt;
  const std::string_view resource = arn->resource;
  if (arn->service == "iam") {
    if (resource == "root") return PrincipalName{PrincipalForm::kAccount, arn->account};
    if (HasNameBehind(resource, "user/") || HasNameBehind(resource, "role/"))
      return PrincipalName{PrincipalForm::kEntity, text};
  }
  if (arn->service == "sts") {
    const bool is_role_session = HasNameBehind(resource, "assumed-role/") && std::ranges::count(resource, '/') == 2;
    if (is_role_session || HasNameBehind(resource, "federated-user/"))
      return PrincipalName{PrincipalForm::kSession, text};
  }
  return std::nullopt;
}

std::optional<PrincipalName> ReadFederated(std::string_view text) {
  if (IsDomain(text)) return PrincipalName{PrincipalForm::kFederated, text};
  const auto arn = model::ParseArn(text);
  if (!arn || arn->service != "iam" || !IsAccount(arn->account)) return std::nullopt;
  if (!HasNameBehind(arn->resource, "oidc-provider/") && !HasNameBehind(arn->resource, "saml-provider/"))
    return std::nullopt;
  return PrincipalName{PrincipalForm::kFederated, text};
}

}  // namespace

std::optional<PrincipalName> ReadPrincipalName(std::string_view kind, std::string_view text) {
  // Without a kind only "*" may stand.
  if ((kind == kBarePrincipal || kind == "AWS") && text == "*") return PrincipalName{PrincipalForm::kEveryone, text};
  if (kind == "AWS") {
    if (IsAccount(text)) return PrincipalName{PrincipalForm::kAccount, text};
    if (IsUniqueId(text)) return PrincipalName{PrincipalForm::kUniqueId, text};
    return ReadArn(text);
  }
  if (kind == "Federated") return ReadFederated(text);
  if (kind == "Service" && IsDomain(text) && text.find('/') == std::string_view::npos)
    return PrincipalName{PrincipalForm::kService, text};
  if (kind == "CanonicalUser" && !text.empty()) return PrincipalName{PrincipalForm::kCanonicalUser, text};
  return std::nullopt;
}

}  // namespace armature::policy
