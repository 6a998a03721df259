// Query and Scan: whole answers by all that was asked.
#include <utility>

#include "base/bytes.h"
#include "dax/node/execution.h"

namespace armature::dax {

namespace {

void AppendText(std::string& out, const std::optional<std::string_view>& text) {
  out.push_back(text ? '\1' : '\0');
  if (text) AppendLengthPrefixed(out, *text);
}

template <class Number>
void AppendNumber(std::string& out, const std::optional<Number>& number) {
  out.push_back(number ? '\1' : '\0');
  if (number) AppendVarint(out, ZigZag(static_cast<int64_t>(*number)));
}

// All that decides the answer, but for ReturnConsumedCapacity: from the cache nothing is consumed.
std::string AskedOf(const ParsedRequest& request) {
  const Options& options = request.options;
  std::string asked;
  AppendText(asked, request.key_condition);
  AppendText(asked, options.projection);
  AppendText(asked, options.filter);
  AppendText(asked, options.index_name);
  AppendText(asked, options.exclusive_start_key);
  AppendNumber(asked, options.limit);
  AppendNumber(asked, options.select);
  AppendNumber(asked, options.scan_index_forward);
  AppendNumber(asked, options.segment);
  AppendNumber(asked, options.total_segments);
  return asked;
}

QueryCache::Kind KindOf(const ParsedRequest& request) {
  return request.method == Method::kQuery ? QueryCache::Kind::kQuery : QueryCache::Kind::kScan;
}

}  // namespace

bool Execution::FindPage(const TableSchema& schema) {
  return node_.caches().queries().Find(KindOf(call_.request), schema.number, AskedOf(call_.request), call_.reply);
}

Task<void> Execution::Page() {
  if (!co_await FindSchemas()) co_return;
  if (call_.request.options.consistent_read.value_or(false)) {
    const auto reply = co_await Ask();
    ReplyItems items;
    if (reply) Tell(*reply, items);
    co_await Settle();
    co_return;
  }
  if (!call_.is_looked_up && FindPage(*schemas_[0])) co_return;
  co_await ReadPage(*schemas_[0], AskedOf(call_.request));
}

Task<void> Execution::ReadPage(const TableSchema& schema, std::string_view asked) {
  QueryCache& cache = node_.caches().queries();
  const QueryCache::Kind kind = KindOf(call_.request);
  QueryCache::Version version = cache.BeginRead(schema.number);
  const EntryKind entry = kind == QueryCache::Kind::kQuery ? EntryKind::kQuery : EntryKind::kScan;
  Flights<Landed>::Seat seat(node_.caches().flights(), entry, schema.number, asked, version);
  if (!seat.leads()) {
    if (const auto landed = co_await seat.Wait()) {
      call_.reply = landed->bytes;
      co_return;
    }
  }
  auto landed = std::make_shared<Landed>();
  if (cache.FindAgain(kind, schema.number, asked, landed->bytes)) {
    call_.reply = landed->bytes;
    co_return seat.Land(std::move(landed));
  }
  version = cache.BeginRead(schema.number);
  const auto reply = co_await Ask();
  if (!reply && !failure_) co_return;  // nobody else's answer: another one leads
  ReplyItems items;
  bool is_told = reply && Tell(*reply, items);
  if (is_told) is_told = co_await Settle();
  landed->is_failure = !is_told;
  // What others get, and the cache, has no capacity in it: they have consumed none.
  if (is_told && call_.request.options.return_consumed_capacity.value_or(0) != 0) {
    ParsedRequest plain = call_.request;
    plain.options.return_consumed_capacity.reset();
    const ReplyContext context{
        .request = plain, .schemas = schemas_, .lists = lists_, .arena = call_.arena, .tells_capacity = false};
    if (!AppendReply(landed->bytes, *reply, context, items)) landed->bytes = call_.reply;
  } else {
    landed->bytes = call_.reply;
  }
  if (is_told) cache.Keep(version, kind, schema.number, asked, landed->bytes);
  seat.Land(std::move(landed));
}

}  // namespace armature::dax
