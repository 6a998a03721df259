// DaxNode: a node of a cluster: a port, connections, and caches of its own.
//
// Owns its caches, and its server until that is taken. What it knows of tables, attribute lists, its sisters and who
// may do what is the cluster's (dax_cluster.h). AnswerAtOnce and Answer are called on the node's reactors, by its
// sessions; Start and Stop by one thread outside of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "auth/verifier.h"
#include "base/async.h"
#include "base/result.h"
#include "dax/node/parts/dax_call.h"
#include "dax/node/parts/node_caches.h"
#include "dax/node/parts/sign_in.h"
#include "dax/node/writes_under_way.h"

namespace armature::net {
class StreamServer;
class TlsAcceptor;
struct Peer;
}  // namespace armature::net

namespace armature::dax {

class DaxCluster;

struct NodePlan {
  int64_t number = 0;    // by which clients tell it from its sisters
  std::string id = "a";  // likewise, and of its cluster the first in order leads
  std::string host = "127.0.0.1";
  uint16_t port = 8111;                       // 0: any free port
  std::string advertised_host = "127.0.0.1";  // the address where clients are told to go
  std::string zone = "us-east-1a";
  std::shared_ptr<net::TlsAcceptor> tls;   // null: `port` speaks without TLS, and there is no tls_port
  std::optional<uint16_t> tls_port;        // beside `port`; without it, and with tls, `port` itself speaks TLS
  int threads = 0;                         // 0: one per core
  std::chrono::microseconds busy_poll{0};  // before a thread sleeps, see net/transport/reactor.h
  size_t max_connections = 20'000;
  size_t max_connections_per_address = 0;  // 0: no limit
  size_t max_buffered_bytes = size_t{256} << 20;
  std::function<bool()> overloaded{};  // the process is short of memory; cheap and thread-safe; may be empty
};

class DaxNode {
 public:
  // The cluster must outlive it.
  DaxNode(DaxCluster& cluster, NodePlan plan);
  ~DaxNode();
  DaxNode(const DaxNode&) = delete;
  DaxNode& operator=(const DaxNode&) = delete;

  // Listens. The error is one line fit for a user.
  Status Start();
  // Takes no more, answers what is under way for that long. What was cut off is how many.
  size_t Stop(std::chrono::milliseconds patience);
  // What has to stay when the node goes: somebody may be about to wake what was cut off on its reactors. It has neither
  // descriptors nor threads any more. REQUIRES: stopped.
  std::unique_ptr<net::StreamServer> TakeServer();

  const NodePlan& plan() const { return plan_; }
  uint16_t port() const { return port_; }          // REQUIRES: started
  uint16_t tls_port() const { return tls_port_; }  // REQUIRES: and it has one
  NodeCaches& caches() { return caches_; }
  DaxCluster& cluster() { return cluster_; }
  const DaxCluster& cluster() const { return cluster_; }
  WritesUnderWay& writes() { return writes_; }

  // --- for its sessions

  auth::AuthResult<SignedIn> SignIn(const ParsedRequest& request, const net::Peer& peer, Arena& arena) const;
  Scope ScopeOf(const SignedIn& caller) const;
  // Makes the answer if that needs nobody else: what is in the cache, and what a node knows by itself.
  bool AnswerAtOnce(DaxCall& call);
  // Makes the answer.
  Task<void> Answer(DaxCall& call);

 private:
  DaxCluster& cluster_;
  const NodePlan plan_;
  NodeCaches caches_;
  WritesUnderWay writes_;
  uint16_t port_ = 0;
  uint16_t tls_port_ = 0;
  bool is_started_ = false;
  std::unique_ptr<net::StreamServer> server_;  // null: it was taken
};

}  // namespace armature::dax
