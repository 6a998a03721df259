#include "api/partiql/select_read.h"

#include "api/item/item_reply.h"
#include "expr/apply/evaluate.h"
#include "model/codec/item_codec.h"
#include "partiql/lower.h"
#include "table/keys/key_range.h"
#include "table/read/page_read.h"
#include "table/throttle/throttle_error.h"
#include "wire/json/attribute_json.h"

namespace armature::api {

using model::ApiResult;
using partiql::ReadPlan;

namespace {

Task<bool> Holds(const expr::ConditionNode* filter, model::Item item) {
  // Not as one expression: GCC 12 evaluates what stands behind || whatever stands before it.
  if (filter == nullptr) co_return true;
  co_return co_await expr::EvaluateInTurns(*filter, item);
}

// Takes the rows of a page that pass the filter and writes what is selected of them.
class RowWriter : public table::RowSink {
 public:
  RowWriter(const SelectPage& page, JsonWriter& json) : page_(page), json_(json) {}

  void Row(model::Item item) override {
    row_arena_.Reset();
    const auto columns = page_.bound->statement->columns;
    json_.BeginValue();
    wire::AppendItemAsJson(columns.empty() ? item : partiql::ProjectColumns(columns, item, row_arena_), json_.out());
  }

 private:
  const SelectPage& page_;
  JsonWriter& json_;
  Arena row_arena_;
};

Task<ApiResult<void>> ReadOneItem(RequestContext& context, SelectPage& page, JsonWriter& json) {
  const SelectPlan& plan = *page.plan;
  table::ItemRead read;
  read.table = plan.target.table.get();
  read.key = plan.reads.key;
  const table::ReadView view = context.services.reads.ViewFor(page.is_consistent);
  read.at = view.at;
  read.is_consistent = page.is_consistent;
  ARMATURE_CO_CHECK_OK(co_await context.services.reads.Get(read));
  if (read.found) {
    auto decoded = model::DecodeItem(read.record(), context.arena);
    if (!decoded) co_return UnreadableItem(page.bound->statement->table, decoded.error());
    if (co_await Holds(plan.reads.filter, decoded->item)) {
      const auto columns = page.bound->statement->columns;
      json.BeginValue();
      wire::AppendItemAsJson(
          columns.empty() ? decoded->item : partiql::ProjectColumns(columns, decoded->item, context.arena), json.out());
    }
  }
  page.consumed.table_units = read.read_units;
  co_return ApiResult<void>{};
}

// The ranges a plan reads, whichever kind it is.
storage::KeyRange RangeOf(const SelectPlan& plan, size_t read) {
  return plan.reads.kind == ReadPlan::Kind::kScan ? table::AllRows(plan.target.keyspace())
                                                  : plan.reads.reads[read].range;
}

Task<ApiResult<void>> ReadRanges(RequestContext& context, SelectPage& page, JsonWriter& json) {
  const SelectPlan& plan = *page.plan;
  const bool is_scan = plan.reads.kind == ReadPlan::Kind::kScan;
  const table::ReadView view = context.services.reads.ViewFor(page.is_consistent);
  RowWriter rows(page, json);
  size_t rows_left = page.limit;
  size_t bytes = 0;
  for (size_t i = page.start.read; i < ReadCount(plan); ++i) {
    storage::KeyRange range = RangeOf(plan, i);
    if (i == page.start.read && !page.start.key.empty()) {
      std::string row_key;
      table::AppendRowKey(plan.target.keyspace(), page.start.key, row_key);
      table::StartAfter(row_key, plan.reads.is_reverse, range);
    }
    table::PageRead read;
    read.table = plan.target.table.get();
    read.keyspace = &plan.target.keyspace();
    read.partitions = &plan.target.partitions();
    read.index = plan.target.index;
    if (plan.fetches_items) read.fetch_from = &plan.target.schema->items();
    read.range = std::move(range);
    read.is_reverse = plan.reads.is_reverse;
    read.limit = rows_left;
    read.at = view.at;
    read.is_consistent = page.is_consistent;
    read.is_scan = is_scan;
    read.schema = plan.target.schema.get();
    read.filter = is_scan ? plan.reads.filter : plan.reads.reads[i].filter;
    // Conditions see what the index has, even if the item behind it is read for the sake of a column.
    read.sink = &rows;
    const auto done = co_await table::ReadPage(context.services.engine, read, context.arena);
    // There was capacity for the ranges before: they are a page.
    if (!done && i > page.start.read && table::IsThrottleError(done.error())) {
      page.next = NextToken{.read = i};
      break;
    }
    if (!done) co_return done.error();
    page.consumed.AddPage(read);

    rows_left -= read.row_count;
    bytes += read.row_bytes;
    const bool is_full = read.has_more || rows_left == 0 || bytes >= table::kMaxPageBytes;
    if (read.has_more) page.next = NextToken{.read = i, .key = read.last_key};
    else if (is_full && i + 1 < ReadCount(plan)) page.next = NextToken{.read = i + 1};
    if (is_full) break;
  }
  co_return ApiResult<void>{};
}

}  // namespace

size_t ReadCount(const SelectPlan& plan) {
  switch (plan.reads.kind) {
    case ReadPlan::Kind::kGet: return 0;
    case ReadPlan::Kind::kScan: return 1;
    case ReadPlan::Kind::kQueries: return plan.reads.reads.size();
  }
  return 0;
}

Task<ApiResult<void>> ReadSelectPage(RequestContext& context, SelectPage& page, JsonWriter& json) {
  page.consumed.table_name = page.bound->statement->table;
  json.Key("Items");
  json.BeginArray();
  if (page.plan->reads.kind == ReadPlan::Kind::kGet) ARMATURE_CO_CHECK_OK(co_await ReadOneItem(context, page, json));
  else ARMATURE_CO_CHECK_OK(co_await ReadRanges(context, page, json));
  json.EndArray();
  co_return ApiResult<void>{};
}

model::Item SelectedAttributes(const BoundStatement& bound, model::Item item, Arena& arena) {
  const auto columns = bound.statement->columns;
  return columns.empty() ? item : partiql::ProjectColumns(columns, item, arena);
}

ApiResult<std::optional<model::Item>> DecodeSelected(const BoundStatement& bound, bool found, std::string_view record,
                                                     Arena& arena) {
  if (!found) return std::optional<model::Item>();
  auto decoded = model::DecodeItem(record, arena);
  if (!decoded) return UnreadableItem(bound.statement->table, decoded.error());
  return std::optional<model::Item>(SelectedAttributes(bound, decoded->item, arena));
}

}  // namespace armature::api
