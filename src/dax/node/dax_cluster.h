// DaxCluster: nodes that answer for one name, and what they share.
//
// Settings that may change while nodes serve, who may do what, which nodes there are (the first by its id leads), and
// the word that an item was written, which every node's cache gets before the writer is answered. Nodes are added and
// removed by one thread at a time; everything else is thread-safe. `dax/control` and the command line make clusters.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/authorizer.h"
#include "auth/limits/principal_limits.h"
#include "auth/verifier.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/shared_mutex.h"
#include "dax/attributes/attribute_lists.h"
#include "dax/backend/backend.h"
#include "dax/node/dax_node.h"
#include "dax/node/parts/call_record.h"
#include "dax/node/parts/dax_call.h"
#include "dax/node/table_schemas.h"
#include "model/api_error.h"

namespace armature::dax {

struct ClusterSettings {
  std::string name = "armature";
  std::string account;
  std::string region;
  // Whose tables are meant: those of the account and Region of a client's signature, as for a server's own port, or
  // the cluster's own, and then nobody else's signature is taken.
  bool serves_every_scope = false;
  uint64_t cache_bytes = uint64_t{256} << 20;  // of each node
  int64_t record_ttl_millis = 300'000;
  int64_t query_ttl_millis = 300'000;
  bool is_coherent = false;  // whoever writes to a table tells the caches (CacheWatch)
};

// Everything must outlive the cluster.
struct ClusterServices {
  Backend& backend;
  AttributeLists& lists;
  TableSchemas& schemas;
  const Clock& clock;
  Metrics& metrics;
  const auth::Verifier& verifier;
  const auth::Authorizer* authorizer = nullptr;  // null: who has signed may do everything
  // Count each request of who has signed; the verifier is one that does not. Null: there are none.
  const auth::PrincipalLimits* limits = nullptr;
  const CallRecorder* recorder = nullptr;  // null: nothing is recorded
};

// The nodes of a cluster at a moment. Keeps them: one that a loop runs over stays what it is, whoever comes or goes.
class NodeList {
 public:
  using Nodes = std::vector<std::shared_ptr<DaxNode>>;

  NodeList() : NodeList(Nodes()) {}
  explicit NodeList(Nodes nodes) : nodes_(std::make_shared<const Nodes>(std::move(nodes))) {}

  Nodes::const_iterator begin() const { return nodes_->begin(); }
  Nodes::const_iterator end() const { return nodes_->end(); }
  size_t size() const { return nodes_->size(); }
  bool empty() const { return nodes_->empty(); }
  const std::shared_ptr<DaxNode>& operator[](size_t index) const { return (*nodes_)[index]; }
  const std::shared_ptr<DaxNode>& front() const { return nodes_->front(); }
  const std::shared_ptr<DaxNode>& back() const { return nodes_->back(); }
  // Of the same moment; others may have the same nodes.
  bool operator==(const NodeList&) const = default;

 private:
  std::shared_ptr<const Nodes> nodes_;
};

class DaxCluster {
 public:
  DaxCluster(ClusterSettings settings, const ClusterServices& services);
  // Stops its nodes at once, and waits until nobody touches their reactors any more.
  ~DaxCluster();
  DaxCluster(const DaxCluster&) = delete;
  DaxCluster& operator=(const DaxCluster&) = delete;

  // The node serves when this returns. The error is one line fit for a user.
  Status AddNode(NodePlan plan);
  // False if there is none of that id.
  bool RemoveNode(std::string_view id, std::chrono::milliseconds patience);
  void StopAll(std::chrono::milliseconds patience);
  // 0: there is no such node.
  uint16_t PortOf(std::string_view id) const;

  // For all nodes, from the next entry on.
  void SetTimesToLive(int64_t record_ttl_millis, int64_t query_ttl_millis);

  const ClusterSettings& settings() const { return settings_; }
  const ClusterServices& services() const { return services_; }

  // Those whose caches are told of writes: from before they serve until they do no more.
  NodeList nodes() const;
  // Those that clients are sent to, the leader first.
  NodeList serving() const;
  // Another number for another leader.
  int64_t leader_session() const { return leader_session_.load(); }

  // Whether policies are asked about a request.
  bool asks_for_permission(const DaxCall& call) const { return services_.authorizer && !call.caller->is_unproven; }
  // Whether the caller of a request may do that to this cluster: "dax:GetItem".
  model::ApiResult<void> Authorize(const DaxCall& call, std::string_view action) const;

 private:
  void Publish(NodeList nodes) ARMATURE_WITH_LOCK(changing_);
  void PublishServing(NodeList nodes) ARMATURE_WITH_LOCK(changing_);

  const ClusterSettings settings_;
  const ClusterServices services_;
  std::atomic<int64_t> record_ttl_millis_;
  std::atomic<int64_t> query_ttl_millis_;
  std::atomic<int64_t> leader_session_;

  Mutex changing_;
  mutable SharedMutex mutex_;
  NodeList nodes_ ARMATURE_GUARDED_BY(mutex_);
  NodeList serving_ ARMATURE_GUARDED_BY(mutex_);
  // Of nodes that were removed: requests that were cut off may still be waited for on reactors of these.
  std::vector<std::unique_ptr<net::StreamServer>> removed_ ARMATURE_GUARDED_BY(changing_);
};

}  // namespace armature::dax
