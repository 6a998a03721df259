#include "dax/node/dax_cluster.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "net/transport/peer_text.h"
#include "net/transport/stream_server.h"

namespace armature::dax {

namespace {

// Policies have nothing to ask of a DAX call but action and resource.
class NothingToDescribe final : public auth::AccessDescriber {
 public:
  void Describe(auth::AccessConditions&) const override {}
  void DescribeTags(auth::ResourceTags&) const override {}
};

using NodePtr = NodeList::Nodes::value_type;

// In the order of their ids.
NodeList With(const NodeList& list, const NodePtr& node) {
  NodeList::Nodes nodes(list.begin(), list.end());
  const auto comes_later = [&node](const auto& other) { return other->plan().id > node->plan().id; };
  nodes.insert(std::find_if(nodes.begin(), nodes.end(), comes_later), node);
  return NodeList(std::move(nodes));
}

NodeList Without(const NodeList& list, const NodePtr& node) {
  NodeList::Nodes nodes(list.begin(), list.end());
  std::erase(nodes, node);
  return NodeList(std::move(nodes));
}

NodePtr Find(const NodeList& nodes, std::string_view id) {
  const auto found = std::find_if(nodes.begin(), nodes.end(), [id](const auto& node) { return node->plan().id == id; });
  return found == nodes.end() ? nullptr : *found;
}

}  // namespace

DaxCluster::DaxCluster(ClusterSettings settings, const ClusterServices& services)
    : settings_(std::move(settings)),
      services_(services),
      record_ttl_millis_(settings_.record_ttl_millis),
      query_ttl_millis_(settings_.query_ttl_millis),
      leader_session_(services.clock.NowMillis()) {}

// Who resumes coroutines still touches their reactor when they have gone on: nobody may when it goes.
DaxCluster::~DaxCluster() {
  StopAll(std::chrono::milliseconds(0));
  services_.lists.AwaitQuiet();
}

// Writers tell a node before it can have cached anything, clients are sent to it when it listens.
Status DaxCluster::AddNode(NodePlan plan) {
  MutexLock lock(changing_);
  auto node = std::make_shared<DaxNode>(*this, std::move(plan));
  node->caches().SetTimesToLive(record_ttl_millis_.load(), query_ttl_millis_.load());
  Publish(With(nodes(), node));
  Status status = node->Start();
  if (status.ok()) PublishServing(With(serving(), node));
  else Publish(Without(nodes(), node));
  return status;
}

bool DaxCluster::RemoveNode(std::string_view id, std::chrono::milliseconds patience) {
  std::shared_ptr<DaxNode> gone;
  {
    MutexLock lock(changing_);
    gone = Find(nodes(), id);
    if (!gone) return false;
    PublishServing(Without(serving(), gone));
  }
  // What it has under way is answered from its cache, too.
  const size_t cut_off = gone->Stop(patience);
  {
    MutexLock lock(changing_);
    Publish(Without(nodes(), gone));
    removed_.push_back(gone->TakeServer());
  }
  gone->caches().Clear();  // of one that a writer has in its list, too
  if (cut_off > 0) LogWarn("{} requests were cut off when DAX node {} stopped", cut_off, id);
  return true;
}

void DaxCluster::StopAll(std::chrono::milliseconds patience) {
  for (;;) {
    const NodeList all = nodes();
    if (all.empty()) return;
    RemoveNode(all.back()->plan().id, patience);
  }
}

uint16_t DaxCluster::PortOf(std::string_view id) const {
  const auto node = Find(serving(), id);
  return node ? node->port() : 0;
}

void DaxCluster::Publish(NodeList nodes) {
  WriteLock lock(mutex_);
  std::swap(nodes_, nodes);
}

void DaxCluster::PublishServing(NodeList nodes) {
  WriteLock lock(mutex_);
  const bool is_same_leader = !nodes.empty() && !serving_.empty() && nodes.front() == serving_.front();
  std::swap(serving_, nodes);
  if (!is_same_leader) leader_session_.fetch_add(1);
}

NodeList DaxCluster::nodes() const {
  ReadLock lock(mutex_);
  return nodes_;
}

NodeList DaxCluster::serving() const {
  ReadLock lock(mutex_);
  return serving_;
}

void DaxCluster::SetTimesToLive(int64_t record_ttl_millis, int64_t query_ttl_millis) {
  MutexLock lock(changing_);  // or a node that is being added would keep the older ones
  record_ttl_millis_ = record_ttl_millis;
  query_ttl_millis_ = query_ttl_millis;
  for (const auto& node : nodes()) node->caches().SetTimesToLive(record_ttl_millis, query_ttl_millis);
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
