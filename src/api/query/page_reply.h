// The reply of a Query or Scan: reads one page, filters and projects each row, and writes it to the body as it comes.
//
// No row is kept; the counts follow the items, since the order of JSON members is free. Used by api/query;
// what a page costs also by api/partiql.
#pragma once

#include "api/query/read_target.h"
#include "api/query/selection.h"
#include "api/reply_cost.h"
#include "api/request_context.h"
#include "base/async.h"
#include "expr/bound.h"
#include "model/api_error.h"
#include "storage/engine.h"
#include "table/read/page_read.h"

namespace armature::api {

// What to read and how to answer; everything is checked.
struct PagePlan {
  const ReadRequest& request;
  const ReadTarget& target;
  Selection selection{};
  const expr::BoundCondition* filter = nullptr;
  storage::KeyRange range{};
  bool is_reverse = false;
  // At most one item can match: no LastEvaluatedKey, for it could not be gone on from.
  bool is_one_item = false;
};

// What reading a page used; `range` is what was to be read.
ConsumedCapacity PageCapacity(const ReadTarget& target, std::string_view table_name, bool is_query, bool is_consistent,
                              const storage::KeyRange& range, const table::PageRead& page);

Task<model::ApiResult<void>> ReplyWithPage(RequestContext& context, PagePlan plan);

}  // namespace armature::api
