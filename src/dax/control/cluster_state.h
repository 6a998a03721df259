// What the control plane knows: clusters, parameter groups, subnet groups and events of an account and Region.
//
// Plain data. A PlaceState is immutable once it is shared; its parts are shared between one state and the next, so that
// what a change touched is what is another object afterwards. Nothing of sockets is here but addresses.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dax/control/node_host.h"

namespace armature::dax::control {

// Whose clusters: an account in a Region.
struct Place {
  std::string account;
  std::string region;

  auto operator<=>(const Place&) const = default;
};

enum class ClusterStatus : uint8_t { kCreating, kAvailable, kModifying, kDeleting, kIncompatibleNetwork };
enum class NodeStatus : uint8_t { kCreating, kAvailable, kRebooting, kDeleting, kIncompatibleNetwork };
enum class SourceType : uint8_t { kCluster, kParameterGroup, kSubnetGroup };

// As AWS calls them: "creating"; "CLUSTER".
std::string_view NameOf(ClusterStatus status);
std::string_view NameOf(NodeStatus status);
std::string_view NameOf(SourceType type);

struct Node {
  std::string id;    // "mycluster-a"; never given to another node of the cluster while this one is there
  std::string zone;  // "us-east-1a"
  int64_t created_millis = 0;
  NodeStatus status = NodeStatus::kCreating;
  NodeAddress address;
};

struct Cluster {
  std::string name;
  std::string description;
  std::string node_type;
  std::string role_arn;
  std::string maintenance_window;
  std::string subnet_group;
  std::string parameter_group;
  std::string network_type;
  std::string topic_arn;  // empty: nobody is notified
  bool is_topic_active = true;
  bool is_encrypted = false;        // in transit: TLS
  bool has_sse = false;             // as the request had it
  bool applies_parameters = false;  // the nodes are yet to be told of the group's values
  ClusterStatus status = ClusterStatus::kCreating;
  int64_t due_millis = 0;  // what has begun goes on no earlier
  std::vector<std::string> security_groups;
  std::map<std::string, std::string, std::less<>> tags;
  std::vector<Node> nodes;  // by id
};

struct ParameterGroup {
  std::string name;
  std::string description;
  ParameterValues values;
};

struct Subnet {
  std::string id;
  std::string zone;
};

struct SubnetGroup {
  std::string name;
  std::string description;
  std::vector<Subnet> subnets;
};

struct Event {
  int64_t at_millis = 0;
  SourceType source_type = SourceType::kCluster;
  std::string source_name;
  std::string message;
};

template <class T>
using ByName = std::map<std::string, std::shared_ptr<const T>, std::less<>>;

struct PlaceState {
  ByName<Cluster> clusters;
  ByName<ParameterGroup> parameter_groups;
  ByName<SubnetGroup> subnet_groups;
  std::map<uint64_t, std::shared_ptr<const Event>> events;  // by number, in the order they came
};

// What is there before anybody has made anything: the default groups.
PlaceState NewPlace(const Place& place);

inline constexpr std::string_view kDefaultParameterGroup = "default.dax1.0";
inline constexpr std::string_view kDefaultSubnetGroup = "default";

// Null if there is none.
template <class T>
std::shared_ptr<const T> Find(const ByName<T>& all, std::string_view name) {
  const auto found = all.find(name);
  return found == all.end() ? nullptr : found->second;
}

const Node* FindNode(const Cluster& cluster, std::string_view id);
std::string ArnOf(const Place& place, std::string_view cluster);
// The zones in which subnet groups have subnets: "us-east-1a", …
std::string ZoneName(const Place& place, size_t number);
inline constexpr size_t kZones = 3;

}  // namespace armature::dax::control
