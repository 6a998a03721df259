// The reply of a Query or Scan: reads one page, filters and projects each row, and writes it to the body as it comes.
//
// No row is kept; the counts follow the items, since the order of JSON members is free. Used by api/query.
#pragma once

#include "api/query/read_target.h"
#include "api/query/selection.h"
#include "api/request_context.h"
#include "base/async.h"
#include "expr/bound.h"
#include "model/api_error.h"
#include "storage/engine.h"

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

Task<model::ApiResult<void>> ReplyWithPage(RequestContext& context, PagePlan plan);

}  // namespace armature::api
