#include "dax/node/refresh.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/async.h"
#include "base/log.h"
#include "base/memory/arena.h"
#include "dax/node/dax_cluster.h"
#include "dax/translate/json_reply.h"
#include "dax/translate/json_request.h"

namespace armature::dax {

namespace {

// At most what BatchGetItem takes, which is what a transaction may have.
constexpr size_t kMostItems = 100;

// The items as a BatchGetItem of them: those of one table together.
struct Question {
  Arena arena;
  ParsedRequest request;
  std::vector<TableSchemaPtr> schemas;
};

void Ask(std::vector<RefreshedItem>& items, Question& question) {
  std::stable_sort(items.begin(), items.end(), [](const RefreshedItem& a, const RefreshedItem& b) {
    return std::pair(a.schema->number, a.key) < std::pair(b.schema->number, b.key);
  });
  const auto is_same = [](const RefreshedItem& a, const RefreshedItem& b) {
    return a.schema->number == b.schema->number && a.key == b.key;
  };
  items.erase(std::unique(items.begin(), items.end(), is_same), items.end());
  std::vector<RequestItem> asked;
  std::vector<BatchTable> tables;
  for (const RefreshedItem& item : items) {
    if (question.schemas.empty() || question.schemas.back()->number != item.schema->number) {
      question.schemas.push_back(item.schema);
      tables.push_back({.table = item.schema->name, .consistent_read = true, .first = asked.size()});
    }
    ++tables.back().count;
    asked.push_back({.table = item.schema->name, .key = item.key});
  }
  question.request.method = Method::kBatchGetItem;
  question.request.items = question.arena.Copy(asked);
  question.request.tables = question.arena.Copy(tables);
}

// What one node may keep of it.
struct Ticketed {
  std::weak_ptr<DaxNode> node;      // one that goes meanwhile is not waited for
  std::vector<ReadTicket> tickets;  // one for each item
};

Task<void> Refresh(DaxCluster& cluster, std::vector<RefreshedItem> items, std::string account, std::string region) {
  const ClusterServices& services = cluster.services();
  Question question;
  Ask(items, question);
  std::vector<Ticketed> nodes;
  for (const auto& node : cluster.nodes()) {
    nodes.push_back({node, {}});
    for (const RefreshedItem& item : items)
      nodes.back().tickets.push_back(node->caches().items().BeginRead(item.schema->number, item.key));
  }
  const AccountLists lists(services.lists, account);
  const auto request = WriteJsonRequest(question.request, question.schemas, lists, question.arena);
  if (!request) co_return;
  const BackendReply reply = co_await services.backend.Call(request->operation, request->body, {account, region});
  if (!reply) co_return;
  std::string bytes;
  ReplyItems read;
  const ReplyContext context{
      .request = question.request, .schemas = question.schemas, .lists = lists, .arena = question.arena};
  if (!AppendReply(bytes, *reply, context, read)) co_return;
  // Blobs name their attributes by lists, which may go out to clients from here on.
  if (const Status settled = co_await services.lists.Settled(); !settled.ok()) co_return;
  for (size_t i = 0; i < items.size(); ++i) {
    const RefreshedItem& item = items[i];
    const auto is_it = [&](const ReplyItem& other) {
      return other.key == item.key && other.table == item.schema->name;
    };
    if (std::any_of(read.unprocessed.begin(), read.unprocessed.end(), is_it)) continue;
    const auto found = std::find_if(read.items.begin(), read.items.end(), is_it);
    for (const Ticketed& ticketed : nodes) {
      const auto node = ticketed.node.lock();
      if (!node) continue;
      ItemCache& cache = node->caches().items();
      if (found != read.items.end()) cache.KeepItem(ticketed.tickets[i], item.schema->number, item.key, found->blob);
      else cache.KeepAbsent(ticketed.tickets[i], item.schema->number, item.key);
    }
  }
}

async_detail::Detached Run(DaxCluster& cluster, std::vector<RefreshedItem> items, Scope scope) {
  try {
    co_await Refresh(cluster, std::move(items), std::string(scope.account), std::string(scope.region));
  } catch (const std::exception& error) { LogWarn("items could not be read again for DAX caches: {}", error.what()); }
}

}  // namespace

void RefreshItems(DaxCluster& cluster, std::vector<RefreshedItem> items, const Scope& scope) {
  if (items.empty() || items.size() > kMostItems) return;
  Run(cluster, std::move(items), scope);
}

}  // namespace armature::dax
