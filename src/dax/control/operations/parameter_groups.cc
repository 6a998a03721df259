// Parameter groups: CreateParameterGroup, DescribeParameterGroups, UpdateParameterGroup, DeleteParameterGroup.
#include <fmt/format.h>

#include "dax/control/messages.h"
#include "dax/control/operations/operations.h"
#include "dax/control/page.h"
#include "dax/control/replies.h"
#include "dax/control/rules.h"

namespace armature::dax::control {

namespace {

using model::ApiResult;
using wire::dax::InvalidParameterGroupStateFault;
using wire::dax::InvalidParameterValueException;

constexpr std::string_view kPrefixOfSystem = "default.";

model::ApiError NotFound(std::string_view name) {
  return wire::dax::ParameterGroupNotFoundFault(fmt::format(messages::kParameterGroupNotFound, name));
}

// One that is there and may be changed.
ApiResult<std::shared_ptr<const ParameterGroup>> FindOwn(const PlaceState& state, std::string_view name) {
  auto group = Find(state.parameter_groups, name);
  if (!group) return NotFound(name);
  if (name == kDefaultParameterGroup)
    return InvalidParameterGroupStateFault(fmt::format(messages::kParameterGroupIsDefault, name));
  return group;
}

ApiResult<ParameterValues> ReadValues(const wire::List<wire::dax::ParameterNameValueInput>& given,
                                      ParameterValues values) {
  if (given.empty()) return InvalidParameterValueException(std::string(messages::kNoParameters));
  if (given.size() > kMostParametersOfRequest)
    return InvalidParameterValueException(fmt::format(messages::kMostParameters, kMostParametersOfRequest));
  for (const wire::dax::ParameterNameValueInput& parameter : given) {
    const std::string_view name = parameter.ParameterName.value_or({});
    ARMATURE_TRY(const int64_t value, ReadParameter(name, parameter.ParameterValue.value_or({})));
    (name == kRecordTtl ? values.record_ttl_millis : values.query_ttl_millis) = value;
  }
  return values;
}

void TellOfValues(const ParameterGroup& before, const ParameterValues& after, Draft& draft) {
  const auto tell = [&](std::string_view parameter, int64_t from, int64_t to) {
    if (from == to) return;
    draft.Tell(SourceType::kParameterGroup, before.name,
               fmt::format(messages::kEventParameterGroupModified, parameter, to));
  };
  tell(kRecordTtl, before.values.record_ttl_millis, after.record_ttl_millis);
  tell(kQueryTtl, before.values.query_ttl_millis, after.query_ttl_millis);
}

// The nodes of all clusters that use the group are to be told.
void ApplyToClusters(std::string_view group, Draft& draft) {
  const ByName<Cluster> clusters = draft.state().clusters;
  for (const auto& [name, cluster] : clusters) {
    if (cluster->parameter_group != group) continue;
    Cluster changed = *cluster;
    changed.applies_parameters = true;
    draft.Put(std::move(changed));
  }
}

}  // namespace

Task<OperationResult> CreateParameterGroup(const ControlContext& context,
                                           const wire::dax::CreateParameterGroupInput& input,
                                           wire::dax::CreateParameterGroupOutput& output) {
  ARMATURE_CO_CHECK_OK(AuthorizeAnywhere(context));
  ARMATURE_CO_TRY(const std::string name, CheckGroupName(*input.ParameterGroupName));
  ClusterBook::Edit edit = [&](Draft& draft) -> ApiResult<void> {
    const auto& all = draft.state().parameter_groups;
    if (Find(all, name))
      return wire::dax::ParameterGroupAlreadyExistsFault(fmt::format(messages::kParameterGroupExists, name));
    if (name.starts_with(kPrefixOfSystem))
      return InvalidParameterValueException(std::string(messages::kParameterGroupOfSystem));
    if (all.size() > kMostParameterGroups)  // the default group does not count
      return wire::dax::ParameterGroupQuotaExceededFault(
          fmt::format(messages::kMostParameterGroups, kMostParameterGroups));
    ParameterGroup group{name, std::string(input.Description.value_or({})), {}};
    output.ParameterGroup = ShownParameterGroup(group);
    draft.Put(std::move(group));
    draft.Tell(SourceType::kParameterGroup, name, std::string(messages::kEventParameterGroupCreated));
    return {};
  };
  co_return co_await context.book.Change(context.place, std::move(edit));
}

Task<OperationResult> DescribeParameterGroups(const ControlContext& context,
                                              const wire::dax::DescribeParameterGroupsInput& input,
                                              wire::dax::DescribeParameterGroupsOutput& output) {
  ARMATURE_CO_CHECK_OK(AuthorizeAnywhere(context));
  const auto state = context.state();
  ByName<ParameterGroup> found;
  for (const std::string_view given : input.ParameterGroupNames) {
    const std::string name = LowerCase(given);
    const auto group = Find(state->parameter_groups, name);
    if (!group) co_return NotFound(name);
    found.emplace(name, group);
  }
  const auto& asked = input.ParameterGroupNames.empty() ? state->parameter_groups : found;
  ARMATURE_CO_TRY(Page page, PageOf(KeysOf(asked), input.MaxResults, input.NextToken));
  auto& groups = output.ParameterGroups.emplace();
  for (const std::string& name : page.keys) groups.push_back(ShownParameterGroup(*Find(asked, name)));
  output.NextToken = std::move(page.next_token);
  co_return OperationResult();
}

Task<OperationResult> UpdateParameterGroup(const ControlContext& context,
                                           const wire::dax::UpdateParameterGroupInput& input,
                                           wire::dax::UpdateParameterGroupOutput& output) {
  ARMATURE_CO_CHECK_OK(AuthorizeAnywhere(context));
  const std::string name = LowerCase(*input.ParameterGroupName);
  ClusterBook::Edit edit = [&](Draft& draft) -> ApiResult<void> {
    ARMATURE_TRY(const auto found, FindOwn(draft.state(), name));
    ARMATURE_TRY(const ParameterValues values, ReadValues(input.ParameterNameValues, found->values));
    output.ParameterGroup = ShownParameterGroup(*found);
    if (values == found->values) return {};
    TellOfValues(*found, values, draft);
    draft.Put(ParameterGroup{name, found->description, values});
    ApplyToClusters(name, draft);
    return {};
  };
  co_return co_await context.book.Change(context.place, std::move(edit));
}

Task<OperationResult> DeleteParameterGroup(const ControlContext& context,
                                           const wire::dax::DeleteParameterGroupInput& input,
                                           wire::dax::DeleteParameterGroupOutput& output) {
  ARMATURE_CO_CHECK_OK(AuthorizeAnywhere(context));
  const std::string name = LowerCase(*input.ParameterGroupName);
  ClusterBook::Edit edit = [&](Draft& draft) -> ApiResult<void> {
    ARMATURE_TRY(const auto found, FindOwn(draft.state(), name));
    for (const auto& [cluster_name, cluster] : draft.state().clusters)
      if (cluster->parameter_group == name)
        return InvalidParameterGroupStateFault(fmt::format(messages::kParameterGroupInUse, name, cluster_name));
    draft.RemoveParameterGroup(name);
    draft.Tell(SourceType::kParameterGroup, name, std::string(messages::kEventParameterGroupDeleted));
    return {};
  };
  output.DeletionMessage = fmt::format(messages::kParameterGroupDeleted, name);
  co_return co_await context.book.Change(context.place, std::move(edit));
}

}  // namespace armature::dax::control
