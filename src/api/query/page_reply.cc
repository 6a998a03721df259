#include "api/query/page_reply.h"

#include <algorithm>

#include "api/item/item_reply.h"
#include "api/reply_cost.h"
#include "base/text/json_writer.h"
#include "expr/apply/projection.h"
#include "table/capacity.h"
#include "table/read/page_read.h"
#include "wire/json/attribute_json.h"

namespace armature::api {

using model::ApiResult;

namespace {

// Takes the rows of a page that pass the filter: counts them and writes what is selected of them.
class ItemsWriter : public table::RowSink {
 public:
  ItemsWriter(const PagePlan& plan, JsonWriter& json) : plan_(plan), json_(json) {}

  void Row(model::Item item) override {
    ++count_;
    const Selection& selection = plan_.selection;
    if (selection.is_count_only) return;
    row_arena_.Reset();
    if (selection.projection) item = expr::Project(*selection.projection, item, row_arena_);
    json_.BeginValue();
    wire::AppendItemAsJson(item, json_.out());
  }

  int64_t count() const { return count_; }

 private:
  const PagePlan& plan_;
  JsonWriter& json_;
  Arena row_arena_;
  int64_t count_ = 0;
};

// A new table on demand lies on AWS in four partitions, and a Scan pays at least one unit for each it goes through: an
// empty table costs 4 strongly consistent units, not 1 (docs/dynamodb.md 9.1). Our own layout does not matter here.
constexpr int kPartitionsOnDemand = 4;

int PartitionOf(const table::Keyspace& keyspace, std::string_view row_key) {
  if (row_key.size() <= keyspace.prefix.size() || !row_key.starts_with(keyspace.prefix)) return 0;
  const auto first_byte_of_hash = static_cast<uint8_t>(row_key[keyspace.prefix.size()]);
  return first_byte_of_hash * kPartitionsOnDemand / 256;
}

int PartitionsScanned(const ReadTarget& target, const storage::KeyRange& range, const table::PageRead& page) {
  if (target.schema->def().billing_mode != model::BillingMode::kPayPerRequest) return 1;
  const table::Keyspace& keyspace = target.keyspace();
  const int first = PartitionOf(keyspace, range.begin);
  int last = kPartitionsOnDemand - 1;
  if (page.has_more) {
    std::string last_key;
    table::AppendRowKey(keyspace, page.last_key, last_key);
    last = PartitionOf(keyspace, last_key);
  } else if (range.end.starts_with(keyspace.prefix)) {
    // The end of a segment is not part of it; where it begins a partition, that one was not touched.
    const std::string_view end = std::string_view(range.end).substr(keyspace.prefix.size());
    const bool is_boundary = !end.empty() && static_cast<uint8_t>(end[0]) % (256 / kPartitionsOnDemand) == 0 &&
                             end.find_first_not_of('\0', 1) == std::string_view::npos;
    last = PartitionOf(keyspace, range.end) - (is_boundary ? 1 : 0);
  }
  return std::max(1, last - first + 1);
}

}  // namespace

ConsumedCapacity PageCapacity(const ReadTarget& target, std::string_view table_name, bool is_query, bool is_consistent,
                              const storage::KeyRange& range, const table::PageRead& page) {
  const double factor = is_consistent ? 1.0 : 0.5;
  double units = table::ReadUnits(page.row_bytes, true);
  if (!is_query) units = std::max(units, static_cast<double>(PartitionsScanned(target, range, page)));
  ConsumedCapacity consumed;
  consumed.table_name = table_name;
  if (target.index) {
    consumed.AddIndex(target.index->def->name, target.index->def->kind, units * factor);
    consumed.table_units = page.fetched_read_units * factor;
  } else {
    consumed.table_units = units * factor;
  }
  return consumed;
}

Task<ApiResult<void>> ReplyWithPage(RequestContext& context, PagePlan plan) {
  JsonWriter json(context.body);
  json.BeginObject();
  ItemsWriter items(plan, json);

  table::PageRead page;
  page.table = plan.target.table.get();
  page.keyspace = &plan.target.keyspace();
  page.partitions = &plan.target.partitions();
  if (plan.selection.fetches_items) page.fetch_from = &plan.target.schema->items();
  page.range = plan.range;
  page.is_reverse = plan.is_reverse;
  if (plan.request.limit) page.limit = static_cast<size_t>(*plan.request.limit);
  const table::ReadView view = context.services.reads.ViewFor(plan.request.is_consistent);
  page.at = view.at;
  if (plan.filter) page.filter = plan.filter->root;
  page.sink = &items;

  if (!plan.selection.is_count_only) {
    json.Key("Items");
    json.BeginArray();
  }
  ARMATURE_CO_CHECK_OK(co_await table::ReadPage(context.services.engine, page, context.arena));
  if (!plan.selection.is_count_only) json.EndArray();
  json.MemberInt("Count", items.count());
  json.MemberInt("ScannedCount", static_cast<int64_t>(page.row_count));
  if (page.has_more && !plan.is_one_item) WriteItemMember(json, "LastEvaluatedKey", page.last_key);
  WriteConsumedCapacity(json, plan.request.return_consumed_capacity,
                        PageCapacity(plan.target, plan.request.table_name, plan.request.is_query,
                                     plan.request.is_consistent, plan.range, page));
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace armature::api
