// What the tests of the control plane share: records in memory, and a host that notes what it is told.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dax/control/cluster_state.h"
#include "dax/control/cluster_store.h"
#include "dax/control/node_host.h"

namespace armature::dax::control {

inline const Place kPlace{"111122223333", "eu-north-1"};
inline constexpr std::string_view kArn = "arn:aws:dax:eu-north-1:111122223333:cache/c";
inline constexpr std::string_view kBad = "InvalidParameterValueException";

class MemoryClusterStore final : public ClusterStore {
 public:
  Task<Result<Records>> ReadAll() override { co_return Result<Records>(records); }
  Task<Status> Write(const Changes& changes) override {
    if (is_full) co_return Status::NoSpace("full");
    ++writes;
    for (const auto& [key, record] : changes) {
      if (record) records[key] = *record;
      else records.erase(key);
    }
    co_return Status::Ok();
  }

  Records records;
  int writes = 0;
  bool is_full = false;
};

class FakeNodeHost final : public NodeHost {
 public:
  Result<NodeAddress> Start(const NodePlan& plan) override {
    plans.push_back(plan);
    if (refuses) return Status::IoError("no port");
    told.push_back(fmt::format("start {}", plan.node_id));
    running.insert(plan.node_id);
    return NodeAddress{"127.0.0.1", plan.port && !taken.contains(plan.port) ? plan.port : next_port++};
  }
  void Stop(std::string_view, std::string_view node_id) override {
    told.push_back(fmt::format("stop {}", node_id));
    running.erase(std::string(node_id));
  }
  void Apply(std::string_view, const ParameterValues& parameters) override {
    told.push_back(fmt::format("apply {} {}", parameters.record_ttl_millis, parameters.query_ttl_millis));
  }
  void Forget(std::string_view cluster_arn) override { told.push_back(fmt::format("forget {}", cluster_arn)); }

  // What was told since this was asked last.
  std::vector<std::string> Told() { return std::exchange(told, {}); }

  std::vector<NodePlan> plans;
  std::vector<std::string> told;
  std::set<std::string> running;
  std::set<uint16_t> taken;
  uint16_t next_port = 8111;
  bool refuses = false;
};

inline Cluster ClusterOf(std::string name, size_t nodes = 1) {
  Cluster cluster;
  cluster.name = std::move(name);
  cluster.parameter_group = kDefaultParameterGroup;
  cluster.subnet_group = kDefaultSubnetGroup;
  for (size_t i = 0; i < nodes; ++i) {
    Node node;
    node.id = fmt::format("{}-{}", cluster.name, static_cast<char>('a' + i));
    node.zone = "eu-north-1a";
    cluster.nodes.push_back(std::move(node));
  }
  return cluster;
}

}  // namespace armature::dax::control
