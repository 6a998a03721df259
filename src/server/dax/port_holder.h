// PortHolder: a NodeHost whose nodes are ports and nothing behind them.
//
// So the control plane is whole without a data plane: every node has an address of its own that no other program can
// take, and clients that come are refused. One thread's at a time, as NodeHost has it.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "dax/control/node_host.h"

namespace armature::server {

class PortHolder final : public dax::control::NodeHost {
 public:
  PortHolder() = default;
  PortHolder(const PortHolder&) = delete;
  PortHolder& operator=(const PortHolder&) = delete;
  ~PortHolder() override;

  Result<dax::control::NodeAddress> Start(const dax::control::NodePlan& plan) override;
  void Stop(std::string_view cluster_arn, std::string_view node_id) override;
  void Apply(std::string_view, const dax::control::ParameterValues&) override {}
  void Forget(std::string_view) override {}

 private:
  // The sockets, by ARN and node.
  std::map<std::pair<std::string, std::string>, int> held_;
};

}  // namespace armature::server
