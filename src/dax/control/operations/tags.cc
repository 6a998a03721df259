// Tags of clusters, which are named by their ARNs: ListTags, TagResource, UntagResource.
#include <fmt/format.h>

#include "dax/control/messages.h"
#include "dax/control/operations/cluster_changes.h"
#include "dax/control/operations/operations.h"
#include "dax/control/page.h"
#include "dax/control/replies.h"
#include "dax/control/rules.h"
#include "model/names/arn.h"

namespace armature::dax::control {

namespace {

using model::ApiResult;
using TagMap = std::map<std::string, std::string, std::less<>>;

// The cluster that an ARN names: of the caller's account and Region, or there is none.
ApiResult<std::string> ClusterOfArn(const Place& place, std::string_view text) {
  constexpr std::string_view kCache = "cache/";
  const auto arn = model::ParseArn(text);
  if (!arn || arn->service != "dax" || !arn->resource.starts_with(kCache) || arn->resource.size() == kCache.size())
    return wire::dax::InvalidARNFault(fmt::format(messages::kInvalidArn, text));
  const std::string_view name = arn->resource.substr(kCache.size());
  if (arn->account != place.account || arn->region != place.region) return ClusterNotFound(name);
  return LowerCase(name);
}

// Changes the tags of a cluster, in whatever state it is, unless it is about to go; `shown` are those it has then.
using TagEdit = std::function<ApiResult<void>(TagMap& tags)>;
Task<OperationResult> ChangeTags(const ControlContext& context, std::string_view name, TagEdit edit,
                                 std::optional<std::vector<wire::dax::Tag>>& shown) {
  ClusterBook::Edit change = [&](Draft& draft) -> ApiResult<void> {
    ARMATURE_TRY(const auto found, MustFindCluster(draft.state(), name));
    if (found->status == ClusterStatus::kDeleting)
      return wire::dax::InvalidClusterStateFault(fmt::format(messages::kClusterBeingDeleted, name));
    Cluster cluster = *found;
    ARMATURE_CHECK_OK(edit(cluster.tags));
    shown = ShownTags(cluster);
    draft.Put(std::move(cluster));
    return {};
  };
  co_return co_await context.book.Change(context.place, std::move(change));
}

}  // namespace

Task<OperationResult> ListTags(const ControlContext& context, const wire::dax::ListTagsInput& input,
                               wire::dax::ListTagsOutput& output) {
  ARMATURE_CO_TRY(const std::string name, ClusterOfArn(context.place, *input.ResourceName));
  ARMATURE_CO_CHECK_OK(AuthorizeCluster(context, name));
  ARMATURE_CO_TRY(const auto cluster, MustFindCluster(*context.state(), name));
  // All of them fit one page.
  ARMATURE_CO_TRY(const Page page, PageOf(KeysOf(cluster->tags), {}, input.NextToken));
  auto& tags = output.Tags.emplace();
  for (const std::string& key : page.keys) {
    auto& tag = tags.emplace_back();
    tag.Key = key;
    tag.Value = cluster->tags.find(key)->second;
  }
  co_return OperationResult();
}

Task<OperationResult> TagResource(const ControlContext& context, const wire::dax::TagResourceInput& input,
                                  wire::dax::TagResourceOutput& output) {
  ARMATURE_CO_TRY(const std::string name, ClusterOfArn(context.place, *input.ResourceName));
  ARMATURE_CO_CHECK_OK(AuthorizeCluster(context, name, {.tags = &input.Tags}));
  if (input.Tags.empty()) co_return wire::dax::InvalidParameterValueException(std::string(messages::kNoTags));
  ARMATURE_CO_CHECK_OK(CheckTags(input.Tags));
  TagEdit edit = [&](TagMap& tags) -> ApiResult<void> {
    for (const wire::dax::TagInput& tag : input.Tags) tags[std::string(*tag.Key)] = tag.Value.value_or({});
    if (tags.size() > kMostTags)
      return wire::dax::TagQuotaPerResourceExceeded(fmt::format(messages::kMostTags, kMostTags));
    return {};
  };
  co_return co_await ChangeTags(context, name, std::move(edit), output.Tags);
}

Task<OperationResult> UntagResource(const ControlContext& context, const wire::dax::UntagResourceInput& input,
                                    wire::dax::UntagResourceOutput& output) {
  ARMATURE_CO_TRY(const std::string name, ClusterOfArn(context.place, *input.ResourceName));
  ARMATURE_CO_CHECK_OK(AuthorizeCluster(context, name, {.keys = &input.TagKeys}));
  if (input.TagKeys.empty()) co_return wire::dax::InvalidParameterValueException(std::string(messages::kNoTags));
  TagEdit edit = [&](TagMap& tags) -> ApiResult<void> {
    for (const std::string_view key : input.TagKeys)
      if (!tags.contains(key)) return wire::dax::TagNotFoundFault(fmt::format(messages::kTagNotFound, key));
    for (const std::string_view key : input.TagKeys) tags.erase(std::string(key));
    return {};
  };
  co_return co_await ChangeTags(context, name, std::move(edit), output.Tags);
}

}  // namespace armature::dax::control
