// DeleteCluster: its nodes end, then it is gone. One whose nodes cannot be started can be deleted too.
#include <fmt/format.h>

#include "dax/control/messages.h"
#include "dax/control/operations/cluster_changes.h"
#include "dax/control/operations/operations.h"
#include "dax/control/replies.h"
#include "dax/control/rules.h"

namespace armature::dax::control {

using model::ApiResult;

Task<OperationResult> DeleteCluster(const ControlContext& context, const wire::dax::DeleteClusterInput& input,
                                    wire::dax::DeleteClusterOutput& output) {
  const std::string name = LowerCase(*input.ClusterName);
  ARMATURE_CO_CHECK_OK(AuthorizeCluster(context, name));
  ClusterBook::Edit edit = [&](Draft& draft) -> ApiResult<void> {
    ARMATURE_TRY(const auto found, MustFindCluster(draft.state(), name));
    if (found->status != ClusterStatus::kAvailable && found->status != ClusterStatus::kIncompatibleNetwork)
      return wire::dax::InvalidClusterStateFault(fmt::format(messages::kClusterNotAvailable, name));
    Cluster cluster = *found;
    cluster.status = ClusterStatus::kDeleting;
    for (Node& node : cluster.nodes) node.status = NodeStatus::kDeleting;
    cluster.due_millis = draft.due_millis();
    output.Cluster = ShownCluster(draft.place(), cluster);
    draft.Put(std::move(cluster));
    return {};
  };
  co_return co_await context.book.Change(context.place, std::move(edit));
}

}  // namespace armature::dax::control
