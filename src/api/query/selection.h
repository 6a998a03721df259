// Selection: which attributes a Query or Scan returns, from Select and the projection parameters.
//
// The checks come in two steps: the parameters against each other, and against what an index projects. Pure; used
// inside api/query.
#pragma once

#include <string_view>

#include "api/item/expressions.h"
#include "api/query/read_request.h"
#include "api/query/read_target.h"
#include "model/api_error.h"

namespace armature::api {

struct Selection {
  bool is_count_only = false;
  const expr::BoundProjection* projection = nullptr;  // null: all of what is read
  // A local index does not have all that is asked for: the items behind its entries are read from the table.
  bool fetches_items = false;
  // Fetched for the sake of the filter only: what is returned is cut down to what the index projects.
  bool is_cut_to_entry = false;
};

// `projection_parameter` is ExpressionParameters::projection_parameter().
model::ApiResult<void> CheckSelect(const ReadRequest& request, std::string_view projection_parameter);

// REQUIRES: CheckSelect passed.
model::ApiResult<Selection> MakeSelection(const ReadRequest& request, const ReadTarget& target,
                                          const BoundExpressions& bound);

}  // namespace armature::api
