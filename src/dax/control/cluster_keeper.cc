#include "dax/control/cluster_keeper.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/async.h"
#include "base/log.h"
#include "base/log_limit.h"
#include "dax/control/messages.h"

namespace armature::dax::control {

using model::ApiResult;

namespace {

// What becomes of a cluster whose nodes are as they are.
ClusterStatus SettledStatus(const Cluster& cluster) {
  if (cluster.status == ClusterStatus::kDeleting) return cluster.status;
  const auto has = [&](NodeStatus status) {
    return std::ranges::find(cluster.nodes, status, &Node::status) != cluster.nodes.end();
  };
  if (has(NodeStatus::kIncompatibleNetwork)) return ClusterStatus::kIncompatibleNetwork;
  if (has(NodeStatus::kCreating) && cluster.status == ClusterStatus::kCreating) return cluster.status;
  if (has(NodeStatus::kCreating) || has(NodeStatus::kDeleting)) return ClusterStatus::kModifying;
  return ClusterStatus::kAvailable;
}

ParameterValues ValuesOf(const PlaceState& state, const Cluster& cluster) {
  const auto group = Find(state.parameter_groups, cluster.parameter_group);
  return group ? group->values : ParameterValues();
}

// What is told of a cluster that is what it was not.
std::string MessageOf(ClusterStatus before, ClusterStatus now) {
  if (now == ClusterStatus::kIncompatibleNetwork) return std::string(messages::kEventNodeCannotStart);
  if (before == ClusterStatus::kCreating) return std::string(messages::kEventClusterCreated);
  return std::string(messages::kEventClusterModified);
}

}  // namespace

bool ClusterKeeper::Step() {
  bool is_something_left = false;
  for (const Place& place : book_.Places()) {
    const auto state = book_.Current(place);
    for (const auto& [name, cluster] : state->clusters) is_something_left |= Tend(place, *cluster, *state);
  }
  return is_something_left;
}

void ClusterKeeper::Stop() {
  for (const auto& [node, address] : running_) host_.Stop(node.first, node.second);
  running_.clear();
}

void ClusterKeeper::StopNode(const std::string& arn, const std::string& node_id) {
  if (running_.erase({arn, node_id})) host_.Stop(arn, node_id);
}

bool ClusterKeeper::Delete(const Place& place, const Cluster& cluster) {
  const std::string arn = ArnOf(place, cluster.name);
  for (const Node& node : cluster.nodes) StopNode(arn, node.id);
  host_.Forget(arn);
  ClusterBook::Edit edit = [&](Draft& draft) -> ApiResult<void> {
    draft.RemoveCluster(cluster.name);
    draft.Tell(SourceType::kCluster, cluster.name, std::string(messages::kEventClusterDeleted));
    return {};
  };
  return !RunBlocking(book_.Change(place, std::move(edit)));
}

ClusterKeeper::Outcome ClusterKeeper::TendNode(const Place& place, const Cluster& cluster, const Node& node,
                                               const ParameterValues& parameters) {
  const std::string arn = ArnOf(place, cluster.name);
  Outcome outcome{node.id, node.status, node.status, node.address};
  if (node.status == NodeStatus::kDeleting) {
    StopNode(arn, node.id);
    outcome.is_gone = true;
    return outcome;
  }
  if (node.status == NodeStatus::kRebooting) StopNode(arn, node.id);
  // Its place is made ready first: a node that runs is known to run, memory or not.
  const auto running = running_.try_emplace({arn, node.id}).first;
  if (running->second.port == 0) {
    const NodePlan plan{.cluster_arn = arn,
                        .account = place.account,
                        .region = place.region,
                        .cluster = cluster.name,
                        .node_id = node.id,
                        .zone = node.zone,
                        .node_type = cluster.node_type,
                        .role_arn = cluster.role_arn,
                        .is_encrypted = cluster.is_encrypted,
                        .port = node.address.port,
                        .parameters = parameters};
    auto address = host_.Start(plan);
    if (!address) {
      running_.erase(running);
      static LogLimit limit;
      if (const auto more = limit.Pass())
        LogError("DAX node {} cannot be started: {} ({} more like it)", node.id, address.error().message(), *more);
      outcome.now = NodeStatus::kIncompatibleNetwork;
      return outcome;
    }
    running->second = std::move(*address);
  }
  outcome.address = running->second;
  outcome.now = NodeStatus::kAvailable;
  return outcome;
}

bool ClusterKeeper::Tend(const Place& place, const Cluster& cluster, const PlaceState& state) {
  const bool is_due = cluster.due_millis <= book_.clock().NowMillis();
  if (cluster.status == ClusterStatus::kDeleting) return !is_due || Delete(place, cluster);
  const ParameterValues parameters = ValuesOf(state, cluster);
  std::vector<Outcome> outcomes;
  bool has_failed = false;
  for (const Node& node : cluster.nodes) {
    // What ran before the server was started runs again at once, whatever else is waited for.
    const bool is_wanted = node.status == NodeStatus::kAvailable || node.status == NodeStatus::kIncompatibleNetwork;
    if (!is_wanted && !is_due) continue;
    outcomes.push_back(TendNode(place, cluster, node, parameters));
    has_failed |= outcomes.back().now == NodeStatus::kIncompatibleNetwork;
  }
  // A node that was started just now knows them already; being told twice does no harm.
  if (cluster.applies_parameters) host_.Apply(ArnOf(place, cluster.name), parameters);
  const bool is_noted = Note(place, cluster, outcomes, cluster.applies_parameters);
  return has_failed || !is_due || !is_noted;
}

bool ClusterKeeper::Note(const Place& place, const Cluster& seen, const std::vector<Outcome>& outcomes,
                         bool has_applied) {
  ClusterBook::Edit edit = [&](Draft& draft) -> ApiResult<void> {
    // Operations may have gone on meanwhile: of what they changed nothing is taken back.
    const auto found = Find(draft.state().clusters, seen.name);
    if (!found) return {};
    Cluster now = *found;
    bool is_another = false;
    for (const Outcome& outcome : outcomes) {
      const auto node = std::ranges::find(now.nodes, outcome.node_id, &Node::id);
      if (node == now.nodes.end() || node->status != outcome.seen) continue;
      if (outcome.is_gone) {
        now.nodes.erase(node);
        is_another = true;
        continue;
      }
      is_another |= node->status != outcome.now || node->address != outcome.address;
      node->status = outcome.now;
      node->address = outcome.address;
    }
    if (has_applied && found.get() == &seen) now.applies_parameters = false, is_another = true;
    const ClusterStatus status = now.due_millis <= draft.now_millis() ? SettledStatus(now) : now.status;
    if (status != now.status) {
      draft.Tell(SourceType::kCluster, now.name, MessageOf(now.status, status));
      now.status = status;
      is_another = true;
    }
    if (is_another) draft.Put(std::move(now));
    return {};
  };
  return RunBlocking(book_.Change(place, std::move(edit))).has_value();
}

}  // namespace armature::dax::control
