// What the control plane has, as its API shows it. Pure. Used by the operations.
#pragma once

#include "dax/control/cluster_state.h"
#include "wire/services/dax.h"

namespace armature::dax::control {

wire::dax::Cluster ShownCluster(const Place& place, const Cluster& cluster);
wire::dax::ParameterGroup ShownParameterGroup(const ParameterGroup& group);
// Both parameters, by name.
std::vector<wire::dax::Parameter> ShownParameters(const ParameterValues& values);
wire::dax::SubnetGroup ShownSubnetGroup(const SubnetGroup& group);
wire::dax::Event ShownEvent(const Event& event);
std::vector<wire::dax::Tag> ShownTags(const Cluster& cluster);

}  // namespace armature::dax::control
