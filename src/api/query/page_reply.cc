#include "api/query/page_reply.h"

#include "api/item/item_reply.h"
#include "api/reply_cost.h"
#include "base/text/json_writer.h"
#include "expr/apply/projection.h"
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

}  // namespace

Task<ApiResult<void>> ReplyWithPage(RequestContext& context, PagePlan plan) {
  JsonWriter json(context.body);
  json.BeginObject();
  ItemsWriter items(plan, json);

  table::PageRead page;
  page.table = plan.target.table.get();
  page.keyspace = &plan.target.keyspace();
  page.partitions = &plan.target.partitions();
  page.index = plan.target.index;
  if (plan.selection.fetches_items) page.fetch_from = &plan.target.schema->items();
  page.range = std::move(plan.range);
  page.is_reverse = plan.is_reverse;
  if (plan.request.limit) page.limit = static_cast<size_t>(*plan.request.limit);
  const table::ReadView view = context.services.reads.ViewFor(plan.request.is_consistent);
  page.at = view.at;
  page.is_consistent = plan.request.is_consistent;
  page.is_scan = !plan.request.is_query;
  page.schema = plan.target.schema.get();
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
  ConsumedCapacity consumed;
  consumed.table_name = plan.request.table_name;
  consumed.AddPage(page);
  WriteConsumedCapacity(json, plan.request.return_consumed_capacity, consumed);
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace armature::api
