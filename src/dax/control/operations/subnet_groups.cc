// Subnet groups: CreateSubnetGroup, DescribeSubnetGroups, UpdateSubnetGroup, DeleteSubnetGroup. Here they are names,
// but the zones of their subnets are those in which nodes can be.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "dax/control/messages.h"
#include "dax/control/operations/operations.h"
#include "dax/control/page.h"
#include "dax/control/replies.h"
#include "dax/control/rules.h"

namespace armature::dax::control {

namespace {

using model::ApiResult;

model::ApiError NotFound(std::string_view name) {
  return wire::dax::SubnetGroupNotFoundFault(fmt::format(messages::kSubnetGroupNotFound, name));
}

// Each in a zone of its own as far as there are zones; those that `before` has stay where they are.
ApiResult<std::vector<Subnet>> ReadSubnets(const Place& place, const wire::List<std::string_view>& ids,
                                           const std::vector<Subnet>& before) {
  if (ids.empty()) return wire::dax::InvalidSubnet(std::string(messages::kNoSubnets));
  if (ids.size() > kMostSubnetsOfGroup)
    return wire::dax::SubnetQuotaExceededFault(fmt::format(messages::kMostSubnets, kMostSubnetsOfGroup));
  std::vector<Subnet> subnets;
  std::set<std::string_view> known;
  for (const std::string_view id : ids) {
    ARMATURE_CHECK_OK(CheckSubnetId(id));
    if (!known.insert(id).second) continue;
    const auto old = std::ranges::find(before, id, &Subnet::id);
    subnets.push_back(old != before.end() ? *old : Subnet{std::string(id), ZoneName(place, subnets.size())});
  }
  return subnets;
}

// No node may be left where there is no subnet.
ApiResult<void> CheckNodesStay(const PlaceState& state, const SubnetGroup& group) {
  for (const auto& [name, cluster] : state.clusters) {
    if (cluster->subnet_group != group.name) continue;
    for (const Node& node : cluster->nodes)
      if (std::ranges::find(group.subnets, node.zone, &Subnet::zone) == group.subnets.end())
        return wire::dax::SubnetInUse(fmt::format(messages::kSubnetInUse, node.id, node.zone));
  }
  return {};
}

}  // namespace

Task<OperationResult> CreateSubnetGroup(const ControlContext& context, const wire::dax::CreateSubnetGroupInput& input,
                                        wire::dax::CreateSubnetGroupOutput& output) {
  ARMATURE_CO_CHECK_OK(AuthorizeAnywhere(context));
  ARMATURE_CO_TRY(const std::string name, CheckGroupName(*input.SubnetGroupName));
  ARMATURE_CO_TRY(auto subnets, ReadSubnets(context.place, input.SubnetIds, {}));
  SubnetGroup group{name, std::string(input.Description.value_or({})), std::move(subnets)};
  ClusterBook::Edit edit = [&](Draft& draft) -> ApiResult<void> {
    const auto& all = draft.state().subnet_groups;
    if (Find(all, name))
      return wire::dax::SubnetGroupAlreadyExistsFault(fmt::format(messages::kSubnetGroupExists, name));
    if (all.size() > kMostSubnetGroups)  // the default group does not count
      return wire::dax::SubnetGroupQuotaExceededFault(fmt::format(messages::kMostSubnetGroups, kMostSubnetGroups));
    output.SubnetGroup = ShownSubnetGroup(group);
    draft.Put(std::move(group));
    draft.Tell(SourceType::kSubnetGroup, name, std::string(messages::kEventSubnetGroupCreated));
    return {};
  };
  co_return co_await context.book.Change(context.place, std::move(edit));
}

Task<OperationResult> DescribeSubnetGroups(const ControlContext& context,
                                           const wire::dax::DescribeSubnetGroupsInput& input,
                                           wire::dax::DescribeSubnetGroupsOutput& output) {
  ARMATURE_CO_CHECK_OK(AuthorizeAnywhere(context));
  const auto state = context.state();
  ByName<SubnetGroup> found;
  for (const std::string_view given : input.SubnetGroupNames) {
    const std::string name = LowerCase(given);
    const auto group = Find(state->subnet_groups, name);
    if (!group) co_return NotFound(name);
    found.emplace(name, group);
  }
  const auto& asked = input.SubnetGroupNames.empty() ? state->subnet_groups : found;
  ARMATURE_CO_TRY(Page page, PageOf(KeysOf(asked), input.MaxResults, input.NextToken));
  auto& groups = output.SubnetGroups.emplace();
  for (const std::string& name : page.keys) groups.push_back(ShownSubnetGroup(*Find(asked, name)));
  output.NextToken = std::move(page.next_token);
  co_return OperationResult();
}

Task<OperationResult> UpdateSubnetGroup(const ControlContext& context, const wire::dax::UpdateSubnetGroupInput& input,
                                        wire::dax::UpdateSubnetGroupOutput& output) {
  ARMATURE_CO_CHECK_OK(AuthorizeAnywhere(context));
  const std::string name = LowerCase(*input.SubnetGroupName);
  ClusterBook::Edit edit = [&](Draft& draft) -> ApiResult<void> {
    const auto found = Find(draft.state().subnet_groups, name);
    if (!found) return NotFound(name);
    SubnetGroup group = *found;
    if (input.Description) group.description = *input.Description;
    if (input.SubnetIds) { ARMATURE_TRY(group.subnets, ReadSubnets(draft.place(), input.SubnetIds, found->subnets)); }
    ARMATURE_CHECK_OK(CheckNodesStay(draft.state(), group));
    output.SubnetGroup = ShownSubnetGroup(group);
    draft.Put(std::move(group));
    draft.Tell(SourceType::kSubnetGroup, name, std::string(messages::kEventSubnetGroupModified));
    return {};
  };
  co_return co_await context.book.Change(context.place, std::move(edit));
}

Task<OperationResult> DeleteSubnetGroup(const ControlContext& context, const wire::dax::DeleteSubnetGroupInput& input,
                                        wire::dax::DeleteSubnetGroupOutput& output) {
  ARMATURE_CO_CHECK_OK(AuthorizeAnywhere(context));
  const std::string name = LowerCase(*input.SubnetGroupName);
  ClusterBook::Edit edit = [&](Draft& draft) -> ApiResult<void> {
    using wire::dax::SubnetGroupInUseFault;
    if (!Find(draft.state().subnet_groups, name)) return NotFound(name);
    if (name == kDefaultSubnetGroup) return SubnetGroupInUseFault(std::string(messages::kSubnetGroupIsDefault));
    for (const auto& [cluster_name, cluster] : draft.state().clusters)
      if (cluster->subnet_group == name)
        return SubnetGroupInUseFault(fmt::format(messages::kSubnetGroupInUse, name, cluster_name));
    draft.RemoveSubnetGroup(name);
    draft.Tell(SourceType::kSubnetGroup, name, std::string(messages::kEventSubnetGroupDeleted));
    return {};
  };
  output.DeletionMessage = fmt::format(messages::kSubnetGroupDeleted, name);
  co_return co_await context.book.Change(context.place, std::move(edit));
}

}  // namespace armature::dax::control
