// OpenID Connect providers: Create, Get, List and Delete of them, their client ids and thumbprints.
#include "iam/changes/providers.h"

#include "iam_api/call.h"
#include "iam_api/iam_operations.h"
#include "iam_api/replies.h"

namespace armature::iam_api {

namespace {

std::vector<std::string> TextsOf(const wire::List<std::string_view>& list) { return {list.begin(), list.end()}; }

// What a provider with this URL will be called.
std::string_view NameIn(std::string_view url) {
  constexpr std::string_view kScheme = "https://";
  if (url.starts_with(kScheme)) url.remove_prefix(kScheme.size());
  if (url.ends_with('/')) url.remove_suffix(1);
  return url;
}

Task<QueryResult> CreateProvider(IamService& service, QueryContext& context,
                                 const wire::iam::CreateOpenIDConnectProviderInput& input,
                                 wire::iam::CreateOpenIDConnectProviderOutput& output) {
  const Call call(service, context);
  CallConditions conditions;
  conditions.SetRequestTags(input.Tags);
  const std::string arn = fmt::format("arn:aws:iam::{}:oidc-provider/{}", call.account(), NameIn(*input.Url));
  ARMATURE_CO_CHECK_OK(call.CheckMay(arn, conditions));
  if (input.Tags.size() > 0) ARMATURE_CO_CHECK_OK(call.CheckMayDo("iam:TagOpenIDConnectProvider", arn, conditions));
  iam::NewProvider provider;
  provider.url = *input.Url;
  provider.client_ids = TextsOf(input.ClientIDList);
  provider.thumbprints = TextsOf(input.ThumbprintList);
  provider.tags = TagsOf(input.Tags);
  ARMATURE_CO_TRY(const iam::ProviderRef made, co_await Make<iam::ProviderRef>(service, [&](iam::Draft& draft) {
                    return iam::CreateOidcProvider(draft, call.account(), provider);
                  }));
  output.OpenIDConnectProviderArn = iam::ArnOf(*made);
  if (!made->tags.empty()) output.Tags = ReplyOf(made->tags);
  co_return QueryResult();
}

Task<QueryResult> GetProvider(IamService& service, QueryContext& context,
                              const wire::iam::GetOpenIDConnectProviderInput& input,
                              wire::iam::GetOpenIDConnectProviderOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWithProvider(*input.OpenIDConnectProviderArn));
  ARMATURE_CO_TRY(const iam::ProviderRef provider,
                  iam::Told(iam::MustFindProvider(call.state(), call.account(), *input.OpenIDConnectProviderArn)));
  output.Url = provider->name;
  output.ClientIDList = provider->client_ids;
  output.ThumbprintList = provider->thumbprints;
  output.CreateDate = TimeOf(provider->created_millis);
  output.Tags = ReplyOf(provider->tags);
  co_return QueryResult();
}

Task<QueryResult> ListProviders(IamService& service, QueryContext& context,
                                const wire::iam::ListOpenIDConnectProvidersInput&,
                                wire::iam::ListOpenIDConnectProvidersOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMay("*"));
  output.OpenIDConnectProviderList.emplace();
  call.account_state().providers.by_name().ForEach([&](std::string_view, const iam::ProviderRef& provider) {
    output.OpenIDConnectProviderList->emplace_back().Arn = iam::ArnOf(*provider);
  });
  co_return QueryResult();
}

Task<QueryResult> DeleteProvider(IamService& service, QueryContext& context,
                                 const wire::iam::DeleteOpenIDConnectProviderInput& input) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWithProvider(*input.OpenIDConnectProviderArn));
  co_return co_await Apply(service, [&](iam::Draft& draft) {
    return iam::DeleteOidcProvider(draft, call.account(), *input.OpenIDConnectProviderArn);
  });
}

Task<QueryResult> AddClientId(IamService& service, QueryContext& context,
                              const wire::iam::AddClientIDToOpenIDConnectProviderInput& input) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWithProvider(*input.OpenIDConnectProviderArn));
  co_return co_await Apply(service, [&](iam::Draft& draft) {
    return iam::AddClientId(draft, call.account(), *input.OpenIDConnectProviderArn, *input.ClientID);
  });
}

Task<QueryResult> RemoveClientId(IamService& service, QueryContext& context,
                                 const wire::iam::RemoveClientIDFromOpenIDConnectProviderInput& input) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWithProvider(*input.OpenIDConnectProviderArn));
  co_return co_await Apply(service, [&](iam::Draft& draft) {
    return iam::RemoveClientId(draft, call.account(), *input.OpenIDConnectProviderArn, *input.ClientID);
  });
}

Task<QueryResult> UpdateThumbprint(IamService& service, QueryContext& context,
                                   const wire::iam::UpdateOpenIDConnectProviderThumbprintInput& input) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMayWithProvider(*input.OpenIDConnectProviderArn));
  co_return co_await Apply(service, [&](iam::Draft& draft) {
    return iam::UpdateThumbprints(draft, call.account(), *input.OpenIDConnectProviderArn,
                                  TextsOf(input.ThumbprintList));
  });
}

}  // namespace

void AddProviderOperations(query::QueryOperations& operations, IamService& service) {
  operations.Add<CreateProvider>(service);
  operations.Add<GetProvider>(service);
  operations.Add<ListProviders>(service);
  operations.Add<DeleteProvider>(service);
  operations.Add<AddClientId>(service);
  operations.Add<RemoveClientId>(service);
  operations.Add<UpdateThumbprint>(service);
}

}  // namespace armature::iam_api
