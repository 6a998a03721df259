// ClusterKeeper: makes the nodes that run those that the ClusterBook has.
//
// What an operation begins (a cluster created, a node to be rebooted) is in the book, durable; the keeper does it by
// way of the NodeHost and notes in the book what came of it. So whatever a crash leaves half done goes on with the next
// round, and after a restart the nodes run again, where they ran before if the ports are free. A node that cannot be
// started makes its cluster "incompatible-network" and is tried again. Step and Stop are one thread's at a time, which
// they may block.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dax/control/cluster_book.h"
#include "dax/control/node_host.h"

namespace armature::dax::control {

class ClusterKeeper {
 public:
  // Both must outlive the keeper.
  ClusterKeeper(ClusterBook& book, NodeHost& host) : book_(book), host_(host) {}

  // One round over all clusters. Whether something is left that only time brings: it is not due yet, or has failed.
  bool Step();
  // Ends all nodes, and notes nothing: they are to run again with the next start.
  void Stop();

 private:
  // What was done about a node that was in `seen`.
  struct Outcome {
    std::string node_id;
    NodeStatus seen;
    NodeStatus now;
    NodeAddress address;
    bool is_gone = false;
  };

  bool Tend(const Place& place, const Cluster& cluster, const PlaceState& state);
  bool Delete(const Place& place, const Cluster& cluster);
  Outcome TendNode(const Place& place, const Cluster& cluster, const Node& node, const ParameterValues& parameters);
  void StopNode(const std::string& arn, const std::string& node_id);
  // Whether it is in the book now.
  bool Note(const Place& place, const Cluster& seen, const std::vector<Outcome>& outcomes, bool has_applied);

  ClusterBook& book_;
  NodeHost& host_;
  // By the ARN of the cluster and the id of the node; where each runs. Without a port: it does not.
  std::map<std::pair<std::string, std::string>, NodeAddress> running_;
};

}  // namespace armature::dax::control
