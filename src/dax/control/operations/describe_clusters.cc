// DescribeClusters: those that are named, or all of the place.
#include "dax/control/operations/cluster_changes.h"
#include "dax/control/operations/operations.h"
#include "dax/control/page.h"
#include "dax/control/replies.h"
#include "dax/control/rules.h"

namespace armature::dax::control {

namespace {

using model::ApiResult;

constexpr std::string_view kAll = "*";

// Which are asked for, in their order; each of them may be seen by the caller.
ApiResult<std::vector<std::string>> NamesAsked(const ControlContext& context, const PlaceState& state,
                                               const wire::List<std::string_view>& names) {
  if (names.empty()) {
    ARMATURE_CHECK_OK(AuthorizeCluster(context, kAll));
    return KeysOf(state.clusters);
  }
  ByName<Cluster> found;
  for (const std::string_view name : names) ARMATURE_CHECK_OK(AuthorizeCluster(context, LowerCase(name)));
  for (const std::string_view name : names) {
    ARMATURE_TRY(auto cluster, MustFindCluster(state, LowerCase(name)));
    found.emplace(cluster->name, cluster);
  }
  return KeysOf(found);
}

}  // namespace

Task<OperationResult> DescribeClusters(const ControlContext& context, const wire::dax::DescribeClustersInput& input,
                                       wire::dax::DescribeClustersOutput& output) {
  const auto state = context.state();
  ARMATURE_CO_TRY(auto names, NamesAsked(context, *state, input.ClusterNames));
  ARMATURE_CO_TRY(Page page, PageOf(std::move(names), input.MaxResults, input.NextToken));
  auto& clusters = output.Clusters.emplace();
  for (const std::string& name : page.keys)
    clusters.push_back(ShownCluster(context.place, *Find(state->clusters, name)));
  output.NextToken = std::move(page.next_token);
  co_return OperationResult();
}

}  // namespace armature::dax::control
