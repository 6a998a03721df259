// Reads of single items: from the cache, or by one question for everybody who asks it.
#include <utility>

#include "dax/codec/key_codec.h"
#include "dax/node/execution.h"
#include "dax/node/parts/error_reply.h"

namespace armature::dax {

namespace {

// Memory that the look-ups of a thread share.
struct Scratch {
  std::string key;
  std::string blob;
};
Scratch& OfThisThread() {
  thread_local Scratch scratch;
  scratch.key.clear();
  scratch.blob.clear();
  return scratch;
}

void AppendFound(ItemCache::Found found, std::string_view blob, std::string& reply) {
  AppendCachedItem(reply, found == ItemCache::Found::kItem ? std::optional(blob) : std::nullopt);
}

}  // namespace

bool Execution::FindItem(const TableSchema& schema) {
  Scratch& scratch = OfThisThread();
  if (!CanonicalKey(call_.request.items[0].key, schema, scratch.key)) return false;  // the table says what is wrong
  const ItemCache::Found found = node_.caches().items().Find(schema.number, scratch.key, scratch.blob);
  if (found == ItemCache::Found::kNothing) return false;
  AppendFound(found, scratch.blob, call_.reply);
  return true;
}

Task<void> Execution::GetItem() {
  if (!co_await FindSchemas()) co_return;
  const TableSchema& schema = *schemas_[0];
  const Options& options = call_.request.options;
  std::string key;
  if (options.projection || options.consistent_read.value_or(false) ||
      !CanonicalKey(call_.request.items[0].key, schema, key)) {
    const auto reply = co_await Ask();
    if (!reply) co_return;
    ReplyItems items;
    Tell(*reply, items);
    co_await Settle();
    co_return;
  }
  if (!call_.is_looked_up && FindItem(schema)) co_return;
  co_await ReadItem(schema, key);
}

Task<void> Execution::ReadItem(const TableSchema& schema, std::string_view key) {
  ItemCache& cache = node_.caches().items();
  ReadTicket ticket = cache.BeginRead(schema.number, key);
  Flights<Landed>::Seat seat(node_.caches().flights(), EntryKind::kItem, schema.number, key, ticket.version());
  if (!seat.leads()) {
    if (const auto landed = co_await seat.Wait()) {
      if (landed->is_failure) call_.reply = landed->bytes;
      else
        AppendCachedItem(call_.reply,
                         landed->is_absent ? std::nullopt : std::optional<std::string_view>(landed->bytes));
      co_return;
    }
  }
  auto landed = std::make_shared<Landed>();
  const ItemCache::Found found = cache.FindAgain(schema.number, key, landed->bytes);
  if (found != ItemCache::Found::kNothing) {
    AppendFound(found, landed->bytes, call_.reply);
    landed->is_absent = found == ItemCache::Found::kAbsent;
    co_return seat.Land(std::move(landed));
  }
  ticket = cache.BeginRead(schema.number, key);
  ReplyItems items;
  const auto reply = co_await Ask();
  // What is wrong with this request alone is nobody else's answer: another one leads.
  if (!reply && !failure_) co_return;
  bool is_told = reply && Tell(*reply, items);
  if (is_told) is_told = co_await Settle();
  if (!is_told || items.items.size() != 1) {
    landed->is_failure = true;
    landed->bytes = call_.reply;
  } else if (const ReplyItem& item = items.items[0]; item.is_found) {
    cache.KeepItem(ticket, schema.number, key, item.blob);
    landed->bytes = item.blob;
  } else {
    cache.KeepAbsent(ticket, schema.number, key);
    landed->is_absent = true;
  }
  seat.Land(std::move(landed));
}

namespace {

// What of a BatchGetItem is asked of the tables: its items without those that the cache has.
struct Rest {
  ParsedRequest request;
  std::vector<TableSchemaPtr> schemas;
  std::vector<ReplyItem> cached;
  std::vector<ReadTicket> tickets;  // of the items that may be kept, in the order of `keys`
  std::vector<std::string_view> keys;
  std::vector<const TableSchema*> tables;
};

// Looks for each item whose table lets it be answered from the cache.
Rest LookUp(const ParsedRequest& request, std::span<const TableSchemaPtr> schemas, ItemCache& cache, Arena& arena) {
  Rest rest;
  rest.request = request;
  std::vector<RequestItem> items;
  std::vector<BatchTable> tables;
  for (size_t i = 0; i < request.tables.size(); ++i) {
    BatchTable table = request.tables[i];
    const bool is_cached = !table.consistent_read && !table.projection;
    const size_t first = items.size();
    for (const RequestItem& item : request.items.subspan(table.first, table.count)) {
      std::string key, blob;
      if (is_cached && CanonicalKey(item.key, *schemas[i], key)) {
        const ItemCache::Found found = cache.Find(schemas[i]->number, key, blob);
        if (found != ItemCache::Found::kNothing) {
          rest.cached.push_back({table.table, arena.Copy(key), arena.Copy(blob), found == ItemCache::Found::kItem});
          continue;
        }
        rest.keys.push_back(arena.Copy(key));
        rest.tables.push_back(schemas[i].get());
        rest.tickets.push_back(cache.BeginRead(schemas[i]->number, key));
      }
      items.push_back(item);
    }
    table.first = first;
    table.count = items.size() - first;
    // One of whose keys none is left is not asked for; one that had none is the table's to refuse.
    if (table.count == 0 && request.tables[i].count > 0) continue;
    tables.push_back(table);
    rest.schemas.push_back(schemas[i]);
  }
  rest.request.items = arena.Copy(items);
  rest.request.tables = arena.Copy(tables);
  return rest;
}

// What was read of the items that may be kept.
void KeepRead(const Rest& rest, const ReplyItems& read, ItemCache& cache) {
  for (size_t i = 0; i < rest.keys.size(); ++i) {
    const auto is_it = [&](const ReplyItem& item) {
      return item.key == rest.keys[i] && item.table == rest.tables[i]->name;
    };
    const auto found = std::find_if(read.items.begin(), read.items.end(), is_it);
    if (found != read.items.end()) cache.KeepItem(rest.tickets[i], rest.tables[i]->number, rest.keys[i], found->blob);
    else if (std::none_of(read.unprocessed.begin(), read.unprocessed.end(), is_it))
      cache.KeepAbsent(rest.tickets[i], rest.tables[i]->number, rest.keys[i]);
  }
}

// Twice the same key is DynamoDB's to refuse: it must not be hidden by the cache's having it.
bool NamesOneTwice(const ParsedRequest& request, std::span<const TableSchemaPtr> schemas) {
  for (size_t i = 0; i < request.tables.size(); ++i) {
    std::vector<std::string> keys;
    for (const RequestItem& item : request.items.subspan(request.tables[i].first, request.tables[i].count)) {
      std::string key;
      if (!CanonicalKey(item.key, *schemas[i], key)) return true;
      keys.push_back(std::move(key));
    }
    std::sort(keys.begin(), keys.end());
    if (std::adjacent_find(keys.begin(), keys.end()) != keys.end()) return true;
  }
  return false;
}

constexpr size_t kMostKeys = 100;

}  // namespace

Task<void> Execution::BatchGetItem() {
  if (!co_await FindSchemas()) co_return;
  const ParsedRequest& request = call_.request;
  if (request.items.empty() || request.items.size() > kMostKeys || NamesOneTwice(request, schemas_)) {
    const auto reply = co_await Ask();
    ReplyItems items;
    if (reply) Tell(*reply, items);
    co_await Settle();
    co_return;
  }
  ItemCache& cache = node_.caches().items();
  const Rest rest = LookUp(request, schemas_, cache, call_.arena);
  std::string reply = R"({"Responses":{}})";
  if (!rest.request.tables.empty()) {
    auto json = WriteJsonRequest(rest.request, rest.schemas, lists_, call_.arena);
    if (!json) co_return AppendApiError(json.error(), call_.reply);
    auto answered = co_await Send(json->operation, json->body);
    if (!answered) co_return;
    reply = *std::move(answered);
  }
  ReplyItems read;
  const ReplyContext context{
      .request = rest.request, .schemas = rest.schemas, .lists = lists_, .arena = call_.arena, .cached = rest.cached};
  const auto told = AppendReply(call_.reply, reply, context, read);
  if (!told) co_return AppendApiError(told.error(), call_.reply);
  if (co_await Settle()) KeepRead(rest, read, cache);
}

}  // namespace armature::dax
