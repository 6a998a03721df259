#include "iam/changes/providers.h"

#include <algorithm>

#include "iam/changes/find.h"

namespace armature::iam {

namespace {

constexpr std::string_view kScheme = "https://";
constexpr size_t kMostUrl = 255;

// "host" or "host/path", without a port, a query or a fragment.
bool IsIssuer(std::string_view text) {
  return !text.empty() && text.front() != '/' && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~/").find(c) != std::string_view::npos;
  });
}

IamResult<void> CheckThumbprints(const std::vector<std::string>& thumbprints) {
  if (thumbprints.size() > quotas::kThumbprints) return InvalidInput(messages::kTooManyThumbprints);
  for (const std::string& thumbprint : thumbprints)
    if (thumbprint.size() != 40 || thumbprint.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
      return InvalidInput(messages::kBadThumbprint);
  return {};
}

IamResult<void> CheckClientIds(const std::vector<std::string>& client_ids) {
  if (client_ids.size() > quotas::kClientIds)
    return LimitExceeded(fmt::format(messages::kQuota, "ClientIdsPerOpenIdConnectProvider", quotas::kClientIds));
  for (const std::string& id : client_ids) {
    if (id.empty()) return ValidationError(fmt::format(messages::kTooShort, "clientID", 1));
    if (id.size() > 255) return ValidationError(fmt::format(messages::kTooLong, "clientID", 255));
    // They are compared with what tokens have, and stored as JSON.
    if (!std::all_of(id.begin(), id.end(), [](char c) { return c >= ' ' && c <= '~'; }))
      return ValidationError(fmt::format(messages::kNotUtf8, "clientID"));
  }
  return {};
}

IamResult<std::shared_ptr<OidcProvider>> EditProvider(const Draft& draft, std::string_view account,
                                                      std::string_view arn) {
  ARMATURE_TRY(const ProviderRef provider, MustFindProvider(draft.state(), account, arn));
  return std::make_shared<OidcProvider>(*provider);
}

}  // namespace

IamResult<ProviderRef> MustFindProvider(const Snapshot& state, std::string_view account, std::string_view arn) {
  ARMATURE_CHECK_OK(ParseEntityArn(arn));
  ProviderRef provider = state.FindProvider(arn);
  if (!provider || provider->account != account) return NoSuchEntity(fmt::format(messages::kProviderNotFound, arn));
  return provider;
}

IamResult<ProviderRef> CreateOidcProvider(Draft& draft, std::string_view account, const NewProvider& given) {
  ARMATURE_CHECK_OK(CheckAccount(account));
  std::string_view url = given.url;
  if (url.size() > kMostUrl || !url.starts_with(kScheme)) return InvalidInput(messages::kBadProviderUrl);
  url.remove_prefix(kScheme.size());
  if (url.ends_with('/')) url.remove_suffix(1);
  if (!IsIssuer(url)) return InvalidInput(messages::kBadProviderUrl);
  ARMATURE_CHECK_OK(CheckThumbprints(given.thumbprints));
  ARMATURE_CHECK_OK(CheckClientIds(given.client_ids));
  ARMATURE_CHECK_OK(CheckTags(given.tags));
  const AccountState& state = draft.AccountOf(account);
  if (state.providers.Find(url)) return EntityAlreadyExists(fmt::format(messages::kProviderAlreadyExists, url));
  if (state.providers.size() >= quotas::kProviders)
    return LimitExceeded(fmt::format(messages::kQuota, "OpenIdConnectProvidersPerAccount", quotas::kProviders));
  auto provider = std::make_shared<OidcProvider>();
  provider->account = account;
  provider->id = provider->name = url;
  provider->created_millis = draft.now_millis();
  provider->tags = given.tags;
  provider->client_ids = given.client_ids;
  provider->thumbprints = given.thumbprints;
  ProviderRef made = std::move(provider);
  draft.Put(made);
  return made;
}

IamResult<void> DeleteOidcProvider(Draft& draft, std::string_view account, std::string_view arn) {
  ARMATURE_TRY(const ProviderRef provider, MustFindProvider(draft.state(), account, arn));
  draft.Remove(*provider);
  return {};
}

IamResult<void> AddClientId(Draft& draft, std::string_view account, std::string_view arn, std::string_view client_id) {
  ARMATURE_TRY(auto provider, EditProvider(draft, account, arn));
  auto& ids = provider->client_ids;
  if (std::find(ids.begin(), ids.end(), client_id) != ids.end()) return {};
  ids.emplace_back(client_id);
  ARMATURE_CHECK_OK(CheckClientIds(ids));
  draft.Put(ProviderRef(std::move(provider)));
  return {};
}

IamResult<void> RemoveClientId(Draft& draft, std::string_view account, std::string_view arn,
                               std::string_view client_id) {
  ARMATURE_TRY(auto provider, EditProvider(draft, account, arn));
  if (std::erase(provider->client_ids, client_id) > 0) draft.Put(ProviderRef(std::move(provider)));
  return {};
}

IamResult<void> UpdateThumbprints(Draft& draft, std::string_view account, std::string_view arn,
                                  std::vector<std::string> thumbprints) {
  ARMATURE_TRY(auto provider, EditProvider(draft, account, arn));
  ARMATURE_CHECK_OK(CheckThumbprints(thumbprints));
  provider->thumbprints = std::move(thumbprints);
  draft.Put(ProviderRef(std::move(provider)));
  return {};
}

}  // namespace armature::iam
