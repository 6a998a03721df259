#include "dax/control/control_context.h"

namespace armature::dax::control {

using model::ApiResult;

namespace {

constexpr std::string_view kPassRole = "iam:PassRole";
constexpr std::string_view kServicePrincipal = "dax.amazonaws.com";

class Asked final : public auth::AccessDescriber {
 public:
  Asked(const ControlContext& context, const auth::Resource& resource, const TagsAsked& tags)
      : context_(context), resource_(resource), tags_(tags) {}

  void Describe(auth::AccessConditions& conditions) const override {
    if (resource_.kind == auth::ResourceKind::kRole) conditions.passed_to_service = kServicePrincipal;
    if (tags_.tags)
      for (const wire::dax::TagInput& tag : *tags_.tags)
        conditions.request_tags.push_back({tag.Key.value_or({}), tag.Value.value_or({})});
    if (tags_.keys) conditions.bare_tag_keys.assign(tags_.keys->begin(), tags_.keys->end());
  }
  void DescribeTags(auth::ResourceTags& tags) const override {
    if (resource_.kind != auth::ResourceKind::kDaxCluster) return;
    auto cluster = Find(context_.state()->clusters, resource_.name);
    if (!cluster) return;
    for (const auto& [key, value] : cluster->tags) tags.tags.push_back({key, value});
    tags.kept = std::move(cluster);
  }

 private:
  const ControlContext& context_;
  const auth::Resource& resource_;
  const TagsAsked& tags_;
};

ApiResult<void> Ask(const ControlContext& context, std::string_view action, const auth::Resource& resource,
                    const TagsAsked& tags) {
  if (context.witness) context.witness->Saw(action, resource);
  if (!context.authorizer) return {};
  const Asked asked(context, resource, tags);
  auto answer =
      context.authorizer->Authorize(context.caller, auth::Access(action, resource, asked, context.circumstances));
  if (!answer && context.witness) context.witness->SawDenied(resource, answer.error().message);
  return answer;
}

}  // namespace

ApiResult<void> AuthorizeCluster(const ControlContext& context, std::string_view name, const TagsAsked& asked) {
  const Place& place = context.place;
  return Ask(context, context.iam_action, {auth::ResourceKind::kDaxCluster, place.region, place.account, name}, asked);
}

ApiResult<void> AuthorizeAnywhere(const ControlContext& context) { return Ask(context, context.iam_action, {}, {}); }

ApiResult<void> AuthorizeRole(const ControlContext& context, std::string_view role_arn) {
  return Ask(context, kPassRole, {auth::ResourceKind::kRole, {}, context.place.account, role_arn}, {});
}

}  // namespace armature::dax::control
