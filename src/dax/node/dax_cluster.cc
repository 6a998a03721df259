#include "dax/node/dax_cluster.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "net/transport/peer_text.h"

namespace armature::dax {

namespace {

// Policies have nothing to ask of a DAX call but action and resource.
class NothingToDescribe final : public auth::AccessDescriber {
 public:
  void Describe(auth::AccessConditions&) const override {}
  void DescribeTags(auth::ResourceTags&) const override {}
};

}  // namespace

DaxCluster::DaxCluster(ClusterSettings settings, const ClusterServices& services)
    : settings_(std::move(settings)),
      services_(services),
      record_ttl_millis_(settings_.record_ttl_millis),
      query_ttl_millis_(settings_.query_ttl_millis),
      leader_session_(services.clock.NowMillis()),
      nodes_(std::make_shared<const Nodes>()) {}

DaxCluster::~DaxCluster() { StopAll(std::chrono::milliseconds(0)); }

Status DaxCluster::AddNode(NodePlan plan) {
  MutexLock lock(changing_);
  auto node = std::make_shared<DaxNode>(*this, std::move(plan));
  node->caches().SetTimesToLive(record_ttl_millis_.load(), query_ttl_millis_.load());
  // Writers tell it before it can have cached anything.
  Nodes now = *nodes();
  const auto comes_later = [&node](const auto& other) { return other->plan().id > node->plan().id; };
  now.insert(std::find_if(now.begin(), now.end(), comes_later), node);
  Publish(std::move(now));
  Status status = node->Start();
  if (!status.ok()) {
    Nodes without = *nodes();
    std::erase(without, node);
    Publish(std::move(without));
  }
  return status;
}

bool DaxCluster::RemoveNode(std::string_view id, std::chrono::milliseconds patience) {
  std::shared_ptr<DaxNode> gone;
  {
    MutexLock lock(changing_);
    Nodes now = *nodes();
    const auto found = std::find_if(now.begin(), now.end(), [id](const auto& node) { return node->plan().id == id; });
    if (found == now.end()) return false;
    gone = *found;
    now.erase(found);
    Publish(std::move(now));
  }
  const size_t cut_off = gone->Stop(patience);
  gone->caches().Clear();
  {
    MutexLock lock(changing_);
    removed_.push_back({gone, services_.clock.NowMillis()});
  }
  gone.reset();
  ForgetRemoved();
  if (cut_off > 0) LogWarn("{} requests were cut off when DAX node {} stopped", cut_off, id);
  return true;
}

size_t DaxCluster::ForgetRemoved() {
  std::vector<Removed> resting;  // they go behind the lock
  const int64_t now = services_.clock.NowMillis();
  MutexLock lock(changing_);
  const auto is_needed = [now](const Removed& removed) {
    return !removed.node->work().is_zero() || now - removed.at_millis < kRestMillis;
  };
  const auto rest = std::partition(removed_.begin(), removed_.end(), is_needed);
  std::move(rest, removed_.end(), std::back_inserter(resting));
  removed_.erase(rest, removed_.end());
  return removed_.size();
}

void DaxCluster::StopAll(std::chrono::milliseconds patience) {
  for (;;) {
    const auto all = nodes();
    if (all->empty()) return;
    RemoveNode(all->back()->plan().id, patience);
  }
}

uint16_t DaxCluster::PortOf(std::string_view id) const {
  for (const auto& node : *nodes())
    if (node->plan().id == id) return node->port();
  return 0;
}

void DaxCluster::Publish(Nodes nodes) {
  auto published = std::make_shared<const Nodes>(std::move(nodes));
  WriteLock lock(mutex_);
  const bool is_same_leader = !published->empty() && !nodes_->empty() && published->front() == nodes_->front();
  nodes_ = std::move(published);
  if (!is_same_leader) leader_session_.fetch_add(1);
}

std::shared_ptr<const DaxCluster::Nodes> DaxCluster::nodes() const {
  ReadLock lock(mutex_);
  return nodes_;
}

void DaxCluster::SetTimesToLive(int64_t record_ttl_millis, int64_t query_ttl_millis) {
  record_ttl_millis_ = record_ttl_millis;
  query_ttl_millis_ = query_ttl_millis;
  for (const auto& node : *nodes()) node->caches().SetTimesToLive(record_ttl_millis, query_ttl_millis);
}

model::ApiResult<void> DaxCluster::Authorize(const DaxCall& call, std::string_view action) const {
  if (!asks_for_permission(call)) return {};
  const std::string address = net::AddressText(*call.peer);
  const auth::Resource resource{.kind = auth::ResourceKind::kDaxCluster,
                                .region = settings_.region,
                                .account = settings_.account,
                                .name = settings_.name};
  const auth::Circumstances circumstances{.source_ip = address,
                                          .is_secure = call.peer->is_secure,
                                          .user_agent = call.caller->user_agent,
                                          .requested_region = call.caller->region,
                                          .now_millis = services_.clock.NowMillis()};
  return services_.authorizer->Authorize(call.caller->principal(),
                                         auth::Access(action, resource, NothingToDescribe(), circumstances));
}

}  // namespace armature::dax
