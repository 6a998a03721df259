#include "dax/node/dax_node.h"

#include <utility>

#include <fmt/format.h>

#include "base/random.h"
#include "dax/node/dax_cluster.h"
#include "dax/node/dax_session.h"
#include "dax/node/execution.h"
#include "net/transport/peer_text.h"
#include "net/transport/stream_server.h"

namespace armature::dax {

namespace {

// Whoever fails to sign is counted by his address.
class PeerOfNode final : public auth::ClientAddress {
 public:
  explicit PeerOfNode(const net::Peer& peer) : peer_(peer) {}
  std::string Text() const override { return net::AddressText(peer_); }

 private:
  const net::Peer& peer_;
};

std::string LabelsOf(const DaxCluster& cluster, const NodePlan& plan) {
  return fmt::format("cluster=\"{}\",node=\"{}\"", cluster.settings().name, plan.id);
}

uint64_t RandomSeed() {
  SystemRandom random;
  return random.NextU64();
}

net::StreamServerOptions StreamOptions(const NodePlan& plan) {
  net::StreamServerOptions options;
  options.host = plan.host;
  options.port = plan.port;
  options.threads = plan.threads;
  options.busy_poll = plan.busy_poll;
  options.tls = plan.tls;
  options.tls_port = plan.tls_port;
  options.max_connections = plan.max_connections;
  options.max_connections_per_address = plan.max_connections_per_address;
  options.max_buffered_bytes = plan.max_buffered_bytes;
  options.overloaded = plan.overloaded;
  options.limits.idle_timeout_millis = net::TimerWheel::kNever;  // see dax_session.h
  return options;
}

net::StreamCounters StreamCounters(Metrics& metrics, const std::string& labels) {
  const auto refused = [&](std::string_view limit) -> Counter& {
    return metrics.GetCounter("armature_dax_connections_refused_total",
                              "Connections of DAX clients refused at a limit: the node's, or that of their address.",
                              fmt::format("{},limit=\"{}\"", labels, limit));
  };
  return {
      metrics.GetCounter("armature_dax_connections_accepted_total", "Connections of DAX clients accepted.", labels),
      refused("node"), refused("address"),
      metrics.GetCounter("armature_dax_connections_evicted_total",
                         "Connections of DAX clients closed under memory pressure because they did not move.", labels),
      metrics.GetCounter("armature_dax_timeouts_total", "Connections closed because the DAX client was too slow.",
                         labels)};
}

}  // namespace

DaxNode::DaxNode(DaxCluster& cluster, NodePlan plan)
    : cluster_(cluster),
      plan_(std::move(plan)),
      caches_(cluster.settings().cache_bytes, cluster.settings().is_coherent, cluster.services().clock, RandomSeed(),
              cluster.services().metrics, LabelsOf(cluster, plan_)),
      server_(std::make_unique<net::StreamServer>(
          StreamOptions(plan_), [this](size_t) { return std::make_unique<DaxProtocol>(*this); },
          StreamCounters(cluster.services().metrics, LabelsOf(cluster, plan_)))) {}

// Who resumes coroutines still touches their reactor when they have gone on: nobody may when it goes.
DaxNode::~DaxNode() {
  if (!is_started_) return;
  Stop(std::chrono::milliseconds(0));
  cluster_.services().lists.AwaitQuiet();
}

Status DaxNode::Start() {
  Status status = server_->Start();
  if (!status.ok()) return status;
  port_ = server_->port();
  tls_port_ = server_->tls_port();
  is_started_ = true;
  return status;
}

size_t DaxNode::Stop(std::chrono::milliseconds patience) {
  const size_t cut_off = server_->Stop(patience);
  writes_.Abandon();
  return cut_off;
}

std::unique_ptr<net::StreamServer> DaxNode::TakeServer() {
  is_started_ = false;
  server_->Release();
  return std::move(server_);
}

auth::AuthResult<SignedIn> DaxNode::SignIn(const ParsedRequest& request, const net::Peer& peer, Arena& arena) const {
  const PeerOfNode client(peer);
  auto signed_in =
      dax::SignIn(cluster_.services().verifier, request, {.client = &client, .is_secure = peer.is_secure}, arena);
  if (!signed_in) return signed_in;
  const ClusterSettings& settings = cluster_.settings();
  if (settings.serves_every_scope || (signed_in->identity->account == settings.account)) return signed_in;
  return auth::AuthFault{auth::AuthFaultKind::kUnrecognizedClient,
                         "The security token included in the request is invalid."};
}

Scope DaxNode::ScopeOf(const SignedIn& caller) const {
  const ClusterSettings& settings = cluster_.settings();
  if (settings.serves_every_scope) return {caller.identity->account, caller.region};
  return {settings.account, settings.region};
}

bool DaxNode::AnswerAtOnce(DaxCall& call) {
  Execution execution(*this, call);
  if (!execution.Authorize()) return true;
  return execution.AnswerAtOnce();
}

Task<void> DaxNode::Answer(DaxCall& call) {
  Execution execution(*this, call);
  co_await execution.Answer();
}

}  // namespace armature::dax
