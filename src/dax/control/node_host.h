// NodeHost: by which a cluster's plan becomes nodes that run.
//
// The control plane decides which nodes there shall be, and keeps that across restarts; whoever implements this starts
// and ends them: servers on threads of this process, each with a port of its own. Called by one thread at a time (the
// ClusterKeeper's), which may be blocked. A node that is started knows from its NodePlan which cluster it belongs to;
// the cluster's others are those that were started under the same ARN and not stopped since. Of these the one whose id
// sorts first is the leader, and its address is the cluster's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace armature::dax::control {

// What a parameter group sets. Zero means to the caches what docs/design/dax.md says.
struct ParameterValues {
  int64_t record_ttl_millis = 300'000;
  int64_t query_ttl_millis = 300'000;

  bool operator==(const ParameterValues&) const = default;
};

struct NodeAddress {
  std::string host;   // as clients reach it: "127.0.0.1"
  uint16_t port = 0;  // 0: it has never run

  bool operator==(const NodeAddress&) const = default;
};

struct NodePlan {
  std::string cluster_arn;
  std::string account;  // whose cluster it is, and in which Region: whose tables its clients mean
  std::string region;
  std::string cluster;
  std::string node_id;  // "mycluster-a"
  std::string zone;     // "us-east-1a": told to clients, means nothing here
  std::string node_type;
  std::string role_arn;       // on whose behalf tables are read and written
  bool is_encrypted = false;  // clients speak TLS to it
  // Where it ran before, and where clients look for it: to be taken again if it is free. 0: any.
  uint16_t port = 0;
  ParameterValues parameters;
};

class NodeHost {
 public:
  virtual ~NodeHost() = default;

  // The node takes connections once this returns. REQUIRES: it is not running.
  virtual Result<NodeAddress> Start(const NodePlan& plan) = 0;
  // It takes none any more, and all it had are closed. One that is not running is none of an error.
  virtual void Stop(std::string_view cluster_arn, std::string_view node_id) = 0;
  // What is cached from now on, by all nodes of the cluster that run.
  virtual void Apply(std::string_view cluster_arn, const ParameterValues& parameters) = 0;
  // The cluster is gone for good, and so may be whatever was kept for it. REQUIRES: its nodes were stopped.
  virtual void Forget(std::string_view cluster_arn) = 0;
};

}  // namespace armature::dax::control
